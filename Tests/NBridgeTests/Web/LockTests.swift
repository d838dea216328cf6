// SPDX-License-Identifier: MIT

import NBridgeHost
import NBridgeTesting
import Testing

/// navigator.locks as scripts see it.
@Suite struct LockTests {
  static let tools = #"""
    const { locks } = navigator;
    const expect = (label, actual, expected) => {
      if (actual !== expected) console.log(`${label}\n  is       ${actual}\n  expected ${expected}`);
    };
    const told = (promise) => promise.then((value) => value, (error) => error?.name ?? error);
    const later = () => new Promise((resolve) => setTimeout(resolve, 1));
    const makeGate = () => {
      let open;
      return { gate: new Promise((resolve) => { open = resolve }), open };
    };
    const state = async () => {
      const { held, pending } = await locks.query();
      const shown = (list) => list.map(({ name, mode }) => `${name}:${mode[0]}`).join();
      return `${shown(held)}|${shown(pending)}`;
    };

    """#

  /// The script prints what is not as it expects.
  static func expectNothing(of script: String, _ location: SourceLocation = #_sourceLocation) async {
    let result = await ScriptHarness(plugins: []).run(tools + script)
    #expect(
      result.output.isEmpty && result.status == .success, "\(result.output)\(result.errors)",
      sourceLocation: location)
  }

  @Test func aLoopOverQueriesLetsTimersIn() async {
    var harness = ScriptHarness(plugins: [])
    harness.usesRealTime = true
    let result = await harness.run(
      """
      let isOver = false;
      setTimeout(() => { isOver = true; }, 5);
      const end = Date.now() + 10000;
      while (!isOver && Date.now() < end) await navigator.locks.query();
      console.log(isOver);
      """)
    #expect(result.output == "true\n", "\(result)")
  }

  @Test func oneHasAnExclusiveLockAndTheOthersWaitInTheirOrder() async {
    await Self.expectNothing(
      of: #"""
        const seen = [], { gate, open } = makeGate();
        const take = (name, mode, until) => locks.request(name, { mode }, async (lock) => {
          seen.push(`${lock.name}:${lock.mode}`);
          await until;
          return seen.length;
        });
        const all = [take("a", "exclusive", gate), take("a", "shared"), take("a", "shared"),
          take("a", "exclusive"),
          take("a", "shared"), take("b", "exclusive")];
        expect("asynchronous", seen.length, 0);
        await later();
        expect("first", seen.join(), "a:exclusive,b:exclusive");
        expect("waiting", await state(), "a:e|a:s,a:s,a:e,a:s");
        open();
        expect("answers", (await Promise.all(all)).join(), "2,3,4,5,6,2");
        expect("order", seen.join(), "a:exclusive,b:exclusive,a:shared,a:shared,a:exclusive,a:shared");
        expect("free", await state(), "|");
        """#)
  }

  @Test func aLockIsReleasedHoweverItsCallbackEnds() async {
    await Self.expectNothing(
      of: #"""
        for (const [callback, expected] of [
          [() => 7, 7], [async () => "later", "later"], [() => { throw new RangeError("x") }, "RangeError"],
          [() => Promise.reject(null), null],
          [() => ({ then(resolve) { resolve("thenable") } }), "thenable"],
        ]) {
          expect(`${callback}`, await told(locks.request("a", callback)), expected);
          expect("released", await state(), "|");
        }
        """#)
  }

  @Test func whatIsNotAvailableIsToldAtOnce() async {
    await Self.expectNothing(
      of: #"""
        const { gate, open } = makeGate(), ifAvailable = true;
        const first = locks.request("a", { mode: "shared" }, () => gate);
        const modeOf = (lock) => lock?.mode ?? null;
        const had = (options) => locks.request("a", { ifAvailable, ...options }, modeOf);
        expect("shared", await had({ mode: "shared" }), "shared");
        expect("exclusive", await had(), null);
        const second = locks.request("a", () => "second");
        expect("behind one that waits", await had({ mode: "shared" }), null);
        open();
        await second;
        expect("free", await had(), "exclusive");
        """#)
  }

  @Test func aStolenLockIsAnAbortErrorOfItsOwnerWhoseWorkGoesOn() async {
    await Self.expectNothing(
      of: #"""
        const { gate, open } = makeGate(), seen = [];
        const owner = told(locks.request("a", async () => { await gate; seen.push("owner") }));
        const waiting = locks.request("a", () => { seen.push("waiting") });
        await later();
        const thief = locks.request("a", { steal: true }, async () => {
          seen.push("thief");
          await later();
        });
        expect("owner", await owner, "AbortError");
        expect("held", await state(), "a:e|a:e");
        open();
        await thief; await waiting;
        expect("last", `${seen.length} ${seen[2]}`, "3 waiting");
        """#)
  }

  @Test func aSignalTakesARequestBackThatWaits() async {
    await Self.expectNothing(
      of: #"""
        const { gate, open } = makeGate(), controller = new AbortController(), { signal } = controller;
        const owner = locks.request("a", { signal: new AbortController().signal }, () => gate);
        const waiting = told(locks.request("a", { signal }, () => console.log("called")));
        const shared = locks.request("a", { mode: "shared" }, () => "shared");
        await later();
        controller.abort("reason");
        expect("reason", await waiting, "reason");
        expect("waiting", await state(), "a:e|a:s");
        expect("aborted before", await told(locks.request("b", { signal }, () => 1)), "reason");
        open();
        expect("next", await shared, "shared");
        // Granted, but not begun.
        const other = new AbortController(), called = () => console.log("called");
        const late = told(locks.request("c", { signal: other.signal }, called));
        other.abort();
        expect("late", await late, "AbortError");
        await later();
        expect("free", await state(), "|");
        // Once it has begun, the signal has no say any more.
        const third = new AbortController();
        const begun = locks.request("c", { signal: third.signal }, async () => {
          third.abort();
          await later();
          return "done";
        });
        expect("begun", await begun, "done");
        """#)
  }

  @Test func whatCanNotBeRequestedIsRefused() async {
    await Self.expectNothing(
      of: #"""
        const { signal } = new AbortController(), use = () => {};
        for (const [list, expected] of [
          [[], "TypeError"], [["a"], "TypeError"], [["a", {}], "TypeError"], [["a", use, {}], "TypeError"],
          [["a", 1, use], "TypeError"], [["a", { mode: "none" }, use], "TypeError"],
          [["a", { signal: {} }, use], "TypeError"], [[Symbol(), use], "TypeError"],
          [["-a", use], "NotSupportedError"],
          [["a", { steal: true, ifAvailable: true }, use], "NotSupportedError"],
          [["a", { steal: true, mode: "shared" }, use], "NotSupportedError"],
          [["a", { signal, steal: true }, use], "NotSupportedError"],
          [["a", { signal, ifAvailable: true }, use], "NotSupportedError"],
          [["", use], undefined], [["a", null, use], undefined], [["a", undefined, use], undefined],
        ]) expect(String(expected), await told(locks.request(...list)), expected);
        expect("foreign", await told(LockManager.prototype.request.call({}, "a", use)), "TypeError");
        for (const type of [Lock, LockManager]) {
          let made = "made";
          try { new type() } catch (error) { made = error.name }
          expect(type.name, made, "TypeError");
        }
        expect("tags", `${locks} ${await locks.request("a", String)} ${navigator.locks === locks}`,
          "[object LockManager] [object Lock] true");
        """#)
  }

  @Test func namesAreTextsOfAnyKindAndStayWhatTheyAre() async {
    await Self.expectNothing(
      of: #"""
        const names = ["\uD800", "\uDC00", "\uD800\uDC00", "\uFFFD", "", "\0", "t", "u55296,",
          "\u00E9", "e\u0301"];
        const { gate, open } = makeGate(), had = [];
        String.prototype.toJSON = () => "one";
        const all = names.map((name) => locks.request(name, (lock) => { had.push(lock.name); return gate; }));
        await later();
        expect("each has its own", had.map(escape).join(), names.map(escape).join());
        const { held } = await locks.query();
        expect("as they were", held.map(({ name }) => escape(name)).join(), names.map(escape).join());
        open();
        await Promise.all(all);
        """#)
  }

  // MARK: - With workers

  /// A worker that has the lock "a" until it is told "go".
  static let holder = """
    const { locks } = navigator;
    const holder = spawn(() => {
      let open;
      const gate = new Promise((done) => { open = done; });
      onmessage = () => open();
      navigator.locks.request("a", () => { postMessage("has"); return gate; })
        .then(() => "gave it back", (error) => error.name).then(postMessage);
    });
    console.log(await next(holder));

