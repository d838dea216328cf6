// SPDX-License-Identifier: MIT

/// The globals that Node has beside the web's, or instead of them, and that a package from `node_modules` may
/// count on. No other script sees them.
struct NodeGlobals {
  private static let modules = [
    "process": "node:process", "Buffer": "node:buffer", "setImmediate": "node:timers",
    "clearImmediate": "node:timers", "setTimeout": "node:timers", "setInterval": "node:timers",
    "clearTimeout": "node:timers", "clearInterval": "node:timers",
  ]
  /// Those that the web has too: packages want Node's, whose timers are objects. The global object keeps its
  /// own, so that nothing has to stand between it and who asks it for one.
  private static let shared: Set = ["setTimeout", "setInterval", "clearTimeout", "clearInterval"]
  static let all = Set(modules.keys).union(["global", "globalThis"])

  private var named: Set<String> = []
  private var declared: Set<String> = []
  /// What it may ask the global object for.
  private var asked: Set<String> = []

  /// Notes a name that a text has; `declared`: where it declares names of its own.
  mutating func add(_ name: String, declared isDeclared: Bool) {
    named.insert(name)
    guard isDeclared else { return }
    declared.insert(name)
    ask(for: name)  // `const { process } = globalThis`
  }

  /// Notes what a text reads of some object, `root.Buffer`, or has as a string, `"process" in global`: which
  /// object that is, nobody can tell without running it.
  mutating func ask(for name: String) {
    if Self.modules[name] != nil, !Self.shared.contains(name) { asked.insert(name) }
  }

  /// The names that are to be there. The global object is one only where it is asked for something that it
  /// has in no other script.
  private var wanted: Set<String> { asked.isEmpty ? named.subtracting(["globalThis"]) : named }

  /// The global object with what is asked for; `members` are functions that give it, by name. Methods of
  /// events look at whose they are.
  private static func global(_ object: String, _ members: [String]) -> String {
    "((m,e)=>new Proxy(\(object),{get:(t,n)=>n in t?e.includes(n)?t[n].bind(t):t[n]:n in m?m[n]():void 0,"
      + "has:(t,n)=>n in t||n in m,set:(t,n,v)=>{t[n]=v;return true}}))({__proto__:null,"
      + members.joined(separator: ",") + "},[\"addEventListener\",\"removeEventListener\",\"dispatchEvent\"])"
  }

  /// A CommonJS text with variables around it, which it may declare again.
  func around(script bytes: [UInt8]) -> [UInt8] {
    guard !wanted.isEmpty else { return bytes }
    // Both names are one object.
    let isGlobal = wanted.contains("globalThis") || wanted.contains("global") && !asked.isEmpty
    let names = (isGlobal ? wanted.subtracting(["global"]).union(["globalThis"]) : wanted).sorted()
    let members = asked.sorted().map { "\($0):()=>\(Self.required($0))" }
    let values = names.map { name in
      if name == "globalThis" { return Self.global("globalThis", members) }
      return name == "global" ? "globalThis" : Self.required(name)
    }
    let also = isGlobal && wanted.contains("global") ? "var global=globalThis;" : ""
    let head = "(function(\(names.joined(separator: ","))){\(also)return(function(){"
    let tail = "\n}).call(this)}).call(this,\(values.joined(separator: ",")));"
    return Array(head.utf8) + bytes + Array(tail.utf8)
  }

  private static func required(_ name: String) -> String {
    "require(\"\(modules[name] ?? "")\")" + (name == "process" ? "" : ".\(name)")
  }

  /// A module with imports behind it, so that no line moves; not of names that it declares.
  func around(module bytes: [UInt8]) -> [UInt8] {
    let names = wanted.subtracting(declared).sorted()
    var imports = names.filter { Self.modules[$0] != nil }.map { Self.imported($0, as: $0) }
    let globals = names.filter { $0.hasPrefix("global") }
    var head = globals.contains("global") ? "var global=globalThis;" : ""
    if !globals.isEmpty, !asked.isEmpty {
      // By names that no author has. In its own initializer a variable is not yet there.
      let own = "nbridge$"
      imports += asked.sorted().map { Self.imported($0, as: own + $0) }
      let object = Self.global("Function(\"return this\")()", asked.sorted().map { "\($0):()=>\(own)\($0)" })
      head = "var \(globals[0])=\(object)" + (globals.count > 1 ? ",globalThis=global;" : ";")
    }
    return Array(head.utf8) + bytes + Array((imports.isEmpty ? "" : "\n\(imports.joined())\n").utf8)
  }

  private static func imported(_ name: String, as local: String) -> String {
    let binding = name == "process" ? local : "{\(name) as \(local)}"
    return "import \(binding) from \"\(modules[name] ?? "")\";"
  }
}
