// SPDX-License-Identifier: MIT
// Event handlers of elements: `onclick` and its kin, as members and as attributes (HTML, 8.1.8.1). The code of an attribute
// becomes a function when it is first needed.
((host) => {
  "use strict";
  const { elements, report } = host;
  const { handlerOf, setHandler, globalTarget, addGlobalHandlers } = host.events;
  const { isNode, page, owner } = host.nodes;
  const { Table } = host.idl;
  const { apply, weakGet, weakSet, slice, startsWith, split } = host.intrinsics;
  const { TypeError } = globalThis;
  const { defineProperty } = Object;

  const TYPES = split("abort animationend animationstart auxclick beforeinput beforetoggle blur cancel change click close contextmenu "
    + "copy cut dblclick drag dragend dragenter dragleave dragover dragstart drop error focus formdata input invalid keydown keypress "
    + "keyup load mousedown mouseenter mouseleave mousemove mouseout mouseover mouseup paste pointercancel pointerdown pointerenter "
    + "pointerleave pointermove pointerout pointerover pointerup reset scroll select submit toggle touchcancel touchend touchmove "
    + "touchstart transitionend wheel", " ");
  // Those of a body are the window's (HTML, 8.1.8.2).
  const WINDOW_TYPES = split("afterprint beforeprint beforeunload blur error focus hashchange load message offline online pagehide pageshow "
    + "popstate resize scroll storage unload", " ");
  const known = new Table(), ofWindow = new Table();
  for (let i = 0; i < TYPES.length; i++) known.set(TYPES[i], true);
  for (let i = 0; i < WINDOW_TYPES.length; i++) ofWindow.set(WINDOW_TYPES[i], true);

  // --- The code of attributes ---------------------------------------------------------------------------------------

  const codes = new WeakMap();
  const counts = new Table();
  /** What reports call the code: by the line of the page that it stands in, where it stands in one. */
  const place = (name, line) => {
    const key = `${name}:${line}`, number = (counts.get(key) ?? 0) + 1;
    counts.set(key, number);
    const at = line === 0 ? `#${name}` : `#${key}`;
    return number === 1 ? at : `${at}-${number}`;
  };

  const made = (handler) => {
    const code = weakGet(codes, handler);
    if (code === undefined) return handler;
    if (code.made === undefined) {
      code.made = null;
      try { code.made = page.native.compile(code.text, code.place); } catch (error) { report(error); }
    }
    return code.made;
  };
  const toHandler = (text, name, line) => {
    const handler = function (event) {
      const body = made(handler);
      return body === null ? undefined : apply(body, this, [event]);
    };
    weakSet(codes, handler, { __proto__: null, text, place: place(name, line), made: undefined });
    return handler;
  };

  const targetOf = (element, type) => (elements.isCalled(element, "body") && ofWindow.has(type) ? globalTarget : element);

  /** An attribute that may be a handler has changed; `line` is 0 outside of the page's own markup. */
  const changed = (element, name, value, line) => {
    if (!startsWith(name, "on")) return;
    const type = slice(name, 2), target = targetOf(element, type);
    if (!known.has(type) && target === element) return;
    // The markup of other documents runs nothing.
    if (owner(element) !== page.document) return;
    setHandler(target, type, value === null ? null : toHandler(value, name, line));
  };

  // --- Members --------------------------------------------------------------------------------------------------------

  const define = (prototype, types) => {
    for (let i = 0; i < types.length; i++) {
      const type = types[i];
      defineProperty(prototype, `on${type}`, {
        __proto__: null, enumerable: true, configurable: true,
        get() {
          if (!isNode(this)) throw new TypeError("this is not a node");
          const handler = handlerOf(targetOf(this, type), type);
          return handler === null ? null : made(handler);
        },
        set(value) {
          if (!isNode(this)) throw new TypeError("this is not a node");
          setHandler(targetOf(this, type), type, value);
        },
      });
    }
  };

  return {
    changed,
    addTo({ prototype }) { define(prototype, TYPES); },
    addToBody({ prototype }) { define(prototype, WINDOW_TYPES); },
    addToDocument({ prototype }) {
      define(prototype, TYPES);
      define(prototype, ["readystatechange", "visibilitychange", "selectionchange"]);
    },
    /** Those of the window that no program without a page has. */
    addToWindow() {
      const types = [];
      const add = (list) => {
        for (let i = 0; i < list.length; i++) if (list[i] !== "error") types[types.length] = list[i];
      };
      add(TYPES);
      for (let i = 0; i < WINDOW_TYPES.length; i++) if (!known.has(WINDOW_TYPES[i])) types[types.length] = WINDOW_TYPES[i];
      addGlobalHandlers(types);
    },
  };
})
