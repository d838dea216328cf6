// What a page of web-platform-tests has and a script has not: an address that others are relative to.
globalThis.self ??= globalThis;
self.GLOBAL = { isWindow: () => false, isWorker: () => true, isShadowRealm: () => false };
((base) => {
  if (base === undefined) return; // The runtime knows it.
  Object.defineProperty(globalThis, "location", { value: new URL(base), configurable: true, writable: true });
  const whole = (input) => (typeof input === "string" || input instanceof URL ? new URL(input, base).href : input);
  const { fetch } = globalThis;
  globalThis.fetch = function (input, init) {
    if (arguments.length === 0) return fetch();
    try { return fetch(whole(input), init); } catch (error) { return Promise.reject(new TypeError(String(error))); }
  };
  const wrap = (name, change) => {
    const Own = globalThis[name];
    if (Own === undefined) return;
    const construct = (target, given, made) => {
      const changed = [...given];
      // What is no address there is none here, either.
      try { if (given.length > 0) changed[0] = change(given[0]); } catch {}
      return Reflect.construct(target, changed, made === globalThis[name] ? target : made);
    };
    globalThis[name] = new Proxy(Own, { construct });
  };
  wrap("Request", whole);
  wrap("EventSource", whole);
  wrap("WebSocket", (input) => {
    const isRelative = typeof input === "string" && !/^[a-z]+:/i.test(input);
    return isRelative ? new URL(input, base).href.replace(/^http/, "ws") : input;
  });
  const { redirect } = Response;
  const redirecting = {
    redirect(url, ...rest) { return redirect.call(Response, arguments.length === 0 ? url : whole(String(url)), ...rest); },
  };
  Response.redirect = redirecting.redirect;
})(BASE);
