// SPDX-License-Identifier: MIT

import NBridgeTesting
import Testing

/// Bodies are of their own memory: what a script does to the bytes that it put into a stream reaches none.
@Suite struct BodyMemoryTests {
  @Test func whatIsWrittenOverLaterIsNoPartOfABody() async {
    let result = await WorkerHarness.run(
      """
      const bytes = new Uint8Array(4).fill(65);
      const over = (chunk) => new Response(new ReadableStream({ start(c) { c.enqueue(chunk); c.close(); } }));
      const blob = await over(bytes).blob(), taken = await over(bytes).bytes();
      const buffer = await over(bytes).arrayBuffer();
      bytes.fill(66);
      console.log(await blob.text(), taken[0], new Uint8Array(buffer)[0], buffer !== bytes.buffer);
      """)
    #expect(result.output == "AAAA 65 65 true\n", "\(result)")
  }

  /// Web IDL, 3.2.25: a BufferSource is neither shared nor resizable, and has no bytes when it was detached.
  @Test func aBufferIsABodyAsBufferSourcesAre() async {
    let result = await WorkerHarness.run(
      """
      const shared = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer;
      const resizable = new ArrayBuffer(8, { maxByteLength: 16 }), gone = new Uint8Array(8);
      structuredClone(gone.buffer, { transfer: [gone.buffer] });
      const named = (run) => { try { run(); return "taken"; } catch (error) { return error.name; } };
      for (const view of [Uint8Array, DataView]) {
        for (const buffer of [shared, resizable]) {
          const value = new view(buffer);
          const request = () => new Request("a:b", { method: "POST", body: value });
          console.log(named(() => new Response(value)), named(request));
        }
      }
      const whole = await new Response(new DataView(new ArrayBuffer(8), 2, 3)).arrayBuffer();
      const lengths = [gone, gone.buffer].map(async (value) => (await new Response(value).bytes()).length);
      console.log(named(() => new Response(resizable)), await Promise.all(lengths), whole.byteLength);
      const random = (buffer) => named(() => crypto.getRandomValues(new Uint8Array(buffer)));
      console.log(random(shared), random(resizable), random(new ArrayBuffer(8)));
      """)
    let refused = String(repeating: "TypeError TypeError\n", count: 4)
    #expect(
      result.output == refused + "TypeError [ 0, 0 ] 3\nTypeError TypeError taken\n", "\(result)")
  }

  /// The engine of a worker would read memory that is gone.
  @Test func aBlobOfABodyOutlivesItsMemory() async {
    let result = await WorkerHarness.run(
      """
      const memory = new ArrayBuffer(2 << 20, { maxByteLength: 2 << 20 });
      const stream = new ReadableStream({ start(c) { c.enqueue(new Uint8Array(memory)); c.close(); } });
      const blob = await new Response(stream).blob(), url = URL.createObjectURL(blob);
      memory.resize(0);
      const source = `fetch("${url}").then((r) => r.text()).then((t) => postMessage(t.length))`;
      const w = new Worker("data:text/javascript," + encodeURIComponent(source));
      console.log(await next(w), blob.size, (await blob.slice(0, 3).arrayBuffer()).byteLength);
      w.terminate();
      """)
    #expect(result.output == "2097152 2097152 3\n", "\(result)")
  }

  /// A getter of the arrays' prototype would be handed the bytes that a Blob is made of.
  @Test func aBlobsBytesReachNoScript() async {
    let result = await WorkerHarness.run(
      """
      const typed = Object.getPrototypeOf(Uint8Array.prototype), seen = [];
      const { apply } = Reflect;
      for (const name of ["byteLength", "length", "byteOffset", "buffer"]) {
        const found = Object.getOwnPropertyDescriptor(typed, name);
        const get = function () { seen.push(name); return apply(found.get, this, []); };
        Object.defineProperty(typed, name, { ...found, get });
      }
      for (const name of ["subarray", "slice", "fill", "set"]) typed[name] = function () { seen.push(name); };
      Uint8Array.prototype.constructor = { [Symbol.species]: function () { seen.push("species"); } };
      const form = new FormData();
      form.append("f", new File(["\u{FEFF}own bytes"], "f.txt"));
      const back = await new Response(form).formData();
      console.log(await back.get("f").text());
      const reader = new FileReader();
      reader.readAsText(back.get("f"));
      await new Promise((done) => { reader.onload = done; });
      console.log(reader.result, crypto.randomUUID().length, seen.join());
      """)
    #expect(result.output == "own bytes\nown bytes 36 \n", "\(result)")
  }

  /// What a script does to the standard's interfaces is no part of a Blob's stream.
  @Test func aBlobsStreamIsItsBytesWhateverBecomesOfTheInterfaces() async {
    let result = await WorkerHarness.run(
      """
      const { getReader } = ReadableStream.prototype;
      for (const name of ["enqueue", "close"]) ReadableByteStreamController.prototype[name] = () => {};
      globalThis.ReadableStream = class { constructor() { console.log("never"); } };
      const stream = new Blob(["x".repeat(100_000)]).stream();
      const sizes = [], reader = stream.getReader({ mode: "byob" });
      for (;;) {
        const { value, done } = await reader.read(new Uint8Array(1 << 16));
        sizes.push(value.length);
        if (done) break;
      }
      const empty = await new Blob([]).stream().getReader().read();
      console.log(sizes, empty.done, typeof getReader);
      """)
    #expect(result.output == "[ 65536, 34464, 0 ] true function\n", "\(result)")
  }

  @Test(arguments: ["text", "bytes", "arrayBuffer", "blob"])
  func aBodySettlesWhateverBecomesOfItsPieces(_ method: String) async {
    let result = await WorkerHarness.run(
      """
      const settle = async (change) => {
        const memory = new ArrayBuffer(4, { maxByteLength: 64 });
        const list = [new Uint8Array(memory), new Uint8Array(4)];
        let give;
        const stream = new ReadableStream({
          start(c) { for (const piece of list) c.enqueue(piece); give = c; },
        });
        const answer = new Response(stream).\(method)();
        change(memory, list);
        for (let i = 0; i < 20; i++) await null;
        change(memory, list);
        give.close();
        return answer.then(() => "whole", (error) => error.name);
      };
      const detach = (memory) => structuredClone(null, { transfer: memory.detached ? [] : [memory] });
      console.log(await settle(() => {}), await settle(detach), await settle((memory) => memory.resize(64)));
      """)
    #expect(
      ["whole TypeError whole\n", "whole whole whole\n"].contains(result.output), "\(result)")
  }
}
