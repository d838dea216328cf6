// SPDX-License-Identifier: MIT
// What selectors ask of an element by a word behind a colon (Selectors level 4, 7 to 13), and which one it is among others.
((host) => {
  "use strict";
  const { changes, makeList } = host.lists;
  const { kind, parent, first, next, previous, ELEMENT, TEXT, DOCUMENT } = host.nodes;
  const { Table } = host.idl;
  const { elements } = host;

  const sibling = (node, step) => {
    let at = step(node);
    while (at !== null && kind(at) !== ELEMENT) at = step(at);
    return at;
  };
  const sameSibling = (node, step) => {
    let at = sibling(node, step);
    while (at !== null && elements.nameOf(at) !== elements.nameOf(node)) at = sibling(at, step);
    return at;
  };
  const isEmpty = (element) => {
    for (let at = first(element); at !== null; at = next(at)) if (kind(at) === ELEMENT || kind(at) === TEXT) return false;
    return true;
  };
  const simple = {
    __proto__: null,
    root: (element) => parent(element) !== null && kind(parent(element)) === DOCUMENT,
    scope: (element, scope) => element === scope,
    empty: isEmpty,
    "first-child": (element) => sibling(element, previous) === null,
    "last-child": (element) => sibling(element, next) === null,
    "only-child": (element) => sibling(element, previous) === null && sibling(element, next) === null,
    "first-of-type": (element) => sameSibling(element, previous) === null,
    "last-of-type": (element) => sameSibling(element, next) === null,
    "only-of-type": (element) => sameSibling(element, previous) === null && sameSibling(element, next) === null,
    checked: (element) => elements.isChecked(element),
    disabled: (element) => elements.isDisabled(element),
    enabled: (element) => elements.isControl(element) && !elements.isDisabled(element),
    required: (element) => elements.isControl(element) && elements.attribute(element, "required") !== null,
    optional: (element) => elements.isControl(element) && elements.attribute(element, "required") === null,
    link: (element) => isLink(element),
    "any-link": (element) => isLink(element),
    focus: (element) => elements.isFocused(element),
  };
  const isLink = (element) => elements.isAmong(element, " a area ") && elements.attribute(element, "href") !== null;
  const counted = {
    __proto__: null, "nth-child": [sibling, previous], "nth-last-child": [sibling, next],
    "nth-of-type": [sameSibling, previous], "nth-last-of-type": [sameSibling, next],
  };

  /** Counts elements; what it counted is known until a tree changes, so that all members of a list take one walk. */
  const makePlaces = (step, way) => {
    let places = new Table(), seen = -1;
    return (element) => {
      if (seen !== changes.any) {
        places = new Table();
        seen = changes.any;
      }
      const walked = makeList();
      let place = 0;
      for (let at = element; at !== null; at = step(at, way)) {
        const found = places.get(at);
        if (found !== undefined) {
          place = found;
          break;
        }
        walked[walked.length] = at;
      }
      for (let i = walked.length - 1; i >= 0; i--) places.set(walked[i], ++place);
      return place;
    };
  };

  return { __proto__: null, simple, counted, sibling, makePlaces };
})
