// Links and evaluates modules (ECMA-262, 16.2.1.6). Each is a function that its loader made of a text; see
// ModuleText for its parameters.
((host) => {
  const { create, defineProperty, hasOwn: has, preventExtensions } = Object;
  const { apply } = Reflect;
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
          imports: null, called: null, members: null, nodeMembers: null, namespace: null, nodeNamespace: null, value: undefined, hasValue: false,
          error: null, dfs: 0, ancestor: 0, root: null, parents: [], pending: 0, order: 0, promise: null,
          resolve: null, reject: null,
        });
      }
    };

    // What an exported name of a module is read with; a namespace when it is none.
    const getterOf = (item, asNode) => {
      const { module, name } = item;
      const record = records[module];
      if (!has(item, "name")) return () => namespaces().namespaceOf(record, asNode);
      if (record.info.kind !== "module") return () => namespaces().memberOf(record, name, asNode);
      if (record.getters) return record.getters[name];
      // It has not begun, and awaits at its top: nothing of it has a value yet.
      return () => {
        if (!record.getters) throw new ReferenceError(`Cannot access '${name}' before initialization.`);
        return record.getters[name]();
      };
    };

    // MARK: linking

    const link = (record) => {
      const found = [];
      const visit = (at) => {
        if (at.status !== NEW || at.info.kind !== "module") return;
        at.status = LINKED;
        for (let i = 0; i < at.info.needs.length; i++) visit(records[at.info.needs[i]]);
        instantiate(at);
        if (at.info.isCalledEarly) add(found, at);
      };
      visit(record);
      for (let i = 0; i < found.length; i++) bind(found[i]);
      // A circle that came while the program runs may need what is linked, and was in none.
      for (let i = 0; i < found.length; i++) {
        for (let k = 0; k < found[i].info.needs.length; k++) makeCallable(records[found[i].info.needs[k]]);
      }
    };

    // Has a module that has not begun, and what it needs, give its functions before it runs.
    const makeCallable = (record) => {
      const found = [];
      const visit = (at) => {
        if (at.getters || at.status === NEW || at.info.kind !== "module" || at.info.awaits) return;
        at.info.isCalledEarly = true;
        for (let i = 0; i < at.info.needs.length; i++) {
          if (!records[at.info.needs[i]].info.isCalledEarly) visit(records[at.info.needs[i]]);
        }
        instantiate(at);
        add(found, at);
      };
      visit(record);
      for (let i = 0; i < found.length; i++) bind(found[i]);
    };

    const instantiate = (record) => {
      const imports = record.imports = create(null);
      const called = record.called = create(null);
      const expose = (getters, nameless) => {
        record.getters = getters;
        if (nameless) defineProperty(nameless, "name", { __proto__: null, value: "default", configurable: true });
      };
      const run = compile(record.index, record.info.isCalledEarly);
      const meta = record.info.usesMeta ? requires().metaOf(record) : undefined;
      const load = (name, options) => requires().load(record, name, options);
      const given = [imports, called, expose, load, meta, record.info.awaits ? noteOf(record) : marker];
      if (record.info.isCalledEarly) {
        const generator = apply(run, undefined, given);
        apply(generatorNext, generator, []);
        record.body = () => { apply(generatorNext, generator, []); };
      } else {
        record.body = () => {
          bind(record);
          return apply(run, undefined, given);
        };
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
        if (!has(imports[i], "name")) {
          const members = () => namespaces().membersFor(records[module], record.info.isNodeModule);
          const target = records[module].info;
          const quick = target.kind === "module" && target.stars.length === 0 ? { value: members() } : { get: members };
          defineProperty(record.imports, namespacePrefix + local, { __proto__: null, ...quick });
        }
      }
      preventExtensions(record.imports);
      preventExtensions(record.called);
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

    let namespacesMade = null;
    const namespaces = () => namespacesMade ??= host.makeNamespaces({ __proto__: null, records, valueOf, getterOf });

    let waitsMade = null;
    const evaluate = (record) => {
      waitsMade ??= host.makeWaits({ __proto__: null, records, valueOf, fail, EVALUATING, WAITING, EVALUATED });
      return waitsMade(record);
    };

    let requiresMade = null;
    const requires = () => requiresMade ??= host.makeRequires({
      __proto__: null, records, mainIndex, compile, pathOf, urlOf, native, find, resolve, extend, link, makeCallable, evaluate, EVALUATING,
      WAITING, namespaceOf: (record, asNode) => namespaces().namespaceOf(record, asNode),
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
