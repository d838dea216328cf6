// SPDX-License-Identifier: MIT
// Worker (HTML standard, section 10.2.6.3): a script with an engine of its own, on a thread of its own.
((host) => {
  "use strict";
  const { DOMException, EventTarget, links, native } = host;
  const { addHandlers, create, finish, fire, need, toDictionary, watch } = host.events;
  const { makePipe, post, closePipe, task } = host.messaging;
  const { serialize, toTransferList } = host.clone;
  const { TypeError, String: StringOf } = globalThis;
  const { bind, call } = Function.prototype;
  const startsWith = bind.call(call, String.prototype.startsWith);

  /** The address in full: a relative one is looked for from the program's own script on. */
  const resolve = (text) => {
    const { URL, urls, shownBase, concealed } = host;
    try {
      return urls.hrefOf(new URL(text, native.base()));
    } catch {
      throw new DOMException(`Worker: '${concealed(text)}' is no URL, and no path from '${shownBase(native.base())}' on`, "SyntaxError");
    }
  };

  const refusal = (reason) => new DOMException(`Worker: ${reason}`, "QuotaExceededError");

  const toType = (value) => {
    const type = value === undefined ? "classic" : `${value}`;
    if (type === "classic" || type === "module") return type;
    throw new TypeError(`Worker: type is "classic" or "module", not "${type}"`);
  };

  /**
   * What no script of the worker's took goes to its Worker, then to the maker's own "error" event; not there what a listener
   * takes by being there.
   */
  const fail = (worker, isTaken, message, filename, lineno, colno, report) => {
    const { ErrorEvent, reports } = host;
    const init = { cancelable: true, message, filename, lineno, colno, error: null };
    if (!fire(worker, create(ErrorEvent, "error", init)) || isTaken) return;
    if (!reports.announce(init)) native.failed(message, filename, lineno, colno, report);
  };

  let isWorker, whenEnded, numberOf;
  // What the worker is given before its script runs, while one is being made for node:worker_threads.
  let given = null;

  class Worker extends EventTarget {
    #pipe = makePipe();
    // The number by which native code knows it.
    #number;
    // The status with which it ended, and who is told of it when its last message has come.
    #status = null;
    #ended = () => {};
    // Whether something listens for errors.
    #isHeard = false;

    constructor(scriptURL, options = undefined) {
      // At once: the script's own code, which runs from here on, may make others.
      const mine = given;
      given = null;
      need(arguments.length, 1, "Worker");
      const text = StringOf(scriptURL);
      const settings = toDictionary(options, "a worker");
      const { name, type } = settings;
      const label = name === undefined ? "" : `${name}`;
      const isModule = toType(type) === "module";
      const location = resolve(text);
      const address = startsWith(location, "blob:") ? host.blobURLs.carried(location) : location;
      super();
      watch(this, (type, count) => { if (type === "error") this.#isHeard = count > 0; });
      const made = native.prepare(address, location, isModule, label, mine !== null,
        (message, filename, lineno, colno, report, isUnstarted) => {
          if (this.#pipe.owner === null) return;
          // HTML, "run a worker": that a script can't be fetched is told here alone.
          fail(this, isUnstarted && this.#isHeard, message, filename, lineno, colno, report);
        },
        (status) => {
          this.#status = status;
          this.#tellEnd();
        });
      if (made.length === 1) throw refusal(made[0]);
      const number = this.#number = made[0];
      const pipe = this.#pipe;
      pipe.owner = this;
      pipe.isEnabled = true;
      pipe.whenEnded = () => this.#tellEnd();
      links.adopt(pipe, made[1]);
      // What is transferred is gone from here on: the worker's place is known to be there.
      let problem;
      try {
        if (mine !== null) links.send(pipe, serialize(mine.message, mine.transfer, true));
        problem = native.begin(number);
      } catch (error) {
        closePipe(pipe);
        native.giveUp(number);
        throw error;
      }
      if (problem === undefined) return;
      closePipe(pipe);
      throw refusal(problem);
    }

    static {
      isWorker = (value) => typeof value === "object" && value !== null && #pipe in value;
      whenEnded = (worker, ended) => { worker.#ended = ended; };
      numberOf = (worker) => worker.#number;
    }

    // The end of the channel comes behind the messages, which may still wait when the thread is over.
    #tellEnd() {
      const status = this.#status;
      if (status === null || this.#pipe.link !== 0) return;
      this.#status = null;
      this.#ended(status);
    }

    postMessage(message, options = undefined) {
      const pipe = this.#pipe;
      need(arguments.length, 1, "postMessage");
      post(null, pipe.link === 0 ? null : pipe, message, options);
    }

    terminate() {
      if (this.#pipe.owner !== null) closePipe(this.#pipe);
      native.terminate(this.#number);
      // Its thread was over, and its last messages are gone now.
      if (this.#status !== null) task(() => this.#tellEnd());
    }
  }
  finish(Worker, "Worker", ["postMessage", "terminate"]);
  addHandlers(Worker.prototype, ["message", "messageerror", "error"], (value) => {
    if (isWorker(value)) return value;
    throw new TypeError("this is not a Worker");
  });

  return {
    Worker,
    /** For node:worker_threads. `ended` is told the status with which the worker ended. */
    internals: {
      __proto__: null,
      start(address, options, message, transfer, ended) {
        given = { __proto__: null, message, transfer: toTransferList(transfer) };
        const worker = new Worker(address, options);
        whenEnded(worker, ended);
        return { __proto__: null, worker, number: numberOf(worker) };
      },
    },
  };
})
