// SPDX-License-Identifier: MIT

import BothWays
import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import StressPlugins
import Testing

/// Calls of all kinds under random schedules, half of them with plugins linked and half with plugins loaded:
/// each settles once, with its own answer, and nothing is open at the end. `Tests/run.sh` makes a million of
/// them in an optimised program (`Tests/Stress/host`); here it is some, so that a sanitizer sees them, too.
@Suite(.bothWays) struct StressTests {
  /// How many schedules of a hundred calls; `NBRIDGE_STRESS` gives others, for a sanitizer or a long night.
  static let schedules = ProcessInfo.processInfo.environment["NBRIDGE_STRESS"].flatMap(Int.init) ?? 200
  /// How many of them share an engine.
  static let each = 50

  static var script: String {
    get throws {
      try String(
        contentsOfFile: #filePath.components(separatedBy: "/Tests/")[0] + "/Tests/Stress/stress.js",
        encoding: .utf8)
    }
  }

  @Test func everyCallSettlesOnceWithItsOwnAnswer() async throws {
    let script = try Self.script
    // Each way has its half.
    for seed in 1...max(1, Self.schedules / 2 / Self.each) {
      var harness = ScriptHarness(plugins: [AttackedPlugin(), ProbePlugin()])
      // Every second engine ends with calls and watches open.
      let isLeftOpen = seed % 2 == 0
      harness.options.checksLeaks = !isLeftOpen
      harness.options.arguments = [
        "\(seed)", "\(min(Self.each, Self.schedules))", "100", isLeftOpen ? "20" : "0",
      ]
      let result = await harness.run(script, url: "stress.js")
      #expect(result.output == "all settled true\n", "\(result.errors)")
      #expect(result.status == .success, "seed \(seed): \(result.errors)")
    }
  }
}
