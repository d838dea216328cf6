// SPDX-License-Identifier: MIT
// Runs in a page what a person enters at the prompt that serves it (`nbridge repl --serve`), and tells what it came to; in no other page.
// The page's policy forbids `eval`, and stays as it is: an entry is a script element with a text, as pages may have them. It is shown by
// the libraries that show values at the prompt.
((window, given, page) => {
  "use strict";
  const { later, tell } = page;
  const { Array, Element, HTMLCollection, NodeList, Object, Promise, SyntaxError, URL, Uint32Array, crypto, document } = window;
  const { parse } = window.JSON, { hasOwn, defineProperty } = Object;
  // What a page tells: Told in Server/PageTabs.swift.
  const VALUE = 0, NOTHING = 1, ERROR = 2, HERE = 3;
  const LONGEST = 1 << 18, LONGEST_NAME = 200, SHORT = 60;

  const { load, natives, nothing, framesOf } = given.libraries(window, given.modules);
  natives.repl = { proxyTarget: nothing, promiseState: nothing };
  const { declare, fix, follow, isError, keep, show } = load("repl"), { headOf } = load("errors");

  // --- What is told -------------------------------------------------------------------------------------------

  const cut = (text, most) => (text.length > most ? `${text.slice(0, most)}... ${text.length - most} more characters` : text);

  /** An element as its tag: what is in it may be long. */
  const tagOf = (element) => {
    const name = element.localName, { textContent } = element;
    const attributes = Array.from(element.attributes, ({ name, value }) => ` ${name}="${cut(value, SHORT)}"`).join("");
    const isEmpty = element.childNodes.length === 0, isText = element.children.length === 0 && textContent.length <= SHORT;
    return `<${name}${attributes}>${isEmpty ? "" : `${isText ? textContent.trim() : " ... "}</${name}>`}`;
  };
  const own = (value) => {
    if (value instanceof Element) return [tagOf(value)];
    return value instanceof NodeList || value instanceof HTMLCollection ? [Array.from(value)] : undefined;
  };

  /** The author's frames, and that of the entry behind them. WebKit takes an entry for a part of the page: three frames of what it was made. */
  const framesIn = (stack, number) => {
    const lines = `${stack}`.split("\n"), start = lines.findIndex((line) => line.includes("runsEntry"));
    const frames = framesOf((start < 0 ? lines : lines.slice(0, start)).join("\n")).split("\n").filter((frame) => frame !== "");
    const entered = frames.findIndex((frame) => frame.startsWith("input-"));
    if (entered >= 0) return frames.slice(0, entered + 1);
    return start < 0 ? frames : [...frames.slice(0, -3), `input-${number}`];
  };

  /** An error as the prompt reports its own: what it is, its code, its frames. */
  const reportOf = (error, number) => {
    const { code, service, action, stack } = error;
    const known = [code, service === undefined ? undefined : `${service}.${action}`].filter((part) => part !== undefined);
    const frames = framesIn(stack, number).map((frame) => {
      const [, name, place] = /^(?:(.*) )?(\S+)$/.exec(frame);
      return `\n    at ${name === undefined ? place : `${name} (${place})`}`;
    });
    return `${headOf(error)}${known.length === 0 ? "" : ` [${known.join(", ")}]`}${frames.join("")}`;
  };
  const thrown = (value, number, shown) => {
    try { return isError(value) ? reportOf(value, number) : `Uncaught ${shown(value)}`; } catch { return "Uncaught an error that can't be shown"; }
  };

  /** Where the page is, by which a person knows it. */
  const tellPlace = () => {
    const name = document.title.replaceAll("\n", " ").slice(0, LONGEST_NAME);
    tell(HERE, 0, `${window.location.pathname.slice(0, LONGEST_NAME)}\n${window === window.top ? "" : "frame"}\n${name}`);
  };

  /** The page's own `_` stays. */
  const kept = { __proto__: null };
  const keepLast = (name, value) => {
    if (hasOwn(window, name) && !kept[name]) return;
    kept[name] = true;
    keep(name, value);
  };

  // --- Entries --------------------------------------------------------------------------------------------------

  /** What stands for `import` in an entry: as from a script that lies beside the page. */
  const importer = async (name, options, wanted) => {
    const text = `${name}`;
    if (options !== undefined) throw new SyntaxError(`'${text}': what is entered for a page imports scripts only; use fetch`);
    const module = await import(/^\.{0,2}\//.test(text) ? new URL(text, document.baseURI).href : text);
    for (const member of wanted ?? []) {
      if (!(member in module)) throw new SyntaxError(`'${text}' has no export '${member}'`);
    }
    return module;
  };
  defineProperty(window, "\u01c3import", { __proto__: null, value: importer });

  /** What stands for syntax that engines may not know, as `using`, is loaded when an entry has some: it puts itself there. */
  defineProperty(window, "\u01c3lang_", { __proto__: null, get: () => load("language"), configurable: true });

  /** A name that no script of the page's knows. */
  const secret = () => `nbridge${Array.from(crypto.getRandomValues(new Uint32Array(4)), (number) => number.toString(36)).join("")}`;

  /** Runs a text whose value is a promise, and hands that to `take`. Answers why it did not run; undefined when it did. */
  const run = (text, url, take) => {
    const name = secret(), script = document.createElement("script"), place = document.head ?? document.documentElement;
    if (place === null) return "the page has no document just now";
    let hasRun = false, wrong;
    const runsEntry = (body) => {
      delete window[name];
      hasRun = true;
      take(body());
    };
    const hear = (event) => {
      wrong ??= event.message;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    defineProperty(window, name, { __proto__: null, value: runsEntry, configurable: true });
    window.addEventListener("error", hear, true);
    script.textContent = `${name}(() => ${text}\n)\n//# sourceURL=${url}`;
    place.append(script);
    script.remove();
    window.removeEventListener("error", hear, true);
    delete window[name];
    return hasRun ? undefined : wrong ?? "the page has a policy of its own (a <meta> with Content-Security-Policy) that forbids scripts in it";
  };

  const answer = (number, text) => {
    const { code, names, constants, width, colours } = parse(text);
    const shown = (value) => {
      try { return show(value, colours, width, own); } catch { return "a value that can't be shown"; }
    };
    const done = (kind, value) => {
      if (kind !== ERROR) fix(constants);
      tellPlace();
      if (kind === ERROR) {
        keepLast("_error", value);
        tell(ERROR, number, cut(thrown(value, number, shown), LONGEST));
      } else if (value === undefined) {
        tell(NOTHING, number, "");
      } else {
        keepLast("_", value);
        tell(VALUE, number, cut(shown(value), LONGEST));
      }
    };
    declare(names);
    const wrong = run(code, `input-${number}`, (promise) => follow(promise, true, done));
    if (wrong !== undefined) tell(ERROR, number, wrong);
  };

  tellPlace();
  document.addEventListener("DOMContentLoaded", tellPlace);
  /** Not among the answers of the message that it came in. */
  return (number, text) => {
    later(() => answer(number, text)).then(undefined, (error) => tell(ERROR, number, `the page can't run it: ${error}`));
  };
})
