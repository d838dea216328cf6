// SPDX-License-Identifier: MIT

internal import NBridgeBuiltins
internal import NBridgePage

/// The script's half of the bridge, and the parts that it loads when a program needs them; it hands them what
/// they may use.
enum BridgeModules {
  /// Evaluated with its host as `this`: see `BridgeScript`.
  static let nbridge = BuiltinModule(name: "nbridge", source: { NBridgePage.script })

  static let all: [BuiltinModule] = [
    // Values that JSON has no words for.
    BuiltinModule(name: "tagging", source: { PackageResources.tagging_js }),
    // Signals and deadlines.
    BuiltinModule(name: "control", source: { PackageResources.control_js }),
    BuiltinModule(name: "watch", source: { PackageResources.watch_js }),
    // Objects of plugins that scripts hold.
    BuiltinModule(name: "handles", source: { PackageResources.handles_js }),
    // Streams and functions that scripts hand to plugins.
    BuiltinModule(name: "streams", source: { PackageResources.streams_js }),
    // What plugins' own scripts may know of the program.
    BuiltinModule(name: "program", source: { PackageResources.program_js }),
    // The actions that a page's own facades hold.
    BuiltinModule(name: "ledger", source: { PackageResources.ledger_js }),
    BuiltinModule(name: "tokens", source: { PackageResources.tokens_js }),
    // Answers that are there at once, for modules of the runtime.
    BuiltinModule(name: "now", source: { PackageResources.now_js }),
    BuiltinModule(name: "mocks", source: { PackageResources.mocks_js }),
  ]
}
