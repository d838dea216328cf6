// SPDX-License-Identifier: MIT
// Uses what the runtime has while Object.prototype has a getter and a setter by each of the names in names.json, and prints
// those that were called from elsewhere than this file.
const names = JSON.parse(await nbridge.process.stdin.text());
const { defineProperty, setPrototypeOf } = Object;
const hits = new Set();
let isOn = false;
const note = (name) => {
  if (!isOn) return;
  const frame = new Error().stack.split("\n")[2] ?? "";
  if (!frame.includes("inherited.mjs")) hits.add(name);
};
const pollute = () => {
  for (const name of names) {
    if (name in Object.prototype) continue;
    defineProperty(Object.prototype, name, {
      __proto__: null, configurable: true,
      get() { note(name); },
      set(value) {
        note(`set ${name}`);
        defineProperty(this, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
      },
    });
  }
};
/** What a script gives may inherit: the standard's dictionaries do. So nothing here does. */
const bare = (object) => setPrototypeOf(object, null);
const until = (target, name) => new Promise((resolve) => { target[name] = resolve; });

const steps = {
  clone() {
    const key = new String("x");
    structuredClone(bare({
      date: new Date(1), expression: /x/g, map: new Map([[1, 2]]), set: new Set([1]), list: [1, , 3], key, big: 5n,
      view: new Uint8Array(3), error: new Error("x"), exception: new DOMException("a"), file: new File(["x"], "y"),
    }));
    const buffer = new ArrayBuffer(3);
    structuredClone(buffer, bare({ transfer: [buffer] }));
  },
  async messages() {
    const { port1, port2 } = new MessageChannel();
    port1.postMessage(bare({ a: 1 }), []);
    await until(port2, "onmessage");
    port1.close();
    const one = new BroadcastChannel("p"), other = new BroadcastChannel("p");
    one.postMessage(1);
    await until(other, "onmessage");
    one.close();
    other.close();
  },
  async workers() {
    const worker = new Worker("data:text/javascript,onmessage = (e) => { postMessage(e.data); }");
    worker.postMessage(bare({ list: [1], blob: new Blob(["x"]), map: new Map([[1, 2]]), error: new Error("y") }));
    await until(worker, "onmessage");
    worker.terminate();
    const broken = new Worker("data:text/javascript,throw new Error('x')");
    await new Promise((resolve) => { broken.onerror = (event) => { event.preventDefault(); resolve(); }; });
    broken.terminate();
  },
  async events() {
    const target = new EventTarget();
    target.addEventListener("a", bare({ handleEvent() {} }));
    target.dispatchEvent(new Event("a"));
    target.dispatchEvent(new CustomEvent("a"));
    const control = new AbortController();
    AbortSignal.any([control.signal]).addEventListener("abort", () => {});
    control.abort();
    AbortSignal.timeout(1);
    AbortSignal.abort();
  },
  async blobs() {
    const blob = new Blob(["abc", new Uint8Array(2)]);
    await blob.text();
    await blob.slice(1).arrayBuffer();
    for await (const _ of blob.stream());
    const url = URL.createObjectURL(blob);
    await (await fetch(url)).text();
    URL.revokeObjectURL(url);
    const reader = new FileReader();
    reader.readAsDataURL(blob);
    await until(reader, "onloadend");
  },
  async streams() {
    const made = () => new ReadableStream(bare({ start(c) { c.enqueue("a"); c.enqueue("b"); c.close(); } }));
    for await (const _ of made());
    await Promise.all(made().tee().map((branch) => branch.cancel()));
    await made().pipeTo(new WritableStream(bare({ write() {} })));
    await made().pipeThrough(new TransformStream(bare({ transform(x, c) { c.enqueue(x); } }))).getReader().read();
    const bytes = new ReadableStream(bare({ type: "bytes", pull(c) { c.enqueue(new Uint8Array(3)); c.close(); } }));
    await bytes.getReader(bare({ mode: "byob" })).read(new Uint8Array(9));
    await made().pipeThrough(new TextEncoderStream()).pipeThrough(new TextDecoderStream()).getReader().read();
    for (const format of ["gzip", "deflate", "deflate-raw", "brotli", "zstd"]) {
      const packed = new Blob(["x".repeat(1000)]).stream().pipeThrough(new CompressionStream(format));
      await new Response(packed.pipeThrough(new DecompressionStream(format))).text();
    }
  },
  texts() {
    new TextDecoder().decode(new TextEncoder().encode("\u00E4x".repeat(3000)));
    new TextEncoder().encodeInto("a", new Uint8Array(3));
    new TextDecoder("shift_jis").decode(new Uint8Array([0x83, 0x41]));
    atob(btoa("x"));
    const url = new URL("http://p@h/a/../b?c=d#e");
    url.searchParams.append("a", "b");
    url.host = "x:1";
    new URLSearchParams(bare({ a: "1" })).sort();
    new URLPattern("/a/:b", "http://x").exec("http://x/a/1");
    new URLPattern().test();
  },
  async bodies() {
    const form = new FormData();
    form.append("a", "b");
    form.append("c", new Blob(["x"]), "n");
    await new Response(form).formData();
    const headers = new Headers(bare({ a: "b" }));
    headers.set("a", "e");
    for (const _ of headers);
    const request = new Request("http://x/", bare({ method: "POST", body: "abc", headers }));
    request.clone();
    await request.text();
    await new Response("x", bare({ status: 201 })).clone().json().catch(() => {});
    Response.json(bare({ a: 1 }));
    Response.redirect("http://x/");
  },
  async servers() {
    const server = await nbridge.http.serve((request) => {
      if (request.headers.get("upgrade")) {
        const { socket, response } = nbridge.http.upgrade(request);
        socket.onmessage = (event) => { socket.send(event.data); socket.close(1000, "x"); };
        return response;
      }
      if (!request.url.endsWith("/events")) return new Response(request.body);
      return new Response("data: x\nid: 1\n\n", bare({ headers: bare({ "content-type": "text/event-stream" }) }));
    });
    const stream = () => new ReadableStream(bare({ start(c) { c.enqueue(new Uint8Array(70000)); c.close(); } }));
    await (await fetch(server.url, bare({ method: "POST", body: "x".repeat(100000) }))).arrayBuffer();
    await (await fetch(server.url, bare({ method: "POST", body: stream(), duplex: "half" }))).blob();
    for await (const _ of (await fetch(server.url, bare({ method: "POST", body: stream(), duplex: "half" }))).body);
    const control = new AbortController(), asked = fetch(server.url, bare({ signal: control.signal }));
    control.abort();
    await asked.catch(() => {});
    await fetch("http://127.0.0.1:2/").catch(() => {});
    const socket = new WebSocket(server.url.replace("http", "ws"));
    socket.onopen = () => { socket.send("x"); socket.send(new Uint8Array(3)); };
    await until(socket, "onclose");
    await until(new WebSocket("ws://127.0.0.1:2/"), "onclose");
    const source = new EventSource(`${server.url}events`);
    await until(source, "onmessage");
    source.close();
    await server.stop();
  },
  async crypto() {
    const { subtle } = crypto, salt = new Uint8Array(12);
    await subtle.digest("SHA-256", salt);
    const key = await subtle.generateKey(bare({ name: "AES-GCM", length: 128 }), true, ["encrypt", "decrypt"]);
    await subtle.encrypt(bare({ name: "AES-GCM", iv: salt }), key, salt);
    const jwk = await subtle.exportKey("jwk", key);
    await subtle.importKey("jwk", bare({ ...jwk }), "AES-GCM", true, ["encrypt"]);
    const pair = await subtle.generateKey(bare({ name: "ECDSA", namedCurve: "P-256" }), true, ["sign", "verify"]);
    await subtle.sign(bare({ name: "ECDSA", hash: "SHA-256" }), pair.privateKey, salt);
    await subtle.exportKey("pkcs8", pair.privateKey);
    const word = await subtle.importKey("raw", salt, "PBKDF2", false, ["deriveBits"]);
    await subtle.deriveBits(bare({ name: "PBKDF2", hash: "SHA-256", salt, iterations: 3 }), word, 128);
    structuredClone(key);
  },
  async rest() {
    await navigator.locks.request("b", bare({ mode: "shared", ifAvailable: true }), () => 1);
    await navigator.locks.query();
    sessionStorage.setItem("a", "b");
    sessionStorage.a = 3;
    performance.mark("a");
    performance.measure("b", "a");
    performance.measure("b");
    performance.getEntries();
    clearTimeout(setTimeout(() => {}, 5));
    await new Promise((resolve) => setTimeout(resolve, 1));
    await nbridge.app.appInfo();
    await nbridge.preference.set("a", 1);
    await nbridge.preference.get("a");
    const code = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
    const answer = new Response(code, bare({ headers: bare({ "content-type": "application/wasm" }) }));
    await WebAssembly.compileStreaming(answer);
  },
};

pollute();
for (const name of Object.keys(steps)) {
  isOn = true;
  let failure;
  try { await steps[name](); } catch (error) { failure = error; }
  isOn = false;
  if (failure !== undefined) hits.add(`${name} failed: ${failure.message}`);
}
for (const name of names) delete Object.prototype[name];
console.log([...hits].sort().join("\n"));
exit(0);
