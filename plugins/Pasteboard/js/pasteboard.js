(facade, hidden, BridgeError, program) => {
  "use strict";
  const { isView } = ArrayBuffer;
  const { isArray } = Array;
  const { parse, stringify } = JSON;
  const { entries, freeze, fromEntries, getPrototypeOf, prototype: objectPrototype } = Object;
  const { option: checked } = program;

  const failure = (code, message, more) => new BridgeError(code, message, { service: "pasteboard", ...more });
  const invalid = (message) => failure("invalid_parameter", message);
  const isBytes = (value) => isView(value) || value instanceof ArrayBuffer;
  const isPlain = (value) => typeof value === "object" && value !== null
    && (getPrototypeOf(value) === objectPrototype || getPrototypeOf(value) === null);
  const decoder = (() => { let made; return () => made ??= new TextDecoder(); })();
  const encoder = (() => { let made; return () => made ??= new TextEncoder(); })();

  const TEXT = "text/plain", URI_LIST = "text/uri-list", JSON_TYPE = "application/json";
  /** Longer texts cross the bridge as bytes. */
  const TEXT_LIMIT = 4096;

  // --- From values to representations ---------------------------------------------------------------------

  const ofText = (type, text) => {
    // Encoding would put another character in its place.
    if (!text.isWellFormed()) throw invalid(`the representation '${type}' holds a lone surrogate, half of a character, which text can't carry`);
    return text.length <= TEXT_LIMIT ? { type, text } : { type, content: encoder().encode(text) };
  };
  const ofBytes = (type, bytes) => ({ type, content: bytes });

  /** Why JSON.stringify made nothing of a value. */
  const nothing = (value) => value === undefined ? "it is undefined"
    : typeof value === "function" || typeof value === "symbol" ? `it is a ${typeof value}` : "its toJSON gives none";

  const ofJSON = (value) => {
    let text;
    try { text = stringify(value); } catch (cause) { throw failure("invalid_parameter", `the value has no JSON: ${cause.message}`, { cause }); }
    if (text === undefined) throw invalid(`the value has no JSON: ${nothing(value)}`);
    return ofText(JSON_TYPE, text);
  };

  /** The URL of a file's path, each byte that has a meaning in URLs escaped. */
  const fileURL = (path) => {
    if (typeof path !== "string" || !path.startsWith("/")) throw invalid(`a file must be a whole path, as "/home/ada/a.txt", not ${shown(path)}`);
    if (!path.isWellFormed()) throw invalid("a file's path holds a lone surrogate, half of a character, which text can't carry");
    return "file://" + path.split("/").map(encodeURIComponent).join("/");
  };
  const uriList = (lines) => ofText(URI_LIST, lines.map((line) => `${line}\r\n`).join(""));
  const ofURL = (value) => {
    let url;
    try { url = new URL(value); } catch { throw invalid(`${shown(value)} is not a whole URL, as "https://example.org/"`); }
    return uriList([url.href]);
  };

  /** The type of a value for a message; never the value itself, which may be a secret. */
  const shown = (value) => value === null ? "null" : typeof value === "string" ? "another string" : typeof value;

  /** One representation: a value under the type that was named for it. */
  const ofTyped = (type, value) => {
    switch (type) {
      case "json": case JSON_TYPE: return typeof value === "string" && type === JSON_TYPE ? ofText(type, value) : isBytes(value) ? ofBytes(type, value) : ofJSON(value);
      case "url": return ofURL(value);
      case "files": return uriList((isArray(value) ? value : [value]).map(fileURL));
      default:
    }
    if (typeof value === "string") return ofText(type, value);
    if (isBytes(value)) return ofBytes(type, value);
    throw invalid(`the representation '${type}' must be a string or bytes, not ${shown(value)}; use { json: ... } for other values`);
  };

  const isBlob = (value) => typeof Blob === "function" && value instanceof Blob;
  const ofPart = (type, value) => isBlob(value) ? value.arrayBuffer().then((bytes) => ofBytes(type, bytes)) : ofTyped(type, value);

  /** The representations of an item; promises where a Blob has to be read. */
  const ofItem = (value, type) => {
    if (isBlob(value)) return [ofPart(type ?? (value.type || "application/octet-stream"), value)];
    if (type !== undefined) {
      if (typeof type !== "string") throw invalid(`option.type must be a string, not ${shown(type)}`);
      return [ofTyped(type, value)];
    }
    if (typeof value === "string") return [ofText(TEXT, value)];
    if (isBytes(value)) return [ofBytes("application/octet-stream", value)];
    if (value instanceof URL) return [ofURL(value.href), ofText(TEXT, value.href)];
    if (isPlain(value)) {
      const list = entries(value);
      if (list.length === 0) throw invalid("an item must have a representation, as { text: \"...\", html: \"...\" }");
      return list.map(([key, part]) => ofPart(key, part));
    }
    throw invalid(`${shown(value)} can't be put on a pasteboard; a string, bytes, a URL, a Blob, or { json: ... } can`);
  };

  const isList = (value, type) => isArray(value) && type !== "json" && type !== "files";
  /** Only a Blob is waited for: everything else is taken as it is now, and calls go out in their order. */
  const itemsOf = (value, type) => {
    const list = isList(value, type) ? value : [value];
    if (list.length === 0) throw invalid("there is no item to write; clear() empties a pasteboard");
    const parts = list.map((item) => ofItem(item, type));
    const item = (representations) => ({ representations });
    return parts.flat().some((part) => part instanceof Promise)
      ? Promise.all(parts.map((part) => Promise.all(part).then(item))) : parts.map(item);
  };

  // --- From representations to values ---------------------------------------------------------------------

  const textOf = ({ text, content }) => text ?? decoder().decode(content);
  const linesOf = (text) => text.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"));
  const bytesOf = ({ text, content }) => content ?? encoder().encode(text);
  const isText = (type) => type.startsWith("text/") || type.endsWith("+xml") || type.endsWith("+json");
  const jsonOf = (text) => {
    try { return parse(text); } catch (cause) { throw failure("invalid_data", `what is on the pasteboard is no JSON: ${cause.message}`, { cause }); }
  };
  const pathOf = (url) => {
    try { return decodeURIComponent(url.replace(/^file:\/\/(?:localhost)?/i, "")); } catch { return undefined; }
  };

  const valueOf = (representation, wanted = representation.type) => {
    if (wanted === "url") return linesOf(textOf(representation))[0] ?? null;
    if (wanted === "files") return linesOf(textOf(representation)).filter((line) => /^file:/i.test(line)).map(pathOf).filter((path) => path !== undefined);
    if (representation.type === JSON_TYPE) return jsonOf(textOf(representation));
    return isText(representation.type) ? textOf(representation) : bytesOf(representation);
  };

  /** The representation that `get` without a type gives: the plainest form first. */
  const best = (representations) => representations.find(({ type }) => type === TEXT)
    ?? representations.find(({ type }) => type === JSON_TYPE) ?? representations.find(({ type }) => isText(type)) ?? representations[0];

  // --- The face -------------------------------------------------------------------------------------------

  const READ = ["name", "type", "changeCount"], OPEN = ["create", "persistent", "shared"];
  const WRITE = ["name", "type", "create", "persistent", "shared", "expiresAt", "expiresIn", "readOnce", "concealed"];

  const writeOption = ({ name, create, persistent, shared, expiresAt, expiresIn, readOnce, concealed }) => {
    if (expiresIn !== undefined && !(typeof expiresIn === "number" && expiresIn >= 0)) {
      throw invalid("option.expiresIn must be milliseconds from 0 on");
    }
    const end = expiresIn === undefined ? expiresAt : new Date(Date.now() + Math.min(expiresIn, 8e15 - Date.now()));
    return { name, create, persistent, shared, expiresAt: end, readOnce, concealed };
  };

  const write = async (value, option, control, adds) => {
    const { type, ...rest } = checked(option, WRITE);
    const settings = writeOption(rest);
    const items = itemsOf(value, type);
    return hidden.write({ ...settings, items: isArray(items) ? items : await items, adds }, control);
  };

  /** Puts a value on a pasteboard in place of what was there. */
  facade.set = async function (value, option, control) {
    return (await write(value, option, control, false))?.changeCount ?? null;
  };
  /** Puts a value behind what is there. */
  facade.add = async function (value, option, control) {
    return (await write(value, option, control, true))?.changeCount ?? null;
  };

  const read = (option, first, control) => {
    const { name, type, changeCount } = checked(option, READ);
    return hidden.read({ name, type, changeCount, first }, control);
  };

  facade.get = async function (option, control) {
    const content = await read(option, true, control);
    const found = content?.items[0]?.representations ?? [];
    if (found.length > 0) return valueOf(best(found), option?.type);
    if (option?.type === undefined || content === null) return null;
    // The first item may have no such form, but another.
    const other = (await read(option, false, control))?.items[0];
    return other === undefined ? null : valueOf(other.representations[0], option.type);
  };
  facade.items = async function (option, control) {
    const content = await read(option, false, control);
    return (content?.items ?? []).map(({ representations }) =>
      fromEntries(representations.map((part) => [part.type, valueOf(part)])));
  };

  facade.string = function (option, control) { return facade.get({ ...checked(option, READ), type: "text" }, control); };
  facade.url = function (option, control) { return facade.get({ ...checked(option, READ), type: "url" }, control); };
  facade.image = async function (option, control) {
    const image = (await facade.types({ name: checked(option, READ).name }, control)).find((type) => type.startsWith("image/"));
    return image === undefined ? null : facade.get({ ...option, type: image }, control);
  };

  // --- Pasteboards as objects -----------------------------------------------------------------------------

  class Pasteboard {
    constructor(name) {
      this.name = name;
      freeze(this);
    }
    #with(option) {
      if (option !== undefined && !isPlain(option)) throw invalid(`option must be an object, not ${shown(option)}`);
      return { ...option, name: this.name };
    }
    set(value, option, control) { return facade.set(value, this.#with(option), control); }
    add(value, option, control) { return facade.add(value, this.#with(option), control); }
    get(option, control) { return facade.get(this.#with(option), control); }
    items(option, control) { return facade.items(this.#with(option), control); }
    string(option, control) { return facade.string(this.#with(option), control); }
    url(option, control) { return facade.url(this.#with(option), control); }
    image(option, control) { return facade.image(this.#with(option), control); }
    types(control) { return facade.types({ name: this.name }, control); }
    has(type, control) { return facade.has(type, { name: this.name }, control); }
    info(control) { return facade.info({ name: this.name }, control); }
    changeCount(control) { return facade.changeCount({ name: this.name }, control); }
    detectPatterns(patterns, control) { return facade.detectPatterns(patterns, { name: this.name }, control); }
    clear(control) { return facade.clear({ name: this.name }, control); }
    remove(control) { return facade.remove(this.name, control); }
    watch(option, ...rest) { return facade.watch(this.#with(option), ...rest); }
  }
  Object.defineProperty(Pasteboard.prototype, Symbol.toStringTag, { value: "Pasteboard", configurable: true });

  /** A pasteboard by its name; null when it is not there and `create` is false. */
  facade.open = async function (name, option, control) {
    if (typeof name !== "string") throw invalid(`the name of a pasteboard must be a string, not ${shown(name)}`);
    const { create = true, persistent, shared } = checked(option, OPEN);
    const made = await hidden.open({ name, create, persistent, shared }, control);
    return made === null ? null : new Pasteboard(made);
  };
  /** A new pasteboard under a name that is free, for as long as this process runs. */
  facade.unique = async function (option, control) {
    return new Pasteboard(await hidden.open({ unique: true, shared: checked(option, ["shared"]).shared }, control));
  };

  const watch = facade.watch;
  facade.watch = function (option, ...rest) {
    if (typeof option === "string") option = { name: option };
    const { holdsOpen, ...which } = typeof option === "function" ? (rest.unshift(option), {}) : checked(option, ["name", "holdsOpen"]);
    if (holdsOpen !== undefined) {
      const at = typeof rest[0] === "function" || rest.length > 1 ? 1 : 0;
      rest[at] = { ...rest[at], holdsOpen };
    }
    return watch(which, ...rest);
  };
}
