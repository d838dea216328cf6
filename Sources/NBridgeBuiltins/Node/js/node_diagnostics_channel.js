// SPDX-License-Identifier: MIT
// node:diagnostics_channel: messages by name, to whoever asked for them.
"use strict";

const { check } = require("node:internal/errors");

const channels = new Map();

class Channel {
  #subscribers = [];
  constructor(name) { this.name = name; }
  get hasSubscribers() { return this.#subscribers.length > 0; }
  subscribe(listener) {
    check.function(listener, "subscription");
    this.#subscribers = [...this.#subscribers, listener];
  }
  unsubscribe(listener) {
    const at = this.#subscribers.indexOf(listener);
    if (at >= 0) this.#subscribers = this.#subscribers.toSpliced(at, 1);
    return at >= 0;
  }
  publish(message) {
    for (const listener of this.#subscribers) {
      try { listener(message, this.name); } catch (error) { queueMicrotask(() => { throw error; }); }
    }
  }
}

const channel = (name) => {
  if (!channels.has(name)) channels.set(name, new Channel(name));
  return channels.get(name);
};

module.exports = {
  Channel, channel, hasSubscribers: (name) => channels.get(name)?.hasSubscribers ?? false,
  subscribe: (name, listener) => channel(name).subscribe(listener),
  unsubscribe: (name, listener) => channel(name).unsubscribe(listener),
};
