(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const { failure, invalid, isPlain, shown, Autosave, Edits, StateReaders } = inner;
  const { hasOwn } = Object;

  /**
   * An open document. What takes time (reading, saving) goes one after the other (`#inTurn`), so that no step sees another
   * half way; editing goes on meanwhile.
   */
  class LivingDocument {
    /** The native half. */
    #native;
    #drop;
    #path;
    #format;
    #isReadOnly;
    /** The content and its versions. */
    #edits;
    #autosave;
    /** The version on the disk that the content is based on; undefined for nothing. */
    #base;
    #sequence = 0;
    #readers = new StateReaders();
    #turn = Promise.resolve();
    #isNoticing = false;
    #conflict;
    #error;
    #busy = 0;
    #isClosed = false;
    #wasUnsaved = false;

    /** `drop` is told of a document that was closed. */
    constructor(opened, path, format, option, drop) {
      this.#native = opened.document;
      this.#drop = drop;
      this.#isReadOnly = opened.isReadOnly;
      this.#path = path;
      this.#format = format;
      // No caller waits for the save's answer: the document's state tells of a failure.
      this.#autosave = new Autosave(option.autosave, () => this.#waitsForSave,
        () => this.#inTurn(() => this.#conflict === undefined ? this.#write() : undefined));
      this.#edits = new Edits(format, option.undoLevels ?? 100);
      this.#take(opened.version);
      if (opened.version.identity === undefined && option.content !== undefined) {
        format.check(option.content);
        this.#edits.begin(option.content);
        this.#changed();
      }
      const ended = this.#native.events(() => { this.#lookAgain(); });
      ended.catch(() => {}).then(() => this.#readers.stop());
    }

    get path() { return this.#path; }
    get content() { return this.#edits.content; }
    set content(content) { this.set(content); }
    get hasUnsavedChanges() { return this.#edits.isUnsaved; }
    get error() { return this.#error; }
    get conflict() {
      return this.#conflict && { mine: this.#edits.content, theirs: this.#conflict.theirs, error: this.#conflict.error };
    }
    get state() {
      if (this.#isClosed) return "closed";
      if (this.#conflict !== undefined) return "inConflict";
      if (this.#error !== undefined) return "savingError";
      return this.#busy > 0 || this.#isReadOnly ? "editingDisabled" : "normal";
    }

    #inTurn(body) {
      const step = this.#turn.then(body);
      this.#turn = step.catch(() => {});
      return step;
    }

    /** The same, with editing disabled: what it answers would be lost under an edit. */
    async #busily(body) {
      this.#busy++;
      try { return await this.#inTurn(body); } finally {
        this.#busy--;
        this.#autosave.schedule();
      }
    }

    // Editing

    #demandOpen() {
      if (this.#isClosed) throw failure("unavailable", `'${this.#path}' is closed; open it again with documents.open`);
    }

    #demandEditable() {
      this.#demandOpen();
      if (this.#isReadOnly) throw failure("permission_denied", `'${this.#path}' can't be edited: its folder is read-only`);
      if (this.#busy > 0) throw failure("unavailable", `'${this.#path}' can't be edited while it is read again or closed; await that first`);
    }

    set(content, option) {
      this.#demandEditable();
      this.#format.check(content);
      const { action, merge } = program.option(option, ["action", "merge"]);
      this.#edits.set(content, action, merge);
      this.#changed();
    }

    updateChangeCount() {
      this.#demandEditable();
      this.#edits.touch();
      this.#changed();
    }

    get canUndo() { return this.#edits.history.canUndo; }
    get canRedo() { return this.#edits.history.canRedo; }
    get undoAction() { return this.#edits.history.undoAction; }
    get redoAction() { return this.#edits.history.redoAction; }
    undo() { return this.#step(true); }
    redo() { return this.#step(false); }

    #step(isUndo) {
      this.#demandEditable();
      if (!this.#edits.step(isUndo)) return false;
      this.#changed();
      return true;
    }

    /** All changes that `body` makes are one step of undo. */
    group(action, body) { return this.#edits.history.group(action, body); }

    #changed() {
      const { hasUnsavedChanges } = this;
      this.#autosave.changed(hasUnsavedChanges);
      if (!hasUnsavedChanges) {
        this.#error = undefined;
        if (this.#conflict !== undefined) this.#lookAgain();
      }
      if (hasUnsavedChanges !== this.#wasUnsaved) this.#tell("edited");
    }

    get #waitsForSave() {
      return this.hasUnsavedChanges && !this.#isClosed && this.#conflict === undefined && this.#busy === 0;
    }

    // Saving. What follows runs in turn.

    #payload(whole) {
      return {
        __proto__: null, ...this.#format.write(this.#edits.content, this.#edits.savedContent, whole), sequence: ++this.#sequence, base: this.#base,
      };
    }

    /** Saves what the content is now; again after a conflict that was none: others had only touched the file. */
    async #write() {
      for (let attempts = 10; !this.#isClosed; attempts--) {
        const [version, content, first] = [this.#edits.version, this.#edits.remembered(), this.#autosave.begin()];
        try {
          const { identity } = await this.#native.save(this.#payload(false));
          return this.#noteSaved(version, content, identity);
        } catch (error) {
          this.#autosave.resume(first);
          if (error.code !== "conflict") {
            this.#fail(error);
            throw error;
          }
          await this.#meet();
          // Another program had written the same, or took back what it wrote.
          if (!this.hasUnsavedChanges) return;
          if (this.#conflict !== undefined || this.#isClosed || attempts === 0) throw error;
        }
      }
    }

    #noteSaved(version, content, identity) {
      this.#base = identity;
      this.#edits.noteSaved(version, content);
      this.#error = undefined;
      this.#conflict = undefined;
      this.#tell("saved");
    }

    /** The save is tried again after a change, or when it would have been due at the latest. */
    #fail(error) {
      this.#error = error;
      this.#autosave.postpone();
      this.#tell("failed");
    }

    async save() {
      this.#demandOpen();
      const { version } = this.#edits;
      await this.#inTurn(async () => {
        this.#demandOpen();
        this.#demandResolved();
        if (!this.#edits.isSaved(version) || this.hasUnsavedChanges || this.#base === undefined) await this.#write();
      }).finally(() => this.#autosave.schedule());
    }

    async saveAs(path, option) {
      this.#demandOpen();
      if (typeof path !== "string") throw invalid(`the path must be a string, not ${shown(path)}`);
      const { directory, overwrite } = program.option(option, ["directory", "overwrite"]);
      await this.#inTurn(async () => {
        this.#demandOpen();
        const [version, content] = [this.#edits.version, this.#edits.remembered()];
        const { identity } = await this.#native.save({ ...this.#payload(true), target: { path, directory, overwrite } });
        this.#path = path;
        this.#isReadOnly = false;
        this.#noteSaved(version, content, identity);
      }).finally(() => this.#autosave.schedule());
    }

    #demandResolved() {
      if (this.#conflict === undefined) return;
      throw failure("conflict", `'${this.#path}' was changed by others; decide with resolve({ keep: "mine" }), "theirs" or "both"`);
    }

    async revert() {
      this.#demandEditable();
      await this.#busily(async () => {
        this.#take(this.#readable(await this.#read()));
        this.#edits.history.clear();
      });
      this.#tell("reverted");
    }

    async close(option) {
      const { discard } = program.option(option, ["discard"]);
      if (this.#isClosed) return;
      await this.#busily(async () => {
        while (!this.#isClosed && discard !== true && this.hasUnsavedChanges) {
          this.#demandResolved();
          await this.#write();
        }
        if (this.#isClosed) return;
        // Nothing may come between the last look at what is unsaved and this.
        this.#isClosed = true;
        this.#drop();
        this.#native.close().catch(() => {});
        this.#tell("closed");
        this.#readers.stop();
      });
    }

    /** Begins the last save; nothing that is answered later reaches this script. */
    saveAtEnd() {
      if (!this.hasUnsavedChanges || this.#isReadOnly) return;
      const option = { __proto__: null, ...this.#payload(true), inConflict: this.#conflict !== undefined };
      const begun = program.begun();
      program.ignore(this.#native.saveLast(option));
      if (program.begun() > begun) return;
      throw failure("permission_denied", "the call was refused; is 'documents.write' permitted, and can the content cross the bridge?");
    }

    // Changes by other programs. What follows runs in turn, but for `#lookAgain`.

    #read() { return this.#native.read(); }

    /** Throws for a version that is there and can't be read. */
    #readable(version) {
      if (version.problem === undefined) return version;
      throw failure(version.problem.code, version.problem.message);
    }

    /** Makes a version of the disk the document's content. */
    #take(version) {
      const isNew = version.identity === undefined;
      const content = isNew ? this.#format.empty() : this.#format.read(version, this.#path);
      this.#edits.take(content, isNew);
      this.#base = version.identity;
      this.#conflict = undefined;
      this.#error = undefined;
      this.#autosave.begin();
    }

    /** The same as a step of undo. */
    #takeOver(version, action) {
      const before = [this.#edits.content, this.#edits.version];
      this.#take(version);
      this.#edits.history.note(...before, action);
    }

    /**
     * Looks at the disk when the operation under way is over; calls that come meanwhile are served by the
     * same look.
     */
    #lookAgain() {
      if (this.#isNoticing || this.#isClosed) return;
      this.#isNoticing = true;
      this.#inTurn(() => {
        this.#isNoticing = false;
        return this.#isClosed ? undefined : this.#meet();
      }).catch(() => {}).then(() => this.#autosave.schedule());
    }

    /** Looks at what others made of the document: it is taken over, or in conflict with what is unsaved here. */
    async #meet() {
      let version;
      try { version = await this.#read(); } catch (error) {
        if (!this.#isClosed) this.#enterConflict({ error });
        return;
      }
      if (this.#isClosed) return;
      if (version.identity === this.#base) {
        if (this.#conflict === undefined) return;
        // They took it back.
        this.#conflict = undefined;
        return this.#tell("resolved");
      }
      this.#judge(version);
    }

    #judge(version) {
      const { identity } = version;
      if (!this.hasUnsavedChanges && identity === undefined) return this.#lose();
      try {
        if (!this.hasUnsavedChanges) {
          this.#takeOver(this.#readable(version), "Reload");
          return this.#tell("reloaded");
        }
        if (identity !== undefined && version.problem === undefined) {
          const { content, savedContent } = this.#edits;
          if (this.#format.same(content, version)) return this.#noteSaved(this.#edits.version, this.#edits.remembered(), identity);
          // Touched, but the same as before: that is no version of their own.
          if (savedContent !== undefined && this.#format.same(savedContent, version)) {
            this.#base = identity;
            this.#conflict = undefined;
            return;
          }
        }
        const theirs = identity === undefined ? null : this.#format.read(this.#readable(version), this.#path);
        this.#enterConflict({ theirs, identity, isKnown: true });
      } catch (error) {
        this.#enterConflict({ error, identity, isKnown: true });
      }
    }

    /** The file is gone: what is open stays, and the next change makes the file anew. */
    #lose() {
      this.#base = undefined;
      this.#edits.savedContent = undefined;
      this.#conflict = undefined;
      this.#tell("removed");
    }

    #enterConflict(conflict) {
      this.#conflict = conflict;
      this.#tell("conflict");
    }

    async resolve(option) {
      this.#demandOpen();
      const { keep, content } = program.option(option, ["keep", "content"]);
      const isNew = isPlain(option) && hasOwn(option, "content");
      if (isNew) this.#format.check(content);
      else if (!["mine", "theirs", "both"].includes(keep)) {
        throw invalid(`resolve takes { keep: "mine" }, "theirs" or "both", or { content }, not ${shown(keep)}`);
      }
      const copy = await this.#busily(async () => {
        if (this.#conflict === undefined) throw failure("unavailable", `'${this.#path}' is not in conflict`);
        if (keep === "theirs" || keep === "both") return this.#yield(keep === "both");
        return this.#insist(isNew, content);
      });
      this.#tell("resolved");
      return copy;
    }

    /** Takes over what others made; undo leads back to what was here, which may be kept beside. */
    async #yield(keepsCopy) {
      const version = this.#readable(await this.#read());
      const copy = keepsCopy ? await this.#native.keepCopy(this.#payload(true)) : undefined;
      this.#takeOver(version, "Resolve");
      return copy;
    }

    /** Saves over what others made, if that is still what the script decided about. */
    async #insist(isNew, content) {
      const { identity, isKnown } = this.#conflict;
      if (isNew) this.#edits.set(content, "Resolve");
      this.#base = isKnown ? identity : (await this.#read()).identity;
      this.#edits.forgetSaved();
      this.#conflict = undefined;
      await this.#write();
    }

    // Watching

    states(callback) {
      const reader = this.#readers.add(this.#isClosed, this.#snapshot("opened"));
      if (callback === undefined) return reader;
      return (async () => { for await (const state of reader) callback(state); })();
    }

    #snapshot(reason) {
      return { reason, state: this.state, hasUnsavedChanges: this.hasUnsavedChanges, error: this.#error };
    }

    #tell(reason) {
      this.#wasUnsaved = this.hasUnsavedChanges;
      this.#readers.push(() => this.#snapshot(reason));
    }
  }

  Object.assign(inner, { LivingDocument });
}
