// SPDX-License-Identifier: MIT

import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import StressPlugins
import Testing

/// Workers that want no end, too many of them, and scripts that change what messages are made of.
@Suite struct WorkerAttackTests {
  @Test func aLoopEndsWithTerminate() async {
    let result = await WorkerHarness.run(
      """
      const w = spawn(() => { postMessage(1); for (;;) {} });
      await next(w);
      w.terminate();
      const greedy = spawn(() => {
        onmessage = () => { Promise.resolve().then(() => { for (;;) {} }); postMessage(2); };
      });
      greedy.postMessage(0);
      await next(greedy);
      greedy.terminate();
      const flood = spawn(() => { for (;;) postMessage("x".repeat(1000)); });
      await next(flood);
      flood.terminate();
      flood.onmessage = () => console.log("never");
      console.log("over");
      """)
    #expect(result.output == "over\n" && result.status == .success, "\(result)")
  }

  @Test(arguments: ["exit(7)", "throw new Error('main')", "Promise.reject(new Error('main'))"])
  func theProgramsEndEndsAllWorkers(_ end: String) async {
    let result = await WorkerHarness.run(
      """
      const list = [1, 2, 3].map(() => spawn(() => { postMessage(1); for (;;) {} }));
      list.push(spawn(() => { onmessage = () => {}; postMessage(1); }));
      await Promise.all(list.map(next));
      \(end);
      await new Promise(() => {});
      """)
    #expect(result.status.code == (end.hasPrefix("exit") ? 7 : 1), "\(result)")
  }

  @Test(arguments: ["never()", "yields()", "block({ ms: 300 })", "gated({ count: 1 })"])
  func aWorkerEndsWhileAPluginIsAtWork(_ call: String) async {
    let result = await WorkerHarness.run(
      """
      const w = spawn(() => { nbridge.probe.\(call).catch(() => {}); postMessage(1); });
      await next(w);
      w.terminate();
      console.log("over");
      """, workers: { [ProbePlugin()] })
    #expect(result.output == "over\n" && result.status == .success, "\(result)")
  }

  @Test func moreWorkersThanThereMayBeAreRefused() async {
    let result = await WorkerHarness.run(
      """
      const list = [];
      try {
        for (let i = 0; i < 300; i++) list.push(spawn(() => { onmessage = () => {}; }));
      } catch (e) { console.log(e.name, e.message.includes("terminate()"), list.length); }
      exit(0);
      """)
    let parts = result.output.split(separator: " ")
    #expect(parts.first == "QuotaExceededError" && parts.dropFirst().first == "true", "\(result)")
    // Fewer where this process may not open so many files.
    #expect((Int(parts.last?.dropLast() ?? "") ?? 0) <= 256, "\(result)")
    #expect(result.status == .success)
  }

  /// Both sides have everything changed that a message could pass; what it says is the same.
  @Test func changedPrototypesReachNoMessage() async {
    let result = await WorkerHarness.run(
      """
      const spoil = () => {
        void [Worker, MessageChannel, BroadcastChannel, Blob];
        const bad = { get() { return "bad"; }, set() {}, configurable: true };
        const refuse = () => { throw new Error("spoilt"); };
        const types = [Map, Set, Date, RegExp, ArrayBuffer, Array, String, Number, Promise, EventTarget];
        for (const type of types) for (const key of Object.getOwnPropertyNames(type.prototype)) {
          const { value } = Object.getOwnPropertyDescriptor(type.prototype, key);
          if (typeof value === "function" && key !== "constructor") type.prototype[key] = refuse;
        }
        Array.prototype[Symbol.iterator] = refuse;
        for (let i = 0; i < 50; i++) Object.defineProperty(Array.prototype, i, bad);
        const names = { toJSON: 0, text: 0, blocks: 0, ports: 0, kind: 0, data: 0, made: 0, keys: 0,
          values: 0, wire: 0, code: 0, link: 0, owner: 0, maxByteLength: 0, root: 0, holders: 0, block: 0,
          deep: 0, fill: 0, make: 0, take: 0, is: 0, type: 0, transfer: 0, receive: 0, serialize: 0,
          isDetached: 0 };
        for (const name in names) Object.defineProperty(Object.prototype, name, bad);
        JSON.parse = JSON.stringify = Reflect.apply = refuse;
        globalThis.Map = globalThis.Uint8Array = globalThis.ArrayBuffer = globalThis.DOMException = null;
      };
      const source = `(${spoil})(); onmessage = (e) => { postMessage(e.data); };`;
      const w = new Worker("data:text/javascript," + encodeURIComponent(source));
      const { port1, port2 } = new MessageChannel();
      const buffer = new ArrayBuffer(3), map = new Map([[1, { a: 2 }]]), date = new Date(5);
      const blob = new Blob(["hey"]), list = [1, , { x: "y" }], { log } = console;
      const { call } = Function.prototype, transfer = new Set([buffer]);
      const get = call.bind(Map.prototype.get), timeOf = call.bind(Date.prototype.getTime);
      const done = ({ data }) => {
        log(get(data.map, 1).a, timeOf(data.date), data.list.length, data.list[2].x, data.buffer.byteLength,
          data.blob.size);
        w.terminate();
      };
      spoil();
      w.onmessage = done;
      w.postMessage({ list, map, date, buffer, blob });
      """)
    #expect(result.output == "2 5 3 y 3 3\n" && result.status == .success, "\(result)")
  }

