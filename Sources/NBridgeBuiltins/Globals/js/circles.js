// SPDX-License-Identifier: MIT
// Links and evaluates modules that need themselves through others, where some functions are called before their module runs;
// and modules that come while a program runs.
((host) => {
  // Loaded when a program first has such a module: by then a script may have changed its globals.
  const { apply, defineProperty, then } = host.intrinsics;
  const add = (list, item) => { defineProperty(list, list.length, { __proto__: null, value: item, writable: true, enumerable: true, configurable: true }); };

  const make = (program) => {
    const { records, part, prepare, bind, generatorNext, asyncNext, NEW, LINKED, EVALUATING, EVALUATED } = program;

    // Answers what settles when it can be evaluated, where that is not yet: what awaits and gives its functions before it
    // runs stands behind them a moment later.
    const link = (record) => {
      const found = [];
      let begun;
      const visit = (at) => {
        if (at.status !== NEW || at.info.kind !== "module") return;
        at.status = LINKED;
        for (let i = 0; i < at.info.needs.length; i++) visit(records[at.info.needs[i]]);
        begun = instantiate(at) ?? begun;
        if (at.info.isCalledEarly) add(found, at);
      };
      visit(record);
      for (let i = 0; i < found.length; i++) bind(found[i]);
      // A circle that came while the program runs may need what is linked, and was in none.
      for (let i = 0; i < found.length; i++) {
        for (let k = 0; k < found[i].info.needs.length; k++) {
          begun = makeCallable(records[found[i].info.needs[k]]) ?? begun;
        }
      }
      return begun;
    };

    // Has a module that has not begun, and what it needs, give its functions before it runs.
    const makeCallable = (record) => {
      const found = [];
      let begun;
      const visit = (at) => {
        if (at.getters || at.status === NEW || at.info.kind !== "module") return;
        at.info.isCalledEarly = true;
        for (let i = 0; i < at.info.needs.length; i++) {
          if (!records[at.info.needs[i]].info.isCalledEarly) visit(records[at.info.needs[i]]);
        }
        begun = instantiate(at) ?? begun;
        add(found, at);
      };
      visit(record);
      for (let i = 0; i < found.length; i++) bind(found[i]);
      return begun;
    };

    const instantiate = (record) => {
      prepare(record);
      if (!record.info.isCalledEarly) return undefined;
      record.generator = apply(record.run, undefined, record.given);
      const begun = goOn(record);
      return record.info.awaits ? begun : undefined;
    };

    // Answers a promise for one that awaits.
    const goOn = (record) => apply(record.info.awaits ? asyncNext : generatorNext, record.generator, []);

    // A module that was called early goes on from there.
    const run = (record) => {
      for (let i = 0; i < record.info.imports.length; i++) {
        const item = record.info.imports[i];
        if (records[item.module].info.kind !== "module") part("namespaces").demand(record, item);
      }
      return goOn(record);
    };

    // Evaluates a module where none awaits, and first what it needs. The stack holds what is being evaluated, and finished
    // parts of circles that are not.
    const evaluate = (record, stack) => {
      if (record.info.kind !== "module") return part("requires").runImported(record);
      if (record.error) throw record.error.value;
      if (record.status !== LINKED) return;
      record.status = EVALUATING;
      const place = record.ancestor = stack.length;
      add(stack, record);
      for (let i = 0; i < record.info.needs.length; i++) {
        const need = records[record.info.needs[i]];
        evaluate(need, stack);
        if (need.status === EVALUATING && need.ancestor < record.ancestor) record.ancestor = need.ancestor;
      }
      program.run(record);
      if (record.ancestor < place) return;
      for (let i = place; i < stack.length; i++) {
        stack[i].status = EVALUATED;
        stack[i].root = record;
      }
      stack.length = place;
    };

    const main = (record) => {
      const begun = link(record);
      const evaluateWaiting = () => part("waits").evaluate(record);
      if (begun !== undefined) return then(begun, evaluateWaiting);
      for (let i = 0; i < records.length; i++) if (records[i].info.awaits) return evaluateWaiting();
      evaluate(record, []);
    };

    const fail = (record, error) => {
      record.status = EVALUATED;
      record.root ??= record;
      record.error = { __proto__: null, value: error };
    };

    // What was thrown has ended all that was being evaluated.
    const failAll = (error) => {
      for (let i = 0; i < records.length; i++) if (records[i].status === EVALUATING) fail(records[i], error);
    };

    return { __proto__: null, link, makeCallable, run, main, fail, failAll };
  };

  return { make };
})
