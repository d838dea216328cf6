(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const { failure, packed, once } = inner.common;
  const { define, toStringTag } = program.intrinsics;
  const MAKE = { __proto__: null };

  /** A stream that scripts write to: stdout, stderr, or a child's stdin. */
  class ProcessWriter {
    #native;

    constructor(key, native) {
      if (key !== MAKE) throw failure("invalid_parameter", "a writer is made by nbridge.process: stdout, stderr, or the stdin of spawn");
      this.#native = native;
    }

    /** Writes a string or bytes behind all that was written before; settles when they are written. */
    async write(value, control) { await this.#native.write(packed(value, "what is written"), control); }

    /** Ends a child's stdin behind what was written. Stdout and stderr stay open: they are the program's. */
    async close() { await this.#native.close?.(); }

    /** The same as a WritableStream. */
    stream() {
      return new WritableStream({ write: (chunk) => this.write(chunk), close: () => this.close(), abort: () => this.close() });
    }
  }
  define(ProcessWriter.prototype, toStringTag, { __proto__: null, value: "ProcessWriter", configurable: true });

  const writer = (native) => new ProcessWriter(MAKE, native);

  /** Stdout or stderr. The call is made at once: its place is behind what console printed before. */
  const output = (put, written, settle) => writer({
    __proto__: null,
    async write(value, control) {
      const piece = await put(value);
      if (piece === null || piece === undefined) return;
      await once(written({ __proto__: null, piece }, control));
      await settle({ __proto__: null, piece });
    },
  });

  inner.writer = writer;
  inner.output = output;
}
