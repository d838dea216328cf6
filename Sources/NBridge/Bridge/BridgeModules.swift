// SPDX-License-Identifier: MIT

internal import NBridgeBuiltins

/// The script's half of the bridge, and the parts that it loads when a program needs them; it hands them what
/// they may use.
enum BridgeModules {
  static let all: [BuiltinModule] = [
    // Values that JSON has no words for.
    BuiltinModule(name: "tagging", source: { Scripts.tagging_js }),
    // Objects that would cross as nothing.
    BuiltinModule(name: "hidden", source: { Scripts.hidden_js }),
    // Signals and deadlines.
    BuiltinModule(name: "control", source: { Scripts.control_js }),
    BuiltinModule(name: "watch", source: { Scripts.watch_js }),
    // Objects of plugins that scripts hold.
    BuiltinModule(name: "handles", source: { Scripts.handles_js }),
    // Streams and functions that scripts hand to plugins.
    BuiltinModule(name: "streams", source: { Scripts.streams_js }),
    // What plugins' own scripts may know of the program.
    BuiltinModule(name: "program", source: { Scripts.program_js }),
    // The actions that a page's own facades hold.
    BuiltinModule(name: "ledger", source: { Scripts.ledger_js }),
    BuiltinModule(name: "tokens", source: { Scripts.tokens_js }),
    // Answers that are there at once, for modules of the runtime.
    BuiltinModule(name: "now", source: { Scripts.now_js }),
    BuiltinModule(name: "behind", source: { Scripts.behind_js }),
    BuiltinModule(name: "mocks", source: { Scripts.mocks_js }),
  ]
}

/// The same as texts, for a client that has an engine of its own.
package enum BridgeParts {
  /// Each is a function of nothing that answers the part.
  package static var all: [(name: String, text: String)] {
    BridgeModules.all.filter { !ofRuntime.contains($0.name) }.map { ($0.name, "\($0.source())") }
  }

  /// What only the runtime needs: answers for its own modules, and of files.
  private static let ofRuntime: Set<String> = ["now", "behind", "mocks"]

  /// What the bridge takes of the engine before other code runs: a function that answers it.
  package static var intrinsics: String { GlobalModules.intrinsicsText }
}
