// SPDX-License-Identifier: MIT

import NBridge
import NBridgeTesting
import Testing

/// Attacks that are scripts, which say themselves how they ended.
protocol ScriptAttacks {
  var harness: ScriptHarness { get }
  /// The code before each script.
  var prelude: String { get }
}

extension ScriptAttacks {
  var prelude: String { "const a = nbridge.attacked, p = nbridge.probe;\n" }

  /// Runs a script and expects what it prints.
  func expect(
    _ script: String, prints expected: String, _ location: SourceLocation = #_sourceLocation
  ) async {
    let result = await harness.run(prelude + script)
    #expect(result.output == expected + "\n", "\(result.errors)", sourceLocation: location)
    #expect(result.status == .success, "\(result.errors)", sourceLocation: location)
  }
}
