// Links and evaluates modules (ECMA-262, 16.2.1.6). Each is a function that its loader made of a text; see
// ModuleText for its parameters.
((host) => {
  const { makeRequires } = host;
  const { create, defineProperty, getOwnPropertyDescriptor, keys, preventExtensions } = Object;
  const { apply } = Reflect;
  const { sort } = Array.prototype;
  const { then } = Promise.prototype;
  const { hasOwnProperty } = Object.prototype;
  const parse = JSON.parse;
  const NativePromise = Promise;
  const generatorNext = Object.getPrototypeOf(function* () {}).prototype.next;
  const namespacePrefix = "\u01C3";
  const typeMark = "?as=";
  const has = (object, name) => apply(hasOwnProperty, object, [name]);
  const add = (list, item) => { defineProperty(list, list.length, { __proto__: null, value: item, writable: true, enumerable: true, configurable: true }); };
  const NEW = 0, LINKED = 1, EVALUATING = 2, WAITING = 3, EVALUATED = 4;

  // One program's modules. `compile` gives the function, or the text, of the module with an index.
  const program = (compile, pathOf, urlOf, find, resolve, native) => {
    const records = [];
    const mainIndex = 0;
    let marker = { __proto__: null };
    let order = 0;

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

    const membersFor = (record) => {
      if (record.members) return record.members;
      if (record.info.kind === "module") return record.members = host.membersOf(namesOf(record), getterOf);
      const value = valueOf(record);
      const names = [{ exported: "default", module: record.index, name: "default" }];
      const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
      const found = isObject && record.info.kind !== "bytes" ? keys(value) : [];
      for (let i = 0; i < found.length; i++) {
        if (found[i] !== "default") add(names, { exported: found[i], module: record.index, name: found[i] });
      }
      return record.members = host.membersOf(names, getterOf);
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
      const meta = record.info.usesMeta ? metaOf(record) : undefined;
      const given = [record.imports, record.called, expose, (name, options) => load(record, name, options), meta,
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
        const require = requireOf(record);
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

    const evaluate = (record) => {
      if (record.info.kind !== "module") return new NativePromise((resolve) => resolve(void valueOf(record)));
      if (record.status >= WAITING) record = record.root ?? record;
      if (record.promise) return record.promise;
      record.promise = new NativePromise((resolve, reject) => {
        record.resolve = resolve;
        record.reject = reject;
      });
      try {
        evaluateNow(record);
        if (record.order === 0 || record.status === EVALUATED) record.resolve();
      } catch (error) {
        record.reject(error);
      }
      return record.promise;
    };

    // Evaluates what does not wait for a module that awaits.
    const evaluateNow = (record) => {
      if (record.info.kind !== "module") return valueOf(record);
      const stack = [];
      try {
        visitForEvaluation(record, stack, 0);
      } catch (error) {
        for (let i = 0; i < stack.length; i++) fail(stack[i], error);
        if (!record.error) fail(record, error);
        throw error;
      }
    };

    const fail = (record, error) => {
      record.status = EVALUATED;
      record.root ??= record;
      record.error = { __proto__: null, value: error };
    };

    const visitForEvaluation = (record, stack, index) => {
      if (record.info.kind !== "module") {
        valueOf(record);
        return index;
      }
      if (record.status >= WAITING) {
        if (record.error) throw record.error.value;
        return index;
      }
      if (record.status === EVALUATING) return index;
      record.status = EVALUATING;
      record.dfs = record.ancestor = index++;
      record.pending = 0;
      add(stack, record);
      for (let i = 0; i < record.info.needs.length; i++) {
        index = visitNeed(record, records[record.info.needs[i]], stack, index);
      }
      if (record.pending > 0 || record.info.awaits) {
        record.order = ++order;
        if (record.pending === 0) begin(record);
      } else {
        record.body();
      }
      if (record.ancestor === record.dfs) settleCycle(record, stack);
      return index;
    };

    const visitNeed = (record, need, stack, index) => {
      index = visitForEvaluation(need, stack, index);
      if (need.info.kind !== "module") return index;
      if (need.status === EVALUATING) {
        if (need.ancestor < record.ancestor) record.ancestor = need.ancestor;
      } else {
        need = need.root;
        if (need.error) throw need.error.value;
      }
      if (need.order > 0 && need.status !== EVALUATED) {
        record.pending++;
        add(need.parents, record);
      }
      return index;
    };

    const settleCycle = (root, stack) => {
      while (true) {
        const last = stack[stack.length - 1];
        stack.length--;
        last.status = last.order > 0 ? WAITING : EVALUATED;
        last.root = root;
        if (last === root) return;
      }
    };

    // Starts one that awaits.
    const begin = (record) => {
      apply(then, record.body(), [() => fulfil(record), (error) => reject(record, error)]);
    };

    const gather = (record, found) => {
      for (let i = 0; i < record.parents.length; i++) {
        const parent = record.parents[i];
        let isKnown = parent.root?.error != null;
        for (let k = 0; k < found.length; k++) isKnown ||= found[k] === parent;
        if (isKnown) continue;
        if (--parent.pending > 0) continue;
        add(found, parent);
        if (!parent.info.awaits) gather(parent, found);
      }
    };

    const fulfil = (record) => {
      if (record.status === EVALUATED) return;
      record.status = EVALUATED;
      record.resolve?.();
      const found = [];
      gather(record, found);
      apply(sort, found, [(left, right) => left.order - right.order]);
      for (let i = 0; i < found.length; i++) advance(found[i]);
    };

    const advance = (record) => {
      if (record.status === EVALUATED) return;
      if (record.info.awaits) return begin(record);
      try { record.body(); } catch (error) { return reject(record, error); }
      record.status = EVALUATED;
      record.resolve?.();
    };

    const reject = (record, error) => {
      if (record.status === EVALUATED) return;
      fail(record, error);
      for (let i = 0; i < record.parents.length; i++) reject(record.parents[i], error);
      record.reject?.(error);
    };

    // MARK: what asks for modules while it runs

    const found = (record, name) => has(record.info.calls, name) ? records[record.info.calls[name]] : undefined;

    const load = async (record, name, options) => {
      name = `${name}`;
      const type = options?.with?.type;
      // What asks goes on first (ECMA-262, 13.3.10.1).
      await undefined;
      const target = found(record, type === undefined ? name : name + typeMark + type) ?? later(record, name, type);
      link(target);
      await evaluate(target);
      return namespaceOf(target);
    };

    const failure = (problem, code) => {
      const error = new Error(problem);
      defineProperty(error, "code", { __proto__: null, value: code, writable: true, enumerable: true, configurable: true });
      return error;
    };

    // A module whose name was made at run time, or that was missing when the program was put together.
    const later = (record, name, type, isRequire = false, folder = undefined) => {
      const { problem, isSyntax, index, links } = find(record.index, name, type, isRequire, folder);
      if (problem !== undefined) {
        if (isSyntax) throw new SyntaxError(problem);
        throw failure(problem, isRequire ? "MODULE_NOT_FOUND" : "ERR_MODULE_NOT_FOUND");
      }
      extend(links);
      return records[index];
    };

    const { valueOf, requireOf, metaOf } = makeRequires({
      __proto__: null, records, mainIndex, compile, pathOf, urlOf, native, found, later, load, link, evaluate, namespaceOf,
      isWaiting: (record) => record.status === WAITING,
      resolve(index, name, isRequire, folder) {
        const { problem, code, place } = resolve(index, name, isRequire, folder);
        if (problem !== undefined) throw failure(problem, code);
        return place;
      },
    });

    // What is followed as a script that awaits is: `at` of the marker is the line where it stands. A program
    // in which no module awaits answers nothing, and makes no promise.
    const main = (given) => {
      marker = given;
      const record = records[mainIndex];
      let awaits = false;
      for (let i = 0; i < records.length; i++) awaits ||= records[i].info.awaits;
      try {
        link(record);
        return awaits ? evaluate(record) : void evaluateNow(record);
      } catch (error) {
        return new NativePromise((_, reject) => reject(error));
      }
    };

    return { __proto__: null, extend, main };
  };

  return { program };
})
