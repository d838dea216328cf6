// SPDX-License-Identifier: MIT
// The controls of forms (HTML, 4.10): what they hold, and how scripts change it. Nobody checks what is typed here: there is
// nobody who types.
((host) => {
  "use strict";
  const { elements } = host;
  const { HTMLElement, define } = host.html;
  const { page, parent, first, next, owner, textOf, setText, rootOf, descendants, refuse, isElement } = host.nodes;
  const { HTMLCollection, changes, live, makeList } = host.lists;
  const { attribute, setAttribute, nameOf, isAmong, isCalled } = elements;
  const { indexOf, keys } = host.intrinsics;
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  const { min, max } = Math, { isFinite } = Number;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const lower = uncurry(String.prototype.toLowerCase), trim = uncurry(String.prototype.trim), replaceAll = uncurry(String.prototype.replaceAll);
  const exec = uncurry(RegExp.prototype.exec);
  const withPlainLines = (text) => replaceAll(replaceAll(text, "\r\n", "\n"), "\r", "\n");

  const isControl = (element) => isAmong(element, " button input select textarea ");
  const isDisabled = (element) => {
    const name = nameOf(element);
    if (!isControl(element) && !isAmong(element, " fieldset optgroup option ")) return false;
    if (attribute(element, "disabled") !== null) return true;
    if (name === "optgroup") return false;
    if (name === "option") return isCalled(parent(element), "optgroup") && attribute(parent(element), "disabled") !== null;
    for (let at = parent(element), from = element; isElement(at); from = at, at = parent(at)) {
      if (!isCalled(at, "fieldset") || attribute(at, "disabled") === null) continue;
      // What stands in the first legend is not meant.
      if (!isCalled(from, "legend") || firstCalled(at, "legend") !== from) return true;
    }
    return false;
  };
  const firstCalled = (holder, name) => {
    for (let at = first(holder); at !== null; at = next(at)) if (isCalled(at, name)) return at;
    return null;
  };
  /** The form that a control belongs to (HTML, 4.10.17.3). */
  const formOf = (element) => {
    const id = attribute(element, "form");
    if (id !== null && element.isConnected) {
      const found = page.find(owner(element), id);
      return found !== null && isCalled(found, "form") ? found : null;
    }
    for (let at = parent(element); at !== null; at = parent(at)) if (isCalled(at, "form")) return at;
    return null;
  };
  const formMember = { get form() { return formOf(this); } };
  const withForm = ({ prototype }) => {
    defineProperty(prototype, "form", { __proto__: null, ...getOwnPropertyDescriptor(formMember, "form") });
  };

  const common = { name: ["text"], disabled: ["flag"], required: ["flag"], autocomplete: ["text"] };
  const typed = { placeholder: ["text"], readOnly: ["flag"], maxLength: ["number", "maxlength", -1], minLength: ["number", "minlength", -1] };

  // --- The part of a text that is chosen ----------------------------------------------------------------------------------

  /** `field` answers the text of a control; a new text puts the caret behind itself. */
  class Chosen {
    start = 0;
    end = 0;
    direction = "none";
    set(length, start, end, direction) {
      this.end = min(end >>> 0, length);
      this.start = min(start >>> 0, this.end);
      this.direction = direction === "forward" || direction === "backward" ? direction : "none";
    }
  }
  const addChosen = (type, chosenOf) => {
    const members = {
      get selectionStart() { return chosenOf(this)?.start ?? null; },
      set selectionStart(at) { this.setSelectionRange(at, max(at, chosenOf(this)?.end ?? 0)); },
      get selectionEnd() { return chosenOf(this)?.end ?? null; },
      set selectionEnd(at) { this.setSelectionRange(chosenOf(this)?.start ?? 0, at); },
      get selectionDirection() { return chosenOf(this)?.direction ?? null; },
      select() { chosenOf(this)?.set(this.value.length, 0, this.value.length, "none"); },
      setSelectionRange(start, end, direction = "none") {
        const chosen = chosenOf(this);
        if (chosen === null) refuse("InvalidStateError", "this control has no text of which a part could be chosen");
        chosen.set(this.value.length, start, end, direction);
      },
    };
    const names = keys(members);
    for (let i = 0; i < names.length; i++) {
      defineProperty(type.prototype, names[i], { __proto__: null, ...getOwnPropertyDescriptor(members, names[i]) });
    }
  };

  // --- input ------------------------------------------------------------------------------------------------------------------

  const TYPES = " hidden text search tel url email password date month week time datetime-local number range color checkbox radio file submit "
    + "image reset button ";
  const BUTTONS = " hidden submit image reset button ";
  const WITHOUT_VALUE = " hidden submit image reset button checkbox radio file ";
  const WITHOUT_TEXT = " hidden date month week time datetime-local number range color checkbox radio file submit image reset button email ";
  const typeOf = (element) => {
    const type = lower(attribute(element, "type") ?? "text");
    return type !== "" && indexOf(TYPES, ` ${type} `) >= 0 ? type : "text";
  };
  const isOneOf = (list, type) => indexOf(list, ` ${type} `) >= 0;
  const NUMBER = /^-?(?:\d+|\d*\.\d+)(?:[eE][-+]?\d+)?$/;
  const SHAPES = {
    __proto__: null, number: NUMBER, date: /^\d{4,}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, month: /^\d{4,}-(?:0[1-9]|1[0-2])$/,
    week: /^\d{4,}-W(?:0[1-9]|[1-4]\d|5[0-3])$/, time: /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?$/,
    "datetime-local": /^\d{4,}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?$/,
  };
  /** HTML, "the value sanitization algorithm" of each type. */
  const sanitized = (element, type, value) => {
    if (SHAPES[type] !== undefined) return exec(SHAPES[type], value) === null ? "" : value;
    if (type === "range") return ranged(element, value);
    if (type === "color") return exec(/^#[0-9a-fA-F]{6}$/, value) === null ? "#000000" : lower(value);
    const line = replaceAll(replaceAll(value, "\n", ""), "\r", "");
    return type === "url" || type === "email" ? trim(line) : line;
  };
  const ranged = (element, value) => {
    const numberOf = (name, otherwise) => {
      const text = attribute(element, name);
      return text === null || exec(NUMBER, text) === null ? otherwise : +text;
    };
    const least = numberOf("min", 0), most = max(least, numberOf("max", 100));
    const number = exec(NUMBER, value) === null ? least + (most - least) / 2 : +value;
    return `${min(most, max(least, number))}`;
  };

  let inputs;
  define("input", "HTMLInputElement", {
    ...common, ...typed, defaultValue: ["text", "value"], defaultChecked: ["flag", "checked"], min: ["text"], max: ["text"], step: ["text"],
    pattern: ["text"], multiple: ["flag"], accept: ["text"], alt: ["text"], src: ["address"], size: ["number", "size", 20], inputMode: ["text"],
    formAction: ["address"], formMethod: ["word", "formmethod", ["get post dialog", "", "get"]],
  }, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    // What a script or a click set; null as long as the attributes say it.
    #value = null;
    #checked = null;
    #indeterminate = false;
    #chosen = new Chosen();
    static {
      inputs = {
        __proto__: null,
        is: (element) => #checked in element,
        isChecked: (element) => element.#checked ?? attribute(element, "checked") !== null,
        setChecked(element, isChecked) { element.#checked = isChecked; changes.any++; },
        setIndeterminate(element, value) { element.#indeterminate = value; },
        chosen: (element) => (isOneOf(WITHOUT_TEXT, typeOf(element)) ? null : element.#chosen),
        /** What has become of the text with a type stays so. */
        settle(element) {
          const type = typeOf(element);
          if (element.#value !== null && !isOneOf(WITHOUT_VALUE, type)) element.#value = sanitized(element, type, element.#value);
        },
        reset(element) {
          element.#value = element.#checked = null;
          changes.any++;
        },
        copy(from, to) {
          to.#value = from.#value;
          to.#checked = from.#checked;
        },
      };
    }
    get type() { return typeOf(this); }
    set type(value) { setAttribute(this, "type", `${value}`); }
    get value() {
      const type = typeOf(this), own = attribute(this, "value");
      if (type === "checkbox" || type === "radio") return own ?? "on";
      if (isOneOf(BUTTONS, type)) return own ?? "";
      return type === "file" ? "" : sanitized(this, type, this.#value ?? own ?? "");
    }
    set value(value) {
      const type = typeOf(this), text = value === null ? "" : `${value}`;
      if (type === "file") {
        if (text !== "") refuse("InvalidStateError", "which file it is only a person can say");
      } else if (type === "checkbox" || type === "radio" || isOneOf(BUTTONS, type)) setAttribute(this, "value", text);
      else {
        const old = this.value;
        this.#value = text;
        const { length } = this.value;
        if (this.value !== old) this.#chosen.set(length, length, length, "none");
        changes.any++;
      }
    }
    get checked() { return inputs.isChecked(this); }
    set checked(value) { check(this, !!value); }
    get indeterminate() { return this.#indeterminate; }
    set indeterminate(value) { this.#indeterminate = !!value; }
    get valueAsNumber() {
      const type = typeOf(this);
      return (type === "number" || type === "range") && this.value !== "" ? +this.value : NaN;
    }
    set valueAsNumber(value) {
      const type = typeOf(this);
      if (type !== "number" && type !== "range") refuse("InvalidStateError", `a control of the type '${type}' has no number`);
      this.value = isFinite(value) ? `${value}` : "";
    }
    get list() {
      const found = page.find(owner(this), attribute(this, "list") ?? "");
      return found !== null && isCalled(found, "datalist") ? found : null;
    }
  }, (type) => {
    addChosen(type, (element) => inputs.chosen(element));
    withForm(type);
  });

  const isRadio = (element) => inputs.is(element) && typeOf(element) === "radio";
  /** The other buttons of which one at most is on. */
  const groupOf = (element) => {
    const name = attribute(element, "name");
    if (name === null || name === "") return makeList();
    const form = formOf(element);
    return descendants(form === null || attribute(element, "form") !== null ? rootOf(element) : form, (other) => other !== element
      && isCalled(other, "input") && isRadio(other) && attribute(other, "name") === name && formOf(other) === form);
  };
  const releaseOthers = (element) => {
    const group = groupOf(element);
    for (let i = 0; i < group.length; i++) if (inputs.isChecked(group[i])) inputs.setChecked(group[i], false);
  };
  const check = (element, isChecked) => {
    inputs.setChecked(element, isChecked);
    if (isChecked && isRadio(element)) releaseOthers(element);
  };

  // --- textarea, button, label and the rest --------------------------------------------------------------------------------------

  let areas;
  define("textarea", "HTMLTextAreaElement", {
    ...common, ...typed, rows: ["number", "rows", 2], cols: ["number", "cols", 20], wrap: ["text"],
  }, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    #value = null;
    #chosen = new Chosen();
    static {
      areas = {
        __proto__: null, is: (element) => #value in element, chosen: (element) => element.#chosen,
        reset(element) { element.#value = null; }, copy(from, to) { to.#value = from.#value; },
      };
    }
    get type() { return "textarea"; }
    get value() { return withPlainLines(this.#value ?? textOf(this)); }
    set value(value) {
      const old = this.value;
      this.#value = value === null ? "" : `${value}`;
      const { length } = this.value;
      if (this.value !== old) this.#chosen.set(length, length, length, "none");
      changes.any++;
    }
    get defaultValue() { return textOf(this); }
    set defaultValue(text) { setText(this, `${text}`); }
    get textLength() { return this.value.length; }
  }, (type) => {
    addChosen(type, (element) => areas.chosen(element));
    withForm(type);
  });

  define("button", "HTMLButtonElement", {
    name: ["text"], value: ["text"], disabled: ["flag"], formAction: ["address"], formMethod: ["word", "formmethod", ["get post dialog", "", "get"]],
  }, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    get type() {
      const type = lower(attribute(this, "type") ?? "submit");
      return type === "button" || type === "reset" ? type : "submit";
    }
    set type(value) { setAttribute(this, "type", `${value}`); }
  }, withForm);
  const LABELLED = " button input meter output progress select textarea ";
  const controlOf = (label) => {
    const id = attribute(label, "for");
    const isLabelled = (element) => isOneOf(LABELLED, nameOf(element)) && attribute(element, "type") !== "hidden";
    if (id !== null) {
      const found = id === "" ? null : page.find(owner(label), id);
      return found !== null && isLabelled(found) ? found : null;
    }
    return descendants(label, isLabelled)[0] ?? null;
  };
  define("label", "HTMLLabelElement", { htmlFor: ["text", "for"] }, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    get control() { return controlOf(this); }
    get form() { return controlOf(this) === null ? null : formOf(controlOf(this)); }
  });
  define("fieldset", "HTMLFieldSetElement", { name: ["text"], disabled: ["flag"] }, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    get type() { return "fieldset"; }
    get elements() { return live(HTMLCollection, () => descendants(this, elements.isListed), elements.isNamed); }
  }, withForm);
  define("output", "HTMLOutputElement", { name: ["text"], htmlFor: ["text", "for"] }, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    get type() { return "output"; }
    get value() { return textOf(this); }
    set value(text) { setText(this, `${text}`); }
  }, withForm);
  define("legend", "HTMLLegendElement");
  define("datalist", "HTMLDataListElement", {}, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    get options() { return live(HTMLCollection, () => descendants(this, (element) => nameOf(element) === "option"), elements.isNamed); }
  });
  const numberIn = (element, name, otherwise) => {
    const value = attribute(element, name);
    return value === null || !isFinite(parseFloat(value)) ? otherwise : parseFloat(value);
  };
  define("progress", "HTMLProgressElement", {}, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    get max() { return numberIn(this, "max", 1); }
    set max(value) { setAttribute(this, "max", `${value}`); }
    get value() { return min(this.max, max(0, numberIn(this, "value", 0))); }
    set value(value) { setAttribute(this, "value", `${+value}`); }
    get position() { return attribute(this, "value") === null ? -1 : this.value / this.max; }
  });
  define("meter", "HTMLMeterElement", {}, () => class extends HTMLElement {
    constructor(key, document, name, space) { super(key, document, name, space); }
    get min() { return numberIn(this, "min", 0); }
    get max() { return max(this.min, numberIn(this, "max", 1)); }
    get value() { return min(this.max, max(this.min, numberIn(this, "value", 0))); }
    set value(value) { setAttribute(this, "value", `${+value}`); }
  });

  // --- What others ask ------------------------------------------------------------------------------------------------------------

  elements.isControl = isControl;
  elements.isDisabled = isDisabled;
  elements.formOf = formOf;
  elements.isListed = (element) => isAmong(element, " button fieldset input object output select textarea ")
    && !(isCalled(element, "input") && typeOf(element) === "image");
  elements.isChecked = (element) => (isCalled(element, "input") ? isOneOf(" checkbox radio ", typeOf(element)) && inputs.isChecked(element)
    : isCalled(element, "option") && element.selected);
  elements.copiedControl = (from, to) => {
    if (isCalled(from, "input")) inputs.copy(from, to);
    if (isCalled(from, "textarea")) areas.copy(from, to);
  };
  /** Pages without any pay nothing for them. */
  let hasRadios = false;
  elements.hasRadios = () => hasRadios;
  elements.inputChanged = (element, name) => {
    if (!isCalled(element, "input")) return;
    if (name === "type") inputs.settle(element);
    if (!isRadio(element)) return;
    hasRadios = true;
    if (parent(element) !== null && inputs.isChecked(element)) releaseOthers(element);
  };
  /** A button that is on came into a group. */
  elements.controlCame = (element) => {
    if (isCalled(element, "input") && isRadio(element) && inputs.isChecked(element)) releaseOthers(element);
  };

  return {
    /** Of elements that are there: their interfaces have been made. */
    get inputs() { return inputs; },
    get areas() { return areas; },
    typeOf, isOneOf, check, groupOf, releaseOthers, formOf, withForm, controlOf, isRadio,
  };
})
