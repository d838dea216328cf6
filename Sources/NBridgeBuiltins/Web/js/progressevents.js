// SPDX-License-Identifier: MIT
// ProgressEvent (XMLHttpRequest standard, section 5) and CloseEvent (WebSockets standard, section 6).
((host) => {
  "use strict";
  const { Event, internals } = host;
  const { finish, isEvent, need, toDictionary } = internals;
  const { TypeError } = globalThis;
  const { isFinite } = Number;
  const toWellFormed = Function.prototype.call.bind(String.prototype.toWellFormed);

  const toDouble = (value, name) => {
    const number = value === undefined ? 0 : +value;
    if (isFinite(number)) return number;
    throw new TypeError(`ProgressEvent: the option '${name}' must be a finite number, not ${number}`);
  };

  class ProgressEvent extends Event {
    #lengthComputable;
    #loaded;
    #total;
    constructor(type, init = undefined) {
      need(arguments.length, 1, "ProgressEvent");
      super(type, init);
      const options = toDictionary(init, "an event");
      this.#lengthComputable = !!options.lengthComputable;
      this.#loaded = toDouble(options.loaded, "loaded");
      this.#total = toDouble(options.total, "total");
    }
    get lengthComputable() { return this.#lengthComputable; }
    get loaded() { return this.#loaded; }
    get total() { return this.#total; }
  }
  finish(ProgressEvent, "ProgressEvent", ["lengthComputable", "loaded", "total"]);
  host.showsFields(ProgressEvent, "ProgressEvent", ["type", "lengthComputable", "loaded", "total"], isEvent);

  class CloseEvent extends Event {
    #wasClean;
    #code;
    #reason;
    constructor(type, init = undefined) {
      need(arguments.length, 1, "CloseEvent");
      super(type, init);
      const options = toDictionary(init, "an event");
      const { code, reason } = options;
      this.#code = code === undefined ? 0 : +code & 0xFFFF;
      this.#reason = reason === undefined ? "" : toWellFormed(`${reason}`);
      this.#wasClean = !!options.wasClean;
    }
    get wasClean() { return this.#wasClean; }
    get code() { return this.#code; }
    get reason() { return this.#reason; }
  }
  finish(CloseEvent, "CloseEvent", ["wasClean", "code", "reason"]);
  host.showsFields(CloseEvent, "CloseEvent", ["type", "wasClean", "code", "reason"], isEvent);

  return { ProgressEvent, CloseEvent };
})
