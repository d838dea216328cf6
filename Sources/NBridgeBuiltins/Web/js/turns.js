// SPDX-License-Identifier: MIT
// Answers that are there at once, of what browsers do elsewhere. A script that takes one after the other would never come
// back to the loop: after so much work, answers wait for a turn of their own, in which timers and events have theirs before.
((host) => {
  "use strict";
  const { append, task } = host;
  const PromiseOf = Promise;

  /** How many bytes are a turn's work, and as how many each answer counts besides its own. */
  const TURN = 1 << 20, ANSWER = 1 << 14;
  let work = 0, waiting;

  const settleWaiting = () => {
    const answers = waiting;
    waiting = undefined;
    for (let i = 0; i < answers.length; i++) answers[i].settle(answers[i].value);
  };

  /** Settles a promise by its function, behind those that wait. */
  const settle = (settle, value, size) => {
    if (waiting === undefined) {
      work += ANSWER + size;
      if (work < TURN) return settle(value);
      work = 0;
      waiting = [];
      task(settleWaiting);
    }
    append(waiting, { __proto__: null, settle, value });
  };

  /** A promise of what is there. */
  const promise = (value, size) => new PromiseOf((resolve) => settle(resolve, value, size));

  return { turns: { __proto__: null, promise, settle } };
})
