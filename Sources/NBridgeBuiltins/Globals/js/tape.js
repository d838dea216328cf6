// SPDX-License-Identifier: MIT
// Loaded only while a program is recorded or replayed: what reads the time of day, or finishes when the engine's threads please,
// goes through the recording.
((host) => {
  "use strict";
  const { date } = host;
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  const { apply, construct } = Reflect;

  const RealDate = Date;
  const Recorded = new Proxy(RealDate, {
    apply: () => new RealDate(date()).toString(),
    construct: (target, given, made) =>
      construct(target, given.length === 0 ? [date()] : given, made === Recorded ? target : made),
  });
  const put = (object, name, value) => defineProperty(object, name, { __proto__: null, value, writable: true, configurable: true });
  put(RealDate, "now", { now: () => date() }.now);
  put(RealDate.prototype, "constructor", Recorded);
  put(globalThis, "Date", Recorded);

  // Formats without a date read the clock themselves.
  const formats = Intl.DateTimeFormat.prototype;
  const { get: formatOf } = getOwnPropertyDescriptor(formats, "format");
  defineProperty(formats, "format", {
    configurable: true,
    get() {
      const format = apply(formatOf, this, []);
      return (given) => format(given === undefined ? date() : given);
    },
  });
  const { formatToParts } = formats;
  put(formats, "formatToParts", { formatToParts(given) {
    return apply(formatToParts, this, [given === undefined ? date() : given]);
  } }.formatToParts);

  // The engine compiles on threads of its own; in turn, it comes out the same each time.
  const { Module, Instance } = WebAssembly;
  put(WebAssembly, "compile", { async compile(bytes) { return new Module(bytes); } }.compile);
  put(WebAssembly, "instantiate", { async instantiate(source, imports) {
    if (source instanceof Module) return new Instance(source, imports);
    const module = new Module(source);
    return { module, instance: new Instance(module, imports) };
  } }.instantiate);
  return {};
})
