// SPDX-License-Identifier: MIT
// Objects of plugins that scripts hold: an open database, a connection. Loaded with the first of them. Part of
// `www/nbridge.js`: what it needs is handed to it, nothing is taken from the globals.
(() => {
  "use strict";
  return ({ intrinsics, host, registers, bare, failure, rejected, actionOf, call, facadeOf, kinds, siteOf, userFrames, peek }) => {
    const {
      FinalizationRegistry, Map, resolved, apply, asyncDispose, define, dispose, indexOf, keys, mapDelete, mapForEach, mapGet, mapSet, register, slice,
      toStringTag, toUpperCase, unregister,
    } = intrinsics;
    /** What only the bridge has: a script finds the class by way of an object. */
    const MAKE = { __proto__: null };
    /** The classes, by `service.type`. */
    const types = { __proto__: null };
    /** What each plugin has handed out, by service. */
    const shelves = { __proto__: null };
    /** How many numbers of closed objects are remembered of a plugin, at least. */
    const REMEMBERED = 10000;
    /** How many were collected before they were closed, by `service.type`. */
    const collected = { __proto__: null };

    /** The register with how often processes of plugins have ended. */
    const ENDS = 7;
    const lifeOf = ({ service }) => registers[ENDS] === 0 ? 0 : host.life(service);

    const shelfOf = (service) =>
      shelves[service] ??= { __proto__: null, open: new Map(), closed: new Map(), older: new Map(), count: 0 };

    /**
     * Takes in what a plugin has handed out. A number may not come again: where two objects have one, the end of the first, which the
     * engine may have collected, is the other's end too. A process that was started anew begins anew.
     */
    const takeIn = ({ key, service, isHidden }, number, life) => {
      const { open, closed, older } = shelfOf(service);
      const before = mapGet(open, number)?.life ?? mapGet(closed, number) ?? mapGet(older, number);
      if (before !== undefined && host.isLife(service, before)) {
        throw failure("unknown_error",
          `the plugin '${service}' answered an object with a number that it has handed out before; this is a fault of the plugin`);
      }
      // What becomes of a hidden one is its plugin's script's to say.
      const entry = { __proto__: null, key, life, site: isHidden ? undefined : siteOf() };
      mapSet(open, number, entry);
      return entry;
    };

    /** An object is open no more; its number is remembered for a while. */
    const putAway = ({ service }, number, entry) => {
      const shelf = shelfOf(service);
      // It may be another process's by now.
      if (mapGet(shelf.open, number) !== entry) return;
      mapDelete(shelf.open, number);
      if (shelf.count === REMEMBERED) {
        shelf.older = shelf.closed;
        shelf.closed = new Map();
        shelf.count = 0;
      }
      mapSet(shelf.closed, number, entry.life);
      shelf.count++;
    };

    const hidden = (value) => ({ __proto__: null, value, writable: true, configurable: true });

    /** An action whose native function throws: what is wrong rejects the call. */
    const refusing = (action, code, message) =>
      ({ __proto__: null, ...action, native() { throw failure(code, message); } });

    /**
     * An action as a method of one object: its native function puts the object's number before the option. It keeps the object: a
     * watch has its action until it is over, and must not lose its object to the collector.
     */
    const addressed = (action, number, owner) => ({
      __proto__: null, ...action, owner,
      native(text) {
        if (arguments.length === 0) return action.native(`[${number}]`);
        const whole = `[${number},${text}]`;
        if (arguments.length === 1) return action.native(whole);
        const pack = bare([whole]);
        for (let index = 1; index < arguments.length; index++) pack[index] = arguments[index];
        return apply(action.native, undefined, pack);
      },
    });

    let inside;

    /** An object of a plugin. Its own class, of its type, inherits from this one. */
    class Handle {
      #type;
      #number;
      /** How often its plugin's process had ended, and how often that of any plugin, when it was last asked. */
      #life;
      #lives;
      /** What is known of it where its plugin's numbers are. */
      #entry;
      /** The actions of this object, by name. */
      #methods = { __proto__: null };
      /** The promise of `close()`, once that was called. */
      #closed;

      static {
        inside = {
          __proto__: null,
          is: (value) => typeof value === "object" && value !== null && #number in value,
          method(object, action, type) {
            if (!inside.is(object) || object.#type !== type) {
              return refusing(action, "invalid_parameter", `this is a method of a ${type.name}: call it on one`);
            }
            if (object.#closed !== undefined) return refusing(action, "closed", `the ${type.name} is closed`);
            if (!object.#isLiving()) return refusing(action, "closed", `the ${type.name} ended with the process of its plugin`);
            return object.#methods[action.name] ??= addressed(action, object.#number, object);
          },
        };
      }

      constructor(key, type, number) {
        if (key !== MAKE) throw failure("invalid_parameter", "an object of a plugin is made by calling the plugin");
        this.#type = type;
        this.#number = number;
        this.#lives = registers[ENDS];
        this.#life = lifeOf(type);
        this.#entry = takeIn(type, number, this.#life);
        register(registry, this, { __proto__: null, type, number, entry: this.#entry }, this.#methods);
      }

      /** An object ends with the process of its plugin: another's may have one with its number. */
      #isLiving() {
        if (this.#lives !== registers[ENDS]) {
          if (lifeOf(this.#type) !== this.#life) return false;
          this.#lives = registers[ENDS];
        }
        return true;
      }

      /** Frees what the object holds; once. Calls that are under way are waited for, watches end. */
      close() {
        if (!inside.is(this)) return rejected(failure("invalid_parameter", "this is a method of an object of a plugin: call it on one"));
        if (this.#closed !== undefined) return this.#closed;
        unregister(registry, this.#methods);
        putAway(this.#type, this.#number, this.#entry);
        if (!this.#isLiving()) return this.#closed = resolved(undefined);
        return this.#closed = call(addressed(this.#type.close, this.#number));
      }
    }
    if (asyncDispose) define(Handle.prototype, asyncDispose, hidden(function () { return this.close(); }));
    if (dispose) define(Handle.prototype, dispose, hidden(function () { this.close(); }));

    const registry = new FinalizationRegistry(({ type, number, entry }) => {
      if (!type.isHidden) collected[type.key] = (collected[type.key] ?? 0) + 1;
      putAway(type, number, entry);
      if (lifeOf(type) !== entry.life) return;
      // By a way of its own: when the engine collects is no part of a recording.
      host.letGo(number, type.service, type.name);
    });

    /**
     * Makes the class of a type. `kind.methods` gets a function that finds a method's action by name, and answers the methods; each
     * asks for the action of the object that it is called on.
     */
    const classOf = (key, service, name, kind) => {
      const type = { __proto__: null, key, service, name, isHidden: kind.isHidden, close: actionOf(service, `${name}.close`, true) };
      const methods = kind.methods((member, positional) => {
        const action = actionOf(service, `${name}.${member}`, true);
        action.positional ??= positional;
        return (object) => inside.method(object, action, type);
      });
      // The constructor that a class has by itself would ask a script's iterator of lists.
      class Held extends Handle { constructor(key, ofType, number) { super(key, ofType, number); } }
      const title = `${toUpperCase(slice(name, 0, 1))}${slice(name, 1)}`;
      define(Held, "name", { __proto__: null, value: title, configurable: true });
      define(Held.prototype, toStringTag, { __proto__: null, value: title, configurable: true });
      const names = keys(methods);
      for (let index = 0; index < names.length; index++) define(Held.prototype, names[index], hidden(methods[names[index]]));
      type.Held = Held;
      return type;
    };

    const typeOf = (service, name) => {
      const key = `${service}.${name}`;
      if (types[key] !== undefined) return types[key];
      // Called by its name, without its facade.
      if (kinds[key] === undefined) facadeOf(service);
      if (kinds[key] === undefined) throw failure("unknown_error", `the plugin '${service}' answered a ${name}, which it does not declare`);
      return types[key] = classOf(key, service, name, kinds[key]);
    };

    return {
      __proto__: null,
      is: (value) => inside.is(value),

      /** The object that a plugin answered. */
      make(number, service, name, owner) {
        if (owner !== undefined && service !== owner) {
          throw failure("unknown_error", `the plugin '${owner}' answered an object of '${service}'; this is a fault of the plugin`);
        }
        if (typeof number !== "number" || !(number >= 0 && number <= 9007199254740991 && number % 1 === 0)) {
          throw failure("unknown_error", `the plugin '${service}' answered an object without a number; this is a fault of the plugin`);
        }
        const type = typeOf(service, name);
        return new type.Held(MAKE, type, number);
      },

      /** What is open, and what was collected while it was: `service.type`, how many, where it was made. */
      describe() {
        const list = bare([]);
        const note = ({ key, site }) => {
          if (site === undefined) return;
          const frames = userFrames(peek(site, "stack")), end = indexOf(frames, "\n");
          list[list.length] = { __proto__: null, key, count: 0, site: end < 0 ? frames : slice(frames, 0, end) };
        };
        const services = keys(shelves);
        for (let index = 0; index < services.length; index++) mapForEach(shelves[services[index]].open, note);
        const names = keys(collected);
        for (let index = 0; index < names.length; index++) {
          list[list.length] = { __proto__: null, key: names[index], count: collected[names[index]], site: "" };
        }
        return list;
      },
    };
  };
})
