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
  // Whether the loop knows, since it has woken, when the next is due.
  let isArmed = false;
  const active = new Table();
  // How many of these the program waits for.
  let held = 0;
  // Without a prototype no setter for an index reaches it.
  let heap = setPrototypeOf([], null);
  // The engine copies an array of 100,000 whenever its length is set.
  let size = 0;
  // How many of these were cancelled.
  let cancelled = 0;

  // What follows leaves whole timers behind wherever it ends: a script may call at the end of its stack, where the
  // next call of a function of JavaScript's fails, and it may be stopped in a loop. So these call none, and swap.

  /** Puts a timer into a heap of `count` others. */
  const push = (timers, count, timer) => {
    let child = count;
    timers[child] = timer;
    while (child > 0) {
      const parent = (child - 1) >> 1, above = timers[parent];
      if (above.due < timer.due || (above.due === timer.due && above.sequence < timer.sequence)) return;
      timers[child] = above;
      timers[parent] = timer;
      child = parent;
    }
  };

  const pop = () => {
    const first = heap[0], last = heap[--size];
    heap[0] = last;
    heap[size] = undefined;
    if (size === 0) heap.length = 0;
    for (let parent = 0; ;) {
      let child = 2 * parent + 1;
      if (child >= size) return first;
      let below = heap[child];
      if (child + 1 < size) {
        const other = heap[child + 1];
        if (other.due < below.due || (other.due === below.due && other.sequence < below.sequence)) {
          child++;
          below = other;
        }
      }
      if (last.due < below.due || (last.due === below.due && last.sequence < below.sequence)) return first;
      heap[parent] = below;
      heap[child] = last;
      parent = child;
    }
  };

  /** Drops all cancelled timers: a program that sets and cancels long ones would keep them for as long. */
  const sweep = () => {
    const kept = setPrototypeOf([], null);
    let count = 0;
    for (let i = 0; i < size; i++) if (heap[i].isActive) push(kept, count++, heap[i]);
    heap = kept;
    size = count;
    cancelled = 0;
  };

  /** Drops cancelled timers from the top and answers when the next is due, -1 for never. */
  const nextDue = () => {
    while (size > 0 && !heap[0].isActive) {
      pop();
      cancelled--;
    }
    return size === 0 ? -1 : heap[0].due;
  };

  const schedule = (timer) => {
    // A timer that was set by the sixth of a chain, or a later one, takes at least 4 ms
    // (HTML, timer initialization steps, 5). `nesting` counts this one too.
    const delay = timer.nesting > 6 && timer.delay < 4 ? 4 : timer.delay;
    timer.due = now() + delay;
    timer.sequence = sequence++;
    push(heap, size, timer);
    size++;
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
    schedule(timer);
    active.set(timer.id, timer);
    held++;
    // The first may be one that was cancelled: the loop finds that out when it is due.
    if (heap[0] === timer || held === 1) arm(heap[0].due, true);
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
    arm(size === 0 ? -1 : heap[0].due, held > 0);
  };

  const clear = (value) => {
    const id = toLong(value);
    const timer = active.get(id);
    if (timer === undefined) return;
    const wasNext = heap[0] === timer;
    timer.isActive = false;
    timer.code = timer.args = undefined;
    // As `forget`, without a call, which may fail.
    active.delete(id);
    if (timer.isHeld) held--;
    // The one that runs is no more in the heap.
    if (timer !== running) cancelled++;
    try {
      if (cancelled > MOST_CANCELLED && cancelled > size / 2) sweep();
      if (wasNext) nextDue();
    } finally {
      if (wasNext || held === 0) arm(size === 0 ? -1 : heap[0].due, held > 0);
    }
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

  /**
   * Runs the first timer due by `time`. The loop calls it for each, so that microtasks run between them; `wakes` with the
   * first when it has woken.
   */
  const fire = (time, wakes) => {
    if (wakes) isArmed = false;
    const due = nextDue();
    if (due < 0 || due > time) {
      // The loop was woken for one that was cancelled.
      if (!isArmed) arm(due, held > 0);
      return false;
    }
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
      isArmed = true;
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
