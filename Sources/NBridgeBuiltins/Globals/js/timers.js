// SPDX-License-Identifier: MIT
// Timers and microtasks as the HTML standard has them (section 8.6, 8.7).
((host) => {
  "use strict";
  const { arm, now, report } = host;
  const { TypeError } = globalThis;
  const { apply } = Reflect;
  const { defineProperty, setPrototypeOf } = Object;
  const { forEach } = Map.prototype;
  const evaluate = eval; // Called by this name it is indirect: in the global scope, as the standard wants.
  const globalObject = globalThis;
  /** So many are not worth looking for. */
  const MOST_CANCELLED = 1000;

  /** A Map that works whatever a script does to Map.prototype. */
  class Table extends Map {
    // The one that is there without asks the iterator of arrays.
    constructor() { super(); }
  }
  for (const name of ["get", "set", "delete"]) {
    defineProperty(Table.prototype, name, { __proto__: null, value: Map.prototype[name] });
  }

  let lastId = 0;
  let sequence = 0;
  let nesting = 0;
  let running;
  const active = new Table();
  // How many of these the program waits for.
  let held = 0;
  // Without a prototype no setter for an index reaches it.
  const heap = setPrototypeOf([], null);
  // The engine copies an array of 100,000 whenever its length is set.
  let size = 0;
  // How many of these were cancelled.
  let cancelled = 0;

  const isBefore = (a, b) => a.due < b.due || (a.due === b.due && a.sequence < b.sequence);

  const push = (timer) => rise(timer, size++);

  /** Puts a timer at a place that is free, or nearer to the top. */
  const rise = (timer, child) => {
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!isBefore(timer, heap[parent])) break;
      heap[child] = heap[parent];
      child = parent;
    }
    heap[child] = timer;
  };

  const pop = () => {
    const first = heap[0];
    const last = heap[--size];
    heap[size] = undefined;
    if (size === 0) {
      heap.length = 0;
      return first;
    }
    let parent = 0;
    for (;;) {
      let child = 2 * parent + 1;
      if (child >= size) break;
      if (child + 1 < size && isBefore(heap[child + 1], heap[child])) child++;
      if (!isBefore(heap[child], last)) break;
      heap[parent] = heap[child];
      parent = child;
    }
    heap[parent] = last;
    return first;
  };

  /** Drops all cancelled timers: a program that sets and cancels long ones would keep them for as long. */
  const sweep = () => {
    const end = size;
    size = cancelled = 0;
    for (let i = 0; i < end; i++) {
      const timer = heap[i];
      heap[i] = undefined;
      if (timer.isActive) rise(timer, size++);
    }
  };

  /** Drops cancelled timers from the top and answers when the next is due, -1 for never. */
  const nextDue = () => {
    for (; size > 0 && !heap[0].isActive; cancelled--) pop();
    return size === 0 ? -1 : heap[0].due;
  };

  const schedule = (timer) => {
    // A timer that was set by the sixth of a chain, or a later one, takes at least 4 ms
    // (HTML, timer initialization steps, 5). `nesting` counts this one too.
    const delay = timer.nesting > 6 && timer.delay < 4 ? 4 : timer.delay;
    timer.due = now() + delay;
    timer.sequence = sequence++;
    push(timer);
    if (heap[0] === timer) arm(timer.due, held > 0);
  };

  /** Web IDL's `long`: the remainder of 2^32, so that 2^32 is 0. */
  const toLong = (value) => +value | 0;

  const set = (handler, timeout, args, repeats) => {
    const code = typeof handler === "function" ? handler : `${handler}`;
    const milliseconds = toLong(timeout);
    const timer = {
      id: ++lastId, code, args, repeats, delay: milliseconds < 0 ? 0 : milliseconds, nesting: nesting + 1,
      due: 0, sequence: 0, isActive: true, isHeld: true,
    };
    active.set(timer.id, timer);
    const wasHeld = held++ > 0;
    schedule(timer);
    if (!wasHeld && heap[0] !== timer) rearm();
    return timer.id;
  };

  const rearm = () => arm(nextDue(), held > 0);

  const forget = (timer) => {
    active.delete(timer.id);
    if (timer.isHeld) held--;
  };

  /** Whether the program waits for a timer, as it does unless this says that it does not. */
  const hold = (id, isHeld) => {
    const timer = active.get(id);
    if (timer === undefined || timer.isHeld === isHeld) return;
    timer.isHeld = isHeld;
    held += isHeld ? 1 : -1;
    rearm();
  };

  const clear = (value) => {
    const id = toLong(value);
    const timer = active.get(id);
    if (timer === undefined) return;
    const wasNext = heap[0] === timer;
    timer.isActive = false;
    timer.code = timer.args = undefined;
    forget(timer);
    // The one that runs is no more in the heap.
    if (timer !== running && ++cancelled > MOST_CANCELLED && cancelled > size / 2) sweep();
    if (wasNext || held === 0) rearm();
  };

  const run = ({ code, args }) => {
    try {
      if (typeof code === "function") apply(code, globalObject, args);
      else evaluate(code);
    } catch (error) {
      report(error);
    }
  };

  /** After a timer ran: it comes again, or it is forgotten. */
  const settle = (timer) => {
    if (!timer.isActive) return;
    if (timer.repeats) {
      timer.nesting++;
      schedule(timer);
    } else {
      forget(timer);
    }
  };

  /** Runs the first timer due by `time`. The loop calls it for each, so that microtasks run between them. */
  const fire = (time) => {
    const due = nextDue();
    if (due < 0 || due > time) return false;
    const timer = pop();
    const outer = nesting;
    nesting = timer.nesting;
    running = timer;
    try {
      run(timer);
    } finally { // What ends the program can't be caught.
      nesting = outer;
      running = undefined;
      settle(timer);
      rearm();
    }
    return true;
  };

  /** What a callback that was stopped from outside left undone: no `finally` runs then. */
  const recover = () => {
    nesting = 0;
    const stopped = running;
    running = undefined;
    if (stopped !== undefined) settle(stopped);
    rearm();
  };

  const microtask = async (callback) => {
    await undefined;
    try { callback(); } catch (error) { report(error); }
  };

  const need = (given, name) => { if (given === 0) throw new TypeError(`${name} needs an argument`); };

  const library = {
    setTimeout(handler, timeout = 0, ...args) {
      need(arguments.length, "setTimeout");
      return set(handler, timeout, args, false);
    },
    setInterval(handler, timeout = 0, ...args) {
      need(arguments.length, "setInterval");
      return set(handler, timeout, args, true);
    },
    clearTimeout(id = 0) { clear(id); },
    clearInterval(id = 0) { clear(id); },
    queueMicrotask(callback) {
      if (typeof callback !== "function") throw new TypeError("queueMicrotask needs a function");
      microtask(callback);
    },
  };
  /** The timers that are set, as [id, delay in milliseconds, whether it repeats]. */
  const open = () => {
    const list = [];
    apply(forEach, active, [({ id, delay, repeats }) => {
      defineProperty(list, list.length, { __proto__: null, value: [id, delay, repeats] });
    }]);
    return list;
  };

  return { fire, recover, open, hold, ...library };
})
