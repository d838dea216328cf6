// SPDX-License-Identifier: MIT
// What modules of the runtime use while they load, as it was when the program began: a script that changed its prototypes
// before it imports one is not to break that one, nor to have what it throws itself come out of the import.
((host) => {
  const { defineProperty, descriptorOf, hasOwn: has, ownKeys, setPrototypeOf } = host.intrinsics;

  const namesIn = (holder) => {
    const known = { __proto__: null };
    const names = ownKeys(holder);
    for (let i = 0; i < names.length; i++) known[names[i]] = true;
    return { __proto__: null, holder, known, count: names.length };
  };

  // Called when the program begins.
  const make = () => {
    const pick = (holder, ...names) => {
      const values = { __proto__: null };
      for (let i = 0; i < names.length; i++) values[names[i]] = holder[names[i]];
      return { __proto__: null, holder, values, names: ownKeys(values) };
    };
    const { iterator } = Symbol, { isExtensible } = Object;
    const arrays = Array.prototype;
    const list = [
      pick(arrays, iterator, "push", "pop", "map", "filter", "forEach", "slice", "splice", "join", "concat", "some", "every", "find",
        "findIndex", "includes", "indexOf", "reduce", "reverse", "shift", "unshift", "sort", "at", "flat", "flatMap", "fill",
        "entries", "keys", "values"),
      pick(Object.getPrototypeOf([][iterator]()), "next"),
      pick(String.prototype, iterator, "split", "replace", "replaceAll", "slice", "startsWith", "endsWith", "includes", "indexOf",
        "lastIndexOf", "trim", "padStart", "toLowerCase", "toUpperCase", "charCodeAt", "codePointAt", "at", "repeat", "match", "matchAll"),
      pick(RegExp.prototype, "exec", "test", Symbol.replace, Symbol.split, Symbol.match, Symbol.matchAll),
      pick(Object, "assign", "keys", "entries", "values", "fromEntries", "create", "defineProperty", "defineProperties", "freeze",
        "getPrototypeOf", "setPrototypeOf", "getOwnPropertyDescriptor", "getOwnPropertyDescriptors", "getOwnPropertyNames",
        "getOwnPropertySymbols", "hasOwn", "is"),
      pick(Object.prototype, "hasOwnProperty", "toString", "propertyIsEnumerable"),
      pick(Function.prototype, "call", "apply", "bind"), pick(Array, "from", "isArray", "of"),
      pick(Reflect, "apply", "construct", "ownKeys", "get", "set", "has", "defineProperty", "getPrototypeOf"),
      pick(Map.prototype, "get", "set", "has", iterator), pick(Set.prototype, "add", "has", iterator), pick(Symbol, "for"),
    ];
    const whole = [namesIn(Object.prototype), namesIn(arrays)];
    let depth = 0;

    const note = (changed, holder, name, found, isAside) => {
      if (found) setPrototypeOf(found, null);
      changed[changed.length++] = { __proto__: null, holder, name, found, isAside };
    };

    // What a script added to the prototypes of all objects and arrays.
    const putAside = (changed, { holder, known, count }) => {
      const names = ownKeys(holder);
      // Of what takes nothing more nothing could be put back.
      if (names.length === count || !isExtensible(holder)) return;
      for (let i = 0; i < names.length; i++) {
        const found = descriptorOf(holder, names[i]);
        if (!known[names[i]] && delete holder[names[i]]) note(changed, holder, names[i], found, true);
      }
    };

    const restore = (changed, { holder, names, values }) => {
      for (let i = 0; i < names.length; i++) {
        const name = names[i];
        const found = descriptorOf(holder, name);
        if (found && has(found, "value") && found.value === values[name]) continue;
        try {
          defineProperty(holder, name, { __proto__: null, value: values[name], writable: true, enumerable: false, configurable: true });
          note(changed, holder, name, found, false);
        } catch { /* A script has seen to it that it stays. */ }
      }
    };

    const enter = () => {
      const changed = { __proto__: null, length: 0 };
      for (let i = 0; i < whole.length; i++) putAside(changed, whole[i]);
      for (let i = 0; i < list.length; i++) restore(changed, list[i]);
      return changed;
    };

    const putBackOne = ({ holder, name, found }) => {
      try {
        if (found) defineProperty(holder, name, found);
        else delete holder[name];
      } catch { /* A script has seen to it that it stays. */ }
    };

    // What was put aside comes back in its order; what a script has closed meanwhile stays as it is.
    const leave = (changed) => {
      for (let i = changed.length - 1; i >= 0; i--) if (!changed[i].isAside) putBackOne(changed[i]);
      for (let i = 0; i < changed.length; i++) if (changed[i].isAside) putBackOne(changed[i]);
    };

    // Calls `body` with all that as it was, and puts what the script made of it back.
    const within = (body) => {
      if (depth > 0) return body();
      const changed = enter();
      depth++;
      try { return body(); } finally {
        depth--;
        leave(changed);
      }
    };
    return { __proto__: null, within };
  };

  return { make };
})
