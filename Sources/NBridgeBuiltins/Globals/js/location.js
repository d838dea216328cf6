// The `location` of a page that has no window: it tells where the page is (HTML, 7.2.4), and hands what it is set to
// to the app or browser that opens such a URL. The page itself stays.
((host) => {
  const { URL, nativeBridge, warn } = host;
  const { defineProperty } = Object;
  const { apply } = Reflect;
  const { then } = Promise.prototype;

  // What a page set its location to, and what came of it.
  const open = (target) => {
    const isWeb = target.protocol === "http:" || target.protocol === "https:";
    const refuse = (reason) => warn(`location can't go to '${target.href}': ${reason}`);
    if (target.protocol === "file:") return refuse("a page without a window does not change to another; run that one");
    if (target.protocol === "javascript:") return refuse("code in a URL is not run");
    const opened = nativeBridge().callToNative("app", isWeb ? "openBrowser" : "openURL", { url: target.href });
    apply(then, opened, [undefined, (error) => refuse(error?.message ?? "?")]);
  };

  // A location of the page at a URL.
  const make = (address) => {
    const page = new URL(address);
    const go = (text) => {
      const target = new URL(`${text}`, page);
      if (target.href.split("#")[0] === page.href.split("#")[0]) page.hash = target.hash;
      else open(target);
    };
    const location = {
      assign: go,
      replace: go,
      reload() { warn("location.reload(): a page without a window runs once"); },
      toString: () => page.href,
    };
    const parts = ["href", "origin", "protocol", "host", "hostname", "port", "pathname", "search", "hash"];
    for (const name of parts) {
      defineProperty(location, name, {
        __proto__: null, enumerable: true, get: () => page[name],
        set(value) {
          if (name === "href") return go(value);
          const target = new URL(page);
          target[name] = value;
          go(target.href);
        },
      });
    }
    return location;
  };

  return {
    // Puts `location` in place; `location = url` goes there, as `location.href = url` does.
    place(address) {
      const location = make(address);
      defineProperty(globalThis, "location", {
        __proto__: null, enumerable: true, configurable: true, get: () => location, set: (value) => location.assign(value),
      });
    },
  };
})
