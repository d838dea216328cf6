// SPDX-License-Identifier: MIT
// BroadcastChannel (HTML standard, section 9.5), among the engines of one program.
((host) => {
  "use strict";
  const { DOMException, EventTarget, links } = host;
  const { addHandlers, finish, need, watch } = host.events;
  const { makePipe, enable, listen, closePipe } = host.messaging;
  const { serialize } = host.clone;
  const { TypeError } = globalThis;

  let isChannel;

  class BroadcastChannel extends EventTarget {
    #name;
    // Its link is 0 when the channel was closed.
    #pipe = makePipe();

    constructor(name) {
      need(arguments.length, 1, "BroadcastChannel");
      super();
      this.#name = `${name}`;
      const pipe = this.#pipe;
      pipe.owner = this;
      links.adopt(pipe, links.join(host.texts.keyOf(this.#name)));
      enable(pipe);
      watch(this, (type, count) => { if (type === "message" && pipe.link !== 0) listen(pipe, count); });
    }

    static { isChannel = (value) => typeof value === "object" && value !== null && #pipe in value; }

    get name() { return this.#name; }

    postMessage(message) {
      const pipe = this.#pipe;
      need(arguments.length, 1, "postMessage");
      if (pipe.link === 0) throw new DOMException("the channel was closed", "InvalidStateError");
      links.send(pipe, serialize(message, [], true));
    }

    close() { if (this.#pipe.link !== 0) closePipe(this.#pipe); }
  }
  finish(BroadcastChannel, "BroadcastChannel", ["name", "postMessage", "close"]);
  addHandlers(BroadcastChannel.prototype, ["message", "messageerror"], (value) => {
    if (isChannel(value)) return value;
    throw new TypeError("this is not a BroadcastChannel");
  });

  return { BroadcastChannel };
})
