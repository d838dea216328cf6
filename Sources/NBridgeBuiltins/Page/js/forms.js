// SPDX-License-Identifier: MIT
// form, what it sends, and what a click does of itself (HTML, 4.10.3, 4.10.21 and 6.4). A form is told to its page, and sent
// nowhere: the page would go away.
((host) => {
  "use strict";
  const { Event, elements } = host;
  const { HTMLElement, define } = host.html;
  const { typeOf, isOneOf, check, groupOf, formOf, controlOf, isRadio } = host.controls;
  const { selects } = host;
  const { HTMLCollection, NodeList, complete, fixed, itemAt, itemsOf, live, makeList, placeOf, refuse: refuseConstruction } = host.lists;
  const { page, isNode, isElement, parent, first, next, rootOf, descendants, textOf, setText, refuse, kind, DOCUMENT } = host.nodes;
  const { MouseEvent, SubmitEvent } = host.uievents;
  const { bubbles, create, fire, typeOf: typeOfEvent } = host.events;
  const { attribute, nameOf, isCalled } = elements;
  const { get, create: createObject, setPrototypeOf, getPrototypeOf, isPrototypeOf } = host.intrinsics;
  const { TypeError } = globalThis;
  const lower = Function.prototype.call.bind(String.prototype.toLowerCase);

  // --- Its controls -----------------------------------------------------------------------------------------------

  const controlsOf = (form) => descendants(rootOf(form), (element) => elements.isListed(element) && formOf(element) === form);

  class RadioNodeList extends NodeList {
    constructor() { refuseConstruction(); }
    get value() {
      const items = itemsOf(this);
      for (let i = 0; i < items.length; i++) {
        if (isCalled(items[i], "input") && isRadio(items[i]) && host.controls.inputs.isChecked(items[i])) return items[i].value;
      }
      return "";
    }
    set value(value) {
      const items = itemsOf(this);
      for (let i = 0; i < items.length; i++) {
        if (isCalled(items[i], "input") && isRadio(items[i]) && items[i].value === `${value}`) return check(items[i], true);
      }
    }
  }
  complete(RadioNodeList, "RadioNodeList", ["value"]);
  class HTMLFormControlsCollection extends HTMLCollection { constructor() { refuseConstruction(); } }
  complete(HTMLFormControlsCollection, "HTMLFormControlsCollection", ["namedItem"]);

  const PLAIN = "application/x-www-form-urlencoded";
  let forms = null;
  define("form", "HTMLFormElement", {
    name: ["text"], target: ["text"], noValidate: ["flag"], autocomplete: ["text"], acceptCharset: ["text", "accept-charset"],
    enctype: ["word", "enctype", [`${PLAIN} multipart/form-data text/plain`, PLAIN, PLAIN]],
  }, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    #controls = null;
    #isTelling = false;
    static {
      forms = {
        __proto__: null, is: (value) => isNode(value) && #controls in value, isTelling: (form) => form.#isTelling,
        setTelling(form, isTelling) { form.#isTelling = isTelling; },
      };
    }
    get elements() {
      const group = (list) => fixed(list, RadioNodeList);
      return this.#controls ??= live(HTMLFormControlsCollection, () => controlsOf(this), elements.isNamed, group);
    }
    get length() { return controlsOf(this).length; }
    get action() { return page.resolve(attribute(this, "action") ?? "") ?? ""; }
    set action(value) { elements.setAttribute(this, "action", `${value}`); }
    get method() {
      const method = lower(attribute(this, "method") ?? "get");
      return method === "post" || method === "dialog" ? method : "get";
    }
    set method(value) { elements.setAttribute(this, "method", `${value}`); }
    submit() { send(this, null); }
    requestSubmit(submitter = null) {
      if (submitter !== null) {
        if (!isSubmitter(submitter)) throw new TypeError("requestSubmit: this is no button that submits");
        if (formOf(submitter) !== this) refuse("NotFoundError", "the button is another form's");
      }
      submit(this, submitter);
    }
    reset() { reset(this); }
  }, ({ prototype }) => {
    // A control is also a member of its form, where no other member has its name. The object that answers stands above the
    // form's own interface, so that no other element pays for it.
    setPrototypeOf(prototype, new Proxy(createObject(getPrototypeOf(prototype)), {
      __proto__: null,
      get: (target, name, receiver) => (name in target || typeof name !== "string" || !forms.is(receiver) ? get(target, name, receiver)
        : controlNamed(receiver, name)),
    }));
  });
  const controlNamed = (form, name) => {
    const at = placeOf(name);
    if (at >= 0) return itemAt(form.elements, at);
    return name === "" ? undefined : form.elements.namedItem(name) ?? undefined;
  };

  // --- Sending and taking back --------------------------------------------------------------------------------------

  const isSubmitter = (element) => (isCalled(element, "button") ? element.type === "submit"
    : isCalled(element, "input") && isOneOf(" submit image ", typeOf(element)));
  const submit = (form, submitter) => {
    if (forms.isTelling(form) || kind(rootOf(form)) !== DOCUMENT) return;
    forms.setTelling(form, true);
    let goes;
    const event = create(SubmitEvent, "submit", { bubbles: true, cancelable: true, submitter });
    try { goes = fire(form, event); } finally { forms.setTelling(form, false); }
    if (goes) send(form, submitter);
  };
  const send = (form, submitter) => {
    if ((submitter !== null && attribute(submitter, "formmethod") === "dialog") || form.method === "dialog") {
      let dialog = parent(form);
      while (dialog !== null && !isCalled(dialog, "dialog")) dialog = parent(dialog);
      return dialog === null ? undefined : dialog.close(submitter === null ? undefined : submitter.value);
    }
    page.native.warn("a form is not sent: a page without a window stays where it is; listen to its 'submit' and call preventDefault()");
  };
  const reset = (form) => {
    if (!fire(form, create(Event, "reset", { bubbles: true, cancelable: true }))) return;
    const list = controlsOf(form);
    for (let i = 0; i < list.length; i++) {
      const name = nameOf(list[i]);
      if (name === "input") host.controls.inputs.reset(list[i]);
      else if (name === "textarea") host.controls.areas.reset(list[i]);
      else if (name === "select") selects.reset(list[i]);
      else if (name === "output") setText(list[i], attribute(list[i], "value") ?? textOf(list[i]));
    }
  };

  /** HTML, "constructing the entry list": names and values in turn; null for the file that nobody chose. */
  const entryList = (form, submitter) => {
    if (forms === null || !forms.is(form)) throw new TypeError("FormData: this is no form");
    if (submitter !== null) {
      if (!isSubmitter(submitter)) throw new TypeError("FormData: this is no button that submits");
      if (formOf(submitter) !== form) refuse("NotFoundError", "the button is another form's");
    }
    const controls = controlsOf(form), list = makeList();
    for (let i = 0; i < controls.length; i++) addEntries(list, controls[i], submitter);
    return list;
  };
  const addEntries = (list, control, submitter) => {
    const name = attribute(control, "name") ?? "", element = nameOf(control);
    if (name === "" || elements.isDisabled(control) || isInDatalist(control)) return;
    const add = (value) => {
      list[list.length] = name;
      list[list.length] = value;
    };
    if (element === "select") {
      const chosen = selects.chosen(control);
      for (let i = 0; i < chosen.length; i++) if (!elements.isDisabled(chosen[i])) add(selects.valueOf(chosen[i]));
    } else if (element === "textarea") add(control.value);
    else if (element === "button") {
      if (control === submitter) add(control.value);
    } else if (element === "input") {
      const type = typeOf(control);
      if (isOneOf(" submit reset button image ", type) && control !== submitter) return;
      if (isOneOf(" checkbox radio ", type) && !host.controls.inputs.isChecked(control)) return;
      add(type === "file" ? null : control.value);
    }
  };
  const isInDatalist = (control) => {
    for (let at = parent(control); at !== null; at = parent(at)) if (isCalled(at, "datalist")) return true;
    return false;
  };

  // --- What a click does of itself ------------------------------------------------------------------------------------

  const isInteractive = (element) => elements.isControl(element) || isCalled(element, "label")
    || (elements.isAmong(element, " a area ") && attribute(element, "href") !== null);
  const isSummary = (element) => {
    if (!isCalled(element, "summary") || !isCalled(parent(element), "details")) return false;
    for (let at = first(parent(element)); at !== null; at = next(at)) if (isCalled(at, "summary")) return at === element;
    return false;
  };
  const acts = (element) => isInteractive(element) || isSummary(element);

  /** What is to be done behind an event, and what a click changes before its listeners hear of it (DOM 2.9, 5 and on). */
  page.prepare = (event, path) => {
    if (typeOfEvent(event) !== "click" || !isPrototypeOf(MouseEvent.prototype, event)) return null;
    for (let at = path; at !== null; at = bubbles(event) ? at.above : null) {
      if (!isNode(at.target) || !isElement(at.target) || !acts(at.target)) continue;
      const element = at.target;
      if (elements.isDisabled(element)) return null;
      const deed = { __proto__: null, element, target: path.target, wasChecked: false, wasUnclear: false, others: null };
      const type = isCalled(element, "input") ? typeOf(element) : "";
      if (type === "checkbox" || type === "radio") {
        deed.wasChecked = host.controls.inputs.isChecked(element);
        deed.wasUnclear = element.indeterminate;
        deed.others = checkedOf(element);
        host.controls.inputs.setIndeterminate(element, type === "radio" && deed.wasUnclear);
        check(element, type === "radio" || !deed.wasChecked);
      }
      return deed;
    }
    return null;
  };
  const checkedOf = (element) => {
    const list = isRadio(element) ? groupOf(element) : makeList(), found = makeList();
    for (let i = 0; i < list.length; i++) if (host.controls.inputs.isChecked(list[i])) found[found.length] = list[i];
    return found;
  };

  page.conclude = (deed, isCanceled) => {
    const { element } = deed, name = nameOf(element);
    if (name === "input") return concludeInput(deed, isCanceled);
    if (isCanceled) return;
    if (name === "button") press(element, element.type);
    else if (name === "a" || name === "area") page.follow(element);
    else if (name === "summary") parent(element).open = !parent(element).open;
    else if (name === "label") clickLabelled(element, deed.target);
  };
  const concludeInput = ({ element, wasChecked, wasUnclear, others }, isCanceled) => {
    const type = typeOf(element);
    if (type !== "checkbox" && type !== "radio") return isCanceled ? undefined : press(element, type === "image" ? "submit" : type);
    if (isCanceled) {
      host.controls.inputs.setChecked(element, wasChecked);
      host.controls.inputs.setIndeterminate(element, wasUnclear);
      for (let i = 0; i < others.length; i++) host.controls.inputs.setChecked(others[i], true);
    } else if (element.isConnected && host.controls.inputs.isChecked(element) !== wasChecked) {
      fire(element, create(Event, "input", { bubbles: true, composed: true }));
      fire(element, create(Event, "change", { bubbles: true }));
    }
  };
  const press = (element, type) => {
    const form = formOf(element);
    if (form === null) return;
    if (type === "submit") submit(form, element);
    if (type === "reset") reset(form);
  };
  /** A click on something in a label that takes clicks itself is not the label's. */
  const clickLabelled = (label, target) => {
    const control = controlOf(label);
    for (let at = target; at !== null && at !== label; at = parent(at)) if (isElement(at) && isInteractive(at)) return;
    if (control !== null) control.click();
  };

  return { RadioNodeList, HTMLFormControlsCollection, entryList, isSubmitter };
})
