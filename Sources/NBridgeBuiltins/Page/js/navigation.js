// SPDX-License-Identifier: MIT
// `location` and `history` of a page that has no window: they tell where the page is (HTML, 7.2.4 and 7.2.5), and change the
// part of it that needs no other page. What location is set to beyond that goes to the app or browser that opens such a URL.
// The page itself stays.
((host) => {
  "use strict";
  const { DOMException, nativeBridge, warn, task } = host;
  const { create, fire, globalTarget } = host.events;
  const { PopStateEvent, HashChangeEvent } = host.uievents;
  const { finish } = host.idl;
  const { apply, indexOf, slice } = host.intrinsics;
  const { defineProperty } = Object;
  const { then } = Promise.prototype;
  const { max, min } = Math;
  const { TypeError } = globalThis;

  /** The addresses that the page had, each with the state that history keeps for it, and the present one. */
  const entries = { __proto__: null, first: null, at: null };
  const makeEntry = (url, state) => ({ __proto__: null, url, state, before: null, after: null });
  const toURL = (text, base = undefined) => new host.URL(text, base);
  // Most pages never ask.
  const page = () => (typeof entries.at.url === "string" ? entries.at.url = toURL(entries.at.url) : entries.at.url);
  const push = (url, state) => {
    const entry = makeEntry(url, state);
    entry.before = entries.at;
    if (entries.at === null) entries.first = entry;
    else entries.at.after = entry;
    entries.at = entry;
  };
  const count = () => {
    let number = 0;
    for (let at = entries.first; at !== null; at = at.after) number++;
    return number;
  };
  const withoutHash = (url) => {
    const { href } = url, at = indexOf(href, "#");
    return at < 0 ? href : slice(href, 0, at);
  };

  // In a turn of its own (HTML, 7.4.6.2).
  const tellHash = (oldURL, newURL) => {
    if (oldURL !== newURL) task(() => fire(globalTarget, create(HashChangeEvent, "hashchange", { oldURL, newURL })));
  };
  const tellState = () => fire(globalTarget, create(PopStateEvent, "popstate", { state: copied(entries.at.state) }));
  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function" || typeof value === "symbol";
  const copied = (state) => (isObject(state) ? host.structuredClone(state) : state);

  // What a page set its location to, and what came of it.
  const open = (target) => {
    const isWeb = target.protocol === "http:" || target.protocol === "https:";
    const refuse = (reason) => warn(`location can't go to '${target.href}': ${reason}`);
    if (target.protocol === "file:") return refuse("a page without a window does not change to another; run that one");
    if (target.protocol === "javascript:") return refuse("code in a URL is not run");
    const opened = nativeBridge().callToNative("app", isWeb ? "openBrowser" : "openURL", { url: target.href });
    apply(then, opened, [undefined, (error) => refuse(error?.message ?? "?")]);
  };
  const go = (text, replaces = false) => {
    const target = toURL(`${text}`, page());
    if (withoutHash(target) !== withoutHash(page())) return open(target);
    const old = page().href;
    if (target.href === old) return;
    if (replaces) entries.at.url = target;
    else push(target, null);
    tellState();
    tellHash(old, target.href);
  };

  // --- location -------------------------------------------------------------------------------------------------

  let isMade = false;
  const refuseMore = () => { if (isMade) throw new TypeError("Illegal constructor"); };
  class Location {
    constructor() { refuseMore(); }
    assign(url) { go(url); }
    replace(url) { go(url, true); }
    reload() { warn("location.reload(): a page without a window runs once"); }
    toString() { return page().href; }
  }
  const parts = ["href", "origin", "protocol", "host", "hostname", "port", "pathname", "search", "hash"];
  for (const name of parts) {
    defineProperty(Location.prototype, name, {
      __proto__: null, enumerable: true, configurable: true, get: () => page()[name],
      set(value) {
        if (name === "href") return go(value);
        const target = toURL(page());
        target[name] = value;
        go(target.href);
      },
    });
  }
  finish(Location, "Location", ["assign", "replace", "reload", "toString"]);
  host.showsFields(Location, "Location", ["href"], (value) => value === location);
  const location = new Location();

  // --- history --------------------------------------------------------------------------------------------------

  const toPlace = (method, url) => {
    if (url === undefined || url === null) return page();
    let target;
    try { target = toURL(`${url}`, page()); } catch { throw new DOMException(`history.${method}: '${url}' is no URL`, "SecurityError"); }
    // What lies beside the page is the page's own, as where it is served.
    if (target.protocol !== page().protocol || target.host !== page().host) {
      throw new DOMException(`history.${method}: '${target.href}' is not of the page's own place`, "SecurityError");
    }
    return target;
  };
  const traverse = (delta) => task(() => {
    if (delta === 0) return location.reload();
    let entry = entries.at;
    for (let left = delta; left !== 0 && entry !== null; left -= left < 0 ? -1 : 1) entry = left < 0 ? entry.before : entry.after;
    if (entry === null) return;
    const old = page();
    entries.at = entry;
    tellState();
    if (withoutHash(old) === withoutHash(page())) tellHash(old.href, page().href);
  });

  class History {
    constructor() { refuseMore(); }
    get length() { return count(); }
    get state() { return entries.at.state; }
    get scrollRestoration() { return "auto"; }
    pushState(state, unused, url = undefined) {
      const target = toPlace("pushState", url);
      push(target, copied(state ?? null));
    }
    replaceState(state, unused, url = undefined) {
      const target = toPlace("replaceState", url);
      entries.at.state = copied(state ?? null);
      entries.at.url = target;
    }
    go(delta = 0) { traverse(max(-1e6, min(1e6, delta | 0))); }
    back() { traverse(-1); }
    forward() { traverse(1); }
  }
  finish(History, "History", ["length", "state", "scrollRestoration", "pushState", "replaceState", "go", "back", "forward"]);
  host.showsFields(History, "History", ["length", "state"], (value) => value === history);
  const history = new History();
  isMade = true;

  return {
    Location, History, location,
    // Puts both in place; `location = url` goes there, as `location.href = url` does.
    place(address) {
      push(address, null);
      defineProperty(globalThis, "location", {
        __proto__: null, enumerable: true, configurable: true, get: () => location, set: (value) => go(value),
      });
      defineProperty(globalThis, "history", { __proto__: null, enumerable: true, configurable: true, get: () => history });
    },
    go,
    address: () => page().href,
    /** A URL of the page's, in full; undefined for what is none. */
    resolve(text, base = page()) { try { return toURL(text, base).href; } catch { return undefined; } },
    /** The same in its parts. */
    parts(text, base = page()) { try { return text === null ? undefined : toURL(text, base); } catch { return undefined; } },
  };
})
