// SPDX-License-Identifier: MIT

/// The globals that Node has beside the web's, and that a package from `node_modules` may count on. No other
/// script sees them.
struct NodeGlobals {
  private static let modules = [
    "process": "node:process", "Buffer": "node:buffer", "setImmediate": "node:timers",
    "clearImmediate": "node:timers",
  ]
  static let all = Set(modules.keys).union(["global"])

  private var named: Set<String> = []
  private var declared: Set<String> = []

  /// Notes a name that a text has; `declared`: where it declares names of its own.
  mutating func add(_ name: String, declared isDeclared: Bool) {
    named.insert(name)
    if isDeclared { declared.insert(name) }
  }

  /// The global object with `process`, which no other script sees there, for a text that asks that object for
  /// it.
  private static let globalWithProcess =
    "new Proxy(globalThis,{get:(t,n)=>n===\"process\"&&!(n in t)?require(\"node:process\"):t[n],"
    + "set:(t,n,v)=>{t[n]=v;return true}})"

  /// A CommonJS text with variables around it, which it may declare again.
  func around(script bytes: [UInt8]) -> [UInt8] {
    guard !named.isEmpty else { return bytes }
    let names = named.sorted()
    let asksForProcess =
      named.contains("global")
      && String(decoding: bytes, as: UTF8.self).utf8.containsText("global.process")
    let values = names.map { name in
      Self.modules[name].map { "require(\"\($0)\")" + (name == "process" ? "" : ".\(name)") }
        ?? (asksForProcess ? Self.globalWithProcess : "globalThis")
    }
    let head = "(function(\(names.joined(separator: ","))){return(function(){"
    let tail = "\n}).call(this)}).call(this,\(values.joined(separator: ",")));"
    return Array(head.utf8) + bytes + Array(tail.utf8)
  }

  /// A module with imports behind it, so that no line moves; not of names that it declares.
  func around(module bytes: [UInt8]) -> [UInt8] {
    let names = named.subtracting(declared).sorted()
    let imports = names.compactMap { name in
      Self.modules[name].map { "import \(name == "process" ? name : "{\(name)}") from \"\($0)\";" }
    }
    let head = names.contains("global") ? "var global=globalThis;" : ""
    return Array(head.utf8) + bytes + Array((imports.isEmpty ? "" : "\n\(imports.joined())\n").utf8)
  }
}
