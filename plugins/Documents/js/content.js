(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const { isView } = ArrayBuffer;
  const { parse, stringify } = JSON;
  const { entries, fromEntries, getPrototypeOf, hasOwn, keys, prototype: objectPrototype } = Object;
  const { isInteger } = Number;
  const { setPrototypeOf, wellFormed, typedCopy } = program.intrinsics;

  const failure = (code, message, more) => new BridgeError(code, message, { service: "documents", ...more });
  const invalid = (message) => failure("invalid_parameter", message);
  const isBytes = (value) => isView(value) || value instanceof ArrayBuffer;
  const isPlain = (value) => typeof value === "object" && value !== null
    && (getPrototypeOf(value) === objectPrototype || getPrototypeOf(value) === null);
  const decoder = (() => { let made; return () => made ??= new TextDecoder("utf-8", { fatal: true }); })();
  const encoder = (() => { let made; return () => made ??= new TextEncoder(); })();
  const viewOf = (bytes) => isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes);
  /** A copy of bytes: they must not change while they are written. */
  const copyOf = (bytes) => {
    const view = viewOf(bytes);
    const copy = new Uint8Array(view.length);
    typedCopy(copy, view);
    return copy;
  };

  // --- Formats: what a content is in the script, and in a save --------------------------------------------

  /** Why JSON.stringify made nothing of a value. */
  const nothing = (value) => value === undefined ? "it is undefined"
    : typeof value === "function" || typeof value === "symbol" ? `it is a ${typeof value}` : "its toJSON gives none";

  /** Text as bytes, whole: encoding would put another character in the place of half of one. */
  const toUTF8 = (encoder, text, what) => {
    if (wellFormed(text) !== text) throw invalid(`${what} holds a lone surrogate, half of a character, which text can't carry`);
    return encoder.encode(text);
  };

  const toJSON = (content, what = "content") => {
    let text;
    try { text = stringify(content, null, 2); } catch (cause) {
      throw failure("invalid_parameter", `${what} has no JSON: ${cause.message}`, { cause });
    }
    if (text === undefined) throw invalid(`${what} has no JSON: ${nothing(content)}`);
    return text + "\n";
  };
  const fromJSON = (text, path) => {
    try { return parse(text); } catch (cause) {
      throw failure("invalid_data", `'${path}' is not JSON: ${cause.message}`, { cause });
    }
  };
  const fromUTF8 = (bytes, path) => {
    try { return decoder().decode(bytes); } catch (cause) {
      throw failure("invalid_data", `'${path}' is not text in UTF-8; open it with another format`, { cause });
    }
  };

  /** The files of a package: bytes, but for files whose name or extension `members` gives another format. */
  const packages = (members) => {
    const encode = encoder(); // Made while the document is opened: at the end of the program it may be too late.
    const formatOf = (name) => {
      const extension = name.slice(name.lastIndexOf("."));
      return hasOwn(members, name) ? members[name] : hasOwn(members, extension) ? members[extension] : "bytes";
    };
    const readMember = (name, bytes, path) => {
      const format = formatOf(name);
      if (format === "bytes") return bytes;
      const text = fromUTF8(bytes, `${path}/${name}`);
      return format === "json" ? fromJSON(text, `${path}/${name}`) : text;
    };
    const bytesOf = (name, value) => {
      if (formatOf(name) === "json") return encode.encode(toJSON(value, `the member '${name}'`));
      if (isBytes(value)) return copyOf(value);
      if (typeof value === "string") return toUTF8(encode, value, `the member '${name}'`);
      throw invalid(`the member '${name}' must be bytes or a string, or have the format 'json'`);
    };
    return {
      shape: "package",
      empty: () => ({}),
      check(content) { if (!isPlain(content)) throw invalid("content must be a plain object of members for the format 'package'"); },
      read: (version, path) => fromEntries((version.members ?? []).map(({ name, content }) => [name, readMember(name, content, path)])),
      /** Members that are what they were at the last save are kept; `whole` gives their content all the same. */
      write(content, saved, whole) {
        const members = setPrototypeOf([], null), names = keys(content);
        for (let index = 0; index < names.length; index++) {
          const name = names[index], value = content[name];
          const isKept = saved !== undefined && hasOwn(saved, name) && saved[name] === value;
          members[index] = { __proto__: null, name, isKept };
          if (!isKept || whole) members[index].content = bytesOf(name, value);
        }
        return { members };
      },
      /** A document's content, to be compared with later: members that are put in place must not be in it. */
      remember: (content) => ({ ...content }),
      same: () => false,
    };
  };

  const remember = (content) => content;
  const sameBytes = (a, b) => a.length === b.length && a.every((byte, at) => byte === b[at]);
  const formats = {
    text: () => ({
      shape: "text", empty: () => "", read: (version) => version.text, write: (content) => ({ text: wellFormed(content) }),
      check(content) { if (typeof content !== "string") throw invalid("content must be a string for the format 'text'"); },
      remember, same: (content, version) => content === version.text,
    }),
    json: () => ({
      shape: "text", empty: () => ({}), read: (version, path) => fromJSON(version.text, path),
      write: (content) => ({ text: toJSON(content) }), check() {},
      remember, same: (content, version) => toJSON(content) === version.text,
    }),
    bytes: () => ({
      shape: "bytes", empty: () => new Uint8Array(0), read: (version) => version.content,
      write: (content) => ({ content: copyOf(content) }),
      check(content) { if (!isBytes(content)) throw invalid("content must be bytes for the format 'bytes'"); },
      remember, same: (content, version) => version.content !== undefined && sameBytes(viewOf(content), version.content),
    }),
    propertyList: ({ binary }) => ({
      shape: "propertyList", empty: () => ({}), read: (version) => version.value,
      write: (content) => ({ value: content, binary: binary === true }), check() {},
      remember, same: () => false,
    }),
    package: ({ members }) => packages(members ?? {}),
  };

  // --- Options --------------------------------------------------------------------------------------------

  const isDelay = (value) => value === undefined || (typeof value === "number" && value >= 0);
  const shown = (value) => typeof value === "string" ? `'${value}'` : `${value}`;

  /** Throws for what `open` can't take; answers the format's name, and the option without what it inherits. */
  const checked = (path, given) => {
    if (typeof path !== "string") throw invalid(`the path must be a string, not ${shown(path)}`);
    const option = program.option(given,
      ["directory", "format", "encoding", "binary", "members", "create", "content", "autosave", "undoLevels"]);
    const { format = "text", autosave = {}, undoLevels = 100, members = {} } = option;
    if (!hasOwn(formats, format)) {
      throw invalid(`option.format must be one of ${keys(formats).map((name) => `'${name}'`).join(", ")}, not ${shown(format)}`);
    }
    if (autosave !== false && !(isPlain(autosave) && isDelay(autosave.quiet) && isDelay(autosave.latest))) {
      throw invalid("option.autosave must be false, or { quiet, latest } in milliseconds from 0 on");
    }
    if (autosave !== false) program.option(autosave, ["quiet", "latest"], "option.autosave");
    if (!isInteger(undoLevels) || undoLevels < 0) throw invalid(`option.undoLevels must be a whole number from 0 on, not ${shown(undoLevels)}`);
    if (!isPlain(members) || entries(members).some(([, kind]) => !["text", "json", "bytes"].includes(kind))) {
      throw invalid("option.members must give 'text', 'json' or 'bytes' by name or extension, as { \".txt\": \"text\" }");
    }
    return { name: format, option };
  };

  Object.assign(inner, { failure, invalid, isBytes, isPlain, shown, formats, checked, nothing, toUTF8 });
}
