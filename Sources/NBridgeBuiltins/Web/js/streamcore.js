// SPDX-License-Identifier: MIT
// What all streams share: promises, queues, strategies and Web IDL conversions (Streams standard, 8).
((host) => {
  "use strict";
  const { TypeError, RangeError } = globalThis;
  const PromiseOf = Promise;
  const { finish, task } = host;
  const { apply } = Reflect;
  const { trunc } = Math;
  const { MAX_SAFE_INTEGER } = Number;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const react = uncurry(Promise.prototype.then);
  const noop = () => {};

  // --- Promises -------------------------------------------------------------------------------------------

  /** A promise and its resolving functions, which knows whether it was settled. */
  class Deferred {
    isPending = true;
    promise;
    #resolve;
    #reject;

    constructor() {
      this.promise = new PromiseOf((resolve, reject) => {
        this.#resolve = resolve;
        this.#reject = reject;
      });
    }

    resolve(value) {
      this.isPending = false;
      this.#resolve(value);
    }

    reject(error) {
      this.isPending = false;
      this.#reject(error);
    }
  }

  // Not Promise.resolve, which answers a promise that it is given: Web IDL wants a new one.
  const resolved = (value) => new PromiseOf((resolve) => resolve(value));
  const rejected = (error) => new PromiseOf((_, reject) => reject(error));

  /** Keeps a rejection of `promise` from being reported. */
  const handled = (promise) => {
    react(promise, undefined, noop);
    return promise;
  };

  const settled = (value) => {
    const deferred = new Deferred();
    deferred.resolve(value);
    return deferred;
  };

  const failed = (error) => {
    const deferred = new Deferred();
    deferred.reject(error);
    handled(deferred.promise);
    return deferred;
  };

  const settledPromise = resolved(undefined);
  const microtask = (step) => { react(settledPromise, step); };

  /** Settles in a turn of its own: timers and events have theirs before. */
  const turn = () => new PromiseOf((resolve) => { task(() => resolve(undefined)); });

  /** A script takes what is there at once piece by piece, and nothing else would run: so many pieces, then a turn. */
  const PIECES_A_TURN = 4;

  /** Web IDL, "wait for all", of promises whose values do not matter. */
  const waitForAll = (first, second) => {
    const all = new Deferred();
    let left = 2;
    const count = () => { if (--left === 0) all.resolve(undefined); };
    const fail = (error) => all.reject(error);
    react(first, count, fail);
    react(second, count, fail);
    return all.promise;
  };

  /** Calls what answers a promise (Web IDL, "invoke a callback function"): what it throws rejects that. */
  const promiseCall = (method, self, args) => {
    try {
      return resolved(apply(method, self, args));
    } catch (error) {
      return rejected(error);
    }
  };

  // --- Queues ---------------------------------------------------------------------------------------------

  /** First in, first out. A list of links, which no change to Array.prototype can reach. */
  class Queue {
    #first = null;
    #last = null;
    length = 0;

    get first() { return this.#first.value; }

    push(value) {
      const link = { value, next: null };
      if (this.#first === null) this.#first = link;
      else this.#last.next = link;
      this.#last = link;
      this.length++;
    }

    shift() {
      const link = this.#first;
      this.#first = link.next;
      this.length--;
      return link.value;
    }

    clear() {
      this.#first = this.#last = null;
      this.length = 0;
    }
  }

  /** Streams 8.1, "queue-with-sizes". */
  class SizedQueue {
    #chunks = new Queue();
    total = 0;

    get length() { return this.#chunks.length; }
    get first() { return this.#chunks.first.chunk; }

    push(chunk, size) {
      if (!(size >= 0 && size < Infinity)) {
        throw new RangeError("The size of a chunk must be a finite number that is not negative");
      }
      this.#chunks.push({ chunk, size });
      this.total += size;
    }

    shift() {
      const { chunk, size } = this.#chunks.shift();
      this.total -= size;
      if (this.total < 0) this.total = 0; // Rounding.
      return chunk;
    }

    clear() {
      this.#chunks.clear();
      this.total = 0;
    }
  }

  // --- Web IDL --------------------------------------------------------------------------------------------

  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

  const need = (count, wanted, where) => {
    if (count < wanted) throw new TypeError(`${where} needs ${wanted} argument${wanted > 1 ? "s" : ""}`);
  };

  const illegal = (what) => new TypeError(`This is not a ${what}`);

  /** An `optional object`. */
  const toObject = (value, where) => {
    if (value === undefined) return undefined;
    if (isObject(value)) return value;
    throw new TypeError(`${where} must be an object`);
  };

  /** [EnforceRange] unsigned long long. */
  const toLength = (value, where) => {
    const length = trunc(+value);
    if (length >= 0 && length <= MAX_SAFE_INTEGER) return length + 0; // No negative zero.
    throw new TypeError(`${where} must be a number from 0 to 2^53 - 1`);
  };

  const requireDictionary = (value, where) => {
    if (value === undefined || value === null || isObject(value)) return;
    throw new TypeError(`${where} must be an object`);
  };

  /** A member of a dictionary that is a callback function. */
  const toCallback = (value, where) => {
    if (value === undefined || typeof value === "function") return value;
    throw new TypeError(`${where} must be a function`);
  };

  const toStrategy = (value) => {
    requireDictionary(value, "The strategy");
    if (value === undefined || value === null) return { highWaterMark: undefined, size: undefined };
    let { highWaterMark } = value;
    if (highWaterMark !== undefined) highWaterMark = +highWaterMark;
    return { highWaterMark, size: toCallback(value.size, "The strategy's size") };
  };

  const highWaterMarkOf = ({ highWaterMark }, otherwise) => {
    if (highWaterMark === undefined) return otherwise;
    if (highWaterMark >= 0) return highWaterMark;
    throw new RangeError("The strategy's highWaterMark must be a number that is not negative");
  };

  const countOne = () => 1;

  const sizeOf = ({ size }) =>
    size === undefined ? countOne : (chunk) => +apply(size, undefined, [chunk]);

  const core = {
    Deferred, PIECES_A_TURN, Queue, SizedQueue, countOne, failed, finish, handled, highWaterMarkOf, illegal, isObject,
    microtask, need, noop, promiseCall, react, rejected, requireDictionary, resolved, settled, sizeOf,
    toCallback, toLength, toObject, toStrategy, turn, uncurry, waitForAll,
  };
  return { core };
})
