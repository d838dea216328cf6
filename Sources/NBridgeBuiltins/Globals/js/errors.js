// SPDX-License-Identifier: MIT
// What an error shows: its first line, its frames in the author's files, the properties of its own. Runs no code of the
// error's.
((host) => {
  "use strict";
  const { describeDOMException, framesOf, messageFor } = host;
  const { dataOf, proxyTarget } = host.looking;
  const { descriptorOf, functionText, getPrototypeOf } = host.primordials;

  const isText = (value) => typeof value === "string" && value !== "";

  /**
   * The author's classes that it was made by, innermost first, a line each: their constructors stand first in its stack. And
   * whether one of them, or the error itself, has a name of its own.
   */
  const classesOf = (error) => {
    let names = "";
    let isNamed = descriptorOf(error, "name") !== undefined;
    let at = getPrototypeOf(error);
    for (let level = 0; level < 16 && at !== null && proxyTarget(at) === undefined; level++, at = getPrototypeOf(at)) {
      const made = descriptorOf(at, "constructor")?.value;
      if (typeof made !== "function" || proxyTarget(made) !== undefined) continue;
      if (functionText(made).endsWith("{\n    [native code]\n}")) break;
      isNamed ||= descriptorOf(at, "name") !== undefined;
      const name = descriptorOf(made, "name")?.value;
      if (isText(name)) names += `${name}\n`;
    }
    return { names, isNamed };
  };

  const makersOf = (error) => classesOf(error).names;

  /**
   * The first line, in its parts. A class that gives its errors no name is told with the name that they have; a message has the
   * author's text where the engine quoted what was made of it, and what a misspelt name of the bridge's stands near.
   */
  const titleOf = (error, made) => {
    // A DOMException keeps both where only its own getters come.
    const ours = describeDOMException(error);
    const { name, message } = ours ?? { name: dataOf(error, "name"), message: dataOf(error, "message") };
    const text = isText(message) ? message : "";
    const title = isText(name) ? name : made ?? "Error";
    const { names, isNamed } = classesOf(error);
    const own = ours !== undefined || isNamed ? "" : names.slice(0, names.indexOf("\n"));
    return {
      name: title, title: own === "" || own === title ? title : `${own} [${title}]`,
      message: text === "" ? "" : messageFor(text, dataOf(error, "stack")),
    };
  };

  const headOf = (error, made) => {
    const { title, message } = titleOf(error, made);
    return message === "" ? title : `${title}: ${message}`;
  };

  const stackOf = (error) => {
    const stack = dataOf(error, "stack");
    return typeof stack === "string" ? stack : "";
  };

  const FRAME = /^(?!\s*at )(?:.*@)?(?:\[native code\]|\[wasm code\]|.+:\d+:\d+)$/m;
  /** A stack that a script wrote itself, in which no line is the engine's; "" for none. */
  const ownStackOf = (error) => {
    const stack = stackOf(error);
    return FRAME.test(stack) ? "" : stack;
  };

  const OWN_FRAME = /^(?:.*@)?(?:\[native code\]|\[wasm code\]|.+:\d+:\d+)?$/;
  /** Whether each line of a stack is the engine's: what a script has put to it is the script's. */
  const isEngines = (stack) => stack.split("\n").every((line) => OWN_FRAME.test(line));

  /** Its frames, a line each; empty for none. */
  const linesOf = (error) => {
    const message = dataOf(error, "message");
    return framesOf(stackOf(error), makersOf(error), isText(message) ? message : "");
  };

  /** Whether it stands for two, as a SuppressedError does: what came while the other was on its way. */
  const isPair = (error) => descriptorOf(error, "error") !== undefined && descriptorOf(error, "suppressed") !== undefined;
  /** The names of what an error came of. */
  const reasonsOf = (error) => (isPair(error) ? ["cause", "errors", "error", "suppressed"] : ["cause", "errors"]);

  const SHOWN = ["stack", "message", "line", "column", "sourceURL"];
  /** The properties that are shown behind it. */
  const keysOf = (error, keys) => {
    const isTitle = descriptorOf(error, "name")?.value === titleOf(error).name;
    const own = keys.filter((key) => !SHOWN.includes(key) && !(key === "name" && isTitle));
    for (const name of reasonsOf(error)) {
      if (descriptorOf(error, name) !== undefined && !own.includes(name)) own.push(name);
    }
    return own;
  };

  return { titleOf, headOf, makersOf, stackOf, ownStackOf, isEngines, linesOf, keysOf, reasonsOf, framesOf };
})
