// SPDX-License-Identifier: MIT

import BothWays
import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import Synchronization
import Testing

/// Work that no task sees is told that its caller waits no more, with the plugin linked and behind the table.
@Suite(.allWays) struct CancelHookTests {
  let plugin = WaitingPlugin()

  func run(_ script: String) async -> ScriptHarness.Result {
    var harness = ScriptHarness(plugins: [plugin])
    harness.usesRealTime = true
    return await harness.run(script)
  }

  var told: [String] {
    plugin.shared.log.withLock { log in
      defer { log = [] }
      return log.sorted()
    }
  }

  @Test func aSignalADeadlineAndTheEndWakeWhatBlocks() async {
    let result = await run(
      """
      const controller = new AbortController();
      const { signal } = controller;
      const aborted = nbridge.waiting.block('signal', { signal }).catch(error => error.code);
      const begun = async count => {
        while (await nbridge.waiting.begun() < count) await new Promise(resolve => setTimeout(resolve, 1));
      };
      await begun(1);
      controller.abort();
      console.log(await aborted);
      let timeout = 250;
      do {
        timeout *= 2;
        const code = await nbridge.waiting.block('deadline', { timeout }).catch(error => error.code);
        if (code !== 'timeout') console.log(code);
      } while (await nbridge.waiting.begun() < 2);
      nbridge.waiting.block('end').catch(() => {});
      await begun(3);
      exit(0);
      """)
    #expect(result.output == "cancelled\n", "\(result.errors)")
    plugin.returned.wait(for: 3)
    plugin.shared.begun.store(0, ordering: .relaxed)
    // One whose deadline came before its handler began is made again, and both are told.
    #expect(Set(told) == ["deadline", "end", "signal"])
  }

  @Test func aCallThatIsAnsweredIsNeverCancelled() async {
    let result = await run(
      """
      const controller = new AbortController();
      console.log(await nbridge.waiting.quick('a', { signal: controller.signal, timeout: 600_000 }));
      controller.abort();
      await new Promise(resolve => setTimeout(resolve, 20));
      """)
    #expect(result.output == "a\n", "\(result.errors)")
    #expect(told == [])
  }

  @Test func aHookThatComesTooLateIsCalledAtOnce() async {
    let result = await run(
      """
      const controller = new AbortController();
      const late = nbridge.waiting.late('late', { signal: controller.signal }).catch(error => error.code);
      while (await nbridge.waiting.begun() < 1) await new Promise(resolve => setTimeout(resolve, 1));
      controller.abort();
      console.log(await late);
      """)
    #expect(result.output == "cancelled\n", "\(result.errors)")
    plugin.returned.wait(for: 1)
    plugin.shared.begun.store(0, ordering: .relaxed)
    #expect(told == ["late", "late again"])
  }

  /// Behind the messages those beyond the last 64 were forgotten, and kept their threads for ever.
  @Test func aThousandCancelledAtOnceAllComeBack() async {
    let result = await run(
      """
      const { signal } = globalThis.controller = new AbortController();
      const calls = Array.from({ length: 1000 },
        () => nbridge.waiting.block('one', { signal }).catch(error => error.code));
      while (await nbridge.waiting.begun() < 1) await new Promise(resolve => setTimeout(resolve, 1));
      controller.abort();
      console.log([...new Set(await Promise.all(calls))].join());
      console.log(await nbridge.waiting.quick('after', { timeout: 60_000 }));
      """)
    #expect(result.output == "cancelled\nafter\n", "\(result.errors)")
    let begun = plugin.shared.begun.exchange(0, ordering: .relaxed)
    plugin.returned.wait(for: begun)
    #expect(told.count == begun)
  }

  @Test func aWatchHearsThatItsReaderLeft() async {
    let result = await run(
      """
      for await (const tick of nbridge.waiting.ticks('break')) break;
      const stopped = nbridge.waiting.ticks('stop'); await stopped.next(); stopped.stop();
      const held = nbridge.waiting.ticks('signal', undefined, { signal: AbortSignal.abort() });
      console.log(await held.next().catch(error => error.code));
      console.log((await nbridge.waiting.few('ends').toArray()).join());
      const left = nbridge.waiting.ticks('left', undefined, { holdsOpen: false });
      await left.next();
      """)
    #expect(result.output == "cancelled\n1,2\n", "\(result.errors)")
    #expect(told == ["break", "left", "stop"])
  }
}

/// Counts returns, for tests that wait for them.
final class Returns: Sendable {
  private let condition = NSCondition()
  private let count = Mutex(0)

  func one() {
    condition.lock()
    count.withLock { $0 += 1 }
    condition.broadcast()
    condition.unlock()
  }

  func wait(for wanted: Int) {
    condition.lock()
    defer { condition.unlock() }
    let end = Date(timeIntervalSinceNow: 30)
    while count.withLock({ $0 }) < wanted, condition.wait(until: end) {}
    count.withLock { $0 = 0 }
  }
}

struct WaitingPlugin: Plugin {
  static let manifest = PluginManifest(service: "waiting", version: "1.0.0", help: "Waits.")
  let returned = Returns()
  let shared = Shared()

  final class Shared: Sendable {
    let log = Mutex<[String]>([])
    let begun = Atomic(0)
  }
  struct Name: Codable, Sendable { var name: String }

  private func note(_ line: String) { shared.log.withLock { $0.append(line) } }

  var body: PluginBody {
    Detached("block", "Blocks until it is told.") { (options: Name, call) throws in
      let gate = DispatchSemaphore(value: 0)
      call.onCancel {
        note(options.name)
        gate.signal()
      }
      shared.begun.add(1, ordering: .relaxed)
      gate.wait()
      returned.one()
      try call.checkCancellation()
    }
    .positional("name")

    Immediate("begun", "How many block or did.") { (_: Call) -> Int in shared.begun.load(ordering: .relaxed) }

    Detached("quick", "Answers at once.") { (options: Name, call) throws in
      call.onCancel { note(options.name) }
      return options.name
    }
    .positional("name")

    Detached("late", "Sets its hooks when it is too late.") { (options: Name, call) throws in
      shared.begun.add(1, ordering: .relaxed)
      while !call.isCancelled { usleep(500) }
      call.onCancel { note(options.name) }
      call.onCancel { note(options.name + " again") }
      returned.one()
    }
    .positional("name")

    Watch("ticks", "Ticks without end.") { (options: Name, call) in
      call.onCancel { note(options.name) }
      return AsyncStream<Int> { continuation in continuation.yield(1) }
    }
    .positional("name")

    Watch("few", "Two ticks.") { (options: Name, call) in
      call.onCancel { note(options.name) }
      return AsyncStream<Int> { continuation in
        continuation.yield(1)
        continuation.yield(2)
        continuation.finish()
      }
    }
    .positional("name")
  }
}
