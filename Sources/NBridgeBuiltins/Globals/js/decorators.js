// SPDX-License-Identifier: MIT
// Decorators of classes and their elements (ECMA-262 proposal Decorators, stage 3, as of November 2023): a
// class that LoweredText rewrote tells its elements while it is defined, then has them decorated.
(() => {
  "use strict";
  const { create, defineProperty, getOwnPropertyDescriptor, hasOwn, setPrototypeOf } = Object;
  const { apply, deleteProperty, getPrototypeOf } = Reflect;
  const { TypeError, Symbol, String } = globalThis;
  const { pop, push, unshift } = Array.prototype;

  if (Symbol.metadata === undefined) {
    defineProperty(Symbol, "metadata", { __proto__: null, value: Symbol("Symbol.metadata") });
  }
  const metadataKey = Symbol.metadata;
  /** The key of methods that only stand between others, and are taken off again. */
  const marker = Symbol();

  const own = (object, key) => {
    const found = getOwnPropertyDescriptor(object, key);
    return found && setPrototypeOf(found, null);
  };
  const rename = (made, name) =>
    defineProperty(made, "name", { __proto__: null, value: name, configurable: true });
  const keyOf = (value) => typeof value === "symbol" ? value : String(value);
  const textOf = (key) => typeof key === "symbol"
    ? key.description === undefined ? "" : `[${key.description}]` : key;
  const callable = (value, what) => {
    if (typeof value !== "function") throw new TypeError(`${what} is no function`);
    return value;
  };
  const runAll = (list, object) => {
    for (let index = 0; index < list.length; index++) apply(list[index], object, []);
  };

  /** What a decorator is told. */
  const contextFor = (element, metadata, extras, state) => {
    const context = { kind: element.kind, name: element.key };
    if (element.kind !== "class") {
      context.static = element.isStatic;
      context.private = element.isPrivate;
      context.access = accessTo(element);
    }
    context.addInitializer = function addInitializer(initializer) {
      if (state.isDone) throw new TypeError("addInitializer was called behind its decorator");
      apply(push, extras, [callable(initializer, "an initializer")]);
    };
    context.metadata = metadata;
    return context;
  };

  const accessTo = ({ kind, key, isPrivate, of }) => {
    const access = { has: isPrivate ? (object) => of.has(object) : (object) => key in object };
    if (kind !== "setter") access.get = isPrivate ? (object) => of.get(object) : (object) => object[key];
    if (kind !== "method" && kind !== "getter") {
      access.set = isPrivate ? (object, value) => { of.set(object, value); }
        : (object, value) => { object[key] = value; };
    }
    return access;
  };

  /** Has an element's decorators called, the last first; `take` is given what each answers. */
  const decorate = (element, list, metadata, extras, value, take) => {
    for (let index = list.length - 2; index >= 0; index -= 2) {
      const state = { isDone: false };
      const decorator = callable(list[index], "a decorator");
      const context = contextFor(element, metadata, extras, state);
      const answer = apply(decorator, list[index + 1], [value(), context]);
      state.isDone = true;
      if (answer !== undefined) take(answer);
    }
  };

  const members = { __proto__: null, method: "value", getter: "get", setter: "set" };

  class State {
    #decorators;
    #name;
    #elements = [];
    #class;
    #extras = [];
    #instanceExtras = [];

    constructor(decorators, name) {
      this.#decorators = decorators;
      this.#name = name;
    }

    /** An element: `about` is what its text says, `list` has its decorators with receivers, then its key. */
    element(about, list) {
      const key = about.hasKey ? keyOf(apply(pop, list, [])) : about.name;
      const { kind, isStatic, isPrivate, of } = about;
      apply(push, this.#elements, [{
        __proto__: null, kind, isStatic, isPrivate, of, key, list, inits: [], extras: [], temporary: Symbol(),
      }]);
      return marker;
    }

    /** Takes a computed key. */
    key(index, value) { return this.#elements[index].key = keyOf(value); }
    nameOf(index) { return this.#elements[index].key; }
    /** The key under which a private method stands until it is decorated. */
    temporary(index) { return this.#elements[index].temporary; }
    /** A private element, decorated. */
    value(index) { return this.#elements[index].found.value; }
    get(index, object) { return apply(this.#elements[index].found.get, object, []); }
    set(index, object, value) { apply(this.#elements[index].found.set, object, [value]); }

    /** The first value of a field. */
    init(index, object, value) {
      const { inits } = this.#elements[index];
      for (let at = 0; at < inits.length; at++) value = apply(inits[at], object, [value]);
      return value;
    }

    /** The same for a function or class without a name, which has got the field's, as the only member. */
    initNamed(index, object, holder) { return this.init(index, object, holder[this.nameOf(index)]); }

    /** What a field's decorators asked for; without an index those of methods. */
    extra(index, object) {
      runAll(index === undefined ? this.#instanceExtras : this.#elements[index].extras, object);
    }

    /** Behind the definitions, before any static field: decorates the elements and the class. */
    apply(made) {
      this.#class = made;
      deleteProperty(made, marker);
      if (this.#name !== "" && own(made, "name")?.value === "") rename(made, this.#name);
      const metadata = create(getPrototypeOf(made)?.[metadataKey] ?? null);
      const staticExtras = [];
      let isDecorated = this.#decorators.length > 0;
      for (let round = 0; round < 4; round++) {
        // Methods and accessors of the class, those of its objects, its fields, their fields.
        const ofClass = round % 2 === 0, ofFields = round >= 2;
        for (let index = 0; index < this.#elements.length; index++) {
          const element = this.#elements[index];
          if (element.isStatic !== ofClass || (element.kind === "field") !== ofFields) continue;
          isDecorated ||= element.list.length > 0;
          const extras = element.kind === "field" || element.kind === "accessor" ? element.extras
            : ofClass ? staticExtras : this.#instanceExtras;
          this.#decorateElement(element, ofClass ? made : made.prototype, metadata, extras);
        }
      }
      if (this.#decorators.length > 0) {
        const element = { __proto__: null, kind: "class", key: this.#name === "" ? made.name : this.#name };
        decorate(element, this.#decorators, metadata, this.#extras, () => this.#class,
          (answer) => { this.#class = callable(answer, "what a class's decorator answers"); });
      }
      if (isDecorated) {
        defineProperty(this.#class, metadataKey,
          { __proto__: null, value: metadata, writable: true, configurable: true });
      }
      runAll(staticExtras, this.#class);
      return this.#class;
    }

    #decorateElement(element, home, metadata, extras) {
      const { kind, key, list, inits } = element;
      if (kind === "field") {
        return decorate(element, list, metadata, extras, () => undefined, (answer) => {
          apply(unshift, inits, [callable(answer, "what a field's decorator answers")]);
        });
      }
      const place = element.isPrivate ? element.temporary : key;
      const found = own(home, place);
      element.found = found;
      if (element.isPrivate) {
        deleteProperty(home, place);
        const name = textOf(key);
        if (found.value) rename(found.value, name);
        if (found.get) rename(found.get, `get ${name}`);
        if (found.set) rename(found.set, `set ${name}`);
      }
      if (kind === "accessor") {
        decorate(element, list, metadata, extras, () => ({ get: found.get, set: found.set }), (answer) => {
          if (typeof answer !== "object" || answer === null) {
            throw new TypeError("what an accessor's decorator answers is no object");
          }
          const { get, set, init } = answer;
          if (get !== undefined) found.get = callable(get, "'get' of what an accessor's decorator answers");
          if (set !== undefined) found.set = callable(set, "'set' of what an accessor's decorator answers");
          if (init !== undefined) {
            apply(unshift, inits, [callable(init, "'init' of what an accessor's decorator answers")]);
          }
        });
      } else {
        const member = members[kind];
        decorate(element, list, metadata, extras, () => found[member], (answer) => {
          found[member] = callable(answer, `what a ${kind}'s decorator answers`);
        });
      }
      if (!element.isPrivate && list.length > 0) defineProperty(home, key, found);
    }

    /** Behind the static fields. */
    finish() {
      runAll(this.#extras, this.#class);
      return this.#class;
    }
  }

  return { makeState: (decorators, name) => new State(decorators, name) };
})
