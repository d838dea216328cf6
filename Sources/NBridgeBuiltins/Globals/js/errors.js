// SPDX-License-Identifier: MIT
// What an error shows: its first line, its frames in the author's files, the properties of its own. Runs no code of the
// error's.
((host) => {
  "use strict";
  const { describeDOMException, framesOf, hintFor } = host;
  const { dataOf, proxyTarget } = host.looking;
  const { descriptorOf, functionText, getPrototypeOf } = host.primordials;

  const isText = (value) => typeof value === "string" && value !== "";

  /** The first line, in its two parts; what a misspelt name of the bridge's stands near is added. */
  const titleOf = (error, made) => {
    // A DOMException keeps both where only its own getters come.
    const { name, message } = describeDOMException(error)
      ?? { name: dataOf(error, "name"), message: dataOf(error, "message") };
    const text = isText(message) ? message : "";
    return { name: isText(name) ? name : made ?? "Error", message: text === "" ? "" : text + hintFor(text) };
  };

  const headOf = (error, made) => {
    const { name, message } = titleOf(error, made);
    return message === "" ? name : `${name}: ${message}`;
  };

  /** The names of the author's classes that it was made by: their constructors stand first in its stack. */
  const makersOf = (error) => {
    let names = "";
    let at = getPrototypeOf(error);
    for (let level = 0; level < 16 && at !== null && proxyTarget(at) === undefined; level++, at = getPrototypeOf(at)) {
      const made = descriptorOf(at, "constructor")?.value;
      if (typeof made !== "function" || proxyTarget(made) !== undefined) continue;
      if (functionText(made).endsWith("{\n    [native code]\n}")) break;
      const name = descriptorOf(made, "name")?.value;
      if (isText(name)) names += `${name}\n`;
    }
    return names;
  };

  const stackOf = (error) => {
    const stack = dataOf(error, "stack");
    return typeof stack === "string" ? stack : "";
  };

  /** Its frames, a line each; empty for none. */
  const linesOf = (error) => framesOf(stackOf(error), makersOf(error));

  const SHOWN = ["stack", "message", "line", "column", "sourceURL"];
  /** The properties that are shown behind it. */
  const keysOf = (error, keys) => {
    const isTitle = descriptorOf(error, "name")?.value === titleOf(error).name;
    const own = keys.filter((key) => !SHOWN.includes(key) && !(key === "name" && isTitle));
    for (const name of ["cause", "errors"]) {
      if (descriptorOf(error, name) !== undefined && !own.includes(name)) own.push(name);
    }
    return own;
  };

  return { titleOf, headOf, makersOf, stackOf, linesOf, keysOf };
})