    """

  @Test func aLockThatAWorkerHasIsNobodyElses() async {
    let result = await WorkerHarness.run(
      Self.holder + """
        console.log(await locks.request("a", { ifAvailable: true }, (lock) => lock));
        const mine = locks.request("a", ({ name }) => `mine: ${name}`);
        const { held, pending } = await locks.query();
        for (const { clientId, mode, name } of [...held, ...pending]) console.log(clientId, mode, name);
        const told = next(holder);
        holder.postMessage("go");
        console.log(await told, await mine);
        holder.terminate();
        """)
    let seen = "has\nnull\nworker 1 exclusive a\nthis program exclusive a\ngave it back mine: a\n"
    #expect(result.output == seen && result.status == .success, "\(result)")
  }

  @Test func whatAWorkerHadThatEndsIsTheNextOnes() async {
    let result = await WorkerHarness.run(
      Self.holder + """
        const mine = locks.request("a", () => "mine");
        holder.terminate();
        console.log(await mine, (await locks.query()).held.length);
        """)
    #expect(result.output == "has\nmine 0\n" && result.status == .success, "\(result)")
  }

  @Test func whoStealsAWorkersLockHasItAndTheWorkerIsTold() async {
    let result = await WorkerHarness.run(
      Self.holder + """
        const told = next(holder);
        console.log(await locks.request("a", { steal: true }, () => "stolen"), await told);
        holder.terminate();
        """)
    #expect(result.output == "has\nstolen AbortError\n" && result.status == .success, "\(result)")
  }

  @Test func whoWaitsForAWorkersLockMayGiveUp() async {
    let result = await WorkerHarness.run(
      Self.holder + """
        const stop = new AbortController();
        const mine = locks.request("a", { signal: stop.signal }, () => "never");
        setTimeout(() => stop.abort(), 1);
        console.log(await mine.catch(({ name }) => name), (await locks.query()).pending.length);
        holder.terminate();
        """)
    #expect(result.output == "has\nAbortError 0\n" && result.status == .success, "\(result)")
  }

  /// Nothing but the lock keeps the worker.
  @Test func aWorkerWaitsForALockOfThePrograms() async {
    let result = await WorkerHarness.run(
      """
      let open;
      const gate = new Promise((done) => { open = done; });
      const mine = navigator.locks.request("a", () => gate);
      const w = new Worker("data:text/javascript," + encodeURIComponent(
        'postMessage(await navigator.locks.request("a", () => "had it"))'),
        { type: "module" });
      const told = next(w);
      const waiting = async () => (await navigator.locks.query()).pending.length;
      while (await waiting() === 0) await new Promise((done) => setTimeout(done, 1));
      setTimeout(open, 20);
      console.log(await told);
      await mine;
      """)
    #expect(result.output == "had it\n" && result.status == .success, "\(result)")
  }

  /// It waits for its own lock first, which another engine then takes.
  @Test func whoIsRobbedByAnotherEngineWaitsForIt() async {
    let result = await WorkerHarness.run(
      """
      const { locks } = navigator;
      const w = spawn(() => {
        const { locks } = navigator;
        locks.request("a", () => { postMessage("held"); return new Promise(() => {}); })
          .catch(({ name }) => postMessage(name));
        locks.request("a", () => postMessage("again"));
        // Nothing but the lock keeps it from there on.
        onmessage = () => { onmessage = null; postMessage("listens no more"); };
      });
      console.log(await next(w));
      const heard = [];
      w.onmessage = ({ data }) => heard.push(data);
      await locks.request("a", { steal: true }, async () => {
        w.postMessage("go");
        while (heard.length < 2) await next(w);
      });
      while (heard.length < 3) await next(w);
      console.log(heard);
      """)
    let told = "held\n[ 'AbortError', 'listens no more', 'again' ]\n"
    #expect(result.output == told && result.status == .success, "\(result)")
  }

  /// What it waits for is its own lock, once the others have gone: nothing will come.
  @Test func whoWaitsForItselfAloneIsOver() async {
    let result = await WorkerHarness.run(
      """
      const { locks } = navigator;
      const w = spawn(() => {
        navigator.locks.request("a", () => {});
        postMessage(1);
        onmessage = () => {};
      });
      locks.request("a", () => new Promise(() => {}));
      await next(w);
      while ((await locks.query()).pending.length === 0) await new Promise((done) => setTimeout(done, 1));
      locks.request("a", () => console.log("never"));
      w.terminate();
      console.log("over");
      """)
    #expect(result.output == "over\n" && result.status == .success, "\(result)")
  }
}
