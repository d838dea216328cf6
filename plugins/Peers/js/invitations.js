(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const { freeze } = Object;

  class Invitation {
    #session; #number;
    constructor(session, { number, peer, name, context, milliseconds }) {
      this.#session = session;
      this.#number = number;
      this.from = freeze({ id: peer, name });
      this.context = context;
      this.timeout = milliseconds;
      this.isOver = false;
    }
    #answer(accepts) {
      this.isOver = true;
      return this.#session.answer({ number: this.#number, accepts });
    }
    /** Joins; false when the invitation is not open any more. */
    accept() { return this.#answer(true); }
    /** Refuses; false when the invitation is not open any more. */
    decline() { return this.#answer(false); }
  }

  /** Invitations as they come; one that is over says so, whether or not the script asks for the next. */
  class Invitations {
    #open = new Map(); #waiting = []; #takers = []; #stop = new AbortController(); #end;
    constructor(session, control) {
      const { signal, ...rest } = control ?? {};
      if (signal !== undefined) signal.aborted ? this.#stop.abort(signal.reason) : signal.addEventListener("abort", () => this.#stop.abort(signal.reason));
      const ended = session.invitations((event) => this.#take(session, event), { ...rest, signal: this.#stop.signal });
      this.#end = ended.then(() => this.#finish(), (error) => this.#finish(error));
    }
    #take(session, event) {
      if (event.kind === "over") {
        const over = this.#open.get(event.number);
        this.#open.delete(event.number);
        if (over !== undefined) over.isOver = true;
        return;
      }
      const invitation = new Invitation(session, event);
      this.#open.set(event.number, invitation);
      if (this.#takers.length > 0) this.#takers.shift().resolve({ done: false, value: invitation }); else this.#waiting.push(invitation);
    }
    #finish(error) {
      for (const { resolve, reject } of this.#takers) if (error === undefined || this.#stop.signal.aborted) resolve({ done: true, value: undefined }); else reject(error);
      this.#takers = [];
      this.next = () => Promise.resolve({ done: true, value: undefined });
    }
    next() {
      // Invitations that are over before the script saw them are dropped.
      while (this.#waiting.length > 0) {
        const invitation = this.#waiting.shift();
        if (!invitation.isOver) return Promise.resolve({ done: false, value: invitation });
      }
      const taker = Promise.withResolvers();
      this.#takers.push(taker);
      return taker.promise;
    }
    async return(value) {
      this.#stop.abort();
      await this.#end;
      return { done: true, value };
    }
    [Symbol.asyncIterator]() { return this; }
  }

  Object.assign(inner, { Invitations });
}
