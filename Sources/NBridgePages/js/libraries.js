// SPDX-License-Identifier: MIT
// Libraries of programs in a page (NBridgeBuiltins): each is loaded with what it needs of others, and of the native side as far as a page
// can have it. What only one user needs of that, it adds to `natives`; what a page has already, to `loaded`.
((window, modules) => {
  "use strict";
  const { Object } = window, { apply } = window.Reflect, objectText = Object.prototype.toString;

  // --- Places -------------------------------------------------------------------------------------------------

  const base = `${window.location.protocol}//${window.location.host}/`;
  /** What was entered at a prompt is no file, and stands in the function that it was made. */
  const ENTRY = /^(input-\d+:\d+)(?::\d+)?$/;
  /** A frame as `name file:line:column`, in either engine's way to write it; undefined for what is no frame of the author's. */
  const frameOf = (line) => {
    const [, name, place] = /^\s*at (?:async )?(?:(.*) \()?(.*?)\)?$/.exec(line) ?? /^(?:(.*)@)?(.*)$/.exec(line) ?? [];
    if (place === undefined) return undefined;
    const entered = ENTRY.exec(place)?.[1];
    if (entered !== undefined) return entered;
    if (!place.startsWith(base) || place.startsWith(`${base}.nbridge/`)) return undefined;
    return `${name ? `${name} ` : ""}${decodeURI(place.slice(base.length))}`;
  };
  const framesOf = (stack) => `${stack}`.split("\n").map(frameOf).filter((frame) => frame !== undefined).join("\n");

  // --- What libraries have of the native side -------------------------------------------------------------------

  const nothing = () => undefined;
  const isPromise = (value) => apply(objectText, value, []) === "[object Promise]";
  const natives = {
    __proto__: null,
    looking: { proxyTarget: nothing, promiseState: nothing, object: {} },
    iterators: { prove: nothing, look: nothing, placeIn: nothing },
    caught: { authoredMessage: (text) => text },
    errors: {
      framesOf: (stack) => framesOf(stack), isFrame: (line) => frameOf(line) !== undefined, messageFor: (text) => text,
      describeDOMException: (error) => (error instanceof window.DOMException ? { name: error.name, message: error.message } : undefined),
    },
  };
  const loaded = { __proto__: null };

  const load = (name) => {
    if (loaded[name] !== undefined) return loaded[name];
    const { needs, make } = modules[name];
    const host = { __proto__: null, ...natives[name] };
    for (const [kind, what, of, as] of needs) {
      if (Object.hasOwn(host, as)) continue;
      if (kind === "module") host[as] = load(of);
      else if (kind === "exports") for (const each of what) host[each] = load(of)[each];
      else if (kind === "export") host[as] = load(of)[what];
      else Object.defineProperty(host, as, { get: () => load(of)[what], enumerable: true });
    }
    return loaded[name] = make(host);
  };
  return { load, loaded, natives, framesOf, isPromise, nothing };
})
