// SPDX-License-Identifier: MIT
// Links and evaluates modules (ECMA-262, 16.2.1.6): here those of most programs, in which no module awaits or needs
// itself. What others need is loaded when they do. Each module is a function that its loader made of a text; see
// ModuleText for its parameters.
(() => {
  const { create, defineProperty, getPrototypeOf, hasOwn: has, preventExtensions, setPrototypeOf } = Object;
  const { apply } = Reflect;
  const parse = JSON.parse;
  const NativePromise = Promise;
  const NEW = 0, LINKED = 1, EVALUATING = 2, WAITING = 3, EVALUATED = 4;

  // One program's modules. `compile` gives the function, or the text, of the module with an index; `more` a part that few
  // programs need, by its name.
  return (compile, more) => {
    const parts = { __proto__: null };
    const part = (name) => parts[name] ??= more(name)(program);
    // A list that no script reaches: an array's prototype could be changed.
    const records = { __proto__: null, length: 0 };

    const extend = (text) => {
      const list = parse(text);
      for (let i = 0; i < list.length; i++) {
        const index = records.length++;
        records[index] = {
          __proto__: null, index, info: list[i], status: NEW, run: null, given: null, getters: null, imports: null, called: null,
          root: null, error: null, kept: undefined,
        };
        if (has(list[i], "isPackage")) offerProcess(records[index]);
      }
    };

    let offersProcess = false;

    // Has the global object `process`, as in Node: packages look for it there by names that no text shows. Nobody sees it who
    // does not ask, and it is loaded for who does.
    const offerProcess = (record) => {
      if (offersProcess) return;
      offersProcess = true;
      if (has(globalThis, "process")) return;
      const place = (value) => {
        defineProperty(globalThis, "process", { __proto__: null, value, writable: true, configurable: true, enumerable: false });
      };
      const get = () => part("requires").processFor(record, place);
      defineProperty(globalThis, "process", { __proto__: null, get, set: place, configurable: true, enumerable: false });
    };

    const link = (record) => {
      if (record.status !== NEW || record.info.kind !== "module") return;
      record.status = LINKED;
      const { needs } = record.info;
      for (let i = 0; i < needs.length; i++) link(records[needs[i]]);
      prepare(record);
    };

    // Makes a module's function, and what it is called with.
    const prepare = (record) => {
      const expose = (getters, nameless) => {
        record.getters = getters;
        if (nameless) defineProperty(nameless, "name", { __proto__: null, value: "default", configurable: true });
      };
      const load = (name, options) => part("requires").load(record, name, options);
      const { info } = record;
      record.run = compile(record.index, info.isCalledEarly);
      record.given = [
        record.imports = create(null), record.called = create(null), expose, load,
        info.usesMeta ? part("requires").metaOf(record) : undefined,
        info.awaits ? part("waits").noteOf(record) : program.marker,
      ];
    };

    // What each catch clause of a module that imports begins with, by a name that no author has.
    const caught = { __proto__: null, value: (error) => part("caught").told(error) };

    // Gives a module what it imports: getters of those that export it.
    const bind = (record) => {
      const { info, imports, called } = record;
      if (info.usesRequire) part("requires").give(record);
      for (let i = 0; i < info.imports.length; i++) {
        const item = info.imports[i];
        const { getters } = records[item.module];
        const isNamed = has(item, "name");
        const get = isNamed && getters ? getters[item.name] : part("namespaces").getterOf(item, info.isNodeModule);
        if (isNamed && !getters) part("namespaces").demand(record, item);
        defineProperty(imports, item.local, { __proto__: null, get });
        defineProperty(called, item.local, { __proto__: null, value: get });
        if (!isNamed) part("namespaces").give(record, item);
      }
      if (info.imports.length > 0) defineProperty(imports, "\u01c3\u01c3", caught);
      preventExtensions(imports);
      preventExtensions(called);
    };

    const run = (record) => {
      if (record.info.isCalledEarly) return part("circles").run(record);
      bind(record);
      return apply(record.run, undefined, record.given);
    };

    const evaluate = (record) => {
      if (record.info.kind !== "module") return part("requires").runImported(record);
      if (record.status !== LINKED) return;
      record.status = EVALUATING;
      const { needs } = record.info;
      for (let i = 0; i < needs.length; i++) evaluate(records[needs[i]]);
      run(record);
      record.status = EVALUATED;
      record.root = record;
    };

    // Of no script: the modules that programs begin with.
    const mains = { __proto__: null, 0: true };

    const failed = (error) => {
      part("circles").failAll(error);
      return new NativePromise((_, reject) => reject(error));
    };

    // What is followed as a script that awaits is: `at` of the marker is the line where it stands. A program in which no
    // module awaits answers nothing, and makes no promise.
    const main = (marker) => {
      program.marker = setPrototypeOf(marker, null);
      try {
        for (let i = 0; i < records.length; i++) {
          if (records[i].info.awaits || records[i].info.isCalledEarly) return part("circles").main(records[0]);
        }
        link(records[0]);
        evaluate(records[0]);
      } catch (error) { return failed(error); }
    };

    // The same for one of several programs that share their modules.
    const mainOf = (index) => {
      mains[index] = true;
      return (marker) => {
        program.marker = setPrototypeOf(marker, null);
        try { return part("circles").main(records[index]); } catch (error) { return failed(error); }
      };
    };

    // What stands for `import` in a script that is no module.
    const importer = (index, marker) => {
      program.marker ??= marker;
      return (name, options) => part("requires").load(records[index], name, options);
    };

    const program = {
      __proto__: null, records, compile, part, extend, prepare, bind, run, main, mainOf, importer, mains, marker: undefined, NEW, LINKED, EVALUATING, WAITING, EVALUATED,
      generatorNext: getPrototypeOf(function* () {}).prototype.next,
      asyncNext: getPrototypeOf(async function* () {}).prototype.next,
    };
    return program;
  };
})
