// SPDX-License-Identifier: MIT

import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

/// What tests of streams and functions share.
protocol IntakeSuite {
  var intake: IntakePlugin { get }
}

extension IntakeSuite {
  /// Runs a script and expects what it prints.
  ///
  /// - Parameter waits: whether timers wait: they don't jump while a thread of a plugin is at work.
  func expect(
    _ script: String, prints expected: String, waits: Bool = false,
    _ location: SourceLocation = #_sourceLocation
  ) async {
    var harness = ScriptHarness(plugins: [intake])
    harness.usesRealTime = waits
    let result = await harness.run("const { intake } = nbridge;\n" + script)
    #expect(result.output == expected + "\n", "\(result.errors)", sourceLocation: location)
    #expect(result.status == .success, "\(result.errors)", sourceLocation: location)
  }
}
