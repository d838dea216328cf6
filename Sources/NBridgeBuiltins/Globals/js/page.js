// SPDX-License-Identifier: MIT
// What page scripts expect around them, and the wire of 2022: command strings posted to
// window.webkit.messageHandlers.WKBridge or nBridge.callFromWeb, answered through the page's own
// nbridge.resolvePromise and nbridge.finallyResolvePromise.
((host) => {
  "use strict";
  const { nativeBridge, warn } = host;
  const { defineProperty } = Object;
  const evaluate = eval; // Indirect: in the global scope, where a page's `const nbridge` is seen too.

  // --- The wire of 2022 -----------------------------------------------------------------------------------

  const pageBridge = () => evaluate("typeof nbridge === 'undefined' ? undefined : nbridge");

  const tell = (method, promiseId, data, failed) => {
    const bridge = pageBridge();
    if (typeof bridge?.[method] !== "function") return warn(`the page has no nbridge.${method} to take an answer`);
    try {
      bridge[method](promiseId, data, failed);
    } catch (error) {
      warn(`the page's nbridge.${method} threw for promiseId '${promiseId}': ${error?.message ?? "?"}`);
    }
  };

  const settleWith = (method, promiseId, promise) => promise.then(
    (data) => tell(method, promiseId, data === undefined ? {} : data, undefined),
    (error) => tell(method, promiseId, error?.code ?? "unknown_error", true));

  /** Takes one command string. Nothing that it holds can throw into the page. */
  const receive = (text) => {
    let command;
    try { command = JSON.parse(text); } catch { return warn("a command from the page is not JSON"); }
    if (typeof command !== "object" || command === null) return warn("a command from the page is not an object");
    if (command.command === "onBridgeReady") return;
    const { service, action, promiseId } = command;
    if (promiseId === undefined) return warn(`a command '${service}.${action}' without promiseId can't be answered`);
    const option = command.option ?? undefined;
    const answer = nativeBridge().callToNative(service, action, option);
    if (typeof answer.then === "function") return settleWith("resolvePromise", promiseId, answer);
    settleWith("finallyResolvePromise", promiseId, follow(answer, promiseId));
  };

  /** A retained call: one resolvePromise for each event, finallyResolvePromise at the end. */
  const follow = async (events, promiseId) => {
    for await (const event of events) tell("resolvePromise", promiseId, event, undefined);
  };

  // --- The window -----------------------------------------------------------------------------------------

  const handler = { postMessage(text) { receive(`${text}`); } };
  defineProperty(globalThis, "webkit",
    { __proto__: null, value: { messageHandlers: { WKBridge: handler } }, writable: true, configurable: true });

  return {
    window: globalThis,
    nBridge: { callFromWeb(text) { receive(`${text}`); }, onBridgeReady() {} },

    /** Gives scripts a name that none of them sees. */
    hide(name, value) { defineProperty(globalThis, name, { __proto__: null, value }); },
  };
})
