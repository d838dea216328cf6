// SPDX-License-Identifier: MIT
// HTMLElement, and the elements that are more than their attributes (HTML, 3.2 and 4). What only a drawn page knows, as
// where an element stands and what it looks like, is not there.
((host) => {
  "use strict";
  const { Element, Event, elements, handlers } = host;
  const { MouseEvent, FocusEvent, ToggleEvent } = host.uievents;
  const { makeData, makeStyle } = host.attributes;
  const { create, fire } = host.events;
  const { page, parent, first, next, owner, place, refuse, textOf, setText, makeText, makeFragment, descendants, rootOf, kind, holds,
    DOCUMENT } = host.nodes;
  const { live, makeList, HTMLCollection } = host.lists;
  const { Table, finish } = host.idl;
  const { attribute, setAttribute, removeAttribute, reflect, isCalled, nameOf, classes } = elements;
  const { ownKeys, split, weakGet, weakSet } = host.intrinsics;
  const { defineProperty } = Object;

  // --- HTMLElement ------------------------------------------------------------------------------------------------

  // What is made without a constructor of its own asks the iterator of arrays, which a script may have replaced.
  class HTMLElement extends Element {
    constructor(key, document, name, space) { super(key, document, name, space); }
    #data = null;
    #style = null;
    get dataset() {
      return this.#data ??= makeData({
        __proto__: null, get: (name) => attribute(this, name), set: (name, value) => setAttribute(this, name, value),
        remove: (name) => removeAttribute(this, name), names: () => elements.namesOf(this),
      });
    }
    get style() {
      return this.#style ??= makeStyle(() => attribute(this, "style") ?? "", (text) => setAttribute(this, "style", text));
    }
    set style(text) { this.style.cssText = text; }
    get tabIndex() {
      const value = attribute(this, "tabindex");
      return value === null || value === "" || +value !== (+value | 0) ? (isFocusable(this) ? 0 : -1) : +value;
    }
    set tabIndex(value) { setAttribute(this, "tabindex", `${value | 0}`); }
    // Nothing is drawn, so that it is the same (HTML, 3.2.7).
    get innerText() { return textOf(this); }
    set innerText(text) {
      const lines = split(`${text ?? ""}`, /\r\n|\r|\n/);
      setText(this, "");
      for (let i = 0; i < lines.length; i++) {
        if (i > 0) place(this, elements.make("br", owner(this)), null);
        if (lines[i] !== "") place(this, makeText(lines[i], owner(this)), null);
      }
    }
    get outerText() { return textOf(this); }
    get isContentEditable() {
      for (let at = this; at !== null && kind(at) !== DOCUMENT; at = parent(at)) {
        const value = elements.isElement(at) ? attribute(at, "contenteditable") : null;
        if (value !== null) return value !== "false";
      }
      return false;
    }
    click() {
      if (elements.isDisabled(this)) return;
      // A script's own: it is not trusted (HTML, 6.4.4).
      fire(this, new MouseEvent("click", { __proto__: null, bubbles: true, cancelable: true, composed: true }));
    }
    focus() { focus(this); }
    blur() { if (focused === this) focus(null); }
    /** There is nothing to scroll: whatever there is can be seen. */
    scrollIntoView() {}
  }
  reflect(HTMLElement, {
    title: ["text"], lang: ["text"], dir: ["word", "dir", ["ltr rtl auto", "", ""]], hidden: ["flag"], accessKey: ["text"],
    autofocus: ["flag"], inert: ["flag"],
    contentEditable: ["text"], role: ["text"], slot: ["text"], nonce: ["text"],
  });
  handlers.addTo(HTMLElement);
  finish(HTMLElement, "HTMLElement", ["dataset", "style", "tabIndex", "innerText", "outerText", "isContentEditable", "click", "focus", "blur",
    "scrollIntoView"]);
  classes.other = HTMLElement;
  class HTMLUnknownElement extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
  }
  finish(HTMLUnknownElement, "HTMLUnknownElement", []);
  classes.unknown = HTMLUnknownElement;

  // --- Focus (HTML, 6.6) ------------------------------------------------------------------------------------------------

  let focused = null;
  const isFocusable = (element) => {
    const name = nameOf(element);
    if (elements.isControl(element)) return !elements.isDisabled(element) && attribute(element, "type") !== "hidden";
    if (name === "a" || name === "area") return attribute(element, "href") !== null;
    if (name === "summary") return isCalled(parent(element), "details");
    return name === "iframe" || attribute(element, "contenteditable") !== null;
  };
  /** Whether the page says that nobody sees it. What styles hide is not known. */
  const isHidden = (element) => {
    for (let at = element, from = null; at !== null && elements.isElement(at); from = at, at = parent(at)) {
      if (attribute(at, "hidden") !== null || isCalled(at, "template")) return true;
      if (isCalled(at, "dialog") && attribute(at, "open") === null) return true;
      if (from !== null && isCalled(at, "details") && attribute(at, "open") === null && !isCalled(from, "summary")) return true;
    }
    return false;
  };
  const focus = (element) => {
    if (element === focused) return;
    if (element !== null) {
      const canTake = isFocusable(element) || attribute(element, "tabindex") !== null;
      if (!canTake || rootOf(element) !== page.document || isHidden(element)) return;
    }
    const old = focused;
    focused = element;
    const tell = (target, type, relatedTarget, bubbles) => {
      fire(target, create(FocusEvent, type, { relatedTarget, bubbles, composed: true }));
    };
    if (old !== null) {
      tell(old, "blur", element, false);
      tell(old, "focusout", element, true);
    }
    if (element === null || focused !== element) return;
    tell(element, "focus", old, false);
    tell(element, "focusin", old, true);
  };
  elements.isFocused = (element) => element === focused;
  elements.isHidden = isHidden;
  elements.focused = () => focused;
  /** What was taken out of the page has no focus, and no event tells so. */
  elements.left = (node) => { if (focused !== null && holds(node, focused)) focused = null; };

  // --- Interfaces, each made when the first element or script needs it ---------------------------------------------------------------------------------

  const CROSS = ["word", "crossorigin", ["anonymous use-credentials", null, "anonymous"]];
  const makePlain = () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
  };
  const tags = new Table(), interfaces = new Table(), names = [];
  /**
   * Says what the interface `name` is, of elements called one of `called`: members that are attributes, a function that
   * makes its class, and one that is given it.
   */
  const define = (called, name, members = {}, make = makePlain, complete = () => {}) => {
    const recipe = { __proto__: null, name, members, make, complete, made: null };
    interfaces.set(name, recipe);
    names[names.length] = name;
    const list = split(called, " ");
    for (let i = 0; i < list.length; i++) tags.set(list[i], recipe);
  };
  const makeInterface = (recipe) => {
    const { name, members, make, complete } = recipe, type = recipe.made = make();
    defineProperty(type, "name", { __proto__: null, value: name });
    reflect(type, members);
    const own = [], found = ownKeys(type.prototype);
    for (let i = 0; i < found.length; i++) {
      if (found[i] !== "constructor" && typeof found[i] === "string") own[own.length] = found[i];
    }
    finish(type, name, own);
    shows(type, name);
    complete(type);
    return type;
  };
  const shows = (type, name) => host.showsFields(type, name, ["id", "className", "childElementCount"], elements.isElement);
  const find = (name) => {
    const recipe = interfaces.get(name);
    return recipe === undefined ? undefined : recipe.made ?? makeInterface(recipe);
  };
  classes.find = (tag) => {
    const recipe = tags.get(tag);
    return recipe === undefined ? undefined : recipe.made ?? makeInterface(recipe);
  };
  const plain = (type, name) => {
    interfaces.set(name, { __proto__: null, made: type });
    names[names.length] = name;
    shows(type, name);
  };
  plain(HTMLElement, "HTMLElement");
  plain(HTMLUnknownElement, "HTMLUnknownElement");

  const PLAIN = "abbr address article aside b bdi bdo cite code dd dfn dt em figcaption figure footer header hgroup i kbd main mark nav "
    + "noscript noframes noembed rp rt ruby s samp search section small strong sub summary sup u var wbr center acronym big tt strike "
    + "nobr plaintext xmp listing";
  const plainTags = split(PLAIN, " ");
  for (let i = 0; i < plainTags.length; i++) tags.set(plainTags[i], interfaces.get("HTMLElement"));

  // The parts of an address, as `location` has them.
  const part = (name) => ({
    __proto__: null, enumerable: true, configurable: true,
    get() { return page.parts(attribute(this, "href"))?.[name] ?? ""; },
  });
  define("a area", "HTMLAnchorElement", {
    href: ["address"], target: ["text"], rel: ["text"], download: ["text"], hreflang: ["text"], type: ["text"],
  }, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    get text() { return textOf(this); }
    set text(text) { setText(this, `${text}`); }
    toString() { return this.href; }
  }, ({ prototype }) => {
    const parts = ["protocol", "host", "hostname", "port", "pathname", "search", "hash", "origin"];
    for (let i = 0; i < parts.length; i++) defineProperty(prototype, parts[i], part(parts[i]));
  });

  define("html", "HTMLHtmlElement");
  define("head", "HTMLHeadElement");
  define("body", "HTMLBodyElement", {}, undefined, handlers.addToBody);
  define("title", "HTMLTitleElement", {}, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    get text() { return textOf(this); }
    set text(text) { setText(this, `${text}`); }
  });
  define("base", "HTMLBaseElement", { href: ["text"], target: ["text"] });
  define("link", "HTMLLinkElement", { href: ["address"], rel: ["text"], type: ["text"], media: ["text"], as: ["text"], disabled: ["flag"] });
  define("meta", "HTMLMetaElement", { name: ["text"], content: ["text"], httpEquiv: ["text", "http-equiv"], media: ["text"] });
  define("style", "HTMLStyleElement", { media: ["text"], type: ["text"] });
  define("script", "HTMLScriptElement", {
    src: ["address"], type: ["text"], noModule: ["flag"], async: ["flag"], defer: ["flag"], crossOrigin: CROSS, integrity: ["text"],
  }, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    get text() { return textOf(this); }
    set text(text) { setText(this, `${text}`); }
  });
  define("img", "HTMLImageElement", {
    src: ["address"], alt: ["text"], srcset: ["text"], sizes: ["text"], crossOrigin: CROSS,
    loading: ["word", "loading", ["lazy eager", "eager", "eager"]], width: ["number"], height: ["number"], useMap: ["text"],
  });
  define("iframe", "HTMLIFrameElement", { src: ["address"], srcdoc: ["text"], name: ["text"], allow: ["text"], width: ["text"], height: ["text"] });
  define("canvas", "HTMLCanvasElement", { width: ["number", "width", 300], height: ["number", "height", 150] });
  define("audio", "HTMLAudioElement", { src: ["address"], controls: ["flag"], autoplay: ["flag"], loop: ["flag"] });
  define("video", "HTMLVideoElement", { src: ["address"], controls: ["flag"], autoplay: ["flag"], loop: ["flag"], poster: ["address"] });
  define("source", "HTMLSourceElement", { src: ["address"], type: ["text"], srcset: ["text"], media: ["text"] });
  define("div", "HTMLDivElement", { align: ["text"] });
  define("p", "HTMLParagraphElement", { align: ["text"] });
  define("span", "HTMLSpanElement");
  define("pre", "HTMLPreElement");
  define("br", "HTMLBRElement");
  define("hr", "HTMLHRElement");
  define("h1 h2 h3 h4 h5 h6", "HTMLHeadingElement");
  define("ul", "HTMLUListElement");
  define("ol", "HTMLOListElement", { start: ["number", "start", 1], reversed: ["flag"], type: ["text"] });
  define("li", "HTMLLIElement", { value: ["number"] });
  define("dl", "HTMLDListElement");
  define("menu", "HTMLMenuElement");
  define("blockquote q", "HTMLQuoteElement", { cite: ["address"] });
  define("ins del", "HTMLModElement", { cite: ["address"], dateTime: ["text"] });
  define("time", "HTMLTimeElement", { dateTime: ["text"] });
  define("data", "HTMLDataElement", { value: ["text"] });
  define("map", "HTMLMapElement", { name: ["text"] });
  define("object", "HTMLObjectElement", { data: ["address"], type: ["text"], name: ["text"] });
  define("embed", "HTMLEmbedElement", { src: ["address"], type: ["text"] });
  define("picture", "HTMLPictureElement");
  define("slot", "HTMLSlotElement", { name: ["text"] });
  define("font", "HTMLFontElement", { color: ["text"], face: ["text"], size: ["text"] });

  // --- Tables ---------------------------------------------------------------------------------------------------------------

  const childrenCalled = (holder, name) => live(HTMLCollection, () => {
    const list = makeList();
    for (let at = first(holder); at !== null; at = next(at)) if (isCalled(at, name)) list[list.length] = at;
    return list;
  }, elements.isNamed);
  define("table", "HTMLTableElement", {}, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    // Heads first, feet last (HTML, 4.9.1).
    get rows() {
      const place = (row) => (isCalled(parent(row), "thead") ? 0 : isCalled(parent(row), "tfoot") ? 2 : 1);
      return live(HTMLCollection, () => {
        const all = descendants(this, (element) => nameOf(element) === "tr" && isRowOf(this, element)), list = makeList();
        for (let turn = 0; turn < 3; turn++) for (let i = 0; i < all.length; i++) if (place(all[i]) === turn) list[list.length] = all[i];
        return list;
      }, elements.isNamed);
    }
    get tBodies() { return childrenCalled(this, "tbody"); }
    get tHead() { return childrenCalled(this, "thead")[0] ?? null; }
    get tFoot() { return childrenCalled(this, "tfoot")[0] ?? null; }
    get caption() { return childrenCalled(this, "caption")[0] ?? null; }
  });
  const isRowOf = (table, row) => {
    const holder = parent(row);
    return holder === table || (parent(holder) === table && elements.isAmong(holder, " thead tbody tfoot "));
  };
  define("thead tbody tfoot", "HTMLTableSectionElement", {}, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    get rows() { return childrenCalled(this, "tr"); }
  });
  define("tr", "HTMLTableRowElement", {}, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    get cells() {
      return live(HTMLCollection, () => {
        const list = makeList();
        for (let at = first(this); at !== null; at = next(at)) if (isCalled(at, "td") || isCalled(at, "th")) list[list.length] = at;
        return list;
      }, elements.isNamed);
    }
  });
  define("td th", "HTMLTableCellElement", {
    colSpan: ["number", "colspan", 1], rowSpan: ["number", "rowspan", 1], headers: ["text"],
    scope: ["word", "scope", ["row col rowgroup colgroup", "", ""]],
  });
  define("caption", "HTMLTableCaptionElement");
  define("col colgroup", "HTMLTableColElement", { span: ["number", "span", 1] });

  // --- What opens and closes ---------------------------------------------------------------------------------------------------

  define("details", "HTMLDetailsElement", { open: ["flag"], name: ["text"] });
  define("dialog", "HTMLDialogElement", { open: ["flag"] }, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    #value = "";
    get returnValue() { return this.#value; }
    set returnValue(value) { this.#value = `${value}`; }
    show() { setAttribute(this, "open", ""); }
    showModal() {
      if (attribute(this, "open") !== null) refuse("InvalidStateError", "the dialog is open already");
      if (!this.isConnected) refuse("InvalidStateError", "the dialog is not in the document");
      setAttribute(this, "open", "");
    }
    close(value = undefined) {
      if (attribute(this, "open") === null) return;
      removeAttribute(this, "open");
      if (value !== undefined) this.#value = `${value}`;
      page.later(() => fire(this, create(Event, "close", {})));
    }
  });
  /** HTML, 4.11.1: the event tells of what has come of all changes of a turn. */
  const toggled = new WeakMap();
  elements.opened = (element, isOpen) => {
    const wait = weakGet(toggled, element);
    if (wait !== undefined && wait.old !== null) return void (wait.isOpen = isOpen);
    const change = { __proto__: null, old: isOpen ? "closed" : "open", isOpen };
    weakSet(toggled, element, change);
    page.later(() => {
      const { old } = change;
      change.old = null;
      fire(element, create(ToggleEvent, "toggle", { oldState: old, newState: change.isOpen ? "open" : "closed" }));
    });
  };

  // --- Templates ------------------------------------------------------------------------------------------------------------------

  let contents = null;
  /** From a template's content to it. */
  const hosts = new WeakMap();
  const contentFor = (template) => {
    const made = makeFragment(owner(template));
    weakSet(hosts, made, template);
    return made;
  };
  page.hostOf = (node) => weakGet(hosts, node) ?? null;
  define("template", "HTMLTemplateElement", {}, () => class HTMLTemplateElement extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    #content = contentFor(this);
    static { contents = { __proto__: null, has: (node) => #content in node, of: (node) => node.#content }; }
    get content() { return this.#content; }
  });
  page.contentOf = (node) => (contents !== null && contents.has(node) ? contents.of(node) : null);
  page.copied = (from, to) => elements.copiedControl(from, to);

  return { HTMLElement, define, find, names };
})
