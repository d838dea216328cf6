(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const { isView, isArray, keys, setPrototypeOf, wellFormed, textOf, getPrototypeOf, objectPrototype } = program.intrinsics;

  const failure = (code, message, more) => new BridgeError(code, message, { __proto__: null, service: "process", ...more });
  const invalid = (message) => failure("invalid_parameter", message);
  /** The type of a value for a message; never the value. */
  const shown = (value) => value === null ? "null" : isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
  const isBuffer = (value) => typeof value === "object" && value !== null && textOf(value) === "[object ArrayBuffer]";

  /** Text or bytes, as they cross. Encoding would put another character in the place of half of one. */
  const packed = (value, what) => {
    if (typeof value === "string") {
      if (wellFormed(value) !== value) throw invalid(`${what} holds a lone surrogate, half of a character, which text can't carry`);
      return { __proto__: null, text: value };
    }
    if (isView(value) || isBuffer(value)) return { __proto__: null, content: value };
    throw invalid(`${what} must be a string or bytes, not ${shown(value)}`);
  };

  const demandText = (value, what) => {
    if (typeof value !== "string") throw invalid(`${what} must be a string, not ${shown(value)}`);
    if (wellFormed(value) !== value) throw invalid(`${what} holds a lone surrogate, half of a character, which no program can be told`);
    return value;
  };

  /** A list of texts, copied: it inherits nothing, and changes no more. */
  const texts = (list, what) => {
    if (!isArray(list)) throw invalid(`${what} must be an array of strings, not ${shown(list)}`);
    const copy = setPrototypeOf([], null);
    for (let index = 0; index < list.length; index++) copy[index] = demandText(list[index], `${what}[${index}]`);
    return copy;
  };

  /** An object of texts, copied. */
  const variables = (object, what) => {
    const prototype = typeof object === "object" && object !== null && !isArray(object) ? getPrototypeOf(object) : undefined;
    if (prototype !== null && prototype !== objectPrototype) throw invalid(`${what} must be an object of strings, as { LANG: "C" }, not ${shown(object)}`);
    const copy = { __proto__: null }, names = keys(object);
    for (let index = 0; index < names.length; index++) copy[names[index]] = demandText(object[names[index]], `${what}.${names[index]}`);
    return copy;
  };

  /** One of some words. */
  const oneOf = (value, words, what) => {
    for (let index = 0; index < words.length; index++) if (words[index] === value) return value;
    let list = "";
    for (let index = 0; index < words.length; index++) list += `${index === 0 ? "" : ", "}'${words[index]}'`;
    throw invalid(`${what} must be one of ${list}, not ${typeof value === "string" ? `'${value}'` : shown(value)}`);
  };

  /** What a caller asks for itself: nothing that all objects inherit. */
  const asked = (option, names) => ({ __proto__: null, ...program.option(option, names) });

  /** Waits for a watch that tells once. False when it ended without a word. */
  const once = async (watch) => {
    try { return !(await watch.next()).done; } finally { watch.stop(); }
  };

  /** The same; what its caller's signal or deadline does to it is told in words about what was waited for. */
  const waited = async (watch, what) => {
    try {
      if (await once(watch)) return;
    } catch (error) { throw ended(error, what); }
    throw failure("cancelled", `${what} was not waited for: the program has ended`);
  };

  const ended = (error, what) => {
    const code = error?.code;
    if (code === "timeout") return failure(code, `${what} was not there in time; raise the call's timeout`, { cause: error });
    if (code === "cancelled") return failure(code, `${what} was not waited for: the call was cancelled`, { cause: error });
    return error;
  };

  inner.common = { __proto__: null, failure, invalid, shown, packed, demandText, texts, variables, oneOf, asked, once, waited };
}
