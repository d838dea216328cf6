(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const { invalid, isBytes, nothing, toUTF8 } = inner;
  const { parse, stringify } = JSON;
  const { split } = program.intrinsics;
  const { keys, prototype: { toString } } = Object, { apply } = Reflect;

  /** The class of an object of which JSON would keep nothing; undefined for others. */
  const lostClass = (content) => {
    if (typeof content !== "object" || content === null || typeof content.toJSON === "function") return undefined;
    if (keys(content).length > 0) return undefined;
    const name = apply(toString, content, []).slice(8, -1);
    return KEPT.includes(name) ? undefined : name;
  };
  const KEPT = ["Object", "Array", "String", "Number", "Boolean"];
  const formats = ["text", "bytes", "json", "propertyList"];

  const formatOf = (option, content) => {
    const format = option?.format ?? (content === undefined || typeof content === "string" ? "text"
      : isBytes(content) ? "bytes" : "json");
    if (formats.includes(format)) return format;
    throw invalid(`option.format must be one of ${formats.map((name) => `'${name}'`).join(", ")}`);
  };

  /** A file's text, bytes, or the value that its JSON stands for. */
  facade.read = async function read(path, option = {}, control) {
    const format = formatOf(option);
    const rest = { ...option, path };
    if (format === "bytes") return hidden.readBytes(rest, control);
    if (format === "propertyList") return hidden.readPropertyList(rest, control);
    const text = await hidden.readText(rest, control);
    if (format === "text") return text;
    try { return parse(text); } catch (cause) {
      throw new BridgeError("invalid_data", `'${path}' is not JSON: ${cause.message}`, { service: "documents", action: "read", cause });
    }
  };

  // --- Writing ------------------------------------------------------------------------------------------------

  /** The form in which a content crosses to the plugin, and the plugin's action that takes it. */
  const encoded = (path, content, option, actions) => {
    const format = formatOf(option, content);
    const rest = { ...option, path };
    switch (format) {
      case "text":
        if (typeof content !== "string") throw invalid("content must be a string for the format 'text'");
        rest.text = content;
        break;
      case "bytes":
        if (!isBytes(content)) throw invalid("content must be bytes (an ArrayBuffer or a view of one) for the format 'bytes'");
        rest.content = content;
        return [rest, actions.bytes];
      case "json": {
        const lost = lostClass(content);
        if (lost !== undefined) {
          const hint = lost === "Promise" ? "await it" : "hand over what is in it";
          throw invalid(`content is of the class ${lost}: JSON keeps nothing of it; ${hint}`);
        }
        rest.text = stringify(content, null, option?.indent ?? 2);
        if (rest.text === undefined) throw invalid(`content has no JSON: ${nothing(content)}`);
        rest.text += "\n";
        break;
      }
      default:
        if (actions.list === undefined) throw invalid("a property list is written whole; append takes text and bytes");
        rest.value = content;
        return [rest, actions.list];
    }
    return [rest, actions.text];
  };

  /** Writes of one path take effect in the order in which they were made, awaited or not. */
  const lasts = new Map();
  const put = (actions) => (path, content, option, control) => {
    let made, action;
    try { [made, action] = encoded(path, content, option, actions); } catch (error) { return Promise.reject(error); }
    const key = `${made.directory ?? "documents"}:${path}`;
    const before = lasts.get(key);
    const start = () => action(made, control);
    const call = before === undefined ? start() : before.then(start, start);
    lasts.set(key, call);
    const forget = () => { if (lasts.get(key) === call) lasts.delete(key); };
    call.then(forget, forget);
    return call;
  };
  facade.write = put({ bytes: hidden.writeBytes, text: hidden.writeText, list: hidden.writePropertyList });
  facade.append = put({ bytes: hidden.appendBytes, text: hidden.appendText });

  // --- Progress ---------------------------------------------------------------------------------------------

  let lastOperation = 0;
  /** Makes a method tell its progress to `control.progress`, when that is given as its last argument. */
  const isProgressing = (control) => { try { return typeof control?.progress === "function"; } catch { return false; /* The call says why. */ } };
  const progressing = (method, count, watch) => (...args) =>
    isProgressing(args[count]) ? withProgress(method, count, watch, args) : method(...args);
  const withProgress = async (method, count, watch, args) => {
    const { progress, ...control } = args[count];
    const operation = ++lastOperation;
    const stop = new AbortController();
    const told = watch({ operation }, progress, { signal: stop.signal });
    args[count - 1] = { ...args[count - 1], progress: operation };
    args[count] = control;
    try {
      const result = await method(...args);
      await told;
      return result;
    } catch (error) {
      // A progress watch that never began tells nothing.
      told.catch(() => {});
      stop.abort();
      throw error;
    }
  };
  for (const [name, count, watch] of [
    ["read", 2, hidden.progressOfRead], ["hash", 2, hidden.progressOfRead], ["write", 3, hidden.progressOfWrite],
    ["copy", 3, hidden.progressOfWrite], ["import", 3, hidden.progressOfImport], ["export", 3, hidden.progressOfExport],
  ]) facade[name] = progressing(facade[name], count, watch);

  const kinds = { f: "file", d: "folder", l: "link", o: "other" };

  const textOf = (() => { let made; return (bytes) => (made ??= new TextDecoder("utf-8", { ignoreBOM: true })).decode(bytes); })();

  /** The entries of a folder, made from pages as they are taken. */
  class FolderList {
    #pages;
    #page;
    #paths = [];
    #hasFolders = false;
    #at = 0;
    #last = Promise.resolve();

    constructor(pages) { this.#pages = pages; }

    /** Sees to it that there is an entry; false at the end. */
    async #fill() {
      if (this.#at < this.#paths.length) return true;
      const { value, done } = await this.#pages.next();
      if (done) return false;
      const text = textOf(value.paths);
      this.#page = value;
      this.#hasFolders = text.includes("/");
      this.#paths = split(text, "\0");
      this.#paths.length--;  // what stands behind the last zero
      this.#at = 0;
      return true;
    }

    #entry() {
      const page = this.#page, at = this.#at++, path = this.#paths[at];
      // A path that nobody looks into stays a part of the page's text.
      const name = this.#hasFolders ? path.slice(path.lastIndexOf("/") + 1) : path;
      const entry = { name, path, kind: kinds[page.kinds[at]] };
      if (page.sizes === undefined) return entry;
      entry.size = page.sizes[at];
      entry.modified = new Date(page.modified[at]);
      entry.identity = page.identities[at];
      return entry;
    }

    /** Readers take turns: each page would push out the one before. */
    #turn() {
      const filled = this.#last.then(() => this.#fill());
      this.#last = filled.catch(() => {});
      return filled;
    }

    async next() {
      while (this.#at >= this.#paths.length) {
        if (!await this.#turn()) return { value: undefined, done: true };
      }
      return { value: this.#entry(), done: false };
    }

    async return(value) {
      this.stop();
      return { value, done: true };
    }

    stop() { this.#pages.stop(); }

    async toArray() {
      const all = [];
      while (await this.#turn()) {
        for (let count = this.#paths.length - this.#at; count > 0; count--) all.push(this.#entry());
      }
      return all;
    }

    [Symbol.asyncIterator]() { return this; }
  }

  facade.list = function list(path = "", option = {}, control) {
    let given;
    try { given = { ...option, path }; } catch (error) { given = { get option() { throw error; } }; }
    return new FolderList(hidden.listPages(given, undefined, control));
  };

  /** A file that is written piece by piece and takes its place when it is closed. */
  class FileWriter {
    #number;
    #last = Promise.resolve();
    #encoder;

    constructor(number) { this.#number = number; }

    /** Steps run one after the other, awaited or not. */
    #next(step) {
      const next = this.#last.then(step);
      this.#last = next.catch(() => {});
      return next;
    }

    write(piece) {
      if (typeof piece === "string") {
        try { piece = toUTF8(this.#encoder ??= new TextEncoder(), piece, "a piece"); } catch (error) { return Promise.reject(error); }
      }
      if (!isBytes(piece)) return Promise.reject(invalid("a piece must be a string or bytes"));
      return this.#next(() => hidden.writeTo({ writer: this.#number, content: piece }));
    }

    close() { return this.#next(() => hidden.closeWriter({ writer: this.#number })); }
    abort() { return this.#next(() => hidden.abortWriter({ writer: this.#number })); }

    /** The same as a stream, for `pipeTo`. */
    get writable() {
      return new WritableStream({
        write: (piece) => this.write(piece), close: () => this.close(), abort: () => this.abort(),
      });
    }
  }

  facade.writer = async function writer(path, option = {}, control) {
    return new FileWriter(await hidden.openWriter({ ...option, path }, control));
  };
}