  /// A function by the name of a step would get the records, and put the script's own memory into one.
  @Test func aStepThatAKindHasNotIsNotTheScripts() async {
    let result = await WorkerHarness.run(
      """
      const memory = new ArrayBuffer(2 << 20, { maxByteLength: 2 << 20 }), called = new Set();
      const names = ["deep", "fill", "transfer", "receive", "serialize", "deserialize", "isDetached", "wire"];
      for (const name of names) {
        Object.defineProperty(Object.prototype, name, {
          configurable: true,
          get() {
            called.add(name);
            return (value, record) => { if (record !== undefined) record.data = memory; };
          },
        });
      }
      const w = spawn(() => { onmessage = (e) => postMessage(e.data.byteLength); });
      w.postMessage(new ArrayBuffer(1));
      memory.resize(0);
      console.log(await next(w));
      w.terminate();
      const all = { date: new Date(1), list: [1], map: new Map([[1, 2]]), text: new String("x") };
      const copy = structuredClone(all);
      const gone = new ArrayBuffer(3);
      structuredClone(gone, { __proto__: null, transfer: [gone] });
      console.log([...called].join(), copy.map.size, gone.detached);
      """)
    #expect(result.output == "1\n 1 true\n", "\(result)")
  }

  /// Handlers and getters that end things while they are being used.
  @Test func aMessageThatEndsItsOwnWayHarmsNothing() async {
    let result = await WorkerHarness.run(
      """
      const w = spawn(() => { onmessage = (e) => postMessage(e.data); });
      w.postMessage({ get a() { w.terminate(); return 1; } });
      const { port1, port2 } = new MessageChannel();
      const v = spawn(() => { onmessage = (e) => { e.ports[0]?.postMessage(1); postMessage(2); }; });
      port1.postMessage({ get a() { v.postMessage(0, [port1]); return 1; } });
      port2.onmessage = ({ data }) => { console.log("port", data); port2.close(); };
      console.log(await next(v));
      try { port1.postMessage({ get a() { throw new RangeError("mine"); } }); }
      catch (e) { console.log(e.message); }
      v.postMessage("after");
      console.log(await next(v));
      const closed = new MessageChannel();
      closed.port2.close();
      closed.port1.postMessage("to nobody");
      v.postMessage(closed.port1, [closed.port1]);
      v.addEventListener("message", () => v.terminate());
      """)
    let lines = Set(result.output.split(separator: "\n"))
    #expect(lines.isSuperset(of: ["2", "mine"]) && result.status == .success, "\(result)")
  }

  /// Some can't be written, others can't be read: their ports are closed, so that nobody waits for them.
  @Test func aMessageThatIsTooDeepLeavesNoPortOpen() async {
    let result = await WorkerHarness.run(
      """
      const w = spawn(() => { onmessage = ({ ports }) => ports[0].close(); });
      for (let depth = 1000; depth < 100_000; depth = Math.trunc(depth * 1.3)) {
        let deep = 0;
        for (let i = 0; i < depth; i++) deep = [deep];
        const { port1, port2 } = new MessageChannel();
        const closed = new Promise((done) => { port2.onclose = done; });
        port2.start();
        try { w.postMessage(deep, [port1]); } catch { port1.close(); }
        await closed;
      }
      w.terminate();
      console.log("closed");
      """)
    #expect(result.output == "closed\n" && result.status == .success, "\(result)")
  }

