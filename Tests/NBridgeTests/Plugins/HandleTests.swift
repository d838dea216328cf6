// SPDX-License-Identifier: MIT

import BothWays
import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import Synchronization
import Testing

/// Objects of a plugin that scripts hold, with the plugin linked and behind the table.
@Suite(.allWays) struct HandleTests {
  let shelf = ShelfPlugin()

  func run(_ script: String) async -> ScriptHarness.Result {
    await ScriptHarness(plugins: [shelf]).run(script)
  }

  /// Runs a script and expects what it prints.
  func expect(
    _ script: String, prints expected: String, _ location: SourceLocation = #_sourceLocation
  ) async {
    let result = await run(script)
    #expect(result.output == expected + "\n", "\(result.errors)", sourceLocation: location)
    #expect(result.status == .success, "\(result.errors)", sourceLocation: location)
  }

  @Test func anAnswerIsAnObjectWithTheDeclaredMethods() async {
    await expect(
      """
      const box = await nbridge.shelf.open('a');
      console.log(await box.put('x', { times: 2 }), await box.count());
      console.log(await box.later('y'), await box.slow(1));
      console.log(Object.prototype.toString.call(box), box.constructor.name, Object.keys(box).length);
      await box.close();
      """, prints: "2 2\n3 a\n[object Box] Box 0")
  }

  @Test func objectsStandAnywhereInAnAnswer() async {
    await expect(
      """
      const { first, others } = await nbridge.shelf.several();
      console.log(await first.name(), await others[0].name(), await others[1].name(), others.length);
      """, prints: "one two three 2")
  }

  /// It stands in no answer, so that no script could ever close it.
  @Test func anObjectThatCameIntoNoAnswerIsClosed() async {
    await expect(
      """
      console.log(await nbridge.shelf.fail({ name: 'a' }).catch((error) => error.code),
        await nbridge.shelf.drop({ name: 'b' }));
      let looks = 0;
      while (await nbridge.shelf.left() > 0 && ++looks < 100_000);
      console.log(looks < 100_000);
      """, prints: "conflict 1\ntrue")
    #expect(shelf.log.take().sorted() == ["closed a", "closed b"])
  }

  @Test func aCallByNameAnswersTheSameObject() async {
    await expect(
      """
      const box = await nbridge.callToNative('shelf', 'open', { name: 'a' });
      console.log(await box.name());
      """, prints: "a")
  }

  @Test func methodsAreOutOfReachOfCallsByName() async {
    await expect(
      """
      const box = await nbridge.shelf.open('a');
      for (const name of ['box.name', 'box.close', 'name'])
        console.log(await nbridge.callToNative('shelf', name, [1]).catch(error => error.code));
      """, prints: "invalid_action_name\ninvalid_action_name\ninvalid_action_name")
  }

  @Test func aClosedObjectRefusesCalls() async {
    await expect(
      """
      const box = await nbridge.shelf.open('a');
      console.log(await box.close(), box.close() === box.close());
      const error = await box.put('x').catch(error => error);
      console.log(error.code, error.message, error.action);
      console.log(await box.events().next().catch(error => error.code));
      """, prints: "undefined true\nclosed the box is closed box.put\nclosed")
    #expect(shelf.log.take() == ["closed a"])
  }

  /// What was asked of a call that is refused before it reaches the plugin was asked of the next one, too.
  @Test func aRefusedCallLeavesNoTimeoutBehind() async {
    var harness = ScriptHarness(plugins: [shelf])
    harness.usesRealTime = true
    let result = await harness.run(
      """
      const closed = await nbridge.shelf.open('a'), box = await nbridge.shelf.open('b');
      await closed.close();
      const code = (error) => error.code;
      console.log(await closed.slow(1, { timeout: 1 }).catch(code), await box.slow(50).catch(code));
      const { slow, events } = box;
      console.log(await slow.call({}, 1, { timeout: 1 }).catch(code), await box.slow(50).catch(code));
      const watch = closed.events({ timeout: 1, holdsOpen: false });
      console.log(await watch.next().catch(code), await box.slow(50).catch(code));
      """)
    #expect(result.output == "closed b\ninvalid_parameter b\nclosed b\n", "\(result)")
  }

  @Test func closingWaitsForCallsUnderWay() async {
    await expect(
      """
      const box = await nbridge.shelf.open('a');
      const slow = box.slow(30);
      const closed = box.close().then(() => console.log('closed'));
      await Promise.all([closed, slow.then(() => console.log('answered'))]);
      """, prints: "answered\nclosed")
    #expect(shelf.log.take() == ["closed a"])
  }

  /// The time for it grew with the cube of their number: the engine stood still for minutes.
  @Test func fiveThousandObjectsAreClosedBehindTheirCalls() async {
    await expect(
      """
      const boxes = await Promise.all(Array.from({ length: 5000 }, () => nbridge.shelf.open('a')));
      const uses = boxes.map((box) => box.slow(0)), ends = boxes.map((box) => box.close());
      console.log(new Set(await Promise.all(uses)).size, (await Promise.all(ends)).length);
      """, prints: "1 5000")
    #expect(shelf.log.take().count { $0 == "closed a" } == 5000)
  }

