// SPDX-License-Identifier: MIT
// What a window's page gets before its own scripts where no extension.c gives it a pipe: the same pipe, by texts. Nothing in this world
// leads out of the page: world.js, in one of its own, passes them on. They meet at an element that no document has and that nobody else
// knows: each sends the other events there, which come at once, and a text is the same in all worlds.
(() => {
  "use strict";
  const { document, CustomEvent, MouseEvent, EventTarget, Uint8Array, Object, Reflect } = window;
  const { apply } = Reflect, { addEventListener, dispatchEvent } = EventTarget.prototype, { indexOf, slice } = String.prototype;
  const { subarray, set, toBase64 } = Uint8Array.prototype, { fromBase64 } = Uint8Array;
  const detailOf = Object.getOwnPropertyDescriptor(CustomEvent.prototype, "detail").get;
  /** Longer messages, in bytes, go in pieces, so that no side is held up for long. A multiple of three. */
  const PIECE = 3 << 19;

  const line = document.createElement("i");
  const hears = (name, take) => apply(addEventListener, line, [name, (event) => take(apply(detailOf, event, []))]);
  const say = (text) => apply(dispatchEvent, line, [new CustomEvent("said", { __proto__: null, detail: text })]);

  let handler, pieces = [], size = 0;

  const join = (last) => {
    const all = new Uint8Array(size + last.length);
    let at = 0;
    for (let index = 0; index < pieces.length; index++) {
      apply(set, all, [pieces[index], at]);
      at += pieces[index].length;
    }
    apply(set, all, [last, at]);
    pieces = [];
    size = 0;
    return all;
  };

  const hear = (text) => {
    const kind = text[0], rest = apply(slice, text, [1]);
    if (kind === "t") return handler?.("text", rest);
    const bytes = apply(fromBase64, Uint8Array, [rest]);
    if (kind === "b" || kind === "f") return handler?.(kind === "b" ? "bytes" : "part", size === 0 ? bytes : join(bytes));
    pieces[pieces.length] = bytes;
    size += bytes.length;
  };

  // Not split(), for which the engine looks at each letter, and keeps the text.
  hears("heard", (texts) => {
    let at = 0;
    for (let end; (end = apply(indexOf, texts, ["\n", at])) >= 0; at = end + 1) hear(apply(slice, texts, [at, end]));
    hear(at === 0 ? texts : apply(slice, texts, [at]));
  });
  hears("over", () => handler?.("close"));

  const send = (data) => {
    if (typeof data === "string") return void say(`t${data}`);
    let at = 0;
    for (; data.length - at > PIECE; at += PIECE) say(`p${apply(toBase64, apply(subarray, data, [at, at + PIECE]), [])}`);
    say(`b${apply(toBase64, at === 0 ? data : apply(subarray, data, [at]), [])}`);
  };
  const open = (take) => {
    handler = take;
    pieces = [];
    size = 0;
    say("o");
    return true;
  };
  const close = () => {
    handler = undefined;
    say("c");
  };
  Object.defineProperty(window, "nbridgePipe",
    { __proto__: null, value: { __proto__: null, open, send, close }, writable: true, configurable: true });

  // Either world may be first.
  const give = () => !document.dispatchEvent(new MouseEvent("nbridge-line", { relatedTarget: line, cancelable: true }));
  if (!give()) document.addEventListener("nbridge-asked", give, { once: true });
})();
