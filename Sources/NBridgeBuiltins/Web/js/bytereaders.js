// SPDX-License-Identifier: MIT
// What reads bytes piece by piece, and the ReadableStream over it, which asks no property that a script could change.
//
// A reader is { read(), a promise of bytes or undefined; next(), the same at once, where it can; cancel(reason); ahead, how many
// bytes are read before somebody wants them }. Each piece is the caller's: it may write to it or transfer it.
((host) => {
  "use strict";
  const { core, readables, readableCore, ByteController, bufferViews } = host;
  const { PIECES_A_TURN, react, rejected, resolved, turn } = core;
  const { Readable } = readableCore;
  const { cloned, partsOf } = bufferViews;
  const Bytes = Uint8Array;

  const streamOf = (reader) => {
    const stream = new Readable();
    const close = () => {
      controller.close();
      if (controller.pending.length > 0) controller.respond(0); // A reader that waits with a buffer gets it back only so.
    };
    const take = (bytes) => {
      if (stream.state !== "readable") return;
      if (bytes === undefined) close();
      else controller.enqueue(bytes);
    };
    const takeNext = () => take(reader.next());
    let count = 0;
    const controller = new ByteController(stream, {
      pull() {
        if (reader.next === undefined) return react(reader.read(), take);
        if (++count % PIECES_A_TURN === 0) return react(turn(), takeNext);
        try { return resolved(takeNext()); } catch (error) { return rejected(error); }
      },
      cancel: (reason) => react(resolved(reader.cancel(reason)), core.noop),
    }, reader.ahead ?? 0, undefined);
    controller.start(undefined);
    return readables.show(stream);
  };

  const CHUNK = 65536;

  /** A reader of bytes that are there, each piece of it a copy. */
  const readerOver = (bytes) => {
    const { buffer, byteOffset, byteLength } = partsOf(bytes);
    let at = 0;
    const next = () => {
      if (at >= byteLength) return undefined;
      const start = at;
      at = start + CHUNK < byteLength ? start + CHUNK : byteLength;
      return new Bytes(cloned(buffer, byteOffset + start, at - start));
    };
    return {
      __proto__: null,
      /** At once: a promise of an object asks for the object's `then`, which a script may have given to all. */
      next,
      async read() { return next(); },
      cancel() { at = byteLength; },
    };
  };

  return { byteReaders: { readerOver, streamOf } };
})
