// SPDX-License-Identifier: MIT

import BothWays
import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import Synchronization
import Testing

/// Streams that scripts hand to plugins, with the plugin linked and behind the table.
@Suite(.allWays) struct IncomingTests: IntakeSuite {
  let intake = IntakePlugin()

  @Test func everySequenceIsAStream() async {
    await expect(
      """
      const list = [{ size: 1 }, { size: 2 }, { size: 3 }];
      function* plain() { yield* list; }
      async function* later() { for (const row of list) { await null; yield row; } }
      const start = (to) => { for (const row of list) to.enqueue(row); to.close(); };
      const stream = () => new ReadableStream({ start });
      class Custom { [Symbol.iterator]() { return list[Symbol.iterator](); } }
      const literal = { async *[Symbol.asyncIterator]() { yield* list; } };
      const promises = { *[Symbol.iterator]() { for (const row of list) yield Promise.resolve(row); } };
      for (const rows of [list, plain(), later(), stream(), new Custom(), literal, promises, new Set(list)])
        console.log(await intake.sum(rows));
      for (const rows of [list, plain(), later(), stream()]) console.log(await intake.sumBlocking(rows));
      console.log(await nbridge.callToNative('intake', 'sum', { rows: later() }));
      console.log(await intake.sum([]), await intake.sum((function* () {})()));
      """,
      prints: String(repeating: "6\n", count: 13) + "0 0")
  }

  /// What each value leaves behind would fill the stack.
  @Test func aLongStreamIsAsGoodAsAShortOne() async {
    await expect(
      """
      function* rows() { for (let n = 0; n < 40_000; n++) yield { size: 1 }; }
      console.log(await intake.sum(rows()), await intake.sumBlocking(rows()));
      """, prints: "40000 40000")
  }

  @Test func bytesComeWhole() async {
    await expect(
      """
      async function* chunks() {
        const used = new Uint8Array(8192);
        for (let round = 1; round <= 3; round++) { used.fill(round); yield used; }
        yield new Uint8Array(0);
        yield new Uint16Array([257]).buffer;
      }
      console.log((await intake.length(chunks())).join());
      console.log((await intake.length([new Uint8Array([1, 2]), new Uint8Array([3])])).join());
      """, prints: "\(3 * 8192 + 2),\(6 * 8192 + 2)\n3,6")
  }

  @Test func valuesThatJSONLacksComeWhole() async {
    await expect(
      """
      const list = [undefined, null, 1n, new Date(0), new Uint8Array(2), new Map([[1, 2]]), [NaN], 'a'];
      function* values() { yield* list }
      console.log((await intake.kinds(values())).join());
      """, prints: "undefined,null,bigint,date,bytes,map,array,string")
  }

  @Test func nothingIsTakenBeforeItIsWanted() async {
    await expect(
      """
      let taken = 0, left = 0;
      const numbers = () => ({ [Symbol.asyncIterator]: () => ({
        async next() { return { value: ++taken, done: false }; }, async return() { left++; return {}; } }) });
      await intake.ignore(numbers());
      await intake.ignoreAtOnce(numbers());
      console.log(taken, left);
      console.log((await intake.some(numbers(), 1)).join(), taken, left);
      taken = 0;
      console.log((await intake.some(numbers(), 40)).length, taken >= 40 && taken <= 40 + 16, left);
      """, prints: "0 0\n1 1 1\n40 true 2")
  }

  @Test func aPluginThatLeavesIsTold() async {
    await expect(
      """
      function* numbers() { try { for (let n = 1; ; n++) yield n; } finally { console.log('left'); } }
      console.log((await intake.leave(numbers())).join('/'));
      """, prints: "left\n1/")
  }

  @Test func whatTheIteratorThrowsIsThrownInThePlugin() async {
    await expect(
      """
      const boom = new TypeError('boom');
      async function* failing() { yield { size: 1 }; throw boom; }
      for (const call of [() => intake.sum(failing()), () => intake.sumBlocking(failing())]) {
        const error = await call().catch(error => error);
        console.log(error.code, '|', error.message, '|', error.cause === boom);
      }
      const own = new nbridge.BridgeError('not_found', 'nothing there');
      const error = await intake.sum({ [Symbol.iterator]() { throw own; } }).catch(error => error);
      console.log(error.code, error.message);
      """,
      prints: """
        script_failed | rows failed: boom | true
        script_failed | rows failed: boom | true
        not_found nothing there
        """)
  }

