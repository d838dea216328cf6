(facade, hidden, BridgeError, program, inner) => {
  "use strict";

  // --- Undo -----------------------------------------------------------------------------------------------

  /** The contents of a document before each change, and the ones after changes that were taken back. */
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
      // A change that comes after it within a group is a step of its own.
      if (this.#group !== undefined) this.#group.isNoted = false;
      if (target !== undefined) to.push({ content, version, action: target.action });
      return target;
    }

    /** All changes that `body` makes are one step; a group within a group is part of that. */
    group(action, body) {
      if (this.#group !== undefined) return body();
      this.#group = { action, isNoted: false };
      let result;
      try { result = body(); } catch (error) {
        this.#end();
        throw error;
      }
      if (typeof result?.then !== "function") {
        this.#end();
        return result;
      }
      return (async () => { try { return await result; } finally { this.#end(); } })();
    }
    #end() { this.#group = undefined; }
    clear() { this.#undo = []; this.#redo = []; }
  }

  /** A document's content. Each has a number, and it is unsaved when it is not the saved one's. */
  class Edits {
    content;
    /** The content on the disk; undefined when this document can't tell. */
    savedContent;
    version = 0;
    #lastVersion = 0;
    #savedVersion = 0;
    #format;
    history;

    constructor(format, undoLevels) {
      this.#format = format;
      this.history = new History(undoLevels);
    }

    get isUnsaved() { return this.version !== this.#savedVersion; }
    isSaved(version) { return this.#savedVersion === version; }

    /** A document that is not on the disk yet begins with this. */
    begin(content) {
      this.content = content;
      this.#savedVersion = -1;
    }

    set(content, action, merges) {
      this.history.note(this.content, this.version, action, merges);
      this.content = content;
      this.version = ++this.#lastVersion;
    }

    /** A content that was changed in place can't be told from one that was not. */
    touch() {
      this.version = ++this.#lastVersion;
      this.savedContent = undefined;
    }

    /** Answers whether there was such a step. */
    step(isUndo) {
      const target = this.history.step(isUndo, this.content, this.version);
      if (target === undefined) return false;
      ({ content: this.content, version: this.version } = target);
      return true;
    }

    /** Takes what is on the disk, or what a document begins with that is not there. */
    take(content, isNew) {
      this.content = content;
      this.version = ++this.#lastVersion;
      this.noteSaved(this.version, isNew ? undefined : this.#format.remember(content));
    }

    /** The content as it is now, to be compared with a later one. */
    remembered() { return this.#format.remember(this.content); }

    noteSaved(version, content) {
      this.#savedVersion = version;
      this.savedContent = content;
    }

    /** All of it is saved the next time. */
    forgetSaved() { this.noteSaved(-1, undefined); }
  }

  Object.assign(inner, { Edits });
}
