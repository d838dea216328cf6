// SPDX-License-Identifier: MIT
// Document (DOM standard, 4.5; HTML, 3.1): what it finds and makes.
((host) => {
  "use strict";
  const { Event, Comment, Node, elements } = host;
  const { KEY, DOCUMENT, ELEMENT, TYPE, page, isNode, isElement, kind, owner, parent, first, next, following, descendants, nextElement, place,
    remove, refuse, adopt, rootOf, makeText, makeFragment, textOf, setText, setOwner } = host.nodes;
  const { changes, live, lower, makeList, HTMLCollection, NodeList } = host.lists;
  const { parents, finders, mixIn } = host.parentnodes;
  const { Table, finish } = host.idl;
  const { attribute, nameOf, isAmong, isCalled, make } = elements;
  const { hasOwn, weakAdd, weakHas } = host.intrinsics;
  const { TypeError } = globalThis;
  const { UIEvent, MouseEvent, KeyboardEvent } = host.uievents;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const trim = uncurry(String.prototype.trim), replaceAll = uncurry(String.prototype.replaceAll);
  const exec = uncurry(RegExp.prototype.exec);

  let inner;
  const collection = (document, isWanted) => live(HTMLCollection, () => descendants(document, isWanted), elements.isNamed);

  // --- Ids ----------------------------------------------------------------------------------------------------------

  /** Elements by their ids, as of a shape of the trees; ids that several had are looked for in the tree. */
  const makeIds = () => ({ __proto__: null, shape: -1, table: new Table(), twice: new Table() });
  const noteId = ({ table, twice }, element) => {
    const id = attribute(element, "id"), known = id === null ? element : table.get(id);
    if (known === undefined) table.set(id, element);
    else if (known !== element) twice.set(id, true);
  };
  const dropId = ({ table }, element) => {
    const id = attribute(element, "id");
    if (id !== null && table.get(id) === element) table.delete(id);
  };
  /** Learns of all elements, or of those of the page that came or went since it was asked last. */
  const keepUp = (document, ids) => {
    const moved = document === page.document && ids.shape >= 0 ? changes.moved : null;
    ids.shape = changes.shape;
    if (document === page.document) changes.moved = makeList();
    if (moved === null) {
      ids.table = new Table();
      ids.twice = new Table();
      for (let at = first(document); at !== null; at = following(at, document)) if (kind(at) === ELEMENT) noteId(ids, at);
      return;
    }
    for (let i = 0; i < moved.length; i++) {
      const note = rootOf(moved[i]) === document ? noteId : dropId;
      for (let at = moved[i]; at !== null; at = following(at, moved[i])) if (kind(at) === ELEMENT) note(ids, at);
    }
  };
  /** The first element with an id. */
  const findId = (document, ids, id) => {
    if (ids.shape !== changes.shape) keepUp(document, ids);
    if (!ids.twice.has(id)) {
      const found = ids.table.get(id);
      if (found === undefined || attribute(found, "id") === id) return found ?? null;
      // It has got another one.
      ids.table.delete(id);
      return null;
    }
    for (let at = first(document); at !== null; at = following(at, document)) {
      if (kind(at) === ELEMENT && attribute(at, "id") === id) return at;
    }
    return null;
  };

  // --- Document -----------------------------------------------------------------------------------------------------

  class Document extends Node {
    #ids = makeIds();
    #state = "complete";

    static {
      inner = {
        __proto__: null,
        is: (value) => isNode(value) && #ids in value,
        setState(document, state) { document.#state = state; },
        find: (document, id) => (id === "" ? null : findId(document, document.#ids, id)),
      };
    }
    constructor(key) { super(key, DOCUMENT, null); }

    get documentElement() { return nextElement(first(this)); }
    get doctype() { for (let at = first(this); at !== null; at = next(at)) if (kind(at) === TYPE) return at; return null; }
    get head() { return partOf(this, "head"); }
    get body() { return partOf(this, "body"); }
    set body(element) {
      if (!isNode(element) || !isCalled(element, "body")) refuse("HierarchyRequestError", "that is no body");
      const old = partOf(this, "body");
      if (old === element) return;
      if (this.documentElement === null) refuse("HierarchyRequestError", "the document has no element to put it into");
      place(this.documentElement, element, old);
      if (old !== null) remove(old);
    }
    get title() {
      const found = titleOf(this);
      return found === null ? "" : replaceAll(trim(textOf(found)), /[ \t\n\f\r]+/g, " ");
    }
    set title(text) {
      let found = titleOf(this);
      if (found === null) {
        if (this.head === null) return;
        place(this.head, found = make("title", this), null);
      }
      setText(found, `${text}`);
    }
    get forms() { return collection(this, (element) => nameOf(element) === "form"); }
    get images() { return collection(this, (element) => nameOf(element) === "img"); }
    get scripts() { return collection(this, (element) => nameOf(element) === "script"); }
    get links() { return collection(this, (element) => isAmong(element, " a area ") && attribute(element, "href") !== null); }
    get currentScript() { return this === page.document ? page.currentScript : null; }
    get activeElement() {
      const focused = elements.focused();
      return focused !== null && owner(focused) === this ? focused : this.body ?? this.documentElement;
    }
    get readyState() { return this.#state; }
    get URL() { return page.address(); }
    get documentURI() { return page.address(); }
    get location() { return this === page.document ? globalThis.location : null; }
    set location(url) { if (this === page.document) globalThis.location = url; }
    get defaultView() { return this === page.document ? globalThis : null; }
    get characterSet() { return "UTF-8"; }
    get contentType() { return "text/html"; }
    get compatMode() { return this.doctype === null ? "BackCompat" : "CSS1Compat"; }
    get referrer() { return ""; }
    get dir() { return this.documentElement === null ? "" : attribute(this.documentElement, "dir") ?? ""; }

    getElementById(id) { return inner.find(this, `${id}`); }
    getElementsByName(name) {
      const wanted = `${name}`;
      return live(NodeList, () => descendants(this, (element) => attribute(element, "name") === wanted));
    }
    createElement(name) {
      return fresh(make(lower(toElementName(`${name}`)), this));
    }
    createElementNS(space, name) {
      const own = toElementName(`${name}`);
      return fresh(make(own, this, space === null || space === undefined || `${space}` === "" ? null : `${space}`));
    }
    createTextNode(text) { return makeText(`${text}`, this); }
    createComment(text) { const made = new Comment(`${text}`); setOwner(made, this); return made; }
    createDocumentFragment() { return makeFragment(this); }
    createEvent(name) {
      const type = hasOwn(EVENTS, lower(`${name}`)) ? EVENTS[lower(`${name}`)] : undefined;
      if (type === undefined) refuse("NotSupportedError", `'${name}' is no interface of events that is made so: use new`);
      const event = new type("");
      host.events.setBare(event, true);
      return event;
    }
    importNode(node, deep = false) { return page.copy(toImported(node), !!deep, this); }
    adoptNode(node) {
      toImported(node);
      if (parent(node) !== null) remove(node);
      adopt(node, this);
      return node;
    }
    hasFocus() { return this === page.document; }
    write() { refuse("NotSupportedError", "document.write: a page without a window is not written into; use append or innerHTML"); }
    writeln() { this.write(); }
  }
  mixIn(Document, parents);
  mixIn(Document, finders);
  host.handlers.addToDocument(Document);
  finish(Document, "Document", ["documentElement", "doctype", "head", "body", "title", "forms", "images", "scripts", "links", "currentScript",
    "activeElement", "readyState", "URL", "documentURI", "location", "defaultView", "characterSet", "contentType", "compatMode", "referrer", "dir",
    "getElementById", "getElementsByName", "createElement", "createElementNS", "createTextNode", "createComment", "createDocumentFragment",
    "createEvent", "importNode", "adoptNode", "hasFocus", "write", "writeln"]);
  host.showsFields(Document, "Document", ["URL", "title", "readyState"], inner.is);
  class HTMLDocument extends Document { constructor(key) { super(key); } }
  finish(HTMLDocument, "HTMLDocument", []);
  host.showsFields(HTMLDocument, "HTMLDocument", ["URL", "title", "readyState"], inner.is);

  /** DOM, "valid element local name". */
  const toElementName = (name) => {
    if (exec(/^(?:[a-zA-Z][^\t\n\f\r \0/>]*|[:_\u0080-\uffff][-.:_a-zA-Z0-9\u0080-\uffff]*)$/, name) === null) {
      refuse("InvalidCharacterError", `'${name}' is no name of an element`);
    }
    return name;
  };
  const partOf = (document, name) => {
    const root = document.documentElement;
    for (let at = root === null ? null : first(root); at !== null; at = next(at)) if (isCalled(at, name)) return at;
    return null;
  };
  const titleOf = (document) => {
    for (let at = first(document); at !== null; at = following(at, document)) if (isCalled(at, "title") && elements.isHTML(at)) return at;
    return null;
  };
  const toImported = (node) => {
    if (!isNode(node)) throw new TypeError("this is no node");
    if (kind(node) === DOCUMENT) refuse("NotSupportedError", "a document is not part of another");
    return node;
  };
  const EVENTS = { event: Event, events: Event, htmlevents: Event, customevent: host.CustomEvent, uievent: UIEvent, uievents: UIEvent,
    mouseevent: MouseEvent, mouseevents: MouseEvent, keyboardevent: KeyboardEvent };

  /** A script that a script makes is not run; whoever waits for it is told. */
  const made = new WeakSet();
  let madeScripts = false;
  const fresh = (element) => {
    if (isCalled(element, "script")) {
      madeScripts = true;
      weakAdd(made, element);
    }
    return element;
  };
  const refuseScript = (element) => {
    if (!weakHas(made, element) || (attribute(element, "src") === null && textOf(element) === "")) return;
    page.native.warn("a script that is put into a page later is not run without a window: import() it");
    page.later(() => host.events.fire(element, host.events.create(Event, "error", {})));
  };

  /** Elements came into a tree. */
  page.came = (node, holder) => {
    if (!madeScripts && !elements.hasRadios()) return;
    if (!holder.isConnected) return;
    for (let at = node; at !== null; at = following(at, node)) {
      if (!isElement(at)) continue;
      elements.controlCame(at);
      if (madeScripts && isCalled(at, "script")) refuseScript(at);
    }
  };
  page.leaves = (node) => elements.left(node);
  page.find = inner.find;

  page.makeDocument = () => new HTMLDocument(KEY);
  class DOMParser {
    parseFromString(text, type) {
      if (`${type}` !== "text/html") refuse("NotSupportedError", `DOMParser reads text/html, not '${type}'`);
      return page.read(`${text}`);
    }
  }
  finish(DOMParser, "DOMParser", ["parseFromString"]);

  return { Document, HTMLDocument, DOMParser, setState: inner.setState };
})
