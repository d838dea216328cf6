// SPDX-License-Identifier: MIT
// Modules that are none of the language (CommonJS, as Node runs it, JSON, texts and bytes), and what asks for modules while
// it runs: `import()`, `require`, and where names lead.
((host) => {
  // Loaded when a program first has such a module: by then a script may have changed its globals.
  const {
    Error, SyntaxError, TypeError, apply, create, defineProperty, descriptorOf, endsWith, fromBase64, hasOwn: has, indexOf, isArray,
    lastIndexOf, ownKeys, parse, preventExtensions, slice, startsWith, then, toStringTag,
  } = host.intrinsics;
  const { pristinely } = host;
  const typeMark = "?as=";
  const add = (list, item) => { defineProperty(list, list.length, { __proto__: null, value: item, writable: true, enumerable: true, configurable: true }); };
  const folderOf = (path) => slice(path, 0, lastIndexOf(path, "/")) || "/";

  const withCode = (error, code) => {
    defineProperty(error, "code", { __proto__: null, value: code, writable: true, enumerable: true, configurable: true });
    return error;
  };
  const failure = (problem, code) => withCode(new (code === "ERR_PACKAGE_IMPORT_NOT_DEFINED" ? TypeError : Error)(problem), code);
  // Programs look at how Node's text begins, too.
  const notFound = (name, problem, code) => {
    const isMissing = code === "MODULE_NOT_FOUND" && startsWith(problem, "there is no ");
    return failure(isMissing ? `Cannot find module '${name}': ${problem}` : problem, code);
  };

  // An error that says where it is, for the report: in a text that has not run.
  const placed = (error, place) => {
    if (place === undefined) return error;
    const put = (name) => { defineProperty(error, name, { __proto__: null, value: place[name], writable: true, configurable: true }); };
    put("sourceURL");
    put("line");
    put("column");
    return error;
  };

  // An error with the frames of the call that it comes of, which are gone when it is made; undefined for its own.
  const calledAt = (error, stack) => {
    if (stack === undefined) return error;
    defineProperty(error, "stack", { __proto__: null, value: stack, writable: true, configurable: true });
    return error;
  };

  // The same for a text that is wrong: also who catches it sees where that is.
  const placedInStack = (error, place) => {
    if (place === undefined) return error;
    // The engine's own name for a module's code, which reports know it by.
    const stack = `module code@${place.sourceURL}:${place.line}:${place.column}\n${descriptorOf(error, "stack")?.value ?? ""}`;
    defineProperty(error, "stack", { __proto__: null, value: stack, writable: true, configurable: true });
    return placed(error, place);
  };

  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

  const describe = (value) => {
    if (value === undefined || value === null) return `${value}`;
    if (typeof value === "function") return "function ";
    if (typeof value === "object") return `an instance of ${isArray(value) ? "Array" : "Object"}`;
    return `type ${typeof value}${typeof value === "symbol" ? "" : ` (${value})`}`;
  };

  // What a call of `require` names is a text, and no other value is made into one, as in Node.
  const needName = (name, what) => {
    if (typeof name === "string") return;
    const message = `The "${what}" argument must be of type string. Received ${describe(name)}`;
    throw withCode(new TypeError(message), "ERR_INVALID_ARG_TYPE");
  };
  const needId = (name) => {
    needName(name, "id");
    if (name !== "") return;
    throw withCode(new TypeError("The argument 'id' must be a non-empty string. Received ''"), "ERR_INVALID_ARG_VALUE");
  };

  // Why a module is not there, as Node tells programs.
  const codeOf = (name, isRequire) => {
    if (startsWith(name, "node:")) return "ERR_UNKNOWN_BUILTIN_MODULE";
    return isRequire ? "MODULE_NOT_FOUND" : "ERR_MODULE_NOT_FOUND";
  };

  // The `type` of a call's options (ECMA-262, 13.3.10.2).
  const typeIn = (options) => {
    if (options === undefined) return undefined;
    if (!isObject(options)) throw new TypeError("The second argument of import() must be an object, as { with: { type: \"json\" } }.");
    const attributes = options.with;
    if (attributes === undefined) return undefined;
    if (!isObject(attributes)) throw new TypeError("The 'with' option of import() must be an object, as { type: \"json\" }.");
    let type;
    let unknown;
    const names = ownKeys(attributes);
    for (let i = 0; i < names.length; i++) {
      if (typeof names[i] !== "string" || !descriptorOf(attributes, names[i])?.enumerable) continue;
      const value = attributes[names[i]];
      if (typeof value !== "string") throw new TypeError(`The import attribute '${names[i]}' must be a string.`);
      if (names[i] === "type") type = value;
      else unknown ??= names[i];
    }
    if (unknown !== undefined) throw new TypeError(`There is no import attribute '${unknown}'; there is 'type', for json, text and bytes.`);
    return type;
  };

  // What modules of one program share. `find` gives a module, `resolve` tells where a name leads from a module, or from a
  // folder.
  const make = ({ records, compile, part, extend, mains, EVALUATING, WAITING, EVALUATED }) => {
    const { pathOf, urlOf, native, find, resolve, importPlace } = part("natives");
    const mainIndex = 0;
    // CommonJS modules that ran, by path, as scripts see them: one that is taken out runs again.
    const cache = create(null);
    const isCached = (record) => record.info.kind === "commonJS" && !startsWith(pathOf(record.index), "node:");

    // The value of what is no module of the language: a CommonJS module runs when it is first asked for.
    // `parent`: of the CommonJS module that asks for it, its `module`.
    const valueOf = (record, parent) => {
      if (record.info.kind === "module") return part("namespaces").namespaceOf(record);
      if (record.hasValue) return record.info.kind === "commonJS" ? record.value.exports : record.value;
      record.hasValue = true;
      const content = compile(record.index);
      switch (record.info.kind) {
        case "json": case "jsonModule": return record.value = parse(content);
        case "bytes": return record.value = fromBase64(content);
        case "text": return record.value = content;
      }
      return runCommonJS(record, content, parent);
    };

    // A module of the language as `require` answers it, as in Node: what compilers made of `import` looks at `__esModule`
    // where there is a default.
    const requiredOf = (record) => {
      const namespace = part("namespaces").namespaceOf(record);
      if (has(namespace, "module.exports")) return namespace["module.exports"];
      if (!has(namespace, "default") || has(namespace, "__esModule")) return namespace;
      if (record.required !== undefined) return record.required;
      const given = create(null);
      const names = ownKeys(namespace);
      for (let i = 0; i < names.length; i++) {
        const name = names[i];
        if (typeof name === "string") defineProperty(given, name, { __proto__: null, get: () => namespace[name], enumerable: true });
      }
      defineProperty(given, "__esModule", { __proto__: null, value: true, enumerable: true });
      defineProperty(given, toStringTag, { __proto__: null, value: "Module" });
      return record.required = preventExtensions(given);
    };

    // Runs what is no module of the language as an import does: what it threw once it throws again.
    const runImported = (record) => {
      if (record.error) throw record.error.value;
      try { valueOf(record); } catch (error) {
        record.error = { __proto__: null, value: error };
        throw error;
      }
      // What modules of Node take it for from here on.
      if (record.kept === undefined && isCached(record) && record.value.loaded) {
        record.kept = { __proto__: null, value: record.value.exports, copy: undefined };
      }
    };

    const runCommonJS = (record, run, parent) => {
      const path = pathOf(record.index);
      if (!startsWith(path, "node:")) part("callsites").watch();
      const module = { id: path, filename: path, exports: {}, loaded: false, children: [], paths: [] };
      defineProperty(module, "parent", {
        __proto__: null, value: record.index === mainIndex ? null : parent, writable: true, configurable: true,
      });
      if (isArray(parent?.children)) add(parent.children, module);
      record.value = module;
      const require = module.require = requireOf(record);
      module.paths = require.resolve.paths("") ?? [];
      if (isCached(record)) cache[path] = module;
      try {
        const loadFrom = (name, options) => load(record, name, options);
        const call = () => apply(run, module.exports, [module.exports, require, module, path, folderOf(path), loadFrom]);
        if (startsWith(path, "node:")) pristinely(call);
        else call();
      } catch (error) {
        record.hasValue = false;
        delete cache[path];
        throw error;
      }
      module.loaded = true;
      return module.exports;
    };

    const required = (target, asker) => {
      const path = pathOf(target.index);
      // What a script has put there stands for the module, whether or not that ran.
      const kept = startsWith(path, "node:") ? undefined : cache[path];
      if (kept !== undefined) return kept.exports;
      if (target.info.kind !== "module") {
        if (isCached(target)) target.hasValue = false;
        return valueOf(target, asker.info.kind === "commonJS" ? asker.value : undefined);
      }
      part("circles").link(target);
      // It asks for this module, which asks for it: what it has so far.
      if (target.status === EVALUATING) part("circles").makeCallable(target);
      else runNow(target);
      if (target.error) throw target.error.value;
      return requiredOf(target);
    };

    // Evaluates a module whose value is wanted at once. What it throws is the caller's to catch, and no promise's.
    const runNow = (target) => {
      const waiting = waitingIn(target, create(null));
      if (waiting) {
        const error = new TypeError(`'${pathOf(waiting.index)}' awaits, and can only be imported`);
        throw withCode(error, "ERR_REQUIRE_ASYNC_MODULE");
      }
      then(part("waits").evaluate(target), undefined, () => {});
    };

    // A module that awaits and has not ended, of a module and those that it needs; nothing of them has run then.
    const waitingIn = (record, seen) => {
      if (record.info.kind !== "module" || record.status === EVALUATED || seen[record.index]) return undefined;
      seen[record.index] = true;
      if (record.info.awaits || record.status === WAITING) return record;
      for (let i = 0; i < record.info.needs.length; i++) {
        const found = waitingIn(records[record.info.needs[i]], seen);
        if (found) return found;
      }
    };

    // What a module imports by a name that another one, which has run, does not give.
    const miss = (record, target, local, name) => {
      const path = pathOf(record.index), from = pathOf(target.index);
      if (startsWith(from, "node:") || indexOf(path, "/node_modules/") >= 0) return;
      const message = `Named export '${name}' not found: the CommonJS module '${from}' has no such member`;
      throw placedInStack(new SyntaxError(message), importPlace(record.index, local));
    };

    const found = (record, name) => has(record.info.calls, name) ? records[record.info.calls[name]] : undefined;

    // A module whose name was made at run time, or that was missing when the program was put together.
    const later = (record, name, type, isRequire = false, folder = undefined, site = undefined) => {
      const { problem, isSyntax, code, place, index, links } = find(record.index, name, type, isRequire, folder);
      if (problem !== undefined) {
        if (isSyntax) throw placedInStack(new SyntaxError(problem), place);
        throw placed(calledAt(notFound(name, problem, code ?? codeOf(name, isRequire)), site), place);
      }
      extend(links);
      return records[index];
    };

    const knownProcess = () => {
      for (let i = 0; i < records.length; i++) {
        if (records[i].info.kind === "commonJS" && pathOf(i) === "node:process") return records[i];
      }
    };

    // What the global object has as `process`, which `place` puts there once it is whole; undefined where it can't be loaded,
    // since who asks wants to know where it runs, and no error.
    const processFor = (record, place) => {
      try {
        const target = knownProcess() ?? later(record, "node:process", undefined, true);
        const value = required(target, record);
        if (target.value.loaded) place(value);
        return value;
      } catch { return undefined; }
    };

    const load = async (record, name, options) => {
      name = `${name}`;
      const type = typeIn(options);
      const site = descriptorOf(new Error(), "stack")?.value;
      // What asks goes on first (ECMA-262, 13.3.10.1).
      await undefined;
      const target = found(record, type === undefined ? name : name + typeMark + type) ?? later(record, name, type, false, undefined, site);
      const begun = part("circles").link(target);
      if (begun !== undefined) await begun;
      await part("waits").evaluate(target);
      return part("namespaces").namespaceOf(target, record.info.isNodeModule);
    };

    // A path or URL that a name leads to; asked of the disk once.
    const placeOf = (record, name, isRequire, folder) => {
      const key = `${isRequire ? "r" : "i"} ${folder ?? ""}\n${name}`;
      record.places ??= create(null);
      return record.places[key] ??= lead(record, name, isRequire, folder);
    };

    const lead = (record, name, isRequire, folder) => {
      const { problem, code, place } = resolve(record.index, name, isRequire, folder);
      if (problem !== undefined) throw notFound(name, problem, code === "ERR_MODULE_NOT_FOUND" ? codeOf(name, false) : code);
      return place;
    };

    const resolveOf = (record, folder) => {
      const resolve = (name, options) => {
        needName(name, "request");
        const folders = options?.paths;
        if (folders === undefined) return placeOf(record, name, true, folder);
        if (!isArray(folders)) throw new TypeError("options.paths must be an array of folders");
        let problem;
        for (let i = 0; i < folders.length; i++) {
          try { return placeOf(record, name, true, `${folders[i]}`); } catch (error) { problem ??= error; }
        }
        throw problem ?? new TypeError("options.paths must name a folder");
      };
      // The folders where a package is looked for.
      resolve.paths = (name) => {
        needName(name, "request");
        if (startsWith(name, "node:")) return null;
        const start = folder ?? folderOf(pathOf(record.index));
        if (startsWith(name, "./") || startsWith(name, "../")) return [start];
        const list = [];
        for (let at = start; ; at = folderOf(at)) {
          if (!endsWith(at, "/node_modules")) add(list, `${at === "/" ? "" : at}/node_modules`);
          if (at === "/") return list;
        }
      };
      return resolve;
    };

    // `folder`: of one that was made for another place than the module's own.
    const requireOf = (record, folder) => {
      const require = (name) => {
        needId(name);
        const target = folder === undefined ? found(record, name) : undefined;
        return required(target ?? later(record, name, undefined, true, folder), record);
      };
      require.resolve = resolveOf(record, folder);
      require.main = records[mainIndex].value;
      require.cache = cache;
      // What only modules of the runtime get.
      if (pathOf(record.index) === "node:module") require.from = (path) => requireOf(record, folderOf(path));
      if (pathOf(record.index) === "node:internal/native") require.native = native();
      if (pathOf(record.index) === "node:internal/own") require.intrinsics = host.intrinsics;
      return require;
    };

    const metaOf = (record) => {
      const path = pathOf(record.index);
      return {
        __proto__: null, dirname: folderOf(path), filename: path, main: mains[record.index] === true,
        resolve: (name) => placeOf(record, `${name}`, false), url: urlOf(record.index, true),
      };
    };

    // Gives a module of the language that is for Node a `require`.
    const give = (record) => {
      const require = requireOf(record);
      defineProperty(record.imports, "require", { __proto__: null, value: require });
      defineProperty(record.called, "require", { __proto__: null, value: () => require });
    };

    return { __proto__: null, valueOf, runImported, miss, load, give, metaOf, processFor };
  };

  return { make };
})
