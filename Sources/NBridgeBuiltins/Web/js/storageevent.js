// SPDX-License-Identifier: MIT
// StorageEvent (HTML standard, section 12.2.4). No program is sent one: only scripts make them.
((host) => {
  "use strict";
  const { Event } = host;
  const { isStorage } = host.storage;
  const { finish, initEvent, isDispatching, isEvent, need, toDictionary } = host.events;
  const { TypeError } = globalThis;
  const { apply } = Reflect;
  const toWellFormed = Function.prototype.call.bind(String.prototype.toWellFormed);

  const toTextOrNull = (value) => (value === undefined || value === null ? null : `${value}`);
  const toArea = (value) => {
    if (value === undefined || value === null) return null;
    if (isStorage(value)) return value;
    throw new TypeError("StorageEvent: the storageArea must be a Storage");
  };

  class StorageEvent extends Event {
    #key;
    #oldValue;
    #newValue;
    #url;
    #storageArea;
    constructor(type, init = undefined) {
      need(arguments.length, 1, "StorageEvent");
      super(type, init);
      const { key, newValue, oldValue, storageArea, url } = toDictionary(init, "an event");
      this.#set(key, oldValue, newValue, url === undefined ? "" : url, storageArea);
    }
    #set(key, oldValue, newValue, url, storageArea) {
      this.#key = toTextOrNull(key);
      this.#oldValue = toTextOrNull(oldValue);
      this.#newValue = toTextOrNull(newValue);
      this.#url = toWellFormed(`${url}`);
      this.#storageArea = toArea(storageArea);
    }
    get key() { return this.#key; }
    get oldValue() { return this.#oldValue; }
    get newValue() { return this.#newValue; }
    get url() { return this.#url; }
    get storageArea() { return this.#storageArea; }
    initStorageEvent(type, bubbles = false, cancelable = false, key = null, oldValue = null, newValue = null, url = "",
      storageArea = null) {
      this.#key;
      need(arguments.length, 1, "initStorageEvent");
      const name = `${type}`;
      if (isDispatching(this)) return;
      this.#set(key, oldValue, newValue, url, storageArea);
      apply(initEvent, this, [name, bubbles, cancelable]);
    }
  }
  finish(StorageEvent, "StorageEvent", ["key", "oldValue", "newValue", "url", "storageArea", "initStorageEvent"]);
  host.showsFields(StorageEvent, "StorageEvent", ["type", "key", "oldValue", "newValue", "url"], isEvent);

  return { StorageEvent };
})
