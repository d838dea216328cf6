// SPDX-License-Identifier: MIT
// The events of pages (UI Events; HTML, 6.6 and 7.4): what a script makes, and what a page without a window is told.
((host) => {
  "use strict";
  const { Event } = host;
  const { finish, isEvent, need, toDictionary } = host.events;
  const { startsWith, weakGet, weakSet } = host.intrinsics;
  const { defineProperty } = Object;
  const made = { __proto__: null };

  const convert = {
    __proto__: null,
    text: (value, otherwise) => (value === undefined ? otherwise : `${value}`),
    number: (value, otherwise) => (value === undefined ? otherwise : +value),
    flag: (value, otherwise) => (value === undefined ? otherwise : !!value),
    any: (value, otherwise) => (value === undefined ? otherwise : value),
  };

  /** An interface of events: its name, what it inherits from, and its members with their kinds and defaults. */
  const define = (name, base, members) => {
    const names = Object.keys(members);
    const fields = new WeakMap();
    const type = class extends base {
      constructor(type, init = undefined) {
        need(arguments.length, 1, name);
        super(type, init);
        const options = toDictionary(init, "an event"), own = { __proto__: null };
        for (let i = 0; i < names.length; i++) own[names[i]] = convert[members[names[i]][0]](options[names[i]], members[names[i]][1]);
        weakSet(fields, this, own);
      }
    };
    for (let i = 0; i < names.length; i++) {
      defineProperty(type.prototype, names[i], {
        __proto__: null, enumerable: true, configurable: true, get() { return weakGet(fields, this)?.[names[i]]; },
      });
    }
    defineProperty(type, "name", { __proto__: null, value: name });
    finish(type, name, names);
    host.showsFields(type, name, startsWith(name, "Mouse") ? ["type"] : ["type", ...names], isEvent);
    made[name] = type;
    return type;
  };

  const keys = { ctrlKey: ["flag", false], shiftKey: ["flag", false], altKey: ["flag", false], metaKey: ["flag", false] };
  const places = {};
  for (const name of ["screenX", "screenY", "clientX", "clientY", "button", "buttons"]) places[name] = ["number", 0];
  const UIEvent = define("UIEvent", Event, { view: ["any", null], detail: ["number", 0] });
  const MouseEvent = define("MouseEvent", UIEvent, { ...places, ...keys, relatedTarget: ["any", null] });
  define("PointerEvent", MouseEvent, { pointerId: ["number", 0], pointerType: ["text", ""], isPrimary: ["flag", false] });
  define("WheelEvent", MouseEvent, { deltaX: ["number", 0], deltaY: ["number", 0], deltaZ: ["number", 0], deltaMode: ["number", 0] });
  define("KeyboardEvent", UIEvent, {
    key: ["text", ""], code: ["text", ""], location: ["number", 0], ...keys, repeat: ["flag", false], isComposing: ["flag", false],
    keyCode: ["number", 0], charCode: ["number", 0], which: ["number", 0],
  });
  define("InputEvent", UIEvent, { data: ["any", null], inputType: ["text", ""], isComposing: ["flag", false] });
  define("FocusEvent", UIEvent, { relatedTarget: ["any", null] });
  define("SubmitEvent", Event, { submitter: ["any", null] });
  define("ToggleEvent", Event, { oldState: ["text", ""], newState: ["text", ""] });
  define("PopStateEvent", Event, { state: ["any", null] });
  define("HashChangeEvent", Event, { oldURL: ["text", ""], newURL: ["text", ""] });

  return made;
})
