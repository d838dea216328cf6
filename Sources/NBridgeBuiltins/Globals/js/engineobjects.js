// SPDX-License-Identifier: MIT
// What the engine's own objects hold beside their members, for those who compare two: by their inner slots, with functions
// of a global object that no script has.
((host) => {
  "use strict";
  const { proxyTarget } = host;
  const { getOwnPropertyDescriptor, prototype, setPrototypeOf } = Object;
  const { apply } = Reflect;
  const { toString } = prototype;
  const bare = (...items) => setPrototypeOf(items, null);
  const getterOf = (type, name) => getOwnPropertyDescriptor(type?.prototype ?? {}, name)?.get;

  /** A method, or a getter, that throws for an object of another kind; `listOf` makes of its answer what is compared. */
  const open = bare(), closed = bare();
  const add = (kinds, tag, probe, listOf, args = []) => {
    if (typeof probe === "function") kinds[kinds.length] = { tag, probe, listOf, args };
  };

  add(open, "Intl.Locale", Intl.Locale?.prototype.toString, (text) => bare(text));
  for (const name of ["NumberFormat", "DateTimeFormat", "Collator", "PluralRules", "Segmenter", "ListFormat",
    "RelativeTimeFormat", "DisplayNames", "DurationFormat"]) {
    add(open, `Intl.${name}`, Intl[name]?.prototype.resolvedOptions, (options) => bare(options));
  }

  const wasm = globalThis.WebAssembly;
  add(closed, "WebAssembly.Global", getterOf(wasm?.Global, "value"));
  add(closed, "WebAssembly.Memory", getterOf(wasm?.Memory, "buffer"));
  add(closed, "WebAssembly.Table", getterOf(wasm?.Table, "length"));
  add(closed, "WebAssembly.Instance", getterOf(wasm?.Instance, "exports"));
  add(closed, "FinalizationRegistry", globalThis.FinalizationRegistry?.prototype.unregister, undefined, [{}]);
  add(closed, "DisposableStack", getterOf(globalThis.DisposableStack, "disposed"));
  add(closed, "AsyncDisposableStack", getterOf(globalThis.AsyncDisposableStack, "disposed"));
  add(closed, "SharedArrayBuffer", getterOf(globalThis.SharedArrayBuffer, "byteLength"));
  // The only one of the engine's without a name of its own.
  const segments = Intl.Segmenter === undefined ? undefined : new Intl.Segmenter().segment("");
  add(closed, "Intl.Segments", segments?.containing, undefined, [0]);
  const moduleExports = wasm?.Module?.exports;

  const found = (kinds, value) => {
    for (let at = 0; at < kinds.length; at++) {
      const { tag, probe, listOf, args } = kinds[at];
      try {
        const answer = apply(probe, value, args);
        return { tag, list: listOf?.(answer) };
      } catch { /* It is none of these. */ }
    }
    return undefined;
  };

  const isModule = (value) => {
    try { return moduleExports !== undefined && apply(moduleExports, undefined, [value]) !== undefined; } catch { return false; }
  };

  /**
   * What members tell all of: they have no name of the engine's, or list what they have. Generators and iterators are none: who
   * does not go through them knows nothing of what they give.
   */
  const PLAIN = { __proto__: null, "[object Object]": true, "[object Arguments]": true, "[object Module]": true };
  const nameIn = (value) => {
    try {
      const text = apply(toString, value, []);
      return PLAIN[text] === true ? undefined : text.slice("[object ".length, -1);
    } catch { return undefined; }
  };

  /**
   * Of an object that the engine made: its kind and, in a list, what two of them are compared by; without a list where they
   * are the same only if they are one. Undefined for what has no more than its members. Not for what has a kind of its own,
   * as a Map has. A proxy has none: no inner slot is looked at through it.
   */
  const slotsOf = (value) => {
    if (proxyTarget(value) !== undefined) return undefined;
    const known = found(open, value) ?? found(closed, value);
    if (known !== undefined) return known;
    if (isModule(value)) return { tag: "WebAssembly.Module", list: undefined };
    const name = nameIn(value);
    return name === undefined ? undefined : { tag: name, list: undefined };
  };

  return { slotsOf };
})
