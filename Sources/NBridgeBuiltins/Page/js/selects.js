// SPDX-License-Identifier: MIT
// select, option, optgroup (HTML, 4.10.7 to 4.10.10). Which options are chosen is found when it is asked for.
((host) => {
  "use strict";
  const { elements } = host;
  const { HTMLElement, define } = host.html;
  const { formOf, withForm } = host.controls;
  const { HTMLCollection, changes, complete, itemsOf, live, makeList, placeOf, takes, refuse: refuseConstruction } = host.lists;
  const { page, parent, first, insert, remove, textOf, setText, following } = host.nodes;
  const { attribute, setAttribute, removeAttribute, isCalled, make } = elements;
  const { weakGet, weakSet, get, create: createObject, getPrototypeOf, setPrototypeOf } = host.intrinsics;
  const { set } = Reflect;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const trim = uncurry(String.prototype.trim), replaceAll = uncurry(String.prototype.replaceAll);
  const { TypeError } = globalThis;

  /** What a script or a person chose; null as long as the attribute says it. */
  let choices;
  /** Whether a script chose nothing, which no first option takes the place of. */
  const isBare = new WeakMap();

  const optionsOf = (select) => {
    const list = makeList();
    for (let at = first(select); at !== null; at = following(at, select)) {
      if (isCalled(at, "option") && selectOf(at) === select) list[list.length] = at;
    }
    return list;
  };
  const selectOf = (option) => {
    const holder = parent(option), above = isCalled(holder, "optgroup") ? parent(holder) : holder;
    return isCalled(above, "select") ? above : null;
  };
  const isMultiple = (select) => attribute(select, "multiple") !== null;
  const isMarked = (option) => choices.get(option) ?? attribute(option, "selected") !== null;
  /** The one that a select for one shows: the last that was marked, else the first that can be chosen. */
  const shown = (select) => {
    const options = optionsOf(select);
    for (let i = options.length - 1; i >= 0; i--) if (isMarked(options[i])) return options[i];
    if (weakGet(isBare, select) === true || +(attribute(select, "size") ?? 1) > 1) return null;
    for (let i = 0; i < options.length; i++) if (!elements.isDisabled(options[i])) return options[i];
    return null;
  };
  const isSelected = (option) => {
    const select = selectOf(option);
    return select === null || isMultiple(select) ? isMarked(option) : shown(select) === option;
  };
  const chosen = (select) => {
    const options = optionsOf(select), list = makeList(), one = isMultiple(select) ? null : shown(select);
    for (let i = 0; i < options.length; i++) {
      if (isMultiple(select) ? isMarked(options[i]) : options[i] === one) list[list.length] = options[i];
    }
    return list;
  };
  const choose = (option, isWanted) => {
    const select = selectOf(option);
    if (select !== null && !isMultiple(select) && isWanted) choosePlace(select, option);
    else choices.set(option, isWanted);
    changes.any++;
  };
  /** Chooses one alone; null for none. */
  const choosePlace = (select, option) => {
    const options = optionsOf(select);
    for (let i = 0; i < options.length; i++) choices.set(options[i], options[i] === option);
    weakSet(isBare, select, option === null);
    changes.any++;
  };
  const valueOf = (option) => attribute(option, "value") ?? shownText(option);
  /** The words, with one blank between. */
  const shownText = (option) => {
    const text = replaceAll(trim(textOf(option)), /[ \t\n\f\r]+/g, " ");
    return text;
  };

  class HTMLOptionsCollection extends HTMLCollection {
    constructor() { refuseConstruction(); }
    get length() { return itemsOf(this).length; }
    set length(count) {
      const items = itemsOf(this);
      for (let i = items.length - 1; i >= count >>> 0; i--) remove(items[i]);
    }
    get selectedIndex() { return weakGet(selects, this).selectedIndex; }
    set selectedIndex(at) { weakGet(selects, this).selectedIndex = at; }
    add(option, before = null) { weakGet(selects, this).add(option, before); }
    remove(at) { weakGet(selects, this).remove(at); }
  }
  complete(HTMLOptionsCollection, "HTMLOptionsCollection", ["selectedIndex", "add", "remove"]);
  /** From a collection to its select. */
  const selects = new WeakMap();

  /** What stands at a place; null takes it away, and what is missing before comes empty (HTML, 4.10.10.2). */
  const putOption = (select, at, option) => {
    const options = optionsOf(select);
    if (option === null || option === undefined) return void (at < options.length && remove(options[at]));
    if (!isCalled(option, "option")) throw new TypeError("a select takes options");
    if (at < options.length) {
      const old = options[at];
      if (old === option) return;
      insert(parent(old), option, old, "options");
      return remove(old);
    }
    // As in browsers, nobody makes more.
    if (at >= 100000) return;
    for (let i = options.length; i < at; i++) insert(select, make("option", page.document), null, "options");
    insert(select, option, null, "options");
  };

  /** Options are also members of their select, by their places, as controls are of their form (forms.js). */
  const addMembers = (type) => {
    withForm(type);
    setPrototypeOf(type.prototype, new Proxy(createObject(getPrototypeOf(type.prototype)), {
      __proto__: null,
      get(target, name, receiver) {
        const at = placeOf(name);
        return at >= 0 && isCalled(receiver, "select") ? optionsOf(receiver)[at] : get(target, name, receiver);
      },
      set(target, name, value, receiver) {
        const at = placeOf(name);
        if (at < 0 || !isCalled(receiver, "select")) return set(target, name, value, receiver);
        putOption(receiver, at, value);
        return true;
      },
    }));
  };

  define("select", "HTMLSelectElement", {
    name: ["text"], disabled: ["flag"], required: ["flag"], multiple: ["flag"], size: ["number"], autocomplete: ["text"],
  }, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    #options = null;
    get type() { return isMultiple(this) ? "select-multiple" : "select-one"; }
    get options() {
      if (this.#options === null) {
        this.#options = live(HTMLOptionsCollection, () => optionsOf(this), elements.isNamed);
        weakSet(selects, this.#options, this);
        takes(this.#options, (at, option) => putOption(this, at, option));
      }
      return this.#options;
    }
    get length() { return optionsOf(this).length; }
    set length(count) { this.options.length = count; }
    get selectedOptions() { return live(HTMLCollection, () => chosen(this), elements.isNamed); }
    get selectedIndex() {
      const options = optionsOf(this), one = chosen(this)[0];
      for (let i = 0; i < options.length; i++) if (options[i] === one) return i;
      return -1;
    }
    set selectedIndex(at) {
      const options = optionsOf(this);
      choosePlace(this, at >= 0 && at < options.length ? options[at | 0] : null);
    }
    get value() {
      const one = chosen(this)[0];
      return one === undefined ? "" : valueOf(one);
    }
    set value(value) {
      const options = optionsOf(this), text = `${value}`;
      let found = null;
      for (let i = options.length - 1; i >= 0; i--) if (valueOf(options[i]) === text) found = options[i];
      choosePlace(this, found);
    }
    item(at) { return optionsOf(this)[at >>> 0] ?? null; }
    namedItem(name) { return this.options.namedItem(name); }
    add(option, before = null) {
      if (!isCalled(option, "option") && !isCalled(option, "optgroup")) throw new TypeError("a select takes options and groups of them");
      const at = typeof before === "number" ? optionsOf(this)[before] ?? null : before;
      insert(at === null ? this : parent(at), option, at, "add");
    }
    remove(at = undefined) {
      if (arguments.length === 0) return void (parent(this) !== null && remove(this));
      const option = optionsOf(this)[at >>> 0];
      if (option !== undefined) remove(option);
    }
  }, addMembers);

  define("option", "HTMLOptionElement", {
    disabled: ["flag"], defaultSelected: ["flag", "selected"],
  }, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    #choice = null;
    static { choices = { __proto__: null, get: (option) => option.#choice, set(option, choice) { option.#choice = choice; } }; }
    get value() { return valueOf(this); }
    set value(value) { setAttribute(this, "value", `${value}`); }
    get text() { return shownText(this); }
    set text(text) { setText(this, `${text}`); }
    get label() { return attribute(this, "label") ?? shownText(this); }
    set label(text) { setAttribute(this, "label", `${text}`); }
    get selected() { return isSelected(this); }
    set selected(value) { choose(this, !!value); }
    get index() {
      const select = selectOf(this), options = select === null ? makeList() : optionsOf(select);
      for (let i = 0; i < options.length; i++) if (options[i] === this) return i;
      return 0;
    }
    get form() { return selectOf(this) === null ? null : formOf(selectOf(this)); }
  });
  define("optgroup", "HTMLOptGroupElement", { label: ["text"], disabled: ["flag"] });

  /** `new Option(text, value)`. */
  const Option = function Option(text = "", value = undefined, isDefault = false, isChosen = false) {
    if (new.target === undefined) throw new TypeError("Option is called with new");
    const option = make("option", page.document);
    setText(option, `${text}`);
    if (value !== undefined) setAttribute(option, "value", `${value}`);
    if (isDefault) setAttribute(option, "selected", "");
    else removeAttribute(option, "selected");
    choices.set(option, !!isChosen);
    return option;
  };
  /** With the interface of options. */
  const makeOption = () => {
    Object.defineProperty(Option, "prototype", { __proto__: null, value: host.html.find("HTMLOptionElement").prototype, writable: false });
    return Option;
  };

  const reset = (select) => {
    const options = optionsOf(select);
    for (let i = 0; i < options.length; i++) choices.set(options[i], null);
    weakSet(isBare, select, false);
    changes.any++;
  };

  return { makeOption, HTMLOptionsCollection, reset, chosen, valueOf };
})