  @Test func aScriptOutsideOfTheAppIsNoWorkerWhereThereIsAList() async {
    let files = [
      "app/main.mjs": """
      for (const name of ["../secret.js", "inside.js", "importer.js"]) {
        const w = new Worker(new URL(name, import.meta.url));
        w.onerror = (e) => {
          console.log(name, e.message.includes("outside of the app's folder"));
          e.preventDefault();
        };
        w.onmessage = (e) => console.log(name, e.data);
      }
      """,
      "secret.js": "postMessage('secret')", "app/inside.js": "postMessage('inside')",
      "app/importer.js": "importScripts('../secret.js')",
    ]
    let result = await WorkerHarness.run(files, change: { $0.permissions = PermissionSet(["app.appInfo"]) })
    #expect(
      Set(result.output.split(separator: "\n")) == [
        "../secret.js true", "inside.js inside", "importer.js true",
      ], "\(result)")
  }

  @Test func aRecordedProgramStartsNoWorkers() async {
    let result = await WorkerHarness.run(
      [
        "main.mjs": """
        import { Worker as Thread } from "node:worker_threads";
        try { new Worker("data:text/javascript,") } catch (e) { console.log(e.name, e.message); }
        const workerData = new ArrayBuffer(8);
        try { new Thread("", { eval: true, workerData, transferList: [workerData] }); }
        catch (e) { console.log(e.name, workerData.byteLength); }
        """
      ], change: { $0.recording = TemporaryFolder.make() + "/tape" })
    let refusal = "QuotaExceededError Worker: a recording has one script's turns only;"
    #expect(result.output.hasPrefix(refusal), "\(result)")
    // Nothing was transferred to the one that there is not.
    #expect(result.output.hasSuffix("\nQuotaExceededError 8\n"), "\(result)")
  }

  /// What ended leaves no threads behind, and no memory that grows.
  @Test func aHundredWorkersLeaveNothing() async {
    let script = """
      for (let i = 0; i < 10; i++) {
        const list = Array.from({ length: 10 }, () => spawn(() => {
          onmessage = () => {};
          postMessage(new ArrayBuffer(2_000_000));
        }));
        await Promise.all(list.map(next));
        for (const w of list) w.terminate();
      }
      """
    let others = Self.threads("nb-js-worker")
    let result = await WorkerHarness.run(script)
    #expect(result.status == .success, "\(result)")
    // A worker's thread goes just behind its program's end; other tests' workers come and go.
    let left = Self.threads("nb-js-worker").subtracting(others)
    let end = ContinuousClock.now + .seconds(60)
    while !left.isDisjoint(with: Self.threads("nb-js-worker")), .now < end {
      try? await Task.sleep(for: .milliseconds(20))
    }
    #expect(left.isDisjoint(with: Self.threads("nb-js-worker")))
  }

  /// What was lent outlives the engine that it is of, which ends when all of it was collected.
  @Test func lentBytesAreCollectedBehindTheirEnginesEnd() async {
    let result = await WorkerHarness.run(
      """
      for (let i = 0; i < 12; i++) {
        const w = spawn(() => {
          for (let n = 0; n < 4; n++) postMessage(new Uint8Array(2_000_000).fill(7));
        });
        let left = 4;
        await new Promise((done) => {
          w.onmessage = ({ data }) => {
            if (data[1_999_999] !== 7) console.log("changed");
            if (i % 2 === 0 && --left === 0) done();
            if (i % 2 === 1) { w.terminate(); done(); }
          };
        });
        for (let n = 0; n < 8; n++) new Uint8Array(8_000_000)[0] = 1;
      }
      console.log("done");
      """)
    #expect(result.output == "done\n" && result.status == .success, "\(result)")
  }

  /// The numbers of this process's threads of that name.
  private static func threads(_ name: String) -> Set<String> {
    let folder = "/proc/self/task"
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return Set(
      tasks.filter {
        (try? String(contentsOfFile: "\(folder)/\($0)/comm", encoding: .utf8)) == name + "\n"
      })
  }

  /// Each port waits at the next one, and nobody takes it.
  @Test func aChainOfPortsThatIsDroppedIsNotFollowedOnTheStack() async {
    let result = await WorkerHarness.run(
      """
      const worker = spawn(() => { onmessage = (e) => postMessage(null, [...e.ports]); });
      const ends = [];
      for (let i = 0; i < 20000; i++) {
        const { port1, port2 } = new MessageChannel();
        ends.push(port1, port2);
      }
      worker.postMessage(null, ends);
      const ports = await new Promise((done) => { worker.onmessage = (e) => done(e.ports); });
      worker.terminate();
      for (let i = 2; i < ports.length; i += 2) ports[i].postMessage(null, [ports[i - 1]]);
      ports.at(-1).close();
      console.log("closed");
      """)
    #expect(result.output == "closed\n" && result.status == .success, "\(result)")
  }
}
