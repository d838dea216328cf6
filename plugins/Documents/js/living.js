(facade, hidden, BridgeError, program) => {
  "use strict";
  const { isView } = ArrayBuffer;
  const { parse, stringify } = JSON;
  const { entries, fromEntries } = Object;
  const { min } = Math;

  const failure = (code, message, details) => new BridgeError(code, message, { service: "documents", ...details });
  const isBytes = (value) => isView(value) || value instanceof ArrayBuffer;
  const decoder = (() => { let made; return () => made ??= new TextDecoder("utf-8", { fatal: true }); })();
  const encoder = (() => { let made; return () => made ??= new TextEncoder(); })();
  const invalid = (message) => failure("invalid_parameter", message);

  // --- Formats: what a content is in the script, and in a save --------------------------------------------

  const toJSON = (content) => {
    const text = stringify(content, null, 2);
    if (text === undefined) throw invalid("content has no JSON: it is undefined or a function");
    return text + "\n";
  };
  const fromJSON = (text, path) => {
    try { return parse(text); } catch (cause) {
      throw failure("invalid_data", `'${path}' is not JSON: ${cause.message}`, { cause });
    }
  };

  /** The files of a package: bytes, but for those whose name or extension `members` gives another format. */
  const packages = (members = {}) => {
    const formatOf = (name) => members[name] ?? members[name.slice(name.lastIndexOf("."))] ?? "bytes";
    const readMember = (name, bytes) => {
      const format = formatOf(name);
      if (format === "bytes") return bytes;
      const text = decoder().decode(bytes);
      return format === "json" ? fromJSON(text, name) : text;
    };
    const bytesOf = (name, value) => {
      if (isBytes(value)) return value;
      if (typeof value === "string" && formatOf(name) !== "json") return encoder().encode(value);
      if (formatOf(name) === "json") return encoder().encode(toJSON(value));
      throw invalid(`the member '${name}' must be bytes or a string, or have the format 'json'`);
    };
    return {
      shape: "package",
      empty: () => ({}),
      check(content) {
        if (typeof content !== "object" || content === null) throw invalid("content must be an object of members");
      },
      read: (version) => fromEntries((version.members ?? []).map(({ name, content }) => [name, readMember(name, content)])),
      /** Members that are what they were at the last save are kept; `whole` gives their content all the same. */
      write: (content, saved, whole) => ({
        members: entries(content).map(([name, value]) => {
          const isKept = saved !== undefined && name in saved && saved[name] === value;
          return isKept && !whole ? { name, isKept } : { name, isKept, content: bytesOf(name, value) };
        }),
      }),
    };
  };

  const formats = {
    text: () => ({
      shape: "text", empty: () => "", read: (version) => version.text, write: (content) => ({ text: content }),
      check(content) { if (typeof content !== "string") throw invalid("content must be a string for the format 'text'"); },
    }),
    json: () => ({
      shape: "text", empty: () => ({}), read: (version, path) => fromJSON(version.text, path),
      write: (content) => ({ text: toJSON(content) }), check() {},
    }),
    bytes: () => ({
      shape: "bytes", empty: () => new Uint8Array(0), read: (version) => version.content, write: (content) => ({ content }),
      check(content) { if (!isBytes(content)) throw invalid("content must be bytes for the format 'bytes'"); },
    }),
    propertyList: ({ binary }) => ({
      shape: "propertyList", empty: () => ({}), read: (version) => version.value,
      write: (content) => ({ value: content, binary: binary ?? false }), check() {},
    }),
    package: ({ members }) => packages(members),
  };

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

  // --- A document -----------------------------------------------------------------------------------------

  /** The documents that are open: what of them is unsaved at the end of the program is saved then. */
  const open = new Set();

  /**
   * As long as any is open or being opened, ^C must not end a script that never comes back to be asked for what is
   * unsaved. The engine heeds it from the next turn on, so it is said before a document is there.
   */
  let guarded = 0;
  const guard = () => { if (++guarded === 1) program.guard(true); };
  const unguard = () => { if (--guarded === 0) program.guard(false); };

  class LivingDocument {
    #number;
    #path;
    #format;
    #isReadOnly;
    #quiet;
    #latest;
    #content;
    /** Every content has a number; the document is unsaved when it is not the saved one's. */
    #version = 0;
    #lastVersion = 0;
    #savedVersion = 0;
    #savedContent;
    /** The version on the disk that the content is based on; undefined for nothing. */
    #base;
    #sequence = 0;
    #history;
    #readers = new Set();
    #saving;
    #meeting;
    #conflict;
    #error;
    #isBusy = false;
    #isClosed = false;
    #isArmed = false;
    #firstChange;
    #lastChange = 0;

    constructor(opened, path, format, option) {
      this.#number = opened.document;
      this.#isReadOnly = opened.isReadOnly;
      this.#path = path;
      this.#format = format;
      ({ quiet: this.#quiet = 1000, latest: this.#latest = 10_000 } = option.autosave === false
        ? { quiet: Infinity, latest: Infinity } : option.autosave ?? {});
      this.#history = new History(option.undoLevels ?? 100);
      this.#take(opened.version);
      open.add(this);
      if (opened.version.identity === undefined && option.content !== undefined) {
        format.check(option.content);
        this.#content = option.content;
        this.#savedVersion = -1;
        this.#changed();
      }
      const ended = hidden.documentEvents({ document: this.#number }, ({ identity }) => { this.#notice(identity); });
      ended.catch(() => {}).then(() => this.#stopReaders());
    }

    get path() { return this.#path; }
    get content() { return this.#content; }
    get hasUnsavedChanges() { return this.#version !== this.#savedVersion; }
    get error() { return this.#error; }
    get conflict() {
      return this.#conflict && { mine: this.#content, theirs: this.#conflict.theirs, error: this.#conflict.error };
    }
    get state() {
      if (this.#isClosed) return "closed";
      if (this.#conflict !== undefined) return "inConflict";
      if (this.#error !== undefined) return "savingError";
      return this.#isBusy || this.#isReadOnly ? "editingDisabled" : "normal";
    }

    // Editing

    #demandOpen() {
      if (this.#isClosed) throw failure("unavailable", `'${this.#path}' is closed; open it again with documents.open`);
    }

    #demandEditable() {
      this.#demandOpen();
      if (this.#isReadOnly) throw failure("permission_denied", `'${this.#path}' can't be edited: its folder is read-only`);
      if (this.#isBusy) throw failure("unavailable", `'${this.#path}' can't be edited while it is read again or closed; await that first`);
    }

    set(content, option) {
      this.#demandEditable();
      this.#format.check(content);
      this.#history.note(this.#content, this.#version, option?.action, option?.merge);
      this.#content = content;
      this.#version = ++this.#lastVersion;
      this.#changed();
    }

    updateChangeCount() {
      this.#demandEditable();
      this.#version = ++this.#lastVersion;
      this.#changed();
    }

    get canUndo() { return this.#history.canUndo; }
    get canRedo() { return this.#history.canRedo; }
    get undoAction() { return this.#history.undoAction; }
    get redoAction() { return this.#history.redoAction; }
    undo() { return this.#step(true); }
    redo() { return this.#step(false); }

    #step(isUndo) {
      this.#demandEditable();
      const target = this.#history.step(isUndo, this.#content, this.#version);
      if (target === undefined) return false;
      ({ content: this.#content, version: this.#version } = target);
      this.#changed();
      return true;
    }

    /** All changes that `body` makes are one step of undo. */
    group(action, body) {
      if (!this.#history.begin(action)) return body();
      let result;
      try { result = body(); } catch (error) {
        this.#history.end();
        throw error;
      }
      if (typeof result?.then !== "function") {
        this.#history.end();
        return result;
      }
      return (async () => { try { return await result; } finally { this.#history.end(); } })();
    }

    // Autosave

    #changed() {
      this.#lastChange = program.now();
      if (this.#firstChange !== undefined) return;
      this.#firstChange = this.#lastChange;
      this.#arm(min(this.#quiet, this.#latest));
      this.#tell("edited");
    }

    #arm(delay) {
      if (this.#isArmed || delay === Infinity) return;
      this.#isArmed = true;
      program.after(delay, () => {
        this.#isArmed = false;
        this.#saveWhenDue();
      });
    }

    #saveWhenDue() {
      if (this.#isClosed || this.#conflict !== undefined || this.#isBusy || this.#saving !== undefined) return;
      if (!this.hasUnsavedChanges) {
        // Everything was taken back.
        this.#firstChange = undefined;
        return;
      }
      const wait = min(this.#lastChange + this.#quiet, this.#firstChange + this.#latest) - program.now();
      if (wait > 0.5) this.#arm(wait);
      else this.#write();
    }

    // Saving

    #payload(whole) {
      return {
        ...this.#format.write(this.#content, this.#savedContent, whole), document: this.#number, sequence: ++this.#sequence,
        base: this.#base,
      };
    }

    /** Saves what the content is now. Nobody has to listen: the state tells of a failure. */
    #write(target) {
      const [version, content] = [this.#version, this.#content];
      this.#firstChange = undefined;
      const saving = (async () => {
        try {
          const { identity } = await hidden.saveDocument({ ...this.#payload(target !== undefined), target });
          this.#base = identity;
          this.#savedVersion = version;
          this.#savedContent = content;
          this.#error = undefined;
          this.#tell("saved");
        } catch (error) {
          if (error.code === "conflict") await this.#meet();
          else if (target === undefined) this.#fail(error);
          // Others had written the same.
          if (error.code !== "conflict" || this.#conflict !== undefined || this.hasUnsavedChanges) throw error;
        } finally {
          this.#saving = undefined;
          if (this.#firstChange !== undefined) this.#saveWhenDue();
        }
      })();
      this.#saving = saving;
      saving.catch(() => {});
      return saving;
    }

    #fail(error) {
      this.#error = error;
      // Tried again then, or after the next change.
      this.#arm(this.#latest);
      this.#firstChange = program.now();
      this.#lastChange = this.#firstChange;
      this.#tell("failed");
    }

    async save() {
      this.#demandOpen();
      const version = this.#version;
      while (this.#saving !== undefined) await this.#saving.catch(() => {});
      this.#demandResolved();
      if (this.#savedVersion === version && this.#base !== undefined) return;
      await this.#write();
    }

    async saveAs(path, { directory, overwrite } = {}) {
      this.#demandOpen();
      while (this.#saving !== undefined) await this.#saving.catch(() => {});
      await this.#write({ path, directory, overwrite });
      this.#path = path;
      this.#conflict = undefined;
      this.#isReadOnly = false;
      this.#tell("saved");
    }

    #demandResolved() {
      if (this.#conflict === undefined) return;
      throw failure("conflict", `'${this.#path}' was changed by others; decide with resolve({ keep: "mine" }), "theirs" or "both"`);
    }

    async revert() {
      this.#demandEditable();
      await this.#busily(async () => {
        while (this.#saving !== undefined) await this.#saving.catch(() => {});
        this.#take(await hidden.readDocument({ document: this.#number }));
        this.#history.clear();
      });
      this.#tell("reverted");
    }

    async #busily(body) {
      this.#isBusy = true;
      try { return await body(); } finally { this.#isBusy = false; }
    }

    async close({ discard = false } = {}) {
      if (this.#isClosed) return;
      if (!discard) {
        this.#demandResolved();
        await this.#busily(async () => {
          while (this.hasUnsavedChanges) await this.save();
        });
      }
      if (this.#isClosed) return;
      this.#isClosed = true;
      open.delete(this);
      unguard();
      hidden.closeDocument({ document: this.#number });
      this.#tell("closed");
      this.#stopReaders();
    }

    /** Begins the last save; nothing that is answered later reaches this script. */
    saveAtEnd() {
      if (!this.hasUnsavedChanges || this.#isReadOnly) return;
      const option = { ...this.#payload(true), inConflict: this.#conflict !== undefined };
      hidden.saveDocumentLast(option).catch(() => {});
    }

    // Others

    /** Makes a version of the disk the document's content. */
    #take(version) {
      const isNew = version.identity === undefined;
      this.#content = isNew ? this.#format.empty() : this.#format.read(version, this.#path);
      this.#version = ++this.#lastVersion;
      this.#savedVersion = this.#version;
      this.#savedContent = isNew ? undefined : this.#content;
      this.#base = version.identity;
      this.#conflict = undefined;
      this.#error = undefined;
    }

    async #notice(identity) {
      while (this.#saving !== undefined) await this.#saving.catch(() => {});
      if (this.#isClosed || this.#isBusy || identity === this.#base) return;
      try { await this.#meet(); } catch { /* the state tells of it */ }
    }

    /** Looks at what others made of the document: it is taken over, or in conflict with what is unsaved here. */
    #meet() {
      return this.#meeting ??= (async () => {
        try {
          const version = await hidden.readDocument({ document: this.#number });
          if (this.#isClosed || version.identity === this.#base) return;
          this.#judge(version);
        } catch (error) {
          if (!this.#isClosed) this.#enterConflict({ error });
        } finally { this.#meeting = undefined; }
      })();
    }

    #judge(version) {
      if (!this.hasUnsavedChanges) {
        if (version.identity === undefined) return this.#lose();
        this.#take(version);
        return this.#tell("reloaded");
      }
      const mine = this.#format.shape === "text" ? this.#format.write(this.#content).text : undefined;
      if (mine !== undefined && mine === version.text) {
        // The same was made here and there.
        this.#base = version.identity;
        this.#savedVersion = this.#version;
        this.#conflict = undefined;
        return this.#tell("saved");
      }
      const theirs = version.identity === undefined ? null : this.#format.read(version, this.#path);
      this.#enterConflict({ theirs, version });
    }

    /** The file is gone: what is open stays, and the next change makes the file anew. */
    #lose() {
      this.#base = undefined;
      this.#savedContent = undefined;
      this.#tell("removed");
    }

    #enterConflict(conflict) {
      this.#conflict = conflict;
      this.#tell("conflict");
    }

    async resolve(option = {}) {
      this.#demandOpen();
      const { keep, content } = option;
      if ("content" in option) this.#format.check(content);
      else if (!["mine", "theirs", "both"].includes(keep)) {
        throw invalid(`resolve takes { keep: "mine" }, "theirs" or "both", or { content }, not ${stringify(option) ?? option}`);
      }
      if (this.#conflict === undefined) throw failure("unavailable", `'${this.#path}' is not in conflict`);
      const copy = await this.#busily(async () => {
        const copy = keep === "both" ? await hidden.keepDocumentCopy(this.#payload(true)) : undefined;
        if (keep === "theirs" || keep === "both") await this.#yield();
        else await this.#insist(option);
        return copy;
      });
      this.#tell("resolved");
      return copy;
    }

    /** Takes over what others made; undo leads back to what was here. */
    async #yield() {
      const version = await hidden.readDocument({ document: this.#number });
      const before = [this.#content, this.#version];
      this.#take(version);
      this.#history.note(...before, "Resolve");
    }

    /** Saves over what others made, if that is still what the script decided about. */
    async #insist(option) {
      const { version } = this.#conflict;
      if ("content" in option) {
        this.#history.note(this.#content, this.#version, "Resolve");
        this.#content = option.content;
        this.#version = ++this.#lastVersion;
      }
      if (version !== undefined) this.#base = version.identity;
      else ({ identity: this.#base } = await hidden.readDocument({ document: this.#number }));
      this.#savedContent = undefined;
      this.#conflict = undefined;
      await this.#write();
    }

    // Watching

    states(callback) {
      const reader = new StateReader((reader) => this.#readers.delete(reader));
      if (!this.#isClosed) this.#readers.add(reader);
      reader.push(this.#snapshot("opened"));
      if (this.#isClosed) reader.stop();
      if (callback === undefined) return reader;
      return (async () => { for await (const state of reader) callback(state); })();
    }

    #snapshot(reason) {
      return { reason, state: this.state, hasUnsavedChanges: this.hasUnsavedChanges, error: this.#error };
    }

    #tell(reason) {
      if (this.#readers.size === 0) return;
      const snapshot = this.#snapshot(reason);
      for (const reader of this.#readers) reader.push(snapshot);
    }

    #stopReaders() { for (const reader of this.#readers) reader.stop(); }
  }

  program.atEnd(() => {
    let problem;
    for (const document of open) {
      try { document.saveAtEnd(); } catch (error) { problem ??= error; }
    }
    if (problem !== undefined) throw problem;
  });

  facade.open = async function (path, option = {}, control) {
    const name = option.format ?? "text";
    if (!(name in formats)) {
      throw invalid(`option.format must be one of ${Object.keys(formats).map((known) => `'${known}'`).join(", ")}`);
    }
    const format = formats[name](option);
    const { directory, encoding } = option;
    let opened;
    guard();
    try {
      opened = await hidden.openDocument({ path, directory, encoding, shape: format.shape }, control);
      if (opened.version.identity === undefined && option.create === false) {
        throw failure("not_found", `can't open '${path}': there is no such ${name === "package" ? "folder" : "file"}`, { details: { path } });
      }
      return new LivingDocument(opened, path, format, option);
    } catch (error) {
      unguard();
      if (opened !== undefined) hidden.closeDocument({ document: opened.document });
      throw error;
    }
  };
}
