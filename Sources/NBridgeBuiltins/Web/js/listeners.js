// SPDX-License-Identifier: MIT
// The listeners of an event target: what becomes one, and chains of them, one for each type.
((host) => {
  "use strict";
  const { Table, isObject } = host;
  const { Boolean, TypeError } = globalThis;

  // What addEventListener was given. `signals` says what an AbortSignal is.
  const toListener = (value) => {
    if (value === undefined || value === null) return null;
    if (!isObject(value)) throw new TypeError("a listener must be a function or an object");
    return value;
  };
  const toCapture = (options) => Boolean(isObject(options) ? options.capture : options);
  const toEntry = (callback, options, signals = null) => {
    const capture = toCapture(options);
    const entry = {
      callback, capture, once: false, passive: false, signal: null, step: null, isRemoved: false,
      number: 0, previous: null, next: null,
    };
    if (!isObject(options)) return entry;
    entry.once = Boolean(options.once);
    entry.passive = Boolean(options.passive);
    const { signal } = options;
    if (signal === undefined) return entry;
    if (!signals.isSignal(signal)) throw new TypeError("the option 'signal' must be an AbortSignal");
    entry.signal = signal;
    return entry;
  };

  /** So many listeners are looked through one by one. */
  const FEW = 16;
  /**
   * The listeners of one type: a chain, which a dispatch may walk while it changes. One that is taken out keeps what came
   * behind it; one that comes later has a higher number. `known` finds those of many by their callbacks.
   */
  const makeChain = () => ({ __proto__: null, first: null, last: null, count: 0, latest: 0, known: null });
  const note = (known, entry) => { (entry.capture ? known.capturing : known.others).set(entry.callback, entry); };
  const attach = (chain, entry) => {
    entry.number = ++chain.latest;
    entry.previous = chain.last;
    if (chain.last === null) chain.first = entry;
    else chain.last.next = entry;
    chain.last = entry;
    if (++chain.count > FEW && chain.known === null) {
      chain.known = { __proto__: null, capturing: new Table(), others: new Table() };
      for (let at = chain.first; at !== null; at = at.next) note(chain.known, at);
    } else if (chain.known !== null) {
      note(chain.known, entry);
    }
  };
  const detach = (chain, entry) => {
    if (entry.previous === null) chain.first = entry.next;
    else entry.previous.next = entry.next;
    if (entry.next === null) chain.last = entry.previous;
    else entry.next.previous = entry.previous;
    chain.count--;
    if (chain.known !== null) (entry.capture ? chain.known.capturing : chain.known.others).delete(entry.callback);
  };
  const findIn = (chain, callback, capture) => {
    if (chain.known !== null) return (capture ? chain.known.capturing : chain.known.others).get(callback) ?? null;
    for (let at = chain.first; at !== null; at = at.next) {
      if (at.callback === callback && at.capture === capture) return at;
    }
    return null;
  };

  return { attach, detach, findIn, makeChain, toCapture, toEntry, toListener };
})
