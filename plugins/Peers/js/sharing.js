(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const { failure, isBytes } = inner;
  const { freeze } = Object;
  const { option: checked } = program;

  /** Takes a transfer's events to its end; answers the last. */
  const follow = async (watch, progress) => {
    let last;
    for await (const event of watch) {
      last = event;
      if (typeof progress === "function") progress({ done: event.done, total: event.total });
    }
    if (!last?.isOver) throw failure("cancelled", "the transfer was cancelled");
    return last;
  };

  class Resource {
    #session; #offer;
    constructor(session, { peer, peerName, channel, name, size }) {
      this.#session = session;
      this.#offer = { peer, channel };
      this.from = freeze({ id: peer, name: peerName });
      this.name = name;
      this.size = size;
    }
    /** Receives it into a file below the app's temporary folder, and answers where that is. */
    async receive(option) {
      const { progress, signal } = checked(option, ["progress", "signal"]);
      const { path, hash } = await follow(this.#session.receiveResource(this.#offer, undefined, { signal }), progress);
      const inside = path.slice(path.lastIndexOf("/peers/") + 1);
      return { from: this.from, name: this.name, size: this.size, directory: "temporary", path: inside, fullPath: path, hash };
    }
    /** Refuses it; its sender hears that. */
    decline() { return this.#session.declineResource(this.#offer); }
  }

  const bytesOf = (chunk) => {
    if (typeof chunk === "string") {
      // Encoding would put another character in the place of half of one.
      if (!chunk.isWellFormed()) throw new TypeError("a chunk holds a lone surrogate, half of a character, which text can't carry");
      return new TextEncoder().encode(chunk);
    }
    if (isBytes(chunk)) return chunk;
    throw new TypeError("a stream takes bytes and strings");
  };

  const writable = (session, peer, channel) => {
    const at = { peer, channel };
    return new WritableStream({
      write: (chunk) => session.writeStream({ ...at, bytes: bytesOf(chunk) }),
      close: () => session.closeStream({ ...at, isWhole: true }),
      abort: () => session.closeStream({ ...at, isWhole: false }),
    });
  };

  const readable = (session, offer) => {
    let watch;
    return new ReadableStream({
      start() { watch = session.readStream(offer); },
      async pull(controller) {
        const { done, value } = await watch.next();
        if (done) controller.close(); else controller.enqueue(value.bytes);
      },
      cancel: () => watch.return(),
    }, { highWaterMark: 0 });
  };

  Object.assign(inner, { follow, Resource, writable, readable });
}
