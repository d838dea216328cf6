// SPDX-License-Identifier: MIT

import BothWays
import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import Synchronization
import Testing

/// A plugin behind the C table is stopped when nothing of it runs any more.
@Suite(.allWays) struct StopOrderTests {
  @Test func itIsStoppedBehindItsLastCallOnAWorker() async {
    // A linked one is stopped beside it.
    if ScriptHarness.way == .linked { return }
    let plugin = LeavingPlugin()
    var harness = ScriptHarness(plugins: [plugin])
    harness.usesRealTime = true
    let result = await harness.run(
      """
      nbridge.leaving.stay().catch(() => {});
      while (await nbridge.leaving.begun() < 1) await new Promise(resolve => setTimeout(resolve, 1));
      exit(0);
      """)
    #expect(result.status == .success, "\(result.errors)")
    plugin.stops.wait(for: 1)
    #expect(plugin.shared.log.withLock(\.lines) == ["came back", "stopped"], "\(ScriptHarness.way)")
  }
}

struct LeavingPlugin: Plugin {
  static let manifest = PluginManifest(service: "leaving", version: "1.0.0", help: "Work that stays a while.")

  final class Shared: Sendable {
    struct Log { var lines: [String] = [] }
    let log = Mutex(Log())
    let begun = Atomic<Int>(0)
  }
  let shared = Shared()
  let stops = Returns()

  var body: PluginBody {
    Detached("stay", "Stays a while after its caller has left.") { call in
      shared.begun.add(1, ordering: .relaxed)
      while !call.isCancelled { usleep(500) }
      usleep(200_000)
      shared.log.withLock { $0.lines.append("came back") }
    }
    Immediate("begun", "How many have begun.") { _ in shared.begun.load(ordering: .relaxed) }
  }

  func stop() {
    shared.log.withLock { $0.lines.append("stopped") }
    stops.one()
  }
}
