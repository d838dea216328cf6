// SPDX-License-Identifier: MIT
// Event, CustomEvent, EventTarget (DOM standard, section 2) and event handlers (HTML standard, 8.1.8).
((host) => {
  "use strict";
  const { append, now, report, notCloneable } = host;
  const { attach, detach, findIn, makeChain, toCapture, toEntry, toListener } = host.listeners;
  const { Table, finish, isObject, need, toDictionary, toSequence } = host.idl;
  const { TypeError, Boolean } = globalThis;
  const { defineProperty, entries, getOwnPropertyDescriptor } = Object;
  const { apply } = Reflect;
  const globalObject = globalThis;
  const origin = host.timeOrigin ?? now();

  // --- Event ----------------------------------------------------------------------------------------------

  let inner;
  /** The global object stands for its target. */
  const shownAs = (target) => (target === globalTarget ? globalObject : target);

  class Event {
    #type;
    #bubbles;
    #cancelable;
    #composed;
    #time = now() - origin;
    #target = null;
    #current = null;
    #phase = 0;
    // Those who hear it of a tree, from the target up; null for a target that stands alone.
    #path = null;
    #isDispatching = false;
    #isStopped = false;
    #isStoppedNow = false;
    #isCanceled = false;
    #isPassive = false;
    #isTrusted = false;
    // Whether it still waits for initEvent.
    #isBare = false;

    static { // What dispatch changes, and what no script may.
      inner = {
        isEvent: (value) => isObject(value) && #type in value,
        typeOf: (event) => event.#type,
        currentOf: (event) => event.#current,
        isTrusted: (event) => event.#isTrusted,
        isDispatching: (event) => event.#isDispatching,
        isBare: (event) => event.#isBare,
        setBare(event, isBare) { event.#isBare = isBare; },
        isStopped: (event) => event.#isStopped,
        isStoppedNow: (event) => event.#isStoppedNow,
        isCanceled: (event) => event.#isCanceled,
        setPassive(event, isPassive) { event.#isPassive = isPassive; },
        setTrusted(event, isTrusted) { event.#isTrusted = isTrusted; },
        cancel(event) { if (event.#cancelable && !event.#isPassive) event.#isCanceled = true; },
        bubbles: (event) => event.#bubbles,
        begin(event, target, path = null) {
          event.#isDispatching = true;
          event.#target = event.#current = target;
          event.#phase = 2;
          event.#path = path;
        },
        enter(event, current, phase) {
          event.#current = current;
          event.#phase = phase;
        },
        end(event) {
          event.#isDispatching = event.#isStopped = event.#isStoppedNow = false;
          event.#current = event.#path = null;
          event.#phase = 0;
        },
      };
    }

    constructor(type, init = undefined) {
      need(arguments.length, 1, "Event");
      this.#type = `${type}`;
      const options = toDictionary(init, "an event");
      this.#bubbles = Boolean(options.bubbles);
      this.#cancelable = Boolean(options.cancelable);
      this.#composed = Boolean(options.composed);
      defineProperty(this, "isTrusted", UNFORGEABLE);
    }
    get type() { return this.#type; }
    get target() { return this.#target; }
    get srcElement() { return this.#target; }
    get currentTarget() { return this.#current; }
    composedPath() {
      const list = [];
      if (this.#current === null) return list;
      if (this.#path === null) append(list, this.#current);
      for (let at = this.#path; at !== null; at = at.above) append(list, shownAs(at.target));
      return list;
    }
    get eventPhase() { return this.#phase; }
    stopPropagation() { this.#isStopped = true; }
    get cancelBubble() { return this.#isStopped; }
    set cancelBubble(value) { if (value) this.#isStopped = true; else this.#isStopped; }
    stopImmediatePropagation() { this.#isStopped = this.#isStoppedNow = true; }
    get bubbles() { return this.#bubbles; }
    get cancelable() { return this.#cancelable; }
    get returnValue() { return !this.#isCanceled; }
    set returnValue(value) { if (!value) inner.cancel(this); else this.#isCanceled; }
    preventDefault() { inner.cancel(this); }
    get defaultPrevented() { return this.#isCanceled; }
    get composed() { return this.#composed; }
    get timeStamp() { return this.#time; }
    initEvent(type, bubbles = false, cancelable = false) {
      need(arguments.length, 1, "initEvent");
      const name = `${type}`;
      if (this.#isDispatching) return;
      this.#isStopped = this.#isStoppedNow = this.#isCanceled = this.#isTrusted = false;
      this.#isBare = false;
      this.#target = null;
      this.#type = name;
      this.#bubbles = Boolean(bubbles);
      this.#cancelable = Boolean(cancelable);
    }
  }

  // [LegacyUnforgeable]: a property of each event, with one getter for all.
  const holder = { get isTrusted() { return inner.isTrusted(this); } };
  const { get } = getOwnPropertyDescriptor(holder, "isTrusted");
  const UNFORGEABLE = { __proto__: null, get, set: undefined, enumerable: true, configurable: false };

  finish(Event, "Event", ["type", "target", "srcElement", "currentTarget", "composedPath", "eventPhase",
    "stopPropagation", "cancelBubble", "stopImmediatePropagation", "bubbles", "cancelable", "returnValue",
    "preventDefault", "defaultPrevented", "composed", "timeStamp", "initEvent"]);
  for (const [name, value] of entries({ NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 })) {
    const fixed = { value, enumerable: true, writable: false, configurable: false };
    defineProperty(Event, name, fixed);
    defineProperty(Event.prototype, name, fixed);
  }

  class CustomEvent extends Event {
    #detail;
    constructor(type, init = undefined) {
      need(arguments.length, 1, "CustomEvent");
      super(type, init);
      this.#detail = toDictionary(init, "an event").detail ?? null;
    }
    get detail() { return this.#detail; }
    initCustomEvent(type, bubbles = false, cancelable = false, detail = null) {
      need(arguments.length, 1, "initCustomEvent");
      const name = `${type}`;
      if (inner.isDispatching(this)) return;
      apply(initEvent, this, [name, bubbles, cancelable]);
      this.#detail = detail;
    }
  }
  const { initEvent } = Event.prototype;
  finish(CustomEvent, "CustomEvent", ["detail", "initCustomEvent"]);
  const shown = ["type", "cancelable", "defaultPrevented", "timeStamp"];
  host.showsFields(Event, "Event", shown, inner.isEvent);
  host.showsFields(CustomEvent, "CustomEvent", [...shown, "detail"], inner.isEvent);

  // --- EventTarget ----------------------------------------------------------------------------------------

  // abort.js says what a signal is: { isSignal, isAborted, addStep, removeStep }.
  let signals = { isSignal: () => false };

  const callListener = (callback, event) => {
    try {
      if (typeof callback === "function") return void apply(callback, inner.currentOf(event), [event]);
      const { handleEvent } = callback;
      if (typeof handleEvent !== "function") throw new TypeError("handleEvent must be a function");
      apply(handleEvent, callback, [event]);
    } catch (error) {
      report(error);
    }
  };

  let targets;

  class EventTarget {
    // From a type to its listeners.
    #listeners = null;
    #handlers = null;
    #watcher = null;
    #tree = null;

    static {
      targets = {
        isTarget: (value) => isObject(value) && #listeners in value,
        fire: (target, event) => target.#dispatch(event),
        watch(target, watcher) { target.#watcher = watcher; },
        hears: (target, type) => (target.#listeners?.get(type)?.count ?? 0) > 0,
        setTree(target, tree) { target.#tree = tree; },
        handler: (target, type) => target.#handlers?.get(type)?.value ?? null,
        setHandler(target, type, value) { target.#setHandler(type, isObject(value) ? value : null); },
      };
    }

    /** Called without an object, the methods are the global object's. */
    static #of(value) {
      const target = value === undefined || value === null || value === globalObject ? globalTarget : value;
      if (!targets.isTarget(target)) throw new TypeError("this is not an EventTarget");
      return target;
    }

    addEventListener(type, callback, options = undefined) {
      const target = EventTarget.#of(this);
      need(arguments.length, 2, "addEventListener");
      target.#add(`${type}`, toEntry(toListener(callback), options, signals));
    }

    removeEventListener(type, callback, options = undefined) {
      const target = EventTarget.#of(this);
      need(arguments.length, 2, "removeEventListener");
      const name = `${type}`;
      const entry = target.#find(name, toListener(callback), toCapture(options));
      if (entry !== null) target.#remove(name, entry);
    }

    dispatchEvent(event) {
      const target = EventTarget.#of(this);
      need(arguments.length, 1, "dispatchEvent");
      if (!inner.isEvent(event)) throw new TypeError("dispatchEvent needs an Event");
      if (inner.isDispatching(event)) {
        // Read here, so that the host may load it now.
        throw new host.DOMException("the event is already being dispatched", "InvalidStateError");
      }
      if (inner.isBare(event)) throw new host.DOMException("the event waits for initEvent", "InvalidStateError");
      inner.setTrusted(event, false);
      return target.#dispatch(event);
    }

    #find(type, callback, capture) {
      const chain = this.#listeners?.get(type);
      return chain === undefined ? null : findIn(chain, callback, capture);
    }

    #add(type, entry) {
      const { callback, capture, signal } = entry;
      if (signal !== null && signals.isAborted(signal)) return;
      if (callback === null || this.#find(type, callback, capture) !== null) return;
      this.#listeners ??= new Table();
      let chain = this.#listeners.get(type);
      if (chain === undefined) this.#listeners.set(type, chain = makeChain());
      attach(chain, entry);
      if (this.#watcher !== null) this.#watcher(type, chain.count);
      if (signal === null) return;
      entry.step = () => this.#remove(type, entry);
      signals.addStep(signal, entry.step);
    }

    #remove(type, entry) {
      if (entry.isRemoved) return;
      entry.isRemoved = true;
      const chain = this.#listeners.get(type);
      detach(chain, entry);
      if (this.#watcher !== null) this.#watcher(type, chain.count);
      if (entry.step !== null) signals.removeStep(entry.signal, entry.step);
    }

    /** DOM 2.9, for a path of this target alone; answers whether no listener cancelled the event. */
    #dispatch(event) {
      if (this.#tree !== null) return this.#dispatchAlong(event, this.#tree);
      inner.begin(event, shownAs(this));
      this.#invoke(event, true);
      this.#invoke(event, false);
      if (this === globalTarget) callDeclared(event);
      inner.end(event);
      return !inner.isCanceled(event);
    }

    /** The same for a node of a tree, which says who hears of it above, and what is done of itself. */
    #dispatchAlong(event, tree) {
      const path = { __proto__: null, target: this, above: null, below: null };
      let top = path;
      for (let next = tree.above(this, event); next !== null; next = tree.above(next, event)) {
        top = top.above = { __proto__: null, target: next, above: null, below: top };
      }
      inner.begin(event, this, path);
      const deed = tree.prepare(event, path);
      for (let at = top; at !== null; at = at.below) {
        inner.enter(event, shownAs(at.target), at === path ? 2 : 1);
        at.target.#invoke(event, true);
      }
      for (let at = path; at !== null && (at === path || inner.bubbles(event)); at = at.above) {
        inner.enter(event, shownAs(at.target), at === path ? 2 : 3);
        at.target.#invoke(event, false);
        if (at.target === globalTarget) callDeclared(event);
      }
      inner.end(event);
      if (deed !== null) tree.conclude(deed, inner.isCanceled(event));
      return !inner.isCanceled(event);
    }

    #invoke(event, capture) {
      const type = inner.typeOf(event);
      const chain = this.#listeners?.get(type);
      if (chain === undefined || inner.isStopped(event)) return;
      const { latest } = chain;
      for (let entry = chain.first; entry !== null && !inner.isStoppedNow(event); entry = entry.next) {
        // It came while the event was being dispatched, and so did what stands behind it.
        if (entry.number > latest) return;
        if (entry.isRemoved || entry.capture !== capture) continue;
        if (entry.once) this.#remove(type, entry);
        inner.setPassive(event, entry.passive);
        callListener(entry.callback, event);
        inner.setPassive(event, false);
      }
    }

    /** A handler takes its place among the listeners when it is first set, and keeps it until it is null. */
    #setHandler(type, value) {
      const known = this.#handlers?.get(type);
      if (known?.value) {
        known.value = value;
        if (value === null) this.#remove(type, known.entry);
      } else if (value !== null) {
        const handler = { value, entry: toEntry((event) => callHandler(handler.value, event), false) };
        this.#handlers ??= new Table();
        this.#handlers.set(type, handler);
        this.#add(type, handler.entry);
      }
    }
  }
  finish(EventTarget, "EventTarget", ["addEventListener", "removeEventListener", "dispatchEvent"]);

  // --- Event handlers -------------------------------------------------------------------------------------

  // reports.js says what onerror is called with for an ErrorEvent, null for other events.
  let errorArguments = () => null;

  /** HTML, "the event handler processing algorithm". The global object's onerror is a case of its own. */
  const callHandler = (callback, event) => {
    if (typeof callback !== "function") return;
    const current = inner.currentOf(event);
    const isScriptError = current === globalObject && inner.typeOf(event) === "error";
    const values = isScriptError ? errorArguments(event) : null;
    const result = apply(callback, current, values ?? [event]);
    if (result === (values !== null)) inner.cancel(event);
  };

  /** Defines on<type> for each type. `targetOf` answers the target for a `this`, or throws. */
  const addHandlers = (object, types, targetOf, changed = () => {}) => {
    for (const type of types) {
      const name = `on${type}`;
      const attribute = {
        get [name]() { return targets.handler(targetOf(this), type); },
        set [name](value) {
          const target = targetOf(this);
          targets.setHandler(target, type, value);
          changed(target, type);
        },
      };
      defineProperty(object, name, { __proto__: null, ...getOwnPropertyDescriptor(attribute, name) });
    }
    return object;
  };

  const globalTarget = new EventTarget();
  const globalTypes = new Table();

  /** A script's own `function onerror() {}` takes the accessor's place, and is the handler nevertheless. */
  const callDeclared = (event) => {
    const type = inner.typeOf(event);
    if (!globalTypes.has(type) || inner.isStoppedNow(event)) return;
    const callback = getOwnPropertyDescriptor(globalObject, `on${type}`)?.value;
    if (typeof callback === "function") callListener(() => callHandler(callback, event), event);
  };

  /** What makes the global object an EventTarget; `handlers` has accessors to define on it. */
  const makeGlobalTarget = (types = ["error", "unhandledrejection", "rejectionhandled"]) => {
    for (const type of types) globalTypes.set(type, true);
    const { addEventListener, removeEventListener, dispatchEvent } = EventTarget.prototype;
    const handlers = addHandlers({}, types, () => globalTarget);
    return { addEventListener, removeEventListener, dispatchEvent, handlers };
  };

  /** An event of the runtime's own. */
  const create = (type, name, init) => {
    const event = new type(name, { __proto__: null, ...init });
    inner.setTrusted(event, true);
    return event;
  };

  /** Handlers of the global object's that only a page has, as `onload`. */
  const addGlobalHandlers = (types) => {
    for (let i = 0; i < types.length; i++) globalTypes.set(types[i], true);
    addHandlers(globalObject, types, () => globalTarget);
  };

  notCloneable(inner.isEvent);
  notCloneable(targets.isTarget);

  return {
    Event, CustomEvent, EventTarget, makeGlobalTarget,
    /** For the runtime's other scripts. */
    internals: {
      Table, finish, initEvent, isObject, need, toDictionary, toSequence, addHandlers, create, globalTarget,
      isDispatching: inner.isDispatching, setBare: inner.setBare, isEvent: inner.isEvent, fire: targets.fire, watch: targets.watch,
      typeOf: inner.typeOf, bubbles: inner.bubbles, handlerOf: targets.handler, setHandler: targets.setHandler, hears: targets.hears, setTree: targets.setTree, addGlobalHandlers,
      connectSignals(made) { signals = made; },
      connectErrors(made) { errorArguments = made; },
    },
  };
})
