// SPDX-License-Identifier: MIT
// The document of a page that runs without a window: it is read script by script, told that it is loaded, and its buttons are
// pressed. All that a page has beside a program is put in place here, for no other program has it.
((host) => {
  "use strict";
  const { Event, elements, handlers, navigation } = host;
  const { Node, CharacterData, Text, Comment, DocumentType, DocumentFragment } = host.tree;
  const { Element, Attr, NamedNodeMap } = host.elementClasses;
  const { DOMTokenList, DOMStringMap, CSSStyleDeclaration } = host.attributes;
  const { NodeList, HTMLCollection, makeList } = host.lists;
  const { makeOption, HTMLOptionsCollection } = host.selects;
  const { RadioNodeList, HTMLFormControlsCollection } = host.forms;
  const { Document, HTMLDocument, DOMParser, setState } = host.documents;
  const { MouseEvent } = host.uievents;
  const { create, fire, hears, globalTarget } = host.events;
  const { page, parent, first, following, isElement, kind, DOCUMENT, rootOf } = host.nodes;
  const { isCalled, isHidden, isDisabled, formOf } = elements;
  const { defineProperty } = Object;
  const { indexOf, ownKeys } = host.intrinsics;

  page.later = host.task;
  page.line = 0;
  page.currentScript = null;
  page.address = navigation.address;
  let hasBase = false;
  /** What the first base says that links begin with (HTML, 4.2.3); undefined where there is none. */
  page.base = () => {
    if (!hasBase) return undefined;
    for (let at = first(document); at !== null; at = following(at, document)) {
      if (isElement(at) && isCalled(at, "base") && elements.attribute(at, "href") !== null) return navigation.resolve(elements.attribute(at, "href"));
    }
    return undefined;
  };
  page.resolve = (text) => navigation.resolve(text, page.base());
  page.parts = (text) => navigation.parts(text, page.base());
  page.follow = (link) => { if (link.href !== "") navigation.go(link.href); };
  // A document's events are the window's, too, but for the one that tells that something has been loaded (HTML, 8.1.8).
  page.above = (node, event) => (node === page.document && host.events.typeOf(event) !== "load" ? globalTarget : null);
  page.changed = (element, name, old, value) => {
    handlers.changed(element, name, value, page.line);
    if (name === "href" && isCalled(element, "base")) hasBase = true;
    if (name === "open" && isCalled(element, "details") && (old === null) !== (value === null)) elements.opened(element, value !== null);
    if (name === "type" || name === "checked" || name === "name") elements.inputChanged(element, name);
  };

  const document = page.makeDocument();
  page.document = document;
  let builder = null;

  const place = (name, value) => {
    defineProperty(globalThis, name, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
  };
  /** One that is made when it is first read. */
  const placeLater = (name, make) => defineProperty(globalThis, name, {
    __proto__: null, configurable: true, enumerable: false, set: (value) => place(name, value),
    get() {
      const value = make();
      place(name, value);
      return value;
    },
  });
  const placeAll = (library) => {
    const names = ownKeys(library);
    for (let i = 0; i < names.length; i++) place(names[i], library[names[i]]);
  };

  const tell = (target, type, init = {}) => fire(target, create(Event, type, init));
  const enter = (state) => {
    setState(document, state);
    tell(document, "readystatechange");
  };

  // --- Buttons --------------------------------------------------------------------------------------------------------

  const isButton = (element) => isCalled(element, "button")
    || (isCalled(element, "input") && indexOf(" button submit reset image ", ` ${element.type} `) >= 0);
  /** Whether a press on an element is anybody's business: its own, its form's, or that of what stands around it. */
  const isHeard = (element) => {
    if (hears(element, "click")) return true;
    if (!isButton(element)) return false;
    const form = formOf(element);
    if (form !== null && (element.type === "submit" ? hears(form, "submit") : element.type === "reset")) return true;
    for (let at = parent(element); at !== null; at = parent(at)) if (hears(at, "click")) return true;
    return hears(globalTarget, "click");
  };
  let buttons = makeList();

  return {
    /** Makes all that a page has. `pieces`: of its markup; `native`: what the program does for it. */
    open(pieces, address, native) {
      page.native = native;
      setState(document, "loading");
      builder = host.markup.makeBuilder(pieces, document, document, null, true);
      place("document", document);
      navigation.place(address);
      handlers.addToWindow();
      const { names, find } = host.html;
      for (let i = 0; i < names.length; i++) placeLater(names[i], () => find(names[i]));
      placeLater("Option", makeOption);
      placeAll(host.uievents);
      placeAll({
        __proto__: null, Node, CharacterData, Text, Comment, DocumentType, DocumentFragment, Element, Attr, NamedNodeMap, DOMTokenList, DOMStringMap,
        CSSStyleDeclaration, NodeList, HTMLCollection, HTMLOptionsCollection, RadioNodeList, HTMLFormControlsCollection, Document,
        HTMLDocument, DOMParser, Location: navigation.Location, History: navigation.History,
        // No window stands around this one.
        top: globalThis, parent: globalThis,
      });
    },

    /** Reads on up to the next script; answers its number, or -1 at the end of the page. */
    readOn: () => builder.readOn(),

    /** The page has been read: what waits for that runs next. */
    read() {
      enter("interactive");
    },
    /** A script that waited runs; -1 for a module, which is none of the document's scripts. */
    begin(number) { page.currentScript = number < 0 ? null : builder.script(number); },
    /** All scripts have run. */
    loaded() {
      page.currentScript = null;
      tell(document, "DOMContentLoaded", { bubbles: true });
      enter("complete");
      tell(globalTarget, "load");
    },

    /** Finds what can be pressed, in the page's order; answers how many they are. */
    findButtons() {
      buttons = makeList();
      for (let at = first(document); at !== null; at = following(at, document)) {
        if (isElement(at) && isHeard(at)) buttons[buttons.length] = at;
      }
      return buttons.length;
    },
    /** Presses one as a person would, who sees only what is there and not hidden. */
    press(number) {
      const element = buttons[number];
      if (kind(rootOf(element)) !== DOCUMENT || isHidden(element) || isDisabled(element)) return;
      fire(element, create(MouseEvent, "click", { bubbles: true, cancelable: true, composed: true, detail: 1 }));
    },
  };
})
