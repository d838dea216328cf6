// SPDX-License-Identifier: MIT
// What a file of tests leaves behind: calls and watches of plugins, timers and workers that are still open. It is told once.
((host) => {
  "use strict";
  const { openCalls, openWorkers, endWorker, setTimer, clearTimer, openTimers, unheld } = host;
  const { add, each } = host.suites;
  const { makeOwn } = host.settling;
  const { Error } = globalThis;
  const { apply, ownKeys } = Reflect;
  const uncurry = (method) => (self, ...args) => apply(method, self, args);
  const join = uncurry(Array.prototype.join);

  /** The runner's own timers, which are no test's. */
  const limits = { __proto__: null };
  /** Rejects when the time is over, or a signal, where there is one, is aborted before. */
  const setLimit = (reject, limit, signal) => {
    const timer = setTimer(() => reject(new Error(`did not end within ${limit} ms`)), limit);
    const onAbort = () => reject(signal.reason);
    signal?.addEventListener("abort", onAbort);
    limits[timer] = { drop: () => signal?.removeEventListener("abort", onAbort) };
    return timer;
  };
  const clearLimit = (timer) => {
    limits[timer]?.drop();
    delete limits[timer];
    clearTimer(timer);
  };

  /** What is open now, by a key of its own. A timer that was unref'ed is meant to be left behind. */
  const open = () => {
    const found = { __proto__: null };
    each(openCalls(), ({ id, text }) => { found[`call ${id}`] = { text }; });
    each(openTimers(), ({ id, text }) => {
      if (!limits[id] && !unheld[id]) found[`timer ${id}`] = { text, end: () => clearTimer(+id) };
    });
    each(openWorkers(), ({ id, text }) => { found[`worker ${id}`] = { text, end: () => endWorker(+id) }; });
    return found;
  };

  /** What was told already: a call that a test left open is still open at the file's end. */
  const told = { __proto__: null };
  /** What is open now is told no more. */
  const forgive = () => each(ownKeys(open()), (key) => { told[key] = true; });

  /** What is open and was not before, and was not told. Timers and workers are ended: they must not reach the next test. */
  const leaksSince = (before) => {
    const texts = [];
    const now = open();
    each(ownKeys(now), (key) => {
      if (before[key] !== undefined || told[key]) return;
      told[key] = true;
      add(texts, now[key].text);
      if (now[key].end !== undefined) now[key].end();
    });
    return join(texts, "; ");
  };

  /** What the file itself left open, a text each: timers and workers of before its tests. Workers and idle timers are ended. */
  const leaksOfFile = (before) => {
    const texts = [];
    each(openTimers(), ({ id, text }) => {
      if (before[`timer ${id}`] !== undefined && !unheld[id]) add(texts, text);
      if (unheld[id]) clearTimer(+id);
    });
    each(openWorkers(), ({ id, text }) => {
      if (before[`worker ${id}`] !== undefined) add(texts, text);
      endWorker(+id);
    });
    return texts;
  };

  /** A worker that has done its work ends by itself, a moment later. */
  const awaitWorkers = async (before) => {
    for (let looks = 0; looks < 30; looks++) {
      let isOpen = false;
      each(openWorkers(), ({ id }) => { isOpen ||= before[`worker ${id}`] === undefined; });
      if (!isOpen) return;
      await makeOwn((resolve) => {
        const timer = setTimer(() => {
          delete limits[timer];
          resolve();
        }, 10);
        limits[timer] = true;
      });
    }
  };

  return { setLimit, clearLimit, open, forgive, leaksSince, leaksOfFile, awaitWorkers };
})
