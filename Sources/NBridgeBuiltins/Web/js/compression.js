// SPDX-License-Identifier: MIT
// CompressionStream and DecompressionStream (Compression standard).
((host) => {
  "use strict";
  const { bufferViews, codec, core, transforms } = host;
  const { TypeError } = globalThis;
  const { bytesIn } = bufferViews;
  const { finish, PIECES_A_TURN, react, turn } = core;

  /** A copy of a chunk's bytes: what is read of it later must not change with the script's buffer. */
  const copyOf = (chunk, where) => {
    const bytes = bytesIn(chunk, where);
    if (bytes === undefined) throw new TypeError(`${where} takes bytes: an ArrayBuffer, or a view of one`);
    return bytes;
  };

  /** The next piece; undefined when there is none. */
  const nextOf = (native, where) => {
    const piece = native.next();
    if (typeof piece === "string") throw new TypeError(`${where}: ${piece}`);
    return piece;
  };

  /**
   * Hands out what there is as readers want it: bytes that unfold to a thousand times as many wait for them. An abort ends that:
   * a chunk's rest is nobody's then, and what should end has failed.
   */
  const handOut = (native, stream, where, first, isEnd) => {
    let piece = first;
    while (piece !== undefined && stream.readable.controller.canCloseOrEnqueue) {
      stream.enqueue(piece);
      const following = piece = nextOf(native, where);
      if (following !== undefined && stream.hasBackpressure) {
        const goOn = () => {
          const { state, storedError } = stream.writable;
          if (state !== "erroring") return handOut(native, stream, where, following, isEnd);
          if (isEnd) throw storedError;
          return undefined;
        };
        return react(stream.changeOrAbort, ++native.count % PIECES_A_TURN === 0 ? () => react(turn(), goOn) : goOn);
      }
    }
    return undefined;
  };

  const create = (where, format, isDecoder) => {
    const native = codec(format, isDecoder);
    if (native === undefined) {
      throw new TypeError(`${where}: there is no format "${format}"; there are gzip, deflate, deflate-raw, brotli and zstd`);
    }
    if (typeof native === "string") throw new TypeError(`${where}: ${native}`);
    native.count = 0;
    return transforms.create((chunk, stream) => {
      // The codec reads it where it is, and has to have it for so long.
      native.fed = copyOf(chunk, where);
      native.feed(native.fed);
      return handOut(native, stream, where, nextOf(native, where), false);
    }, (stream) => {
      native.end();
      return handOut(native, stream, where, nextOf(native, where), true);
    });
  };

  const requireFormat = (where, count) => {
    if (count === 0) throw new TypeError(`${where} needs a format: gzip, deflate, deflate-raw, brotli or zstd`);
  };

  class CompressionStream {
    #pair;

    constructor(format) {
      requireFormat("CompressionStream", arguments.length);
      this.#pair = create("CompressionStream", `${format}`, false);
    }

    get readable() { return this.#pair.readable; }
    get writable() { return this.#pair.writable; }
  }
  finish(CompressionStream, "CompressionStream", ["readable", "writable"]);

  class DecompressionStream {
    #pair;

    constructor(format) {
      requireFormat("DecompressionStream", arguments.length);
      this.#pair = create("DecompressionStream", `${format}`, true);
    }

    get readable() { return this.#pair.readable; }
    get writable() { return this.#pair.writable; }
  }
  finish(DecompressionStream, "DecompressionStream", ["readable", "writable"]);

  return { CompressionStream, DecompressionStream };
})
