// SPDX-License-Identifier: MIT

import NBridge
import NBridgePlugin
import NBridgeTesting
import StressPlugins
import Testing

/// Workers as scripts see them.
@Suite struct WorkerTests {
  @Test func aScriptTalksWithItsWorker() async {
    let result = await WorkerHarness.run([
      "main.mjs": """
      const w = new Worker(new URL("./lib/work.js", import.meta.url), { type: "module", name: "n" });
      w.postMessage({ a: [1, 2] });
      w.onmessage = (e) => { console.log(e.data, e.constructor.name, e.target === w); w.terminate(); };
      """,
      "lib/work.js": """
      import { twice } from "./twice.ts";
      onmessage = ({ data }) => postMessage([
        data.a.map(twice), name, self === globalThis, self instanceof DedicatedWorkerGlobalScope,
        self instanceof WorkerGlobalScope, location.pathname.endsWith("/lib/work.js"), typeof importScripts,
      ]);
      """,
      "lib/twice.ts": "export const twice = (n: number): number => n * 2;",
    ])
    #expect(
      result.output == "[ [ 2, 4 ], 'n', true, true, true, true, 'function' ] MessageEvent true\n"
        && result.status == .success, "\(result)")
  }

  /// What crosses comes back as it was: written, read, written and read.
  @Test func valuesCrossWhole() async {
    let result = await WorkerHarness.run(
      """
      import { inspect } from "node:util";
      const show = (value) => inspect(value, { depth: 9 });
      const w = spawn(() => { onmessage = (e) => postMessage(e.data); });
      const buffer = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]).buffer;
      const circle = { name: "c", list: [1, , 3] }; circle.self = circle;
      const error = new RangeError("far", { cause: new DOMException("why", "AbortError") });
      const sent = [
        circle, new Map([["k", new Set([1n, "x"])]]), new Date(8.64e15), new Date(NaN), /a\\/b/giu, error,
        new Uint16Array(buffer, 2, 2), new DataView(buffer, 1, 3), buffer, [NaN, -0, Infinity, -Infinity],
        [undefined, null, true, "", "\\ud800 \\u0000 \\u{1F600}"], Object(1), Object("s"), Object(5n),
        Object(false), new ArrayBuffer(2, { maxByteLength: 9 }), -(2n ** 70n), { x: 1 },
        Object.assign([1], { extra: 2 }), new Float64Array([1.5, NaN]), { "__proto__x": 1, ["__proto__"]: 2 },
      ];
      w.postMessage(sent);
      const got = await next(w);
      got[5].stack = error.stack;
      for (const i of sent.keys()) console.log(i, show(got[i]) === show(sent[i]));
      console.log(got[6].buffer === got[8], got[7].buffer === got[8], got[0].self === got[0],
        got[0] === sent[0], Object.is(got[9][1], -0), got[5] instanceof RangeError, got[5].cause.name,
        got[15].maxByteLength);
      const file = new File(["abc"], "n.txt", { type: "text/plain", lastModified: 7 });
      w.postMessage([new Blob(["x".repeat(100_000)]), file]);
      const [blob, named] = await next(w);
      console.log(blob.size, (await blob.text())[99_999], named.name, named.type, named.lastModified,
        await named.text());
      w.terminate();
      """)
    let same = (0..<21).map { "\($0) true\n" }.joined()
    #expect(
      result.output == same
        + "true true true false true true AbortError 9\n100000 x n.txt text/plain 7 abc\n", "\(result)")
  }

  @Test func whatCantCrossIsRefusedAndWhatIsTransferredIsGone() async {
    let result = await WorkerHarness.run(
      """
      const w = spawn(() => {
        onmessage = ({ data }) => postMessage([data.byteLength, data[9]], [data.buffer]);
      });
      const told = (f) => {
        try { return f(); } catch (e) { return `${e.constructor.name} ${e.name}: ${e.message}`; }
      };
      for (const value of [() => 1, Symbol("s"), new WeakMap(), Promise.resolve(), new Event("x"),
        new Proxy({}, {}), { deep: [new MessageChannel()] }, new ReadableStream(), w])
        console.log(told(() => w.postMessage(value)));
      const bytes = new Uint8Array(2 << 20).fill(7);
      console.log(told(() => w.postMessage(bytes, [bytes.buffer, bytes.buffer])), bytes.length);
      w.postMessage(bytes, { transfer: [bytes.buffer] });
      console.log(bytes.length, told(() => w.postMessage(0, [bytes.buffer])));
      console.log(await next(w));
      w.terminate();
      console.log(w.postMessage("dropped"));
      """)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 13 && lines.prefix(9).allSatisfy { $0.contains("DataCloneError: ") }, "\(result)")
    #expect(
      result.output.hasSuffix(
        """
        DOMException DataCloneError: this is in the list twice 2097152
        0 DOMException DataCloneError: this was transferred before
        [ 2097152, 7 ]
        undefined

        """), "\(result)")
    #expect(result.status == .success)
  }

  /// A channel goes from one worker to another through the program; what was sent before comes first.
  @Test func portsCrossWithTheirMessages() async {
    let result = await WorkerHarness.run(
      """
      const first = spawn(() => { onmessage = (e) => {
        const [port] = e.ports;
        port.onmessage = ({ data }) => { port.postMessage(data + 1); if (data === 3) port.close(); };
      } });
      const second = spawn(() => { onmessage = ({ data: port }) => {
        const got = [];
        port.onmessage = ({ data }) => got.push(data);
        port.addEventListener("close", () => { postMessage(got); close(); });
        for (const n of [2, 3]) port.postMessage(n);
      } });
      const { port1, port2 } = new MessageChannel();
      port2.postMessage(1);
      first.postMessage(0, [port1]);
      second.postMessage(port2, [port2]);
      console.log(await next(second));
      const { port1: mine, port2: theirs } = new MessageChannel();
      mine.postMessage("early");
      first.postMessage(0, [theirs]);
      console.log(await new Promise((done) => { mine.onmessage = (e) => done(e.data); }));
      first.terminate();
      await new Promise((done) => { mine.onclose = done; });
      console.log("closed");
      """)
    #expect(result.output == "[ 2, 3, 4 ]\nearly1\nclosed\n" && result.status == .success, "\(result)")
  }

  @Test func aBroadcastReachesAllEnginesButItsSender() async {
    let result = await WorkerHarness.run(
      """
      const member = () => {
        const channel = new BroadcastChannel("news");
        channel.onmessage = ({ data }) => {
          data.bytes[0]++;
          postMessage([data.bytes[0], data.n]);
          channel.close();
        };
        new BroadcastChannel("other").onmessage = () => postMessage("never");
        postMessage("ready");
      };
      const workers = [spawn(member), spawn(member)];
      await Promise.all(workers.map(next));
      const here = new BroadcastChannel("news"), twin = new BroadcastChannel("news");
      here.onmessage = () => console.log("never");
      const came = Promise.all([...workers, twin].map(next));
      here.postMessage({ bytes: new Uint8Array(100_000), n: 1 });
      const [a, b, c] = await came;
      console.log(a, b, c.bytes[0], here.name);
      here.close(); twin.close();
      try { here.postMessage(1); } catch (e) { console.log(e.name); }
      for (const w of workers) w.terminate();
      """)
    #expect(result.output == "[ 1, 1 ] [ 1, 1 ] 0 news\nInvalidStateError\n", "\(result)")
    #expect(result.status == .success)
  }

  /// The worker goes on, as in browsers.
  @Test func anErrorOfAWorkerComesToItsWorkerObject() async {
    let result = await WorkerHarness.run([
      "main.mjs": """
      const w = new Worker(new URL("bad.ts", import.meta.url));
      const told = (e) => [e.constructor.name, e.message, e.filename.split("/").at(-1), e.lineno, e.colno];
      // Errors and messages come each in their order, and by ways of their own.
      let left = 4; const say = (...list) => { console.log(...list); if (--left === 0) w.terminate(); };
      w.onerror = (e) => { say(...told(e)); e.preventDefault(); };
      w.onmessage = ({ data }) => say(data);
      for (const what of ["throw", "reject", "own", "end"]) w.postMessage(what);
      const none = new Worker(new URL("none.js", import.meta.url));
      none.onerror = (e) => { e.preventDefault(); console.log(e.message.includes("none.js"), e.lineno); };
      """,
      "bad.ts": """
      type Data = string;
      self.addEventListener("error", (e) => {
        if (!e.message.includes("own")) return;
        postMessage("mine");
        e.preventDefault();
      });
      onmessage = ({ data }: { data: Data }) => {
        if (data === "reject") Promise.reject(new TypeError(data));
        else if (data !== "end") throw new RangeError(data);
        else postMessage(data);
      };
      """,
    ])
    let lines = Set(result.output.split(separator: "\n"))
    #expect(
      lines == [
        "ErrorEvent RangeError: throw bad.ts 9 28", "ErrorEvent TypeError: reject bad.ts 8 41",
        "mine", "end", "true 0",
      ], "\(result)")
    #expect(result.status == .success && result.errors == "", "\(result)")
  }

  @Test func anErrorThatNobodyTakesEndsTheProgram() async {
    let result = await WorkerHarness.run([
      "main.mjs": """
      const w = new Worker(new URL("bad.js", import.meta.url));
      w.onerror = (e) => console.log("not taken", e.message);
      globalThis.onerror = (message) => { console.log("global", message); };
      setInterval(() => {}, 1000);
      """, "bad.js": "const x = null;\nx.y;\n",
    ])
    #expect(result.output.hasPrefix("not taken TypeError: "))
    #expect(result.output.contains("\nglobal TypeError: "))
    #expect(result.errors.contains("bad.js:2:") && result.errors.contains("x.y;\n"), "\(result)")
    #expect(result.status == .failure)
  }

  /// A worker that listens for nothing ends when it has nothing to do, and the program behind it.
  @Test(arguments: [
    "postMessage(1)", "postMessage(1); onmessage = () => {}; close()",
    "onmessage = () => {}; postMessage(1); exit(3)", "setTimeout(() => postMessage(1), 20)",
    "await new Promise((done) => setTimeout(done, 20)); postMessage(1)",
  ])
  func aWorkerEndsByItself(_ script: String) async {
    let result = await WorkerHarness.run(
      """
      const w = new Worker("data:text/javascript," + encodeURIComponent(`\(script)`));
      console.log(await next(w));
      w.postMessage("to nobody");
      """)
    #expect(result.output == "1\n" && result.status == .success, "\(result)")
  }

  /// The thread is over while they wait, and is told of behind them.
  @Test func aBusyMakerGetsAllMessagesOfAWorkerThatEnded() async {
    let result = await WorkerHarness.run(
      """
      import { Worker as Thread } from "node:worker_threads";
      const busy = () => { const end = Date.now() + 300; while (Date.now() < end); };
      const post = "for (let i = 0; i < 100; i++) postMessage(i);";
      let count = 0;
      await new Promise((done) => {
        const w = new Worker("data:text/javascript," + post);
        w.onmessage = ({ data }) => { if (data === count) count++; if (data === 99) done(); };
        busy();
      });
      console.log(count);
      const told = (source, last) => new Promise((done) => {
        const t = new Thread(source, { eval: true }), seen = [];
        t.on("message", (n) => { seen.push(n); if (n === last) t.terminate(); });
        t.on("error", (e) => seen.push(e.message));
        t.on("exit", (status) => done([seen.length, seen.at(-1), last ?? status]));
        busy();
      });
      console.log(await told(post), await told(post + "throw new RangeError('bad')"), await told(post, 40));
      console.log(await told("new Worker('data:,throw new Error(7)'); onmessage = () => {}"));
      """)
    #expect(
      result.output == "100\n[ 100, 99, 0 ] [ 101, 'bad', 1 ] [ 41, 40, 40 ]\n[ 1, '7', 1 ]\n"
        && result.status == .success, "\(result)")
  }

  /// A getter of what one is given starts another, or throws.
  @Test func eachWorkerHasTheDataThatItWasGiven() async {
    let result = await WorkerHarness.run([
      "main.mjs": """
      import { Worker as Thread } from "node:worker_threads";
      const file = new URL("t.mjs", import.meta.url);
      const next = (t) => new Promise((done) => t.on("message", done));
      let nested;
      const start = () => { nested = new Thread(file, { workerData: { a: "theirs" } }); return "mine"; };
      const t = new Thread(file, { workerData: { get a() { return start(); } } });
      console.log(await Promise.all([next(t), next(nested)]));
      const web = new Worker(file);
      console.log(await new Promise((done) => { web.onmessage = (e) => done(e.data); }));
      for (let i = 0; i < 300; i++) {
        try { new Thread(file, { workerData: { get a() { throw i; } } }); } catch (e) { nested = e; }
      }
      console.log(nested, await next(new Thread(file, { workerData: { a: "last" } })));
      """,
      "t.mjs": """
      import { workerData } from "node:worker_threads";
      postMessage(workerData?.a ?? "nothing");
      """,
    ])
    #expect(
      result.output == "[ 'mine', 'theirs' ]\nnothing\n299 last\n" && result.status == .success, "\(result)")
  }

  @Test func aListenerThatIsOnAndOnceIsTakenAwayOnce() async {
    let result = await WorkerHarness.run(
      """
      import { MessageChannel } from "node:worker_threads";
      const { port1, port2 } = new MessageChannel(), seen = [], note = (value) => seen.push(value);
      port2.once("message", note).on("message", note);
      const last = new Promise((done) => port2.on("message", (value) => { if (value === 2) done(); }));
      for (const value of [1, 2]) port1.postMessage(value);
      await last;
      port1.close();
      console.log(seen);
      """)
    #expect(result.output == "[ 1, 1, 2 ]\n" && result.status == .success, "\(result)")
  }

  @Test func anAwaitThatCanNeverSettleIsAnErrorOfItsWorker() async {
    let result = await WorkerHarness.run(
      """
      const w = new Worker("data:,await new Promise(() => {})");
      w.onerror = (e) => console.log(e.message);
      """)
    #expect(result.output == "a worker's await can never settle\n", "\(result)")
    #expect(result.errors.contains("nbridge: this await can never settle"), "\(result)")
    #expect(result.status == .failure)
  }

  @Test func whatComesBeforeTheFirstListenerWaitsForIt() async {
    let result = await WorkerHarness.run(
      """
      const w = new Worker("data:text/javascript," + encodeURIComponent(`
        await new Promise((done) => setTimeout(done, 30));
        addEventListener("message", (e) => postMessage(e.data));`));
      w.postMessage("early");
      console.log(await next(w));
      const c = new Worker("data:text/javascript,function onmessage(e) { postMessage(e.data); close() }");
      c.postMessage("declared");
      console.log(await next(c));
      w.terminate();
      """)
    #expect(result.output == "early\ndeclared\n" && result.status == .success, "\(result)")
  }

  @Test func aWorkerHasNoStorageAndNoHandlerThatIsInherited() async {
    let result = await WorkerHarness.run(
      """
      const w = spawn(() => {
        const told = [typeof localStorage, "sessionStorage" in self, typeof Storage, "localStorage" in self];
        Object.prototype.value = () => postMessage("never");
        postMessage(told);
      });
      console.log(await next(w));
      w.postMessage("to nobody");
      """)
    #expect(
      result.output == "[ 'undefined', false, 'function', false ]\n", "\(result)")
  }

  @Test func aClassicWorkerImportsScripts() async {
    let result = await WorkerHarness.run([
      "main.mjs": """
      const w = new Worker(new URL("c.js", import.meta.url));
      w.onmessage = ({ data }) => console.log(data);
      """,
      "c.js": """
      importScripts("a.js", "./b.js");
      try { importScripts("bad.js"); } catch (e) { postMessage([a, b(), e === thrown]); }
      try { importScripts("none.js"); } catch (e) { postMessage(e.message.includes("none.js")); }
      """,
      "a.js": "var a = 1;", "b.js": "function b() { return a + 1; }",
      "bad.js": "var thrown = new Error('x'); throw thrown;",
    ])
    #expect(result.output == "[ 1, 2, true ]\ntrue\n" && result.status == .success, "\(result)")
  }

  @Test func aSyntaxErrorOfAnImportedScriptIsToldWhereItStands() async {
    let result = await WorkerHarness.run([
      "main.mjs": """
      const w = new Worker(new URL("c.js", import.meta.url));
      w.onerror = (event) => {
        event.preventDefault();
        console.log(event.lineno, event.colno);
        w.terminate();
      };
      """,
      "c.js": "importScripts('bad.js');", "bad.js": "var a;\n\n let b = ; // rest",
    ])
    #expect(result.output == "3 10\n", "\(result)")
  }

  @Test func aWorkerHasPluginsOfItsOwnAndTheProgramsPermissions() async {
    let script = """
      const w = spawn(async () => {
        const told = (p) => p.then((v) => v, (e) => e.code);
        const { probe, services } = nbridge;
        postMessage([services, await told(probe.later({ ms: 1 })), await told(probe.soon())]);
      });
      console.log(await next(w));
      const nested = spawn(() => {
        const inner = new Worker("data:text/javascript,postMessage('inner')");
        inner.onmessage = (e) => postMessage(e.data);
      });
      console.log(await next(nested));
      """
    let result = await WorkerHarness.run(
      ["main.mjs": WorkerHarness.tools + script], plugins: [ProbePlugin()], workers: { [ProbePlugin()] },
      change: { $0.permissions = PermissionSet(["probe.later"]) })
    #expect(result.output == "[ [ 'probe' ], 1, 'permission_denied' ]\ninner\n", "\(result)")
    let without = await WorkerHarness.run(
      "const w = spawn(() => postMessage(nbridge.services)); console.log(await next(w));",
      plugins: [ProbePlugin()])
    #expect(without.output == "[]\n", "\(without)")
  }
}
