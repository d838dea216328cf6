// SPDX-License-Identifier: MIT

import NBridgeHost
import NBridgeTesting
import Testing

/// Where workers' scripts come from; workers that can't start, and what can't be sent to them.
@Suite struct WorkerStartTests {
  @Test func aScriptMayBeInABlob() async {
    let result = await WorkerHarness.run(
      """
      const url = URL.createObjectURL(new Blob(["postMessage('\u{E9}t\u{E9}'); close()"]));
      console.log(await next(new Worker(url)));
      URL.revokeObjectURL(url);
      const gone = new Worker(url);
      console.log(await new Promise((done) => {
        gone.onerror = (e) => { e.preventDefault(); done(e.message.includes("not revoked")); };
      }));
      const long = `const told = [];
        for (const f of [() => new Worker("x.js"), () => importScripts("x.js")])
          try { f() } catch (e) { told.push(e.message.length < 200) }
        postMessage(told); //${"x".repeat(500)}`;
      console.log(await next(new Worker(URL.createObjectURL(new Blob([long])))));
      """)
    #expect(result.output == "\u{E9}t\u{E9}\ntrue\n[ true, true ]\n", "\(result)")
  }

  /// HTML, 10.2.1.3: "its response's URL", whatever carries the script.
  @Test func aWorkerOfABlobIsAtTheBlobsURL() async {
    let result = await WorkerHarness.run(
      """
      const source = "postMessage([location.href, `${location}`, location.protocol])";
      const url = URL.createObjectURL(new Blob([source]));
      const w = new Worker(url), [href, text, protocol] = await next(w);
      console.log(href === url, text === url, protocol);
      w.terminate();
      """)
    #expect(result.output == "true true blob:\n", "\(result)")
  }

  /// HTML, "run a worker": a script that can't be fetched is an event at its Worker, and nothing else.
  @Test func aScriptThatCanNotBeLoadedIsAnErrorThatAListenerTakes() async {
    let result = await WorkerHarness.run([
      "main.mjs": """
      globalThis.onerror = () => console.log("never");
      const made = (address, options) => new Worker(new URL(address, import.meta.url), options);
      const failed = (worker) => new Promise((done) => {
        worker.onerror = (event) => done(event.type + " " + event.message.includes("nope"));
      });
      console.log(await failed(made("nope.js")));
      console.log(await failed(made("link.mjs", { type: "module" })));
      await new Promise((done) => made("nope.js").addEventListener("error", done, { once: true }));
      console.log("goes on");
      """, "link.mjs": "import './nope.mjs';",
    ])
    #expect(
      result.output == "error true\nerror true\ngoes on\n" && result.status == .success, "\(result)")
  }

  @Test func aScriptThatCanNotBeLoadedEndsAProgramThatDoesNotListen() async {
    let result = await WorkerHarness.run([
      "main.mjs": """
      const worker = new Worker(new URL("nope.js", import.meta.url));
      worker.onerror = () => {};
      worker.onerror = null;
      setTimeout(() => console.log("goes on"), 10_000);
      """
    ])
    #expect(result.output == "" && result.status == .failure, "\(result)")
    #expect(result.errors.contains("nope.js"), "\(result)")
  }

  /// Until threads can share it: a copy would be another memory, and `{}` none at all.
  @Test func sharedMemoryIsRefused() async {
    let result = await WorkerHarness.run(
      """
      const { buffer } = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
      const w = spawn(() => { onmessage = () => postMessage("got it"); });
      const told = (call) => { try { call(); console.log("passed"); } catch (e) { console.log(e.name); } };
      for (const value of [buffer, [{ buffer }], new Uint8Array(buffer), new DataView(buffer)]) {
        told(() => structuredClone(value));
        told(() => w.postMessage(value));
      }
      told(() => structuredClone(buffer, { transfer: [buffer] }));
      w.terminate();
      """)
    let refused = String(repeating: "DataCloneError\n", count: 9)
    #expect(result.output == refused && result.status == .success, "\(result)")
  }

  /// HTML, 2.7.3: what is not serializable is no empty object either.
  @Test func objectsOfInterfacesAreNotCopied() async {
    let result = await WorkerHarness.run(
      """
      const objects = {
        crypto, locks: navigator.locks, navigator, encoder: new TextEncoder(), decoder: new TextDecoder(),
        date: new Intl.DateTimeFormat(), locale: new Intl.Locale("de"), stack: new DisposableStack(),
        mark: performance.mark("x"), compression: new CompressionStream("gzip"),
        text: new TextDecoderStream(),
        count: new CountQueuingStrategy({ highWaterMark: 1 }), observer: new PerformanceObserver(() => {}),
      };
      const copied = [];
      for (const name in objects) {
        try { structuredClone(objects[name]); copied.push(name); } catch (e) {
          if (e.name !== "DataCloneError") copied.push(e);
        }
      }
      class Point { x = 1; }
      const map = Object.setPrototypeOf(new Map([[1, 2]]), EventTarget.prototype);
      console.log(copied.join(), structuredClone(new Point()), structuredClone(Object.create({})),
        structuredClone(map).get(1));
      """)
    #expect(result.output == " { x: 1 } {} 2\n", "\(result)")
  }

  @Test func aViewOfFixedLengthStaysOneAtTheEndOfItsBuffer() async {
    let result = await WorkerHarness.run(
      """
      const buffer = new ArrayBuffer(8, { maxByteLength: 8 });
      new Uint8Array(buffer).fill(7);
      const views = [new Uint8Array(buffer, 0, 8), new Uint16Array(buffer, 4, 2), new Uint8Array(buffer)];
      for (const view of views) {
        const copy = structuredClone(view);
        const before = copy.length;
        copy.buffer.resize(4);
        console.log(before, copy.length, copy.byteLength);
      }
      console.log(new Uint8Array(buffer).join(""));
      const odd = structuredClone(new Float64Array(new ArrayBuffer(17, { maxByteLength: 24 }), 0, 2));
      odd.buffer.resize(24);
      console.log(odd.length);
      """)
    #expect(result.output == "8 0 0\n2 0 0\n8 4 4\n77777777\n2\n", "\(result)")
  }
}