  @Test func closingEndsTheObjectsWatches() async {
    await expect(
      """
      const box = await nbridge.shelf.open('a'), other = await nbridge.shelf.open('b');
      const seen = [];
      const ended = (async () => { for await (const event of box.events()) seen.push(event); })();
      const still = other.events();
      await box.put('x'); await new Promise(resolve => setTimeout(resolve, 5));
      await box.close(); await ended;
      const later = new Promise(resolve => setTimeout(resolve, 5, 'open'));
      console.log(seen.join(), await Promise.race([still.next(), later]));
      still.stop(); await other.close();
      """, prints: "x open")
    #expect(shelf.log.take() == ["closed a", "closed b"])
  }

  @Test func whatAnObjectCannotCloseRejects() async {
    await expect(
      """
      const box = await nbridge.shelf.open('stuck');
      const error = await box.close().catch(error => error);
      console.log(error.code, error.message);
      """, prints: "io_error it is stuck")
  }

  @Test func objectsAreClosedAtTheEndOfTheProgram() async {
    await expect(
      "const a = await nbridge.shelf.open('a'); const b = await nbridge.shelf.open('b'); console.log('end')",
      prints: "end")
    #expect(shelf.log.take().sorted() == ["closed a", "closed b"])
  }

  @Test func whatNobodyHasIsCollectedAndClosed() async {
    await expect(
      """
      await (async () => { for (let i = 0; i < 200; i++) await nbridge.shelf.open('lost'); })();
      let rounds = 0;
      while (await nbridge.shelf.openCount() > 100 && ++rounds < 500) {
        const waste = []; for (let i = 0; i < 20000; i++) waste.push({ i });
        await new Promise(resolve => setTimeout(resolve, 10));
      }
      console.log(await nbridge.shelf.openCount() <= 100);
      """, prints: "true")
  }

  @Test func anAnswerThatNobodyTakesIsClosed() async {
    var harness = ScriptHarness(plugins: [shelf])
    harness.usesRealTime = true
    let result = await harness.run(
      """
      const error = await nbridge.shelf.openSlowly(3000, { timeout: 1 }).catch(error => error.code);
      const controller = new AbortController();
      const call = nbridge.shelf.openSlowly(100, { signal: controller.signal }).catch(error => error.code);
      controller.abort();
      console.log(error, await call);
      let open;
      for (let i = 0; i < 4000; i++) {
        const ever = await nbridge.shelf.openedEver();
        open = await nbridge.shelf.openCount();
        if (ever > 0 && open === 0) break;
        await new Promise(resolve => setTimeout(resolve, 10));
      }
      console.log(open);
      """)
    #expect(result.output == "timeout cancelled\n0\n", "\(result.errors)")
  }

  @Test func anObjectIsNoOption() async {
    await expect(
      """
      const box = await nbridge.shelf.open('a');
      console.log((await box.put(box).catch(error => error)).message);
      console.log((await nbridge.shelf.open({ deep: [box] }).catch(error => error)).message);
      """,
      prints: """
        text is an object of a plugin, which can't be an option; call its methods
        name.deep[0] is an object of a plugin, which can't be an option; call its methods
        """)
  }

  @Test func aMethodNeedsAnObjectOfItsType() async {
    await expect(
      """
      const box = await nbridge.shelf.open('a'), lid = await nbridge.shelf.lid();
      for (const it of [undefined, {}, nbridge.shelf, lid, Object.create(box)])
        console.log((await box.name.call(it).catch(error => error)).message);
      console.log((() => { try { new box.constructor(); } catch (error) { return error.code; } })());
      """,
      prints: Array(repeating: "this is a method of a box: call it on one", count: 5).joined(separator: "\n")
        + "\ninvalid_parameter")
  }

  @Test func errorsNameTheMethodAndItsOptions() async {
    await expect(
      """
      const box = await nbridge.shelf.open('a');
      for (const options of [[5], ['x', { tmies: 2 }], ['x', { times: () => 1 }]]) {
        const error = await box.put(...options).catch(error => error);
        console.log(error.service, error.action, error.message);
      }
      """,
      prints: """
        shelf box.put text must be a string, not a number
        shelf box.put option has no 'tmies'; did you mean 'times'?
        shelf box.put option.times is a function, which can't cross the bridge
        """)
  }

  @Test func bytesAndTagsCrossAsInOtherCalls() async {
    await expect(
      """
      const box = await nbridge.shelf.open('a');
      const bytes = new Uint8Array(100000).fill(7);
      console.log(await box.sum(bytes), await box.sum(new Uint8Array([1, 2])));
      """, prints: "700000 3")
  }

  @Test func aWatchHasItsObjectUntilItIsOver() async {
    let result = await run(
      """
      const box = await nbridge.shelf.open('a');
      const events = box.events();
      await box.put('x');
      console.log((await events.next()).value);
      await events.return();
      await box.close();
      """)
    #expect(result.output == "x\n", "\(result.errors)")
    #expect(shelf.log.take() == ["closed a"])
  }

