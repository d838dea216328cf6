(facade, hidden) => {
  "use strict";

  /** Another window of the program, by its number. It stays open when nobody has this any more. */
  class OpenedWindow {
    #number;
    constructor(number) { this.#number = number; }
    get number() { return this.#number; }
    state(control) { return hidden.stateOf(this.#number, control); }
    set(option, control) { return hidden.setOf(this.#number, { change: option ?? {} }, control); }
    focus(control) { return hidden.focusOf(this.#number, control); }
    close(control) { return hidden.closeOf(this.#number, control); }
    events(callback, control) { return hidden.eventsOf(this.#number, callback, control); }
  }

  /** The app's icon in the desktop's tray, by its number. It stays there when nobody has this any more. */
  class Tray {
    #number;
    constructor(number) { this.#number = number; }
    set(option, control) { return hidden.setTray(this.#number, option, control); }
    close(control) { return hidden.closeTray(this.#number, control); }
    events(callback, control) { return hidden.trayEvents(this.#number, callback, control); }
  }

  facade.open = async function open(page, option, control) {
    return new OpenedWindow(await hidden.openWindow(page, option, control));
  };

  facade.tray = async function tray(option, control) {
    return new Tray(await hidden.openTray(option, control));
  };
}
