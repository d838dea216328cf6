// SPDX-License-Identifier: MIT
// WebAssembly.compileStreaming and instantiateStreaming (WebAssembly Web API, section 4): the engine compiles what a Response
// brings when all of it is there.
((host) => {
  "use strict";
  const { responses, headers, core, texts } = host;
  const { react, resolved } = core;
  const { lower } = texts;
  const { apply } = Reflect;
  const { TypeError, WebAssembly, Uint8Array: Bytes } = globalThis;
  const { compile, instantiate } = WebAssembly;

  const bytesOf = (response, name) => {
    if (!responses.isResponse(response)) throw new TypeError(`WebAssembly.${name} needs a Response, or a promise of one`);
    const { status, type, list, body } = responses.partsOf(response);
    if (status < 200 || status > 299 || type === "error") throw new TypeError(`WebAssembly.${name}: the answer has the status ${status}`);
    const told = headers.combined(list, "content-type") ?? "";
    if (lower(texts.trimmed(told)) !== "application/wasm") {
      throw new TypeError(`WebAssembly.${name}: the Content-Type must be application/wasm, not "${told}"`);
    }
    if (body === null) return new Bytes();
    if (body.isUnusable) throw new TypeError(`WebAssembly.${name}: the body was read already`);
    return body.takeAll();
  };

  return {
    compileStreaming: (source) =>
      react(react(resolved(source), (response) => bytesOf(response, "compileStreaming")), (bytes) => apply(compile, WebAssembly, [bytes])),
    instantiateStreaming: (source, imports) =>
      react(react(resolved(source), (response) => bytesOf(response, "instantiateStreaming")),
        (bytes) => apply(instantiate, WebAssembly, [bytes, imports])),
  };
})
