// SPDX-License-Identifier: MIT
// Timers and microtasks as the HTML standard has them (section 8.6, 8.7).
((host) => {
  "use strict";
  const { arm, now, fail } = host;
  const FunctionOf = Function;
  const PromiseOf = Promise;

  let lastId = 0;
  let sequence = 0;
  let nesting = 0;
  const active = new Map();
  const heap = [];

  const isBefore = (a, b) => a.due < b.due || (a.due === b.due && a.sequence < b.sequence);

  const push = (timer) => {
    let child = heap.length;
    heap.push(timer);
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
    const last = heap.pop();
    const { length } = heap;
    if (length === 0) return first;
    let parent = 0;
    for (;;) {
      let child = 2 * parent + 1;
      if (child >= length) break;
      if (child + 1 < length && isBefore(heap[child + 1], heap[child])) child++;
      if (!isBefore(heap[child], last)) break;
      heap[parent] = heap[child];
      parent = child;
    }
    heap[parent] = last;
    return first;
  };

  /** Drops cancelled timers from the top and answers when the next is due, -1 for never. */
  const nextDue = () => {
    while (heap.length > 0 && !heap[0].isActive) pop();
    return heap.length === 0 ? -1 : heap[0].due;
  };

  const schedule = (timer) => {
    // From the sixth level of nesting on, at least 4 ms (HTML, timer initialization steps, 5).
    const delay = timer.nesting > 5 && timer.delay < 4 ? 4 : timer.delay;
    timer.due = now() + delay;
    timer.sequence = sequence++;
    push(timer);
    arm(nextDue());
  };

  const set = (handler, delay, args, repeats) => {
    if (typeof handler !== "function") {
      const text = `${handler}`;
      handler = () => FunctionOf(text).call(globalThis);
    }
    const milliseconds = Number(delay) | 0;
    const timer = {
      id: ++lastId, handler, args, repeats, delay: milliseconds < 0 ? 0 : milliseconds, nesting: nesting + 1,
      due: 0, sequence: 0, isActive: true,
    };
    active.set(timer.id, timer);
    schedule(timer);
    return timer.id;
  };

  const clear = (id) => {
    const key = Number(id);
    const timer = active.get(key);
    if (timer === undefined) return;
    timer.isActive = false;
    active.delete(key);
    arm(nextDue());
  };

  /** Runs the first timer that is due by `time`. Called by the loop, once for each, so that microtasks run between. */
  const fire = (time) => {
    const due = nextDue();
    if (due < 0 || due > time) return false;
    const timer = pop();
    const outer = nesting;
    nesting = timer.nesting;
    try {
      timer.handler.apply(globalThis, timer.args);
    } finally {
      nesting = outer;
      if (timer.isActive) {
        if (timer.repeats) {
          timer.nesting++;
          schedule(timer);
        } else {
          active.delete(timer.id);
        }
      }
      arm(nextDue());
    }
    return true;
  };

  const library = {
    setTimeout(handler, delay = 0, ...args) { return set(handler, delay, args, false); },
    setInterval(handler, delay = 0, ...args) { return set(handler, delay, args, true); },
    clearTimeout(id = 0) { clear(id); },
    clearInterval(id = 0) { clear(id); },
    queueMicrotask(callback) {
      if (typeof callback !== "function") throw new TypeError("queueMicrotask: the argument must be a function");
      microtask(callback);
    },
  };
  const microtask = async (callback) => {
    await undefined;
    try { callback(); } catch (error) { fail(error); }
  };
  return { fire, library, now };
})
