// SPDX-License-Identifier: MIT

import NBridgeHost
import NBridgeTesting
import Testing

/// What a script makes of the methods of lists and sets is asked by no class of the web's, and sees nothing
/// of what that keeps.
@Suite struct PollutedMethodTests {
  @Test func theTimelineAndItsObserversAreTheirOwn() async {
    let result = await ScriptHarness(plugins: []).run(
      """
      const seen = [];
      const spy = (holder, names) => {
        for (const name of names) {
          const own = holder[name];
          holder[name] = function (...given) { seen.push(name); return own.apply(this, given); };
        }
      };
      performance.mark("late", { startTime: 9 });
      performance.mark("early", { startTime: 5 });
      let told = 0;
      const observer = new PerformanceObserver((list) => { told = list.getEntriesByName("m").length; });
      observer.observe({ entryTypes: ["mark", "measure"] });
      new PerformanceObserver(() => {}).observe({ type: "mark", buffered: true });
      seen.length = 0;
      spy(Set.prototype, ["add", "has", "delete"]);
      spy(Map.prototype, ["get", "set", "has", "delete", "clear"]);
      spy(Array.prototype, ["filter", "sort", "includes", "concat", "slice", "map"]);
      const iterator = Array.prototype[Symbol.iterator];
      Array.prototype[Symbol.iterator] = () => { seen[seen.length] = "iterator"; throw new Error("mine"); };
      performance.mark("m", { startTime: 7 });
      performance.measure("m", "early");
      const names = performance.getEntriesByType("mark"), all = performance.getEntries().length;
      performance.clearMarks("late");
      const left = performance.getEntriesByType("mark").length;
      await new Promise((done) => setTimeout(done, 1));
      observer.disconnect();
      Array.prototype[Symbol.iterator] = iterator;
      console.log(seen.join(), names[0].name, names[1].name, names[2].name, all, left, told);
      """)
    #expect(result.output == " early m late 4 2 2\n", "\(result)")
  }

  /// Of one start those that came first are first.
  @Test func entriesAreInTheOrderOfTheirStart() async {
    let result = await ScriptHarness(plugins: []).run(
      """
      const starts = [];
      for (let i = 0; i < 1000; i++) starts.push((i * 7919) % 97);
      starts.forEach((startTime, i) => performance.mark(`${i}`, { startTime }));
      const wanted = starts.map((start, i) => [start, i]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      const names = performance.getEntriesByType("mark").map(({ name }) => name);
      console.log(names.length, names.join() === wanted.map(([, i]) => i).join());
      """)
    #expect(result.output == "1000 true\n", "\(result)")
  }

  @Test func aSetterForAnIndexSeesNoTimer() async {
    let result = await ScriptHarness(plugins: []).run(
      """
      let seen = 0;
      for (const holder of [Object.prototype, Array.prototype]) {
        for (let i = 0; i < 4; i++) {
          Object.defineProperty(holder, i, { get() {}, set() { seen++; }, configurable: true });
        }
      }
      let count = 0;
      for (let i = 0; i < 4; i++) setTimeout(() => { count++; }, i);
      setTimeout(() => {
        for (let i = 0; i < 4; i++) delete Object.prototype[i], delete Array.prototype[i];
        console.log(count, seen);
      }, 20);
      """)
    #expect(result.output == "4 0\n" && result.errors.isEmpty, "\(result)")
  }

  /// A destructured list asks its iterator's `return`.
  @Test func whatIsLoadedLateAsksNoReturnOfAScripts() async {
    let result = await ScriptHarness(plugins: []).run(
      """
      Iterator.prototype.return = () => { throw new Error("mine"); };
      console.log((await crypto.subtle.digest("SHA-1", new Uint8Array(1))).byteLength);
      """)
    #expect(result.output == "20\n", "\(result)")
  }

  @Test func aKeyFromAnotherEngineIsReadByNoIterator() async {
    let result = await WorkerHarness.run(
      """
      const w = spawn(async () => {
        const publicExponent = new Uint8Array([1, 0, 1]);
        const rsa = { name: "RSA-PSS", modulusLength: 1024, publicExponent, hash: "SHA-256" };
        const { publicKey } = await crypto.subtle.generateKey(rsa, true, ["sign", "verify"]);
        const secret = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, true, ["sign"]);
        postMessage({ publicKey, secret });
      });
      const asked = next(w), iterator = Array.prototype[Symbol.iterator];
      Array.prototype[Symbol.iterator] = function () { throw new Error("mine"); };
      const { publicKey, secret } = await asked;
      const { publicExponent } = publicKey.algorithm;
      Array.prototype[Symbol.iterator] = iterator;
      console.log(publicExponent.join(), secret.type);
      """)
    #expect(result.output == "1,0,1 secret\n", "\(result)")
  }

  /// The error's own text is no getter's.
  @Test func anUncaughtErrorKeepsItsTextWhereAllObjectsHaveAGet() async {
    let result = await ScriptHarness(plugins: []).run(
      """
      addEventListener("error", (event) => { event.preventDefault(); console.log(event.message); });
      Object.prototype.get = () => "mine";
      reportError(new RangeError("told"));
      delete Object.prototype.get;
      """)
    #expect(result.output == "RangeError: told\n", "\(result)")
  }

  /// A list that fails in its middle: the other end of a port that was taken is told, for nobody has it.
  @Test func whatIsTakenForAMessageThatFailsIsClosed() async {
    let result = await ScriptHarness(plugins: []).run(
      """
      const { port1, port2 } = new MessageChannel();
      const buffer = new ArrayBuffer(8);
      const told = new Promise((resolve) => { port2.addEventListener("close", resolve); });
      port2.onmessage = () => {};
      const message = { get late() { buffer.transfer(); return 1; } };
      try { structuredClone(message, { transfer: [port1, buffer] }); } catch ({ name }) { console.log(name); }
      await told;
      console.log("told");
      """)
    #expect(result.output == "DataCloneError\ntold\n" && result.status == .success, "\(result)")
  }
}
