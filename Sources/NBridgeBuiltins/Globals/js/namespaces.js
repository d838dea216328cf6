// A module's namespace (ECMA-262, 10.4.6) for all code but that which names its members.
((host) => {
  // Loaded when a program first asks for a namespace: by then a script may have changed its globals.
  const {
    Proxy: NativeProxy, create, defineProperty, descriptorOf, hasOwn: has, is, keys, preventExtensions, sort, toStringTag,
  } = host.intrinsics;

  // A module namespace exotic object (ECMA-262, 10.4.6): its members look like data and can't be written.
  const exoticOf = (members) => {
    const shape = create(null);
    // By their units: an object would put those that look like indices first.
    const names = sort(keys(members));
    for (let i = 0; i < names.length; i++) {
      defineProperty(shape, names[i], { __proto__: null, value: undefined, writable: true, enumerable: true });
    }
    defineProperty(shape, toStringTag, { __proto__: null, value: "Module" });
    preventExtensions(shape);
    const own = [...names, toStringTag];
    host.noteNamespace(shape, members);
    const isExport = (name) => typeof name === "string" && has(shape, name);
    const describe = (name) => isExport(name)
      ? { value: members[name], writable: true, enumerable: true, configurable: false }
      : descriptorOf(shape, name);
    return new NativeProxy(shape, {
      __proto__: null,
      get: (_, name) => typeof name === "string" || name === toStringTag ? members[name] : undefined,
      set: () => false,
      has: (_, name) => has(shape, name),
      deleteProperty: (_, name) => !has(shape, name),
      ownKeys: () => own,
      getOwnPropertyDescriptor: (_, name) => describe(name),
      defineProperty(_, name, wanted) {
        const current = describe(name);
        if (!current) return false;
        if (wanted.configurable === true || has(wanted, "get") || has(wanted, "set")) return false;
        if (has(wanted, "enumerable") && wanted.enumerable !== current.enumerable) return false;
        if (has(wanted, "writable") && wanted.writable !== current.writable) return false;
        return !has(wanted, "value") || is(wanted.value, current.value);
      },
      setPrototypeOf: (_, prototype) => prototype === null,
      preventExtensions: () => true,
    });
  };

  return { exoticOf };
})