  @Test func aValueOfTheWrongTypeIsNamedByItsPath() async {
    await expect(
      """
      let left = 0;
      const rows = (...list) => (function* () { try { yield* list } finally { left++ } })();
      for (const given of [
        rows({ size: 1 }, { size: 'x' }), rows({ size: 1, sise: 2 }), rows({ size: 1 }, () => 1),
        [{ size: 1 }, { size: 'x' }], rows(7), 7, 'text', {}, null, new Map()]) {
        const error = await intake.sum(given).catch(error => error);
        console.log(error.code, error.message);
      }
      console.log(left);
      """,
      prints: """
        invalid_parameter rows[1].size must be an integer, not a string
        invalid_parameter rows[0] has no 'sise'; did you mean 'size'?
        invalid_parameter rows[1] is a function, which can't cross the bridge
        invalid_parameter rows[1].size must be an integer, not a string
        invalid_parameter rows[0] must be an object, not a number
        invalid_parameter rows must be a sequence (a ReadableStream, an iterable or an array), not a number
        invalid_parameter rows must be a sequence (a ReadableStream, an iterable or an array), not a string
        invalid_parameter rows must be a sequence (a ReadableStream, an iterable or an array), not an object
        invalid_parameter rows must be a sequence (a ReadableStream, an iterable or an array), not null
        invalid_parameter rows must be a sequence (a ReadableStream, an iterable or an array), not a Map
        4
        """)
  }

  @Test func aStreamIsForActionsThatTakeOne() async {
    await expect(
      """
      function* numbers() { yield 1 }
      const given = { numbers: numbers(), other: numbers() };
      const error = await intake.maybe(given).catch(error => error);
      console.log(error.code, error.message);
      console.log(await intake.maybe({ numbers: [numbers()] }).catch(error => error.code));
      console.log(await intake.maybe(), await intake.maybe({ numbers: numbers(), each: n => n + 1 }));
      """,
      prints: """
        invalid_parameter option.other is an object of the class Generator, whose contents would be lost; \
        hand over what is in it
        invalid_parameter
        0 2
        """)
  }

  @Test func brokenIteratorsRejectTheCall() async {
    await expect(
      """
      const broken = [
        { [Symbol.iterator]: 1 }, { [Symbol.iterator]: () => 1 }, { [Symbol.iterator]: () => ({}) },
        { [Symbol.iterator]: () => ({ next: 5 }) }, { [Symbol.iterator]: () => ({ next: () => 5 }) },
        { [Symbol.iterator]: () => ({ get next() { throw Error('next') } }) },
        { [Symbol.iterator]: () => ({ next: () => ({ get done() { throw Error('done') } }) }) },
        { [Symbol.iterator]: () => ({ next: () => ({ get value() { throw Error('value') } }) }) },
        { get [Symbol.asyncIterator]() { throw Error('getter') } },
        { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(7) }) },
        { [Symbol.asyncIterator]: () => ({ next: () => ({ then() { throw 'thenable' } }) }) },
        new Proxy({}, { get() { throw Error('proxy') } }),
      ];
      for (const rows of broken) {
        const error = await intake.sum(rows).catch(error => error);
        console.log(error.code, typeof error.message);
      }
      const locked = new ReadableStream(); locked.getReader();
      console.log((await intake.sum(locked).catch(error => error)).code);
      """,
      prints: """
        invalid_parameter string
        invalid_parameter string
        script_failed string
        script_failed string
        invalid_parameter string
        script_failed string
        script_failed string
        script_failed string
        invalid_parameter string
        script_failed string
        script_failed string
        invalid_parameter string
        script_failed
        """)
  }

  @Test func aScriptThatChangedItsWorldIsStillRead() async {
    await expect(
      """
      const { log } = console, { sum } = intake;
      async function* rows() { for (let size = 0; size < 50; size++) yield { size }; }
      const given = rows();
      const fault = () => { throw Error('polluted') };
      Array.prototype[Symbol.iterator] = fault; Array.prototype.push = fault; Promise.prototype.then = fault;
      Object.prototype.streams = fault; String.prototype.streams = fault; Object.prototype.kind = 'callback';
      Object.defineProperty(Array.prototype, '0', { set: fault, configurable: true });
      Function.prototype.call = fault; Function.prototype.apply = fault;
      Map.prototype.get = fault; JSON.stringify = fault;
      const total = await sum(given);
      log(total);
      """, prints: "1225")
  }

  @Test func aCallThatIsCancelledEndsItsStream() async {
    await expect(
      """
      let left = 0;
      const never = begun => ({ [Symbol.asyncIterator]: () => ({
        next() { begun?.(); return new Promise(() => {}); }, return() { left++ } }) });
      for (const name of ['endless', 'endlessBlocking']) {
        const controller = new AbortController(), { signal } = controller;
        const begun = () => setTimeout(() => controller.abort());
        console.log(await intake[name](never(begun), {}, { signal }).catch(error => error.code), left);
        console.log(await intake[name](never(), {}, { timeout: 1000 }).catch(error => error.code), left);
      }
      """, prints: "cancelled 1\ntimeout 2\ncancelled 3\ntimeout 4", waits: true)
    intake.box.returned.wait(for: 4)
    #expect(intake.box.log.withLock { $0 } == ["cancelled", "cancelled", "cancelled", "cancelled"])
    intake.box.log.withLock { $0 = [] }
  }

  @Test func anIteratorMayEndItsOwnCall() async {
    await expect(
      """
      const controller = new AbortController();
      function* numbers() { try { yield 1; controller.abort(); yield 2; } finally { console.log('left'); } }
      const { signal } = controller;
      console.log(await intake.some(numbers(), undefined, { signal }).catch(error => error.code));
      """, prints: "left\ncancelled")
  }

