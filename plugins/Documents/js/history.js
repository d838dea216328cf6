(facade, hidden, BridgeError, program, inner) => {
  "use strict";

  // --- Undo -----------------------------------------------------------------------------------------------

  /** What a document was before each change, and after those that were taken back. */
  class History {
    #undo = [];
    #redo = [];
    #limit;
    #group;

    constructor(limit) { this.#limit = limit; }

    get undoAction() { return this.#undo.at(-1)?.action; }
    get redoAction() { return this.#redo.at(-1)?.action; }
    get canUndo() { return this.#undo.length > 0; }
    get canRedo() { return this.#redo.length > 0; }

    /** Notes what stands before a change. Within a group only the first one counts. */
    note(content, version, action = "", merges = false) {
      this.#redo.length = 0;
      if (this.#group !== undefined) {
        if (this.#group.isNoted) return;
        this.#group.isNoted = true;
        ({ action } = this.#group);
      } else if (merges && this.#undo.length > 0 && this.#undo.at(-1).action === action) return;
      this.#undo.push({ content, version, action });
      if (this.#undo.length > this.#limit) this.#undo.shift();
    }

    /** Moves one step and answers what to go to; undefined when there is none. */
    step(isUndo, content, version) {
      const [from, to] = isUndo ? [this.#undo, this.#redo] : [this.#redo, this.#undo];
      const target = from.pop();
      // What comes after it within a group is a step of its own.
      if (this.#group !== undefined) this.#group.isNoted = false;
      if (target !== undefined) to.push({ content, version, action: target.action });
      return target;
    }

    begin(action) {
      if (this.#group !== undefined) return false;
      this.#group = { action, isNoted: false };
      return true;
    }
    end() { this.#group = undefined; }
    clear() { this.#undo = []; this.#redo = []; }
  }

  // --- Who watches a document's state ---------------------------------------------------------------------

  /** Takes states until it is stopped; of those that nobody has taken the newest 64 are kept. */
  class StateReader {
    #queue = [];
    #waiting = [];
    #isOver = false;
    #forget;

    constructor(forget) { this.#forget = forget; }

    push(state) {
      const waiting = this.#waiting.shift();
      if (waiting !== undefined) return waiting({ value: state, done: false });
      if (this.#queue.push(state) > 64) this.#queue.shift();
    }

    next() {
      if (this.#queue.length > 0) return Promise.resolve({ value: this.#queue.shift(), done: false });
      if (this.#isOver) return Promise.resolve({ value: undefined, done: true });
      return new Promise((resolve) => { this.#waiting.push(resolve); });
    }

    stop() {
      this.#isOver = true;
      this.#forget(this);
      for (const waiting of this.#waiting.splice(0)) waiting({ value: undefined, done: true });
    }

    async return(value) {
      this.stop();
      return { value, done: true };
    }

    [Symbol.asyncIterator]() { return this; }
  }

  Object.assign(inner, { History, StateReader });
}
