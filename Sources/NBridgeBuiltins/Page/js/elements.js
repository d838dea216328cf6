// SPDX-License-Identifier: MIT
// Elements and their attributes (DOM standard, 4.9).
((host) => {
  "use strict";
  const { Node, CharacterData, DocumentFragment, DocumentType, elements, selectors } = host;
  const { changes, complete, itemAt, itemsOf, live, lower, makeList, noteShape, refuse: refuseConstruction, upper } = host.lists;
  const { makeTokens, tokens } = host.attributes;
  const { parents, finders, siblings, mixIn } = host.parentnodes;
  const { KEY, ELEMENT, TEXT, COMMENT, DOCUMENT, FRAGMENT, page, isNode, kind, owner, parent, first, next, place, placeOne, check, remove, clear,
    refuse, toNode, nextElement, previousElement, following, previous, dataOf, makeText, makeComment, makeType, makeFragment } = host.nodes;
  const { Table, finish, need } = host.idl;
  const { indexOf, mapForEach, keys } = host.intrinsics;
  const { TypeError } = globalThis;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const exec = uncurry(RegExp.prototype.exec);
  const HTML = "http://www.w3.org/1999/xhtml";

  // --- Attributes -------------------------------------------------------------------------------------------------

  let inner;
  const attribute = (element, name) => inner.attributes(element)?.get(name) ?? null;
  const setAttribute = (element, name, value) => {
    const old = attribute(element, name);
    inner.attributesToChange(element).set(name, value);
    noteAttribute(element, name, old, value);
  };
  const removeAttribute = (element, name) => {
    const old = attribute(element, name);
    if (old === null) return;
    inner.attributes(element).delete(name);
    noteAttribute(element, name, old, null);
  };
  const noteAttribute = (element, name, old, value) => {
    changes.any++;
    if (name === "id") noteShape(element);
    page.changed(element, name, old, value);
  };
  const namesOf = (element) => {
    const list = [], table = inner.attributes(element);
    if (table !== null) mapForEach(table, (_, name) => { list[list.length] = name; });
    return list;
  };
  /** An attribute's name as a method got it. */
  const keyOf = (element, name) => (inner.space(element) === HTML ? lower(`${name}`) : `${name}`);
  const toName = (name) => {
    if (name === "" || exec(/[\s/>=\0]/, name) !== null) refuse("InvalidCharacterError", `'${name}' is no name of an attribute`);
    return name;
  };
  const hasClass = (element, word) => {
    const text = attribute(element, "class");
    if (text === null || indexOf(text, word) < 0) return false;
    if (text === word) return true;
    const list = tokens(text);
    for (let i = 0; i < list.length; i++) if (list[i] === word) return true;
    return false;
  };

  /** One attribute, as `attributes` lists them. */
  class Attr {
    #element;
    #name;
    constructor(key, element, name) {
      if (key !== KEY) refuseConstruction();
      this.#element = element;
      this.#name = name;
    }
    get name() { return this.#name; }
    get localName() { return this.#name; }
    get nodeName() { return this.#name; }
    get value() { return attribute(this.#element, this.#name) ?? ""; }
    set value(value) { setAttribute(this.#element, this.#name, `${value}`); }
    get ownerElement() { return this.#element; }
    get specified() { return true; }
  }
  finish(Attr, "Attr", ["name", "localName", "nodeName", "value", "ownerElement", "specified"]);
  class NamedNodeMap {
    constructor() { refuseConstruction(); }
    get length() { return itemsOf(this).length; }
    item(at) { return itemAt(this, at >>> 0) ?? null; }
    getNamedItem(name) { return this[`${name}`] ?? null; }
  }
  complete(NamedNodeMap, "NamedNodeMap", ["getNamedItem"]);
  const attributeList = (element) => live(NamedNodeMap, () => {
    const names = namesOf(element), list = makeList();
    for (let i = 0; i < names.length; i++) list[i] = new Attr(KEY, element, names[i]);
    return list;
  }, (item, name) => item.name === name);

  // --- Element ----------------------------------------------------------------------------------------------------

  class Element extends Node {
    #name;
    #space;
    #attributes = null;
    #classes = null;
    #list = null;

    static {
      inner = {
        __proto__: null,
        isElement: (value) => isNode(value) && #name in value,
        attributes: (element) => element.#attributes,
        attributesToChange: (element) => element.#attributes ??= new Table(),
        nameOf: (element) => element.#name,
        space: (element) => element.#space,
      };
    }
    constructor(key, document, name, space) {
      super(key, ELEMENT, document);
      this.#name = name;
      this.#space = space;
    }

    get localName() { return this.#name; }
    get tagName() { return this.#space === HTML ? upper(this.#name) : this.#name; }
    get namespaceURI() { return this.#space; }
    get prefix() { return null; }
    get id() { return attribute(this, "id") ?? ""; }
    set id(value) { setAttribute(this, "id", `${value}`); }
    get className() { return attribute(this, "class") ?? ""; }
    set className(value) { setAttribute(this, "class", `${value}`); }
    get classList() {
      return this.#classes ??= makeTokens(() => attribute(this, "class") ?? "", (text) => {
        if (text !== "" || attribute(this, "class") !== null) setAttribute(this, "class", text);
      });
    }
    set classList(value) { setAttribute(this, "class", `${value}`); }

    get attributes() { return this.#list ??= attributeList(this); }
    hasAttributes() { return this.#attributes !== null && namesOf(this).length > 0; }
    getAttributeNames() { return namesOf(this); }
    getAttribute(name) { need(arguments.length, 1, "getAttribute"); return attribute(this, keyOf(this, name)); }
    hasAttribute(name) { need(arguments.length, 1, "hasAttribute"); return attribute(this, keyOf(this, name)) !== null; }
    setAttribute(name, value) {
      need(arguments.length, 2, "setAttribute");
      setAttribute(this, toName(keyOf(this, name)), `${value}`);
    }
    removeAttribute(name) { need(arguments.length, 1, "removeAttribute"); removeAttribute(this, keyOf(this, name)); }
    toggleAttribute(name, force = undefined) {
      need(arguments.length, 1, "toggleAttribute");
      const key = toName(keyOf(this, name)), isThere = attribute(this, key) !== null;
      const isWanted = force === undefined ? !isThere : !!force;
      if (isWanted && !isThere) setAttribute(this, key, "");
      if (!isWanted) removeAttribute(this, key);
      return isWanted;
    }
    getAttributeNS(_, name) { return attribute(this, `${name}`); }
    setAttributeNS(_, name, value) { setAttribute(this, toName(`${name}`), `${value}`); }

    matches(selector) { need(arguments.length, 1, "matches"); return selectors.matches(this, selector); }
    closest(selector) { need(arguments.length, 1, "closest"); return selectors.closest(this, selector); }
    get nextElementSibling() { return nextElement(next(this)); }
    get previousElementSibling() { return previousElement(previous(this)); }

    get innerHTML() { return page.markupIn(this); }
    set innerHTML(value) {
      const fragment = page.parse(value === null ? "" : `${value}`, this);
      const holder = page.contentOf(this) ?? this;
      clear(holder);
      place(holder, fragment, null);
    }
    get outerHTML() { return page.markupOf(this); }
    set outerHTML(value) {
      const holder = parent(this);
      if (holder === null) return;
      if (kind(holder) === DOCUMENT) refuse("NoModificationAllowedError", "the document's element is not replaced by markup");
      place(holder, page.parse(`${value}`, kind(holder) === ELEMENT ? holder : null), this);
      remove(this);
    }

    insertAdjacentElement(where, element) {
      if (!inner.isElement(element)) throw new TypeError("insertAdjacentElement needs an element");
      return adjacent(this, where, element) ? element : null;
    }
    insertAdjacentText(where, text) { adjacent(this, where, makeText(`${text}`, owner(this))); }
    insertAdjacentHTML(where, text) {
      const isInside = lower(`${where}`) === "afterbegin" || lower(`${where}`) === "beforeend";
      const context = isInside ? this : parent(this);
      if (context === null || kind(context) === DOCUMENT) refuse("NoModificationAllowedError", "there is nothing around the element");
      adjacent(this, where, page.parse(`${text}`, kind(context) === ELEMENT ? context : null));
    }
  }
  mixIn(Element, parents);
  mixIn(Element, finders);
  mixIn(Element, siblings);
  mixIn(CharacterData, siblings);
  mixIn(DocumentType, siblings);
  mixIn(DocumentFragment, parents);
  mixIn(DocumentFragment, {
    getElementById(id) {
      const wanted = `${id}`;
      for (let at = first(this); at !== null; at = following(at, this)) {
        if (kind(at) === ELEMENT && attribute(at, "id") === wanted) return at;
      }
      return null;
    },
  });
  finish(Element, "Element", ["localName", "tagName", "namespaceURI", "prefix", "id", "className", "classList", "attributes", "hasAttributes",
    "getAttributeNames", "getAttribute", "hasAttribute", "setAttribute", "removeAttribute", "toggleAttribute", "getAttributeNS",
    "setAttributeNS", "matches", "closest", "nextElementSibling", "previousElementSibling", "innerHTML", "outerHTML",
    "insertAdjacentElement", "insertAdjacentText", "insertAdjacentHTML"]);

  const adjacent = (element, where, node) => {
    const place_ = lower(`${where}`), holder = parent(element);
    if (place_ === "afterbegin") return put(element, node, first(element));
    if (place_ === "beforeend") return put(element, node, null);
    if (place_ !== "beforebegin" && place_ !== "afterend") {
      refuse("SyntaxError", `'${where}' is no place: beforebegin, afterbegin, beforeend, afterend are`);
    }
    return holder !== null && put(holder, node, place_ === "beforebegin" ? element : next(element));
  };
  const put = (holder, node, before) => {
    check(holder, toNode(node, "insertAdjacentElement"), before, false);
    place(holder, node, before === node ? next(node) : before);
    return true;
  };

  // --- Making and copying --------------------------------------------------------------------------------------------

  /** The class of an HTML element's name: `find` answers it, where there is one; `other` and `unknown` are for all others. */
  const classes = { __proto__: null, find: () => undefined, other: Element, unknown: Element };
  const make = (name, document, space = HTML) => {
    if (space !== HTML) return new Element(KEY, document, name, space);
    return new (classes.find(name) ?? (indexOf(name, "-") > 0 ? classes.other : classes.unknown))(KEY, document, name, space);
  };
  const copyOne = (node, document) => {
    switch (kind(node)) {
    case TEXT: return makeText(dataOf(node), document);
    case COMMENT: return makeComment(dataOf(node), document);
    case FRAGMENT: return makeFragment(document);
    case ELEMENT: {
      const made = make(inner.nameOf(node), document, inner.space(node));
      const table = inner.attributes(node);
      if (table !== null) mapForEach(table, (value, name) => setAttribute(made, name, value));
      return made;
    }
    case DOCUMENT: return refuse("NotSupportedError", "a document is not copied");
    default: return makeType(node.name, document);
    }
  };
  /** What templates hold is copied in turn, not within each other: they may be nested as deep as a script likes. */
  const copy = (node, isDeep, document = owner(node)) => {
    const waiting = makeList(), made = copyTree(node, isDeep, document, waiting);
    for (let i = 0; i < waiting.length; i++) {
      const { content, to } = waiting[i];
      place(to, copyTree(content, true, owner(content), waiting), null);
    }
    return made;
  };
  const noteCopy = (from, to, isDeep, waiting) => {
    page.copied(from, to);
    const content = isDeep ? page.contentOf(from) : null;
    if (content !== null) waiting[waiting.length] = { __proto__: null, content, to: page.contentOf(to) };
  };
  const copyTree = (node, isDeep, document, waiting) => {
    const made = copyOne(node, document);
    noteCopy(node, made, isDeep, waiting);
    if (!isDeep) return made;
    // Where the copy of what is being gone through hangs.
    let at = node, holder = made;
    for (;;) {
      let step = first(at);
      if (step === null) {
        while (at !== node && next(at) === null) {
          at = parent(at);
          holder = parent(holder);
        }
        if (at === node) return made;
        step = next(at);
        holder = parent(holder);
      }
      const child = copyOne(step, document);
      placeOne(holder, child, null);
      noteCopy(step, child, true, waiting);
      at = step;
      holder = child;
    }
  };
  page.copy = copy;
  page.copied = () => {};
  page.contentOf = () => null;
  page.nameOf = (node) => {
    switch (kind(node)) {
    case ELEMENT: return node.tagName;
    case TEXT: return "#text";
    case COMMENT: return "#comment";
    case DOCUMENT: return "#document";
    case FRAGMENT: return "#document-fragment";
    default: return node.name;
    }
  };

  /** Members that are attributes (HTML, 2.6.1): a kind, and the attribute if it has another name. */
  const kinds = {
    __proto__: null,
    text: {
      get: (element, name) => attribute(element, name) ?? "",
      set: (element, name, value) => setAttribute(element, name, `${value}`),
    },
    flag: {
      get: (element, name) => attribute(element, name) !== null,
      set: (element, name, value) => { if (value) setAttribute(element, name, ""); else removeAttribute(element, name); },
    },
    number: {
      get: (element, name, otherwise) => wholeNumber(attribute(element, name)) ?? otherwise ?? 0,
      set: (element, name, value) => setAttribute(element, name, `${value | 0}`),
    },
    /** One of a few words, in small letters (HTML, 2.3.3): those, what it is without the attribute, and for any other text. */
    word: {
      get(element, name, { 0: words, 1: missing, 2: invalid }) {
        const value = attribute(element, name);
        if (value === null) return missing;
        const word = lower(value);
        return exec(/^[^ ]+$/, word) !== null && indexOf(` ${words} `, ` ${word} `) >= 0 ? word : invalid;
      },
      set(element, name, value, { 1: missing }) {
        if (value === null && missing === null) removeAttribute(element, name);
        else setAttribute(element, name, `${value}`);
      },
    },
    address: {
      get(element, name) {
        const value = attribute(element, name);
        return value === null ? "" : page.resolve(value) ?? value;
      },
      set: (element, name, value) => setAttribute(element, name, `${value}`),
    },
  };
  const wholeNumber = (text) => {
    const found = text === null ? null : exec(/^\s*([-+]?\d+)/, text);
    return found === null ? null : +found[1];
  };
  const reflect = ({ prototype }, members) => {
    const names = keys(members);
    for (let i = 0; i < names.length; i++) {
      const { 0: kindName, 1: own = lower(names[i]), 2: otherwise } = members[names[i]];
      const { get, set } = kinds[kindName];
      Object.defineProperty(prototype, names[i], {
        __proto__: null, enumerable: true, configurable: true,
        get() { return get(toElement(this), own, otherwise); },
        set(value) { set(toElement(this), own, value, otherwise); },
      });
    }
  };
  const toElement = (value) => {
    if (!inner.isElement(value)) throw new TypeError("this is not an element");
    return value;
  };

  /** Whether an element is found in a collection by a name. */
  const isNamed = (element, name) => attribute(element, "id") === name || attribute(element, "name") === name;
  const facts = { attribute, setAttribute, removeAttribute, namesOf, hasClass, isNamed, tokens, reflect, make, classes, HTML, ...inner,
    isHTML: (element) => inner.space(element) === HTML, isCalled: (node, name) => inner.isElement(node) && inner.nameOf(node) === name,
    // `names` with blanks around each.
    isAmong: (node, names) => inner.isElement(node) && indexOf(names, ` ${inner.nameOf(node)} `) >= 0 };
  const factNames = keys(facts);
  for (let i = 0; i < factNames.length; i++) elements[factNames[i]] = facts[factNames[i]];

  return { Element, Attr, NamedNodeMap };
})
