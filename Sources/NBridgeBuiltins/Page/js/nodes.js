// SPDX-License-Identifier: MIT
// Nodes and the trees that they make (DOM standard, 4.2 and 4.4 to 4.10). A node's children are a chain, and whatever
// goes through a tree does so in a loop: a tree may be as deep as a script makes it.
((host) => {
  "use strict";
  const { DOMException, EventTarget, notCloneable } = host;
  const { finish, isObject, need } = host.idl;
  const { setTree } = host.events;
  const { changes, live, makeList, itemsOf, noteShape, NodeList } = host.lists;
  const { TypeError } = globalThis;
  const { slice } = host.intrinsics;
  const { ELEMENT, TEXT, COMMENT, DOCUMENT, TYPE, FRAGMENT } = {
    __proto__: null, ELEMENT: 1, TEXT: 3, COMMENT: 8, DOCUMENT: 9, TYPE: 10, FRAGMENT: 11,
  };

  /** What only these scripts have: who has it may make nodes. */
  const KEY = { __proto__: null };
  /** What other scripts do when nodes come, go or change; and the document that new nodes belong to. */
  const page = {
    __proto__: null, document: null, above: () => null, hostOf: () => null, contentOf: () => null,
    prepare: () => null, conclude() {}, came() {}, leaves() {}, changed() {},
  };
  /** What can be asked of an element, by the scripts that know. */
  const elements = { __proto__: null };
  const tree = {
    __proto__: null,
    above: (node, event) => (links.isNode(node) ? links.parent(node) ?? page.above(node, event) : null),
    prepare: (event, path) => page.prepare(event, path),
    conclude: (deed, isCanceled) => page.conclude(deed, isCanceled),
  };

  let links;

  class Node extends EventTarget {
    #kind;
    #owner;
    #parent = null;
    #first = null;
    #last = null;
    #previous = null;
    #next = null;
    #children = null;

    static {
      links = {
        __proto__: null,
        isNode: (value) => isObject(value) && #kind in value,
        kind: (node) => node.#kind,
        owner: (node) => node.#owner,
        setOwner(node, owner) { node.#owner = owner; },
        parent: (node) => node.#parent,
        first: (node) => node.#first,
        last: (node) => node.#last,
        previous: (node) => node.#previous,
        next: (node) => node.#next,
        link(parent, node, before) {
          node.#parent = parent;
          node.#next = before;
          node.#previous = before === null ? parent.#last : before.#previous;
          if (node.#previous === null) parent.#first = node;
          else node.#previous.#next = node;
          if (before === null) parent.#last = node;
          else before.#previous = node;
        },
        unlink(node) {
          const parent = node.#parent, previous = node.#previous, next = node.#next;
          if (previous === null) parent.#first = next;
          else previous.#next = next;
          if (next === null) parent.#last = previous;
          else next.#previous = previous;
          node.#parent = node.#previous = node.#next = null;
        },
      };
    }

    constructor(key, kind, owner) {
      super();
      if (key !== KEY) throw new TypeError("Illegal constructor");
      this.#kind = kind;
      this.#owner = owner;
      setTree(this, tree);
    }

    get nodeType() { return this.#kind; }
    get nodeName() { return page.nameOf(this); }
    get nodeValue() { return isText(this) ? dataOf(this) : null; }
    set nodeValue(value) { if (isText(this)) setData(this, value === null || value === undefined ? "" : `${value}`); }
    get ownerDocument() { return this.#kind === DOCUMENT ? null : this.#owner; }
    get baseURI() { return page.base() ?? page.address(); }
    get isConnected() { return links.kind(rootOf(this)) === DOCUMENT; }
    get parentNode() { return this.#parent; }
    get parentElement() { return this.#parent !== null && this.#parent.#kind === ELEMENT ? this.#parent : null; }
    get firstChild() { return this.#first; }
    get lastChild() { return this.#last; }
    get previousSibling() { return this.#previous; }
    get nextSibling() { return this.#next; }
    get childNodes() { return this.#children ??= live(NodeList, () => childrenOf(this)); }
    hasChildNodes() { return this.#first !== null; }
    getRootNode() { return rootOf(this); }
    contains(other) { return other !== null && other !== undefined && holds(this, toNode(other, "contains")); }
    isSameNode(other) { return this === other; }

    get textContent() {
      if (isText(this)) return dataOf(this);
      return this.#kind === DOCUMENT || this.#kind === TYPE ? null : textOf(this);
    }
    set textContent(value) {
      const text = value === null || value === undefined ? "" : `${value}`;
      if (isText(this)) setData(this, text);
      else if (this.#kind === ELEMENT || this.#kind === FRAGMENT) setText(this, text);
    }

    appendChild(node) { need(arguments.length, 1, "appendChild"); return insert(this, node, null, "appendChild"); }
    insertBefore(node, before) {
      need(arguments.length, 2, "insertBefore");
      return insert(this, node, before === undefined ? null : before, "insertBefore");
    }
    removeChild(node) {
      if (links.parent(toNode(node, "removeChild")) !== this) refuse("NotFoundError", "the node to be removed is no child of this one");
      remove(node);
      return node;
    }
    replaceChild(node, old) {
      need(arguments.length, 2, "replaceChild");
      if (links.parent(toNode(old, "replaceChild")) !== this) refuse("NotFoundError", "the node to be replaced is no child of this one");
      if (toNode(node, "replaceChild") === old) return old;
      check(this, node, old, true);
      let before = links.next(old);
      if (before === node) before = links.next(node);
      remove(old);
      place(this, node, before);
      return old;
    }
    cloneNode(deep = false) { return page.copy(this, Boolean(deep)); }

    normalize() {
      for (let at = this.#first; at !== null;) {
        const next = following(at, this);
        if (at.#kind === TEXT) {
          const before = at.#previous;
          if (dataOf(at) === "") remove(at);
          else if (before !== null && before.#kind === TEXT) {
            setData(before, dataOf(before) + dataOf(at));
            remove(at);
          }
        }
        at = next;
      }
    }
  }
  finish(Node, "Node", ["nodeType", "nodeName", "nodeValue", "ownerDocument", "baseURI", "isConnected", "parentNode", "parentElement",
    "firstChild", "lastChild", "previousSibling", "nextSibling", "childNodes", "hasChildNodes", "getRootNode", "contains",
    "isSameNode", "textContent", "appendChild", "insertBefore", "removeChild", "replaceChild", "cloneNode", "normalize"]);
  const numbers = { ELEMENT_NODE: ELEMENT, TEXT_NODE: TEXT, COMMENT_NODE: COMMENT, DOCUMENT_NODE: DOCUMENT, DOCUMENT_TYPE_NODE: TYPE,
    DOCUMENT_FRAGMENT_NODE: FRAGMENT };
  for (const [name, value] of Object.entries(numbers)) {
    Object.defineProperty(Node, name, { __proto__: null, value, enumerable: true });
    Object.defineProperty(Node.prototype, name, { __proto__: null, value, enumerable: true });
  }
  notCloneable(links.isNode);

  // --- Going through a tree -------------------------------------------------------------------------------------

  const { isNode, kind, parent, first, last, next } = links;
  const isElement = (node) => node !== null && kind(node) === ELEMENT;
  const isText = (node) => kind(node) === TEXT || kind(node) === COMMENT;
  const rootOf = (node) => {
    let at = node;
    for (let up = parent(at); up !== null; up = parent(at)) at = up;
    return at;
  };
  const holds = (node, other) => {
    for (let at = other; at !== null; at = parent(at)) if (at === node) return true;
    return false;
  };
  /** The node behind what is below this one. */
  const behind = (node, root) => {
    let at = node;
    while (at !== null && at !== root && next(at) === null) at = parent(at);
    return at === null || at === root ? null : next(at);
  };
  /** The next one in the order of the document. */
  const following = (node, root) => first(node) ?? behind(node, root);
  const childrenOf = (node) => {
    const list = makeList();
    for (let at = first(node); at !== null; at = next(at)) list[list.length] = at;
    return list;
  };
  const textOf = (node) => {
    let text = "";
    for (let at = first(node); at !== null; at = following(at, node)) if (kind(at) === TEXT) text += dataOf(at);
    return text;
  };
  /** The elements below a node of which `wanted` is true. */
  const descendants = (node, wanted) => {
    const list = makeList();
    for (let at = first(node); at !== null; at = following(at, node)) if (kind(at) === ELEMENT && wanted(at)) list[list.length] = at;
    return list;
  };
  const nextElement = (node) => {
    let at = node;
    while (at !== null && kind(at) !== ELEMENT) at = next(at);
    return at;
  };
  const previousElement = (node) => {
    let at = node;
    while (at !== null && kind(at) !== ELEMENT) at = links.previous(at);
    return at;
  };

  // --- Changing a tree ------------------------------------------------------------------------------------------

  const refuse = (name, message) => { throw new DOMException(message, name); };
  const toNode = (value, method) => {
    if (!isNode(value)) throw new TypeError(`${method} needs a node`);
    return value;
  };
  const noteChange = (node) => {
    changes.any++;
    if (kind(node) === ELEMENT) noteShape(node);
  };

  /** DOM, "host-including inclusive ancestor": a template is above its content, too. */
  const isAbove = (node, other) => {
    // What holds nothing is above nothing, however deep the other one is.
    const content = page.contentOf(node);
    if (first(node) === null && (content === null || (first(content) === null && content !== other))) return false;
    for (let at = other; at !== null; at = page.hostOf(at)) {
      if (first(node) !== null && holds(node, at)) return true;
      at = rootOf(at);
      if (at === node) return true;
    }
    return false;
  };
  /** DOM, "ensure pre-insertion validity". */
  const check = (holder, node, before, isReplaced) => {
    const own = kind(holder);
    if (own !== ELEMENT && own !== FRAGMENT && own !== DOCUMENT) refuse("HierarchyRequestError", "this node has no children");
    if (node === holder || isAbove(node, holder)) {
      refuse("HierarchyRequestError", "a node can't be put into itself");
    }
    if (before !== null && parent(before) !== holder) refuse("NotFoundError", "the node to insert before is no child of this one");
    if (kind(node) === DOCUMENT) refuse("HierarchyRequestError", "a document can't be put into a node");
    if (own !== DOCUMENT) return void (kind(node) === TYPE && refuse("HierarchyRequestError", "a document type stands in a document only"));
    if (kind(node) === TEXT) refuse("HierarchyRequestError", "a document has no text of its own");
    const old = nextElement(first(holder));
    const added = kind(node) === FRAGMENT ? nextElement(first(node)) : node;
    if (isElement(added) && old !== null && old !== added && !(isReplaced && old === before)) {
      refuse("HierarchyRequestError", "a document has one element only");
    }
  };

  /** Puts a node, or a fragment's nodes, into a tree without a question. */
  const place = (holder, node, before) => {
    if (kind(node) === FRAGMENT) {
      for (let at = first(node); at !== null; at = first(node)) placeOne(holder, at, before);
    } else {
      placeOne(holder, node, before);
    }
  };
  const placeOne = (holder, node, before) => {
    if (parent(node) !== null) remove(node);
    adopt(node, kind(holder) === DOCUMENT ? holder : links.owner(holder));
    links.link(holder, node, before);
    noteChange(node);
    if (kind(node) === ELEMENT) page.came(node, holder);
  };
  const adopt = (node, owner) => {
    if (links.owner(node) === owner) return;
    for (let at = node; at !== null; at = following(at, node)) links.setOwner(at, owner);
  };
  const insert = (holder, node, before, method) => {
    toNode(node, method);
    if (before !== null) toNode(before, method);
    check(holder, node, before, false);
    place(holder, node, before === node ? next(node) : before);
    return node;
  };
  const remove = (node) => {
    const holder = parent(node);
    if (kind(node) === ELEMENT) page.leaves(node, holder);
    links.unlink(node);
    noteChange(node);
  };
  const clear = (node) => { for (let at = first(node); at !== null; at = first(node)) remove(at); };
  const setText = (node, text) => {
    clear(node);
    if (text !== "") place(node, makeText(text, links.owner(node)), null);
  };

  // --- Text, comments, types, fragments -----------------------------------------------------------------------------

  let dataOf, setData;
  class CharacterData extends Node {
    #data;
    static {
      dataOf = (node) => node.#data;
      setData = (node, text) => {
        node.#data = text;
        changes.any++;
      };
    }
    constructor(key, kind, owner, data) {
      super(key, kind, owner);
      this.#data = data;
    }
    get data() { return this.#data; }
    set data(value) { setData(this, value === null ? "" : `${value}`); }
    get length() { return this.#data.length; }
    appendData(text) { setData(this, this.#data + text); }
    get nextElementSibling() { return nextElement(next(this)); }
    get previousElementSibling() { return previousElement(links.previous(this)); }
  }
  finish(CharacterData, "CharacterData", ["data", "length", "appendData", "nextElementSibling", "previousElementSibling"]);
  host.showsFields(CharacterData, "Text", ["data"], isNode);
  host.showsFields(CharacterData, "Comment", ["data"], isNode);

  class Text extends CharacterData {
    constructor(data = "") { super(KEY, TEXT, page.document, `${data}`); }
    get wholeText() {
      let at = this, text = "";
      for (let up = links.previous(at); up !== null && kind(up) === TEXT; up = links.previous(at)) at = up;
      for (; at !== null && kind(at) === TEXT; at = next(at)) text += dataOf(at);
      return text;
    }
    splitText(offset) {
      const at = offset >>> 0, text = dataOf(this);
      if (at > text.length) refuse("IndexSizeError", `the text has ${text.length} characters, not ${at}`);
      const rest = makeText(slice(text, at), links.owner(this));
      if (parent(this) !== null) place(parent(this), rest, next(this));
      setData(this, slice(text, 0, at));
      return rest;
    }
  }
  finish(Text, "Text", ["wholeText", "splitText"]);
  class Comment extends CharacterData {
    constructor(data = "") { super(KEY, COMMENT, page.document, `${data}`); }
  }
  finish(Comment, "Comment", []);
  class DocumentType extends Node {
    #name;
    constructor(key, owner, name) {
      super(key, TYPE, owner);
      this.#name = name;
    }
    get name() { return this.#name; }
    get publicId() { return ""; }
    get systemId() { return ""; }
  }
  finish(DocumentType, "DocumentType", ["name", "publicId", "systemId"]);
  class DocumentFragment extends Node {
    constructor(key, owner) { super(KEY, FRAGMENT, key === KEY ? owner : page.document); }
  }
  finish(DocumentFragment, "DocumentFragment", []);

  const makeText = (text, owner) => {
    const made = new Text(text);
    links.setOwner(made, owner);
    return made;
  };
  const makeComment = (text, owner) => {
    const made = new Comment(text);
    links.setOwner(made, owner);
    return made;
  };

  return {
    Node, CharacterData, Text, Comment, DocumentType, DocumentFragment, elements,
    /** For the other scripts of the page's tree. */
    nodes: {
      __proto__: null, KEY, ELEMENT, TEXT, COMMENT, DOCUMENT, TYPE, FRAGMENT, page, ...links,
      isElement, rootOf, holds, behind, following, childrenOf, textOf, descendants, nextElement, previousElement,
      refuse, toNode, check, place, placeOne, insert, remove, clear, setText, adopt, dataOf, setData, makeText, makeComment, itemsOf,
      makeType: (name, owner) => new DocumentType(KEY, owner, name),
      makeFragment: (owner) => new DocumentFragment(KEY, owner),
    },
  };
})