  @Test func theStreamOfACallThatIsOverIsClosed() async {
    await expect(
      """
      async function* numbers() { for (let n = 1; ; n++) yield n; }
      console.log(await intake.keep(numbers()));
      const error = await intake.readKept().catch(error => error);
      console.log(error.code, error.message);
      """, prints: "1\nclosed the call is over: what the script gave it can't be used any more")
  }

  @Test func twoCallsMayShareAnIterator() async {
    await expect(
      """
      let n = 0;
      const next = async () => ({ value: ++n, done: n > 100 });
      const shared = { next, [Symbol.asyncIterator]() { return this; } };
      const [one, two] = await Promise.all([intake.some(shared), intake.some(shared)]);
      const all = [...one, ...two].sort((a, b) => a - b);
      console.log(all.length, all[0], all[99], one.length > 0 && two.length > 0);
      """, prints: "100 1 100 true")
  }

  /// A call that is over has given its slot to another before the script hears of its end.
  @Test func theEndOfAStreamNeverReachesAnotherCall() async {
    await expect(
      """
      for (let round = 0; round < 20; round++) {
        let inner;
        function* outer() {
          inner ??= intake.some([1, 2].values());
          if (round % 2) throw Error('not yours');
        }
        const call = intake.askAndGo(outer());
        // Both what it asks and its answer are there when the script comes back to its loop.
        for (const end = Date.now() + 5; Date.now() < end;);
        await call;
        const got = await inner?.catch(error => [error.message]) ?? [1, 2];
        if (got.join() !== '1,2') console.log('got', got.join());
      }
      console.log('end');
      """, prints: "end")
  }

  @Test func severalTasksMayReadOneStream() async {
    await expect(
      """
      async function* numbers() { for (let n = 0; n < 200; n++) yield n; }
      console.log((await intake.together(numbers())).every((n, index) => n === index));
      """, prints: "true")
  }

  @Test func aStreamMayCallThePluginItIsFor() async {
    await expect(
      """
      const inner = depth => intake.sumBlocking(rows(depth - 1));
      const at = async (depth, n) => depth === 0 ? n : await inner(depth);
      async function* numbers(depth) { for (let n = 1; n < 4; n++) yield at(depth, n); }
      async function* rows(depth) { for await (const size of numbers(depth)) yield { size }; }
      console.log((await intake.some(numbers(3))).join());
      """, prints: "54,54,54")
  }

  @Test func aWatchMayReadAStream() async {
    await expect(
      """
      let left = 0;
      async function* numbers(end) { try { for (let n = 1; n <= end; n++) yield n; } finally { left++; } }
      console.log((await intake.doubled(numbers(100)).toArray()).at(-1), left);
      for await (const twice of intake.doubled(numbers(1e9))) if (twice >= 20) break;
      await null;
      console.log(left);
      """, prints: "200 1\n2")
  }

  @Test func methodsOfObjectsTakeStreams() async {
    await expect(
      """
      async function* numbers() { yield 1; yield 2; }
      const store = await intake.open();
      console.log(await store.put(numbers()), await store.put([3]));
      console.log((await store.putBlocking(numbers(), async n => n * 10)).join());
      """, prints: "2 3\n1,2,3,10,20")
  }

  @Test func theEnginesThreadNeverWaitsForTheScript() async {
    await expect(
      """
      const error = await intake.block((function* () { yield 1 })()).catch(error => error);
      console.log(error.code, error.message);
      """,
      prints: "unknown_error the engine's thread can't wait for the script; declare a Detached, or await it")
  }

  @Test func aReplayIsAskedForTheSame() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "streams-\(UUID()).nbrec").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    let script =
      """
      const { intake } = nbridge;
      async function* numbers() { for (let n = 1; n < 30; n++) { console.log('gives', n); yield n; } }
      const twice = n => { console.log('maps', n); return n * 2; };
      console.log((await intake.map(numbers(), twice)).join());
      console.log(await intake.sumBlocking((function* () { yield { size: 1 } })()));
      console.log(await intake.sum(5).catch(error => error.message));
      """
    var harness = ScriptHarness(plugins: [intake])
    harness.options.recording = file
    let first = await harness.run(script)
    #expect(first.status == .success && first.output.contains("maps 29"), "\(first.errors)")
    var replaying = ScriptHarness(plugins: [])
    replaying.options.replay = try Recording(path: file)
    let second = await replaying.run(script)
    #expect(second.output == first.output, "\(second.errors)")
    #expect(second.status == .success, "\(second.errors)")
  }

  @Test func theEndOfTheProgramEndsStreams() async {
    var harness = ScriptHarness(plugins: [intake])
    harness.usesRealTime = true
    let result = await harness.run(
      """
      const { intake } = nbridge;
      const never = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
      intake.endless(never).catch(() => {}); intake.endlessBlocking(never).catch(() => {});
      setTimeout(() => exit(3), 5);
      """)
    #expect(result.status.code == 3, "\(result.errors)")
  }
}
