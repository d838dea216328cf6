// Modules' namespaces (ECMA-262, 10.4.6), and the members of those that are none of the language.
((host) => {
  // Loaded when a program first asks for a namespace: by then a script may have changed its globals.
  const {
    Proxy: NativeProxy, ReferenceError, create, defineProperty, descriptorOf, hasOwn: has, is, keys, preventExtensions, sort, toStringTag,
  } = host.intrinsics;

  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";
  const namespacePrefix = "\u01C3";
  const add = (list, item) => { defineProperty(list, list.length, { __proto__: null, value: item, writable: true, enumerable: true, configurable: true }); };

  // A module namespace exotic object, for all code but that which names its members: these look like data and can't be
  // written.
  const exoticOf = (members) => {
    const shape = create(null);
    // By their units: an object would put those that look like indices first.
    const names = sort(keys(members));
    for (let i = 0; i < names.length; i++) {
      defineProperty(shape, names[i], { __proto__: null, value: undefined, writable: true, enumerable: true });
    }
    defineProperty(shape, toStringTag, { __proto__: null, value: "Module" });
    preventExtensions(shape);
    const own = [];
    for (let i = 0; i < names.length; i++) add(own, names[i]);
    add(own, toStringTag);
    host.noteNamespace(shape, members);
    const isExport = (name) => typeof name === "string" && has(shape, name);
    const describe = (name) => isExport(name)
      ? { __proto__: null, value: members[name], writable: true, enumerable: true, configurable: false }
      : name === toStringTag ? { __proto__: null, value: "Module", writable: false, enumerable: false, configurable: false }
      : undefined;
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
        if (has(wanted, "configurable") && wanted.configurable || has(wanted, "get") || has(wanted, "set")) return false;
        if (has(wanted, "enumerable") && wanted.enumerable !== current.enumerable) return false;
        if (has(wanted, "writable") && wanted.writable !== current.writable) return false;
        return !has(wanted, "value") || is(wanted.value, current.value);
      },
      setPrototypeOf: (_, prototype) => prototype === null,
      preventExtensions: () => true,
    });
  };

  const make = ({ records, part }) => {
    const valueOf = (record) => part("requires").valueOf(record);

    // What an exported name of a module is read with; a namespace when it is none.
    const getterOf = (item, asNode) => {
      const { module, name } = item;
      const record = records[module];
      if (!has(item, "name")) return () => namespaceOf(record, asNode);
      if (record.info.kind !== "module") return () => memberOf(record, name, asNode);
      if (record.getters) return record.getters[name];
      // It has not begun, and awaits at its top: nothing of it has a value yet.
      return () => {
        if (!record.getters) throw new ReferenceError(`Cannot access '${name}' before initialization.`);
        return record.getters[name]();
      };
    };

    // What modules of Node see of a CommonJS module that has run: what it gave then, with `__esModule`, where it has that.
    // Getters are asked each time, since packages load by them what few programs need; what is no plain object may not let
    // itself be looked at.
    const copyFor = ({ kept }) => {
      if (kept === undefined || kept.copy !== undefined) return kept?.copy;
      try { return kept.copy = copyOf(kept.value); } catch { return undefined; }
    };

    const copyOf = (value) => {
      const copy = create(null);
      if (!isObject(value)) return copy;
      const put = (name, content) => { defineProperty(copy, name, { __proto__: null, value: content, enumerable: true }); };
      const names = keys(value);
      for (let i = 0; i < names.length; i++) {
        const name = names[i];
        const found = descriptorOf(value, name);
        if (found && has(found, "value")) put(name, found.value);
        else defineProperty(copy, name, { __proto__: null, get: () => value[name], enumerable: true });
      }
      if (!has(copy, "__esModule") && has(value, "__esModule")) put("__esModule", value.__esModule);
      return copy;
    };

    // Gives a module the members of a namespace that it imports.
    const give = (record, { local, module }) => {
      if (record.info.isNodeModule) copyFor(records[module]);
      const members = () => membersFor(records[module], record.info.isNodeModule);
      const target = records[module].info;
      const quick = target.kind === "module" && target.stars.length === 0
        ? { __proto__: null, value: members() } : { __proto__: null, get: members };
      defineProperty(record.imports, namespacePrefix + local, quick);
    };

    // Throws where a CommonJS module that has run has no such name, as Node does: here that is known no sooner. One that gives
    // nothing may be taken out by a package's "browser" map, and packages are written for bundlers, which let it be.
    const demand = (record, item) => {
      const { local, module, name } = item;
      const target = records[module];
      if (target.info.kind !== "commonJS" || name === "default" || !target.value?.loaded) return;
      if (record.info.isNodeModule) copyFor(target);
      if (!has(item, "name")) return;
      const value = target.value.exports;
      if (isObject(value) && (name in value || keys(value).length === 0)) return;
      part("requires").miss(record, target, local, name);
    };

    const memberOf = (record, name, asNode) => {
      const kept = asNode ? record.kept : undefined;
      if (kept !== undefined && name === "default") return kept.value;
      if (kept?.copy !== undefined && has(kept.copy, name)) try { return kept.copy[name]; } catch { return undefined; }
      const value = valueOf(record);
      // A member whose getter throws has no value, as in Node.
      if (name !== "default") try { return value?.[name]; } catch { return undefined; }
      return record.info.kind === "commonJS" && !asNode && value?.__esModule ? value.default : value;
    };

    // A namespace whose members are quick to read, for code that names them.
    const membersOf = (names, asNode) => {
      const members = create(null);
      for (let i = 0; i < names.length; i++) {
        const { exported } = names[i];
        defineProperty(members, exported, { __proto__: null, get: getterOf(names[i], asNode), enumerable: true });
      }
      defineProperty(members, toStringTag, { __proto__: null, value: "Module" });
      return preventExtensions(members);
    };

    // `asNode`: for a module that gets what is CommonJS as Node gives it. Of a module of the language there is one kind.
    const membersFor = (record, asNode) => {
      if (record.info.kind === "module") return record.members ??= membersOf(namesOf(record), record.info.isNodeModule);
      return asNode ? record.nodeMembers ??= valuesOf(record, true) : record.members ??= valuesOf(record, false);
    };

    const valuesOf = (record, asNode) => {
      const value = valueOf(record);
      const names = [{ exported: "default", module: record.index, name: "default" }];
      const isOnlyValue = record.info.kind === "bytes" || record.info.kind === "jsonModule";
      const found = isObject(value) && !isOnlyValue ? keys(asNode && copyFor(record) || value) : [];
      for (let i = 0; i < found.length; i++) {
        if (found[i] !== "default") add(names, { exported: found[i], module: record.index, name: found[i] });
      }
      return membersOf(names, asNode);
    };

    // With the names of CommonJS modules that `export *` gives on, which are known when those have run.
    const namesOf = (record) => {
      const { names, stars } = record.info;
      for (let i = 0; i < stars.length; i++) {
        const found = keys(membersFor(records[stars[i]], record.info.isNodeModule));
        for (let k = 0; k < found.length; k++) {
          let isKnown = found[k] === "default";
          for (let n = 0; n < names.length; n++) isKnown ||= names[n].exported === found[k];
          if (!isKnown) add(names, { exported: found[k], module: stars[i], name: found[k] });
        }
      }
      if (stars.length > 0) sort(names, (one, other) => (one.exported < other.exported ? -1 : 1));
      return names;
    };

    const namespaceOf = (record, asNode) => asNode && record.info.kind !== "module"
      ? record.nodeNamespace ??= exoticOf(membersFor(record, true))
      : record.namespace ??= exoticOf(membersFor(record, false));

    return { __proto__: null, getterOf, give, demand, namespaceOf };
  };

  return { make };
})
