// SPDX-License-Identifier: MIT
// Shows any value as text, in the manner of Node's util.inspect, without running code of the value: no getter but that of
// Symbol.toStringTag, no toString, no proxy trap. With the option `readsGetters` those of its own run, and give their values.
((host) => {
  "use strict";
  // A script may put others in their places later.
  const { Map, Math, Number, Object, RegExp, Symbol, Uint8Array } = globalThis;
  const { contentsOf, layOut, keysOf: listed, findNext } = host;
  /** Loaded when something is shown that nothing else knows. */
  let restOf, standIn;
  const { headOf, linesOf, ownStackOf, keysOf, reasonsOf } = host.errors;
  const {
    exportsOf, proxyTarget, promiseState, withoutControls, quote, isIdentifier, isIndex, isPlain, plural, dataOf, hasOnChain,
    constructorName, tagOf, labelOf,
  } = host.looking;
  const {
    descriptorOf, getPrototypeOf, prototype, apply, isArray, mapEntries, mapSize,
    setValues, setSize, nextOf, nextOfSet, dateTime, dateText, typedTag, typedLength, bufferLength, viewLength, viewOffset,
    viewBuffer, regexSource, regexFlags, numberValue, stringValue, booleanValue, symbolText, symbolValue, bigintValue,
    weakRefDeref, isError, brands,
  } = host.primordials;

  const COLOURS = {
    string: 32, number: 33, boolean: 33, bigint: 33, symbol: 32, undefined: 90, null: 1, special: 36, date: 35,
    regexp: 31, module: 4,
  };
  const MOST_REASONS = 12;
  /** More of them, one in the other, could end the engine's stack. */
  const MOST_LEVELS = 1000;
  const DEFAULTS = {
    depth: 2, colours: false, showHidden: false, breakLength: 80, maxArrayLength: 100, maxStringLength: 10000,
    compact: 3, sorted: false, customInspect: false, readsGetters: false, showsFrames: true,
  };

  // --- Values ---------------------------------------------------------------------------------------------

  class Inspection {
    #options;
    /** The depth of the object that was begun last: how deep the one being laid out goes. */
    #deepest = 0;
    #open = [];
    #circular = new Map();

    constructor(options) { this.#options = options; }

    #style(text, kind) {
      const code = COLOURS[kind];
      if (!this.#options.colours || code === undefined) return text;
      const reset = code === 1 ? 22 : code === 4 ? 24 : 39;
      return `\u001b[${code}m${text}\u001b[${reset}m`;
    }

    show(value, depth, indent, nested) {
      switch (typeof value) {
        case "string": return this.#string(value, indent, nested);
        case "number": return this.#style(Object.is(value, -0) ? "-0" : `${value}`, "number");
        case "bigint": return this.#style(`${value}n`, "bigint");
        case "boolean": return this.#style(`${value}`, "boolean");
        case "undefined": return this.#style("undefined", "undefined");
        case "symbol": return this.#style(withoutControls(symbolText(value)), "symbol");
        default:
      }
      if (value === null) return this.#style("null", "null");
      const target = proxyTarget(value);
      if (target !== undefined) return this.#proxy(target, depth, indent);
      const other = this.#options.customInspect ? this.#standIn(value, depth, indent) : undefined;
      if (other !== undefined) return other;
      if (this.#open.includes(value)) {
        if (!this.#circular.has(value)) this.#circular.set(value, this.#circular.size + 1);
        return this.#style(`[Circular *${this.#circular.get(value)}]`, "special");
      }
      return this.#object(value, depth, indent);
    }

    /** What an object says of itself; a text is taken as it is. */
    #standIn(value, depth, indent) {
      const tools = { inspect, style: (text, kind) => this.#style(text, kind) };
      const own = this.#options.customInspect;
      const found = typeof own === "function" ? own(value) : (standIn ??= host.standIn)(value, depth, this.#options, tools);
      if (found === undefined) return undefined;
      if (typeof found[0] === "string") return found[0].replaceAll("\n", `\n${" ".repeat(indent)}`);
      return this.show(found[0], depth, indent, true);
    }

    #proxy(target, depth, indent) {
      const exports = exportsOf(target);
      if (exports !== undefined) return this.show(exports, depth, indent, true);
      if (this.#options.showProxy) return `Proxy [ ${this.show(target, depth, indent, true)} ]`;
      return this.show(target, depth, indent, true);
    }

    #string(text, indent, nested) {
      const limit = this.#options.maxStringLength;
      let shown = text;
      let rest = "";
      if (shown.length > limit) {
        const more = shown.length - limit;
        shown = shown.slice(0, limit);
        rest = `... ${more} more character${plural(more)}`;
      }
      if (nested && shown.length > 16 && shown.length > this.#options.breakLength - indent - 4 && shown.includes("\n")) {
        return shown.split(/(?<=\n)/).map((line) => this.#style(quote(line), "string"))
          .join(` +\n${" ".repeat(indent + 2)}`) + rest;
      }
      return this.#style(quote(shown), "string") + rest;
    }

    #object(value, depth, indent) {
      const shape = this.#shape(value, indent);
      if (shape.plain !== undefined && shape.keys.length === 0 && shape.entries === undefined) return shape.plain;
      const [open, close] = shape.braces;
      const isEmpty = shape.size === 0 || (shape.entries === undefined && shape.plain === undefined);
      if (shape.keys.length === 0 && isEmpty) return `${shape.prefix}${open}${close}`;
      if (depth > (this.#options.depth ?? Infinity) || this.#open.length >= MOST_LEVELS) {
        if (shape.isError) return this.#style(`[${headOf(value, shape.name)}]`, "special");
        if (shape.isWhole) return shape.plain;
        const named = shape.plain === undefined ? "" : constructorName(value);
        const label = shape.label ?? (shape.prefix.trim() || named || (isArray(value) ? "Array" : "Object"));
        return this.#style(`[${label.replace(/\(\d+\)/, "")}]`, "special");
      }
      this.#open.push(value);
      this.#deepest = depth;
      const items = shape.entries === undefined ? [] : shape.entries(depth + 1, indent + 2);
      // What an error came of is shown as far as it goes, up to a limit.
      const reasons = shape.isError && this.#open.length < MOST_REASONS ? reasonsOf(value) : [];
      for (const key of shape.keys) {
        items.push(this.#property(value, key, reasons.includes(key) ? depth : depth + 1, indent + 2));
      }
      this.#open.pop();
      let prefix = shape.prefix;
      const mark = this.#circular.get(value);
      if (mark !== undefined) prefix = `${this.#style(`<ref *${mark}>`, "special")} ${prefix}`;
      if (shape.plain !== undefined) prefix = `${prefix}${shape.plain} `;
      if (items.length === 0) return `${prefix}${open}${close}`;
      const levels = this.#deepest - depth;
      return layOut(items, { prefix, open, close, indent, isList: shape.isList, levels }, this.#options);
    }

    /** What kind of object it is: what stands before the braces, its own entries, its keys. */
    #shape(value, outer) {
      const keys = listed(value, this.#options);
      if (isPlain(value)) return { prefix: "", braces: ["{", "}"], keys };
      const name = constructorName(value);
      const known = (fallback) => this.#prefix(value, name, fallback);
      const count = (size) => `(${size})`;
      if (isArray(value)) {
        const length = descriptorOf(value, "length").value;
        const prefix = name === "Array" ? "" : this.#prefix(value, name, "Array", count(length));
        return { prefix, braces: ["[", "]"], isList: true, size: length, keys: keys.filter((key) => !isIndex(key)),
          entries: (depth, indent) => this.#elements(value, length, depth, indent) };
      }
      if (typeof value === "function") return { ...this.#functionShape(value, name), keys };
      if (brands.set(value)) {
        return { prefix: this.#prefix(value, name, "Set", count(setSize(value))), braces: ["{", "}"], keys, size: setSize(value),
          entries: (depth, indent) => this.#members(value, depth, indent) };
      }
      if (brands.map(value)) {
        return { prefix: this.#prefix(value, name, "Map", count(mapSize(value))), braces: ["{", "}"], keys, size: mapSize(value),
          entries: (depth, indent) => this.#pairs(value, depth, indent) };
      }
      const typed = typedTag(value);
      if (typed !== undefined) {
        const length = typedLength(value);
        return { prefix: this.#prefix(value, name, typed, count(length)), braces: ["[", "]"], isList: true,
          keys: keys.filter((key) => !isIndex(key)),
          entries: () => this.#numbers(value, length) };
      }
      const held = this.#held(value, name, keys);
      if (held !== undefined) return held;
      if (isError(value)) {
        return { prefix: "", braces: ["{", "}"], plain: this.#error(value, name, outer), keys: keysOf(value, keys), isError: true, name };
      }
      if (brands.date(value)) {
        const text = Number.isNaN(dateTime(value)) ? "Invalid Date" : dateText(value);
        return { prefix: "", braces: ["{", "}"], plain: this.#style(text, "date"), keys };
      }
      if (brands.regex(value) && value !== RegExp.prototype) {
        const flags = regexFlags.map(([get, flag]) => (get(value) ? flag : "")).join("");
        return { prefix: "", braces: ["{", "}"], plain: this.#style(`/${regexSource(value)}/${flags}`, "regexp"), keys, isWhole: true };
      }
      if (brands.buffer(value)) {
        return { prefix: known("ArrayBuffer"), braces: ["{", "}"], keys, entries: () => this.#bufferEntries(value) };
      }
      if (brands.view(value)) {
        return { prefix: known("DataView"), braces: ["{", "}"], keys,
          entries: (depth, indent) => [["byteLength", viewLength], ["byteOffset", viewOffset], ["buffer", viewBuffer]]
            .map(([label, read]) => `${label}: ${this.show(read(value), depth, indent, true)}`) };
      }
      if (brands.weakSet(value)) return this.#opaque(value, name, "WeakSet", keys);
      if (brands.weakMap(value)) return this.#opaque(value, name, "WeakMap", keys);
      if (brands.weakRef(value)) {
        return { prefix: known("WeakRef"), braces: ["{", "}"], keys,
          entries: (depth, indent) => [this.show(weakRefDeref(value), depth, indent, true)] };
      }
      const boxed = this.#boxed(value, keys);
      if (boxed !== undefined) return boxed;
      const state = promiseState(value);
      if (state !== undefined) {
        return { prefix: known("Promise"), braces: ["{", "}"], keys,
          entries: (depth, indent) => [this.#promise(state, depth, indent)] };
      }
      const rest = (restOf ??= host.restOf)(value);
      if (rest !== undefined) return this.#rest(rest, keys);
      const isArguments = !hasOnChain(value, Symbol.toStringTag)
        && apply(prototype.toString, value, []) === "[object Arguments]";
      if (isArguments) {
        return { prefix: "[Arguments] ", braces: ["{", "}"], keys };
      }
      if (dataOf(value, Symbol.toStringTag) === "Module" && name === null) {
        return { prefix: "[Module: null prototype] ", braces: ["{", "}"], keys };
      }
      const prefix = name === "Object" && tagOf(value, name) === "" ? "" : known("Object");
      return { prefix, braces: ["{", "}"], keys };
    }

    /** An object of the web's that keeps what it holds in private fields. */
    #held(value, name, keys) {
      const tag = dataOf(value, Symbol.toStringTag);
      const contents = contentsOf(tag, value);
      if (contents === undefined) return undefined;
      const { list, isPairs } = contents;
      const entries = (depth, indent) => {
        const items = [];
        const end = Math.min(list.length, 2 * (this.#options.maxArrayLength ?? Infinity));
        for (let index = 0; index < end; index += 2) {
          const label = isPairs ? `${this.show(list[index], depth, indent, true)} =>` : `${list[index]}:`;
          items.push(`${label} ${this.show(list[index + 1], depth, indent, true)}`);
        }
        this.#more(items, (list.length - end) / 2);
        return items;
      };
      // The own getter that every event has says what `isTrusted` is only when it runs.
      return { prefix: this.#prefix(value, name, tag), braces: ["{", "}"], size: list.length, entries,
        keys: keys.filter((key) => key !== "isTrusted") };
    }

    #prefix(value, name, fallback, size = "") {
      const tag = tagOf(value, name ?? fallback);
      const tagged = tag === "" ? "" : `[${tag}] `;
      if (name === null) return `[${fallback}${size}: null prototype] ${tagged}`;
      return `${name}${size} ${tagged}`;
    }

    #promise([state, result], depth, indent) {
      if (state === "pending") return this.#style("<pending>", "special");
      const shown = this.show(result, depth, indent, true);
      return state === "rejected" ? `${this.#style("<rejected>", "special")} ${shown}` : shown;
    }

    /** An iterator of a Map or a Set, which shows what it has left to give. */
    #rest({ kind, isPairs, items }, keys) {
      const label = `Object [${kind.slice(0, 3)} Iterator]`;
      const shape = { prefix: `[${kind}] `, braces: ["{", "}"], keys, label };
      // Two spaces, as Node has it.
      if (items?.length === 0 && keys.length === 0) return { ...shape, plain: `[${kind}] {  }` };
      if (items === undefined) return { ...shape, entries: () => [this.#style("<items unknown>", "special")] };
      return { ...shape, entries: (depth, indent) => {
        const count = Math.min(items.length, this.#options.maxArrayLength ?? Infinity);
        const shown = [];
        for (let index = 0; index < count; index++) {
          const item = items[index];
          shown.push(isPairs ? this.#pair(item, depth, indent) : this.show(item, depth, indent, true));
        }
        this.#more(shown, items.length - count);
        return shown;
      } };
    }

    #pair([key, value], depth, indent) {
      const items = [this.show(key, depth, indent, true), this.show(value, depth, indent, true)];
      const levels = this.#deepest - depth + 1;
      return layOut(items, { prefix: "", open: "[", close: "]", indent, isList: false, levels }, this.#options);
    }

    #opaque(value, name, fallback, keys) {
      return { prefix: this.#prefix(value, name, fallback), braces: ["{", "}"], keys,
        entries: () => [this.#style("<items unknown>", "special")] };
    }

    #boxed(value, keys) {
      for (const [kind, read] of [["number", numberValue], ["string", stringValue], ["boolean", booleanValue],
        ["symbol", symbolValue], ["bigint", bigintValue]]) {
        if (!brands[kind](value)) continue;
        const label = { number: "Number", string: "String", boolean: "Boolean", symbol: "Symbol", bigint: "BigInt" }[kind];
        const inner = new Inspection({ ...this.#options, colours: false }).show(read(value), 0, 0, true);
        return { prefix: "", braces: ["{", "}"], plain: this.#style(`[${label}: ${inner}]`, kind),
          keys: kind === "string" ? keys.filter((key) => !isIndex(key)) : keys };
      }
      return undefined;
    }

    #functionShape(value, name) {
      return { prefix: "", braces: ["{", "}"], plain: this.#style(labelOf(value, name), "special") };
    }

    #error(value, made, indent) {
      const { showsFrames } = this.#options;
      const own = showsFrames ? ownStackOf(value) : "";
      const lines = showsFrames && own === "" ? linesOf(value) : "";
      const text = own !== "" ? own : lines === "" ? headOf(value, made) : `${headOf(value, made)}\n${lines}`;
      return (text.includes("\n    at") ? text : `[${text}]`).replaceAll("\n", `\n${" ".repeat(indent)}`);
    }

    #bufferEntries(value) {
      const length = bufferLength(value);
      // Of one whose bytes went elsewhere there is no view.
      if (length === 0 && isDetached(value)) return ["(detached)", `byteLength: ${this.#style("0", "number")}`];
      const limit = Math.min(length, this.#options.maxArrayLength ?? Infinity);
      const bytes = new Uint8Array(value, 0, limit);
      const shown = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
      const more = length > limit ? ` ... ${length - limit} more byte${plural(length - limit)}` : "";
      return [`[Uint8Contents]: <${shown}${more}>`, `byteLength: ${this.#style(`${length}`, "number")}`];
    }

    #elements(value, length, depth, indent) {
      const items = [];
      const limit = Math.min(length, this.#options.maxArrayLength ?? Infinity);
      let index = 0;
      const nextOf = findNext(value, length);
      while (index < length && items.length < limit) {
        const found = descriptorOf(value, index);
        if (found === undefined) {
          const end = nextOf(index + 1);
          items.push(this.#style(`<${end - index} empty item${plural(end - index)}>`, "undefined"));
          index = end;
        } else {
          items.push(this.#valueOf(value, found, depth, indent));
          index++;
        }
      }
      this.#more(items, length - index);
      return items;
    }

    #more(items, rest) { if (rest > 0) items.push(`... ${rest} more item${plural(rest)}`); }

    #numbers(value, length) {
      const limit = Math.min(length, this.#options.maxArrayLength ?? Infinity);
      const items = [];
      for (let index = 0; index < limit; index++) items.push(this.show(value[index], 0, 0, true));
      this.#more(items, length - limit);
      return items;
    }

    /** What an iterator of `size` entries gives, as far as it is shown. */
    #taken(iterator, next, size, one) {
      const items = [];
      const limit = Math.min(size, this.#options.maxArrayLength ?? Infinity);
      while (items.length < limit) {
        const step = next(iterator);
        if (step.done) break;
        items.push(one(step.value));
      }
      this.#more(items, size - items.length);
      return items;
    }

    #members(value, depth, indent) {
      return this.#taken(setValues(value), nextOfSet, setSize(value), (item) => this.show(item, depth, indent, true));
    }

    #pairs(value, depth, indent) {
      return this.#taken(mapEntries(value), nextOf, mapSize(value),
        (pair) => `${this.show(pair[0], depth, indent, true)} => ${this.show(pair[1], depth, indent, true)}`);
    }

    #property(object, key, depth, indent) {
      const found = descriptorOf(object, key) ?? { value: undefined, enumerable: true };
      const shown = this.#valueOf(object, found, depth, indent);
      let name;
      if (typeof key === "symbol") name = `[${this.#style(symbolText(key), "symbol")}]`;
      else if (key === "__proto__") name = "['__proto__']";
      else if (isIdentifier(key)) name = key;
      else name = this.#style(quote(key), "string");
      if (!found.enumerable) name = `[${name}]`;
      return `${name}: ${shown}`;
    }

    #valueOf(object, found, depth, indent) {
      if (this.#options.readsGetters && found.get !== undefined) return this.#given(object, found.get, depth, indent);
      if (found.get !== undefined) return this.#style(found.set !== undefined ? "[Getter/Setter]" : "[Getter]", "special");
      if (found.set !== undefined) return this.#style("[Setter]", "special");
      return this.show(found.value, depth, indent, true);
    }

    /** What a getter gives; what it throws is named. */
    #given(object, get, depth, indent) {
      let value;
      try { value = apply(get, object, []); } catch (error) {
        return `${this.#style("[Getter] threw", "special")} ${this.show(error, depth, indent, true)}`;
      }
      return this.show(value, depth, indent, true);
    }
  }

  const isDetached = (buffer) => { try { new Uint8Array(buffer); return false; } catch { return true; } };

  const inspect = (value, options = {}) => new Inspection({ ...DEFAULTS, ...options }).show(value, 0, 0, false);
  return { inspect };
})
