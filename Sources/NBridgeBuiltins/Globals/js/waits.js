// SPDX-License-Identifier: MIT
// Evaluates modules that await at their top, and those that need them (ECMA-262, 16.2.1.6.1.3).
((host) => {
  // Loaded when a program first has such a module: by then a script may have changed its globals.
  const { Promise: NativePromise, defineProperty, sort, then } = host.intrinsics;
  const add = (list, item) => { defineProperty(list, list.length, { __proto__: null, value: item, writable: true, enumerable: true, configurable: true }); };

  const make = (program) => {
    const { records, part, run, EVALUATING, WAITING, EVALUATED } = program;
    const { fail } = part("circles");
    // Few need them: a module that awaits may import nothing that is no module.
    const runImported = (record) => part("requires").runImported(record);
    const urlOf = (index) => part("natives").urlOf(index);
    let order = 0;

    // Where a top-level await leaves its line.
    const noteOf = (record) => ({
      __proto__: null,
      set at(line) {
        program.marker.at = line;
        program.marker.url = urlOf(record.index);
      },
      set namespace(value) { program.marker.namespace = value; },
    });

    const evaluate = (record) => {
      if (record.info.kind !== "module") return new NativePromise((resolve) => resolve(void runImported(record)));
      if (record.status >= WAITING) record = record.root ?? record;
      if (record.promise) return record.promise;
      record.promise = new NativePromise((resolve, reject) => {
        record.resolve = resolve;
        record.reject = reject;
      });
      const stack = [];
      try {
        visit(record, stack, 0);
        if (record.order === 0 || record.status === EVALUATED) record.resolve();
      } catch (error) {
        for (let i = 0; i < stack.length; i++) fail(stack[i], error);
        if (!record.error) fail(record, error);
        record.reject(error);
      }
      return record.promise;
    };

    const visit = (record, stack, index) => {
      if (record.info.kind !== "module") {
        runImported(record);
        return index;
      }
      if (record.status >= WAITING) {
        if (record.error) throw record.error.value;
        return index;
      }
      if (record.status === EVALUATING) return index;
      record.status = EVALUATING;
      record.dfs = record.ancestor = index++;
      record.pending = record.order = 0;
      record.parents = [];
      add(stack, record);
      for (let i = 0; i < record.info.needs.length; i++) {
        index = visitNeed(record, records[record.info.needs[i]], stack, index);
      }
      if (record.pending > 0 || record.info.awaits) start(record);
      else run(record);
      if (record.ancestor === record.dfs) settleCycle(record, stack);
      return index;
    };

    const visitNeed = (record, need, stack, index) => {
      index = visit(need, stack, index);
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

    // One that awaits, or waits for one that does.
    const start = (record) => {
      record.order = ++order;
      if (record.pending === 0) begin(record);
    };

    const begin = (record) => { then(run(record), () => fulfil(record), (error) => reject(record, error)); };

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
      sort(found, (left, right) => left.order - right.order);
      for (let i = 0; i < found.length; i++) advance(found[i]);
    };

    const advance = (record) => {
      if (record.status === EVALUATED) return;
      if (record.info.awaits) return begin(record);
      try { run(record); } catch (error) { return reject(record, error); }
      record.status = EVALUATED;
      record.resolve?.();
    };

    const reject = (record, error) => {
      if (record.status === EVALUATED) return;
      fail(record, error);
      record.reject?.(error);
      for (let i = 0; i < record.parents.length; i++) reject(record.parents[i], error);
    };

    return { __proto__: null, evaluate, noteOf };
  };

  return { make };
})
