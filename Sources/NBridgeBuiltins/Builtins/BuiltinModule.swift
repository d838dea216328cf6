// SPDX-License-Identifier: MIT

internal import NBridgeScript

/// A JavaScript library that is part of the binary: one value says what it is, what it needs and what it
/// gives.
///
/// Its source is an expression: a function of its host, the object through which it reaches native code and
/// other modules. Scripts of the user never see a host.
package struct BuiltinModule: Sendable {
  /// What other modules, and stack lines, call it.
  package let name: String
  /// ASCII.
  package let source: @Sendable () -> StaticString
  /// The globals that it gives: members of what it exports, each in its place when a script first touches it.
  package var globals: [String] = []
  /// Members of its host that other modules export.
  package var needs: [Need] = []
  /// Whether it has a global object of its own, whose prototypes no script can change.
  package var isApart = false
  /// Adds what its host has of the native side: as little as it needs.
  package var host: Host?

  package init(
    name: String, source: @escaping @Sendable () -> StaticString, globals: [String] = [], needs: [Need] = [],
    isApart: Bool = false, host: Host? = nil
  ) {
    (self.name, self.source) = (name, source)
    (self.globals, self.needs, self.isApart, self.host) = (globals, needs, isApart, host)
  }

  /// What a host has of another module, which is loaded for it.
  package enum Need: Sendable {
    /// Exports, by the same names.
    case exports(_ names: [String], of: String)
    /// One export, by a name of its own.
    case export(_ export: String, of: String, as: String)
    /// All that it exports.
    case module(_ module: String, as: String)
    /// One export, for which the module is loaded when it is first read: modules may need each other so.
    case later(_ export: String, of: String, as: String)
  }

  /// What stack lines call it: its frames are the runtime's own, which no report shows.
  package var url: String { StackFrame.internalScheme + name + ".js" }
}
