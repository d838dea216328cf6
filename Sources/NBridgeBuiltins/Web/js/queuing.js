// SPDX-License-Identifier: MIT
// CountQueuingStrategy and ByteLengthQueuingStrategy (Streams standard, section 7).
((host) => {
  "use strict";
  const { core, compares } = host;
  const { TypeError } = globalThis;
  const { finish, need, requireDictionary } = core;
  const isObject = (value) => typeof value === "object" && value !== null;

  /** QueuingStrategyInit. */
  const toHighWaterMark = (count, init, where) => {
    need(count, 1, where);
    requireDictionary(init, `${where}: the first argument`);
    const highWaterMark = init?.highWaterMark;
    if (highWaterMark === undefined) throw new TypeError(`${where} needs a highWaterMark`);
    return +highWaterMark;
  };

  // Arrows: these two are no constructors. All strategies of a global have the same function.
  const sizes = {
    count: { size: () => 1 }.size,
    byteLength: { size: (chunk) => chunk.byteLength }.size,
  };

  class CountQueuingStrategy {
    #highWaterMark;
    static {
      const isOne = (value) => isObject(value) && #highWaterMark in value;
      compares("CountQueuingStrategy", (strategy) => [strategy.#highWaterMark], isOne);
    }

    constructor(init) {
      this.#highWaterMark = toHighWaterMark(arguments.length, init, "CountQueuingStrategy");
    }

    get highWaterMark() { return this.#highWaterMark; }

    get size() {
      this.#highWaterMark; // Throws if this is another thing.
      return sizes.count;
    }
  }
  finish(CountQueuingStrategy, "CountQueuingStrategy", ["highWaterMark", "size"]);

  class ByteLengthQueuingStrategy {
    #highWaterMark;
    static {
      const isOne = (value) => isObject(value) && #highWaterMark in value;
      compares("ByteLengthQueuingStrategy", (strategy) => [strategy.#highWaterMark], isOne);
    }

    constructor(init) {
      this.#highWaterMark = toHighWaterMark(arguments.length, init, "ByteLengthQueuingStrategy");
    }

    get highWaterMark() { return this.#highWaterMark; }

    get size() {
      this.#highWaterMark;
      return sizes.byteLength;
    }
  }
  finish(ByteLengthQueuingStrategy, "ByteLengthQueuingStrategy", ["highWaterMark", "size"]);

  return { CountQueuingStrategy, ByteLengthQueuingStrategy };
})
