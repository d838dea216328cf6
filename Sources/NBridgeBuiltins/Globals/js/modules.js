// Links and evaluates modules (ECMA-262, 16.2.1.6). Each is a function that its loader made of a text; see
// ModuleText for its parameters.
((host) => {
  const { create, defineProperty, getOwnPropertyDescriptor, hasOwn: has, keys, preventExtensions } = Object;
  const { apply } = Reflect;
  const { toStringTag } = Symbol;
  const parse = JSON.parse;
  const NativePromise = Promise;
  const generatorNext = Object.getPrototypeOf(function* () {}).prototype.next;
  const namespacePrefix = "\u01C3";
  const add = (list, item) => { defineProperty(list, list.length, { __proto__: null, value: item, writable: true, enumerable: true, configurable: true }); };
  const NEW = 0, LINKED = 1, EVALUATING = 2, WAITING = 3, EVALUATED = 4;

  // One program's modules. `compile` gives the function, or the text, of the module with an index.
  const program = (compile, pathOf, urlOf, find, resolve, native) => {
    const records = [];
    const mainIndex = 0;
    let marker = { __proto__: null };

    const extend = (text) => {
      const list = parse(text);
      for (let i = 0; i < list.length; i++) {
        const info = list[i];
        add(records, {
          __proto__: null, index: records.length, info, status: NEW, getters: null, body: null,
          imports: null, called: null, members: null, namespace: null, value: undefined, hasValue: false,
          error: null, dfs: 0, ancestor: 0, root: null, parents: [], pending: 0, order: 0, promise: null,
          resolve: null, reject: null,
        });
      }
    };

    // What an exported name of a module is read with.
    const isNamespace = (item) => !has(item, "name");
    const getterOf = (item, asNode) => {
      const { module, name } = item;
      const record = records[module];
      if (isNamespace(item)) return () => namespaceOf(record);
      if (record.info.kind !== "module") return () => memberOf(record, name, asNode);
      if (record.getters) return record.getters[name];
      // It awaits at its top and has not begun: nothing of it has a value yet.
      return () => {
        if (!record.getters) throw new ReferenceError(`Cannot access '${name}' before initialization.`);
        return record.getters[name]();
      };
    };

    const memberOf = (record, name, asNode) => {
      const value = valueOf(record);
      if (name !== "default") return value?.[name];
      return record.info.kind === "commonJS" && !asNode && value?.__esModule ? value.default : value;
    };

    // A namespace whose members are quick to read, for code that names them.
    const membersOf = (names) => {
      const members = create(null);
      for (let i = 0; i < names.length; i++) {
        const { exported } = names[i];
        defineProperty(members, exported, { __proto__: null, get: getterOf(names[i]), enumerable: true });
      }
      defineProperty(members, toStringTag, { __proto__: null, value: "Module" });
      return preventExtensions(members);
    };

    const membersFor = (record) => {
      if (record.members) return record.members;
      if (record.info.kind === "module") return record.members = membersOf(namesOf(record));
      const value = valueOf(record);
      const names = [{ exported: "default", module: record.index, name: "default" }];
      const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
      const isOnlyValue = record.info.kind === "bytes" || record.info.kind === "jsonModule";
      const found = isObject && !isOnlyValue ? keys(value) : [];
      for (let i = 0; i < found.length; i++) {
        if (found[i] !== "default") add(names, { exported: found[i], module: record.index, name: found[i] });
      }
      return record.members = membersOf(names);
    };

    // With the names of CommonJS modules that `export *` gives on, which are known when those have run.
    const namesOf = (record) => {
      const { names, stars } = record.info;
      for (let i = 0; i < stars.length; i++) {
        const found = keys(membersFor(records[stars[i]]));
        for (let k = 0; k < found.length; k++) {
          let isKnown = found[k] === "default";
          for (let n = 0; n < names.length; n++) isKnown ||= names[n].exported === found[k];
          if (!isKnown) add(names, { exported: found[k], module: stars[i], name: found[k] });
        }
      }
      return names;
    };

    const namespaceOf = (record) => record.namespace ??= host.exoticOf(membersFor(record));

    // MARK: linking

    const link = (record) => {
      const found = [];
      const visit = (at) => {
        if (at.status !== NEW || at.info.kind !== "module") return;
        at.status = LINKED;
        add(found, at);
        for (let i = 0; i < at.info.needs.length; i++) visit(records[at.info.needs[i]]);
        instantiate(at);
      };
      visit(record);
      for (let i = 0; i < found.length; i++) bind(found[i]);
      for (let i = 0; i < found.length; i++) {
        preventExtensions(found[i].imports);
        preventExtensions(found[i].called);
      }
    };

    const instantiate = (record) => {
      record.imports = create(null);
      record.called = create(null);
      const expose = (getters, nameless) => {
        record.getters = create(null);
        const names = keys(getters);
        for (let i = 0; i < names.length; i++) {
          record.getters[names[i]] = getOwnPropertyDescriptor(getters, names[i]).get;
        }
        if (nameless) defineProperty(nameless, "name", { __proto__: null, value: "default", configurable: true });
      };
      const run = compile(record.index);
      const meta = record.info.usesMeta ? requires().metaOf(record) : undefined;
      const given = [record.imports, record.called, expose, (name, options) => requires().load(record, name, options), meta,
        noteOf(record)];
      if (record.info.awaits) {
        record.body = () => apply(run, undefined, given);
      } else {
        const generator = apply(run, undefined, given);
        apply(generatorNext, generator, []);
        record.body = () => { apply(generatorNext, generator, []); };
      }
    };

    // Where a top-level await leaves its line.
    const noteOf = (record) => ({
      __proto__: null,
      set at(line) {
        marker.at = line;
        marker.url = urlOf(record.index);
      },
      set namespace(value) { marker.namespace = value; },
    });

    const bind = (record) => {
      const { imports } = record.info;
      if (record.info.usesRequire) {
        const require = requires().requireOf(record);
        defineProperty(record.imports, "require", { __proto__: null, value: require });
        defineProperty(record.called, "require", { __proto__: null, value: () => require });
      }
      for (let i = 0; i < imports.length; i++) {
        const { local, module } = imports[i];
        const get = getterOf(imports[i], record.info.isNodeModule);
        defineProperty(record.imports, local, { __proto__: null, get });
        defineProperty(record.called, local, { __proto__: null, value: get });
        if (isNamespace(imports[i])) {
          const members = () => membersFor(records[module]);
          const target = records[module].info;
          const quick = target.kind === "module" && target.stars.length === 0 ? { value: members() } : { get: members };
          defineProperty(record.imports, namespacePrefix + local, { __proto__: null, ...quick });
        }
      }
    };

    // MARK: evaluation

    // Evaluates a module where none awaits, and first what it needs; waits.js evaluates all others. The stack
    // holds what is being evaluated, and finished parts of circles that are not.
    const evaluateNow = (record, stack) => {
      if (record.info.kind !== "module") return valueOf(record);
      if (record.error) throw record.error.value;
      if (record.status !== LINKED) return;
      record.status = EVALUATING;
      const place = record.ancestor = stack.length;
      add(stack, record);
      for (let i = 0; i < record.info.needs.length; i++) {
        const need = records[record.info.needs[i]];
        evaluateNow(need, stack);
        if (need.status === EVALUATING && need.ancestor < record.ancestor) record.ancestor = need.ancestor;
      }
      record.body();
      if (record.ancestor < place) return;
      for (let i = place; i < stack.length; i++) {
        stack[i].status = EVALUATED;
        stack[i].root = record;
      }
      stack.length = place;
    };

    const fail = (record, error) => {
      record.status = EVALUATED;
      record.root ??= record;
      record.error = { __proto__: null, value: error };
    };

    // MARK: parts that few programs need

    let waitsMade = null;
    const evaluate = (record) => {
      waitsMade ??= host.makeWaits({ __proto__: null, records, valueOf, fail, EVALUATING, WAITING, EVALUATED });
      return waitsMade(record);
    };

    let requiresMade = null;
    const requires = () => requiresMade ??= host.makeRequires({
      __proto__: null, records, mainIndex, compile, pathOf, urlOf, native, find, resolve, extend, link, evaluate, namespaceOf, WAITING,
    });
    const valueOf = (record) => requires().valueOf(record);

    // What is followed as a script that awaits is: `at` of the marker is the line where it stands. A program
    // in which no module awaits answers nothing, and makes no promise.
    const main = (given) => {
      marker = given;
      const record = records[mainIndex];
      const stack = [];
      try {
        link(record);
        for (let i = 0; i < records.length; i++) if (records[i].info.awaits) return evaluate(record);
        evaluateNow(record, stack);
      } catch (error) {
        for (let i = 0; i < stack.length; i++) fail(stack[i], error);
        return new NativePromise((_, reject) => reject(error));
      }
    };

    return { __proto__: null, extend, main };
  };

  return { program };
})