  @Test func permissionsHoldForMethodsAndNotForClosing() async {
    var harness = ScriptHarness(plugins: [shelf])
    harness.options.permissions = PermissionSet(["shelf.open", "shelf.name"])
    let result = await harness.run(
      """
      const box = await nbridge.shelf.open('a');
      console.log(await box.name(), (await box.put('x').catch(error => error)).code, await box.close());
      """)
    #expect(result.output == "a permission_denied undefined\n", "\(result.errors)")
  }

  @Test func whatIsNotClosedFailsALeakCheck() async {
    var harness = ScriptHarness(plugins: [shelf])
    harness.options.checksLeaks = true
    let result = await harness.run(
      """
      globalThis.kept = await nbridge.shelf.open('a');
      const closed = await nbridge.shelf.open('b');
      await closed.close();
      """)
    #expect(result.status == .failure)
    #expect(
      result.errors.contains("shelf.box (object), never closed, made at test.js:1:"), "\(result.errors)")
    #expect(result.errors.contains("1 left open"), "\(result.errors)")
  }

  @Test func whatWasCollectedUnclosedFailsALeakCheck() async {
    var harness = ScriptHarness(plugins: [shelf])
    harness.options.checksLeaks = true
    let result = await harness.run(
      """
      await (async () => { for (let i = 0; i < 200; i++) await nbridge.shelf.open('lost'); })();
      for (let i = 0; i < 500 && await nbridge.shelf.openCount() > 100; i++) {
        const waste = []; for (let i = 0; i < 20000; i++) waste.push({ i });
        await new Promise(resolve => setTimeout(resolve, 10));
      }
      """)
    #expect(result.errors.contains("collected before they were closed"), "\(result.errors)")
  }

  /// Nobody has the object any more but its watch; others, that nobody has at all, are collected meanwhile.
  @Test func aWatchKeepsItsObject() async {
    await expect(
      """
      const { shelf } = nbridge;
      const events = await (async () => (await shelf.open('kept')).events())();
      let ended = false;
      events.next().then(() => { ended = true; });
      await (async () => { for (let i = 0; i < 200; i++) await shelf.open('lost'); })();
      for (let i = 0; i < 500 && await shelf.openCount() > 20 && !ended; i++) {
        const waste = []; for (let i = 0; i < 20000; i++) waste.push({ i });
        await new Promise(resolve => setTimeout(resolve, 10));
      }
      console.log(await shelf.openCount() < 200, ended);
      await events.return();
      """, prints: "true false")
  }

  @Test func numbersNeverComeAgainAndTellNothingOfTheNext() {
    var seen: Set<UInt64> = []
    var (numbers, others) = (HandleNumbers(), HandleNumbers())
    var previous: UInt64 = 0
    var steps: Set<UInt64> = []
    for _ in 0..<100_000 {
      let number = numbers.next()
      #expect(number > 0 && number < 1 << 52)
      seen.insert(number)
      steps.insert(number &- previous)
      previous = number
    }
    #expect(seen.count == 100_000)
    #expect(steps.count > 99_900, "steps between numbers repeat")
    #expect((0..<1000).allSatisfy { _ in !seen.contains(others.next()) })
  }

  @Test func aNumberOfAnotherSessionIsClosed() throws {
    let table = HandleTable()
    let number = table.insert(Box("a", ShelfLog()), 1)
    #expect(throws: BridgeError.self) { try table.borrow(number, 2, as: Box.self) }
    _ = try table.borrow(number, 1, as: Box.self)
    table.giveBack(number)
  }

  @Test func aSessionsEndClosesItsOwnObjectsOnly() throws {
    let (table, log) = (HandleTable(), ShelfLog())
    _ = table.insert(Box("a", log), 1)
    let used = table.insert(Box("b", log), 1)
    _ = table.insert(Box("c", log), 2)
    _ = try table.borrow(used, 1, as: Box.self)
    table.closeAll(of: 1)
    #expect(log.take() == ["closed a"])
    #expect(throws: BridgeError.self) { try table.borrow(used, 1, as: Box.self) }
    table.giveBack(used)
    #expect(log.take() == ["closed b"])
    #expect(table.count == 1)
  }

  @Test(arguments: [
    ("[5]", 5, ""), ("[5,{\"a\":1}]", 5, "{\"a\":1}"), ("[9007199254740991,[]]", 9_007_199_254_740_991, "[]"),
  ])
  func anAddressIsANumberAndAnOption(_ text: String, _ number: UInt64, _ option: String) throws {
    let address = try #require(Self.address(text))
    #expect(address.number == number)
    #expect(address.option == option)
  }

  @Test(arguments: [
    "", "[", "[]", "[0]", "[-1]", "[1", "1]", "[1,]", "{\"a\":1}", "[\"1\"]", "[123456789012345678901]",
  ])
  func whatIsNoAddressIsRefused(_ text: String) {
    #expect(Self.address(text) == nil)
  }

  static func address(_ text: String) -> (number: UInt64, option: String)? {
    Array(text.utf8).withUnsafeBufferPointer { text in
      HandleAddress(WireInput(text: text, attachments: [])).map {
        ($0.number, String(decoding: $0.option.text, as: UTF8.self))
      }
    }
  }
}
