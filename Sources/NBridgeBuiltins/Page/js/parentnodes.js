// SPDX-License-Identifier: MIT
// What nodes with children have in common, and nodes that are children (DOM standard, 4.2.6 and 4.2.8).
((host) => {
  "use strict";
  const { elements, selectors } = host;
  const { fixed, live, lower, makeList, HTMLCollection } = host.lists;
  const { isNode, kind, parent, first, last, next, previous, place, check, remove, clear, descendants, nextElement, previousElement,
    makeText, makeFragment, owner, DOCUMENT } = host.nodes;
  const { weakGet, weakSet } = host.intrinsics;
  const { defineProperty, getOwnPropertyDescriptor, keys } = Object;

  // --- Nodes and texts as arguments -----------------------------------------------------------------------------

  const ownerOf = (node) => (kind(node) === DOCUMENT ? node : owner(node));
  /** One node of what a method got: a text becomes a node, several go into a fragment. */
  const joined = (holder, list) => {
    if (list.length === 1) return toNode(holder, list[0]);
    const fragment = makeFragment(ownerOf(holder));
    for (let i = 0; i < list.length; i++) place(fragment, checked(fragment, toNode(holder, list[i])), null);
    return fragment;
  };
  const toNode = (holder, value) => (isNode(value) ? value : makeText(`${value}`, ownerOf(holder)));
  const checked = (holder, node) => {
    check(holder, node, null, false);
    return node;
  };
  const put = (holder, list, before) => {
    const node = joined(holder, list);
    check(holder, node, before, false);
    place(holder, node, before === node ? next(node) : before);
  };
  const isAmong = (node, list) => {
    for (let i = 0; i < list.length; i++) if (list[i] === node) return true;
    return false;
  };

  const elementsOf = (node) => {
    const list = makeList();
    for (let at = nextElement(first(node)); at !== null; at = nextElement(next(at))) list[list.length] = at;
    return list;
  };
  const children = new WeakMap();
  const childrenOf = (node) => {
    let list = weakGet(children, node);
    if (list === undefined) weakSet(children, node, list = live(HTMLCollection, () => elementsOf(node), elements.isNamed));
    return list;
  };

  const parents = {
    get children() { return childrenOf(this); },
    get childElementCount() {
      let count = 0;
      for (let at = nextElement(first(this)); at !== null; at = nextElement(next(at))) count++;
      return count;
    },
    get firstElementChild() { return nextElement(first(this)); },
    get lastElementChild() { return previousElement(last(this)); },
    append(...nodes) { put(this, nodes, null); },
    prepend(...nodes) { put(this, nodes, first(this)); },
    replaceChildren(...nodes) {
      const node = joined(this, nodes);
      check(this, node, null, kind(this) === DOCUMENT);
      clear(this);
      place(this, node, null);
    },
    querySelector(selector) { return selectors.first(this, selector); },
    querySelectorAll(selector) { return fixed(selectors.all(this, selector)); },
  };

  const finders = {
    getElementsByTagName(name) {
      const wanted = `${name}`, lowered = lower(wanted);
      const isWanted = wanted === "*" ? () => true
        : (element) => elements.nameOf(element) === (elements.isHTML(element) ? lowered : wanted);
      return live(HTMLCollection, () => descendants(this, isWanted), elements.isNamed);
    },
    getElementsByClassName(names) {
      const wanted = elements.tokens(`${names}`);
      const isWanted = (element) => {
        for (let i = 0; i < wanted.length; i++) if (!elements.hasClass(element, wanted[i])) return false;
        return wanted.length > 0;
      };
      return live(HTMLCollection, () => descendants(this, isWanted), elements.isNamed);
    },
  };

  /** The first one in a direction that is none of those which are to be put there. */
  const beyond = (node, nodes, step) => {
    let at = step(node);
    while (at !== null && isAmong(at, nodes)) at = step(at);
    return at;
  };

  const siblings = {
    before(...nodes) {
      const holder = parent(this);
      if (holder === null) return;
      const at = beyond(this, nodes, previous);
      const node = joined(holder, nodes);
      const before = at === null ? first(holder) : next(at);
      check(holder, node, before, false);
      place(holder, node, before === node ? next(node) : before);
    },
    after(...nodes) {
      const holder = parent(this);
      if (holder === null) return;
      put(holder, nodes, beyond(this, nodes, next));
    },
    replaceWith(...nodes) {
      const holder = parent(this);
      if (holder === null) return;
      const at = beyond(this, nodes, next);
      const node = joined(holder, nodes);
      if (parent(this) === holder) {
        check(holder, node, this, true);
        remove(this);
      } else check(holder, node, at, false);
      place(holder, node, at);
    },
    remove() { if (parent(this) !== null) remove(this); },
  };

  const mixIn = ({ prototype }, members) => {
    const names = keys(members);
    for (let i = 0; i < names.length; i++) {
      defineProperty(prototype, names[i], { __proto__: null, ...getOwnPropertyDescriptor(members, names[i]) });
    }
  };

  return { parents, finders, siblings, mixIn };
})
