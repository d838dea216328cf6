// SPDX-License-Identifier: MIT

/// The runtime's lazy globals. Until one is touched it is an accessor, which a script that looks at its
/// descriptor would see; so those that a script mentions are put in place, as the data properties that Web
/// IDL wants, before it runs. And the words by which a script may change what such a global would find later.
struct GlobalNames {
  /// A table with open addresses: the mentioned ones stay in it without a name. (A dictionary whose keys are
  /// numbers would cost each start a look through all conformances of the program.)
  private var slots: [Slot]
  /// Scripts longer than this are looked at up to here: the rest is found when it is touched.
  private static let limit = 1 << 20

  private struct Slot {
    var hash: UInt64 = 0
    var name: String?
    var role = Role.library
  }

  private enum Role {
    /// A lazy global.
    case library
    /// A word of code that changes the engine's objects.
    case change
    /// A global of the engine's, to which code may assign.
    case engines
    /// The global object.
    case realm
    /// `__proto__`, which in an object's literal says what that one inherits from, and else is a prototype.
    case proto
  }

  /// What a text has.
  struct Found {
    /// The lazy globals that it mentions.
    var names: [String] = []
    /// Whether it may put something else in the place of the engine's own functions. Code that puts names of
    /// properties together as it runs can do so, too, unseen.
    var mayReplace = false
  }

  init(_ list: [String]) {
    var size = 64
    let others = Self.changes.count + Self.engines.count + Self.realms.count + 1
    while size < (list.count + others) * 3 { size *= 2 }
    slots = Array(repeating: Slot(), count: size)
    for name in Self.changes { add(name, .change) }
    for name in Self.engines { add(name, .engines) }
    for name in Self.realms { add(name, .realm) }
    add("__proto__", .proto)
    for name in list { add(name, .library) }
  }

  private mutating func add(_ name: String, _ role: Role) {
    let hash = name.utf8.reduce(Self.seed, Self.step)
    let at = place(of: hash)
    slots[at].hash = hash
    // A page's `window` is both.
    if role == .library { slots[at].name = name } else { slots[at].role = role }
  }

  /// By these one comes to a prototype, to members of any object, or to code from texts.
  private static let changes = [
    "prototype", "getPrototypeOf", "setPrototypeOf", "__defineGetter__", "__defineSetter__",
    "defineProperty", "defineProperties", "Reflect", "eval", "Function",
  ]
  private static let realms = ["globalThis", "self", "window"]
  private static let engines = [
    "Array", "ArrayBuffer", "BigInt", "DataView", "Date", "Error", "JSON", "Map", "Math", "Number", "Object",
    "Promise", "Proxy", "RangeError", "RegExp", "Set", "String", "Symbol", "TypeError", "Uint8Array",
    "WeakMap", "WeakRef", "WeakSet",
  ]

  /// Where a hash stands, or would stand.
  private func place(of hash: UInt64) -> Int {
    var at = Int(truncatingIfNeeded: hash >> 32) & (slots.count - 1)
    while slots[at].hash != 0, slots[at].hash != hash { at = (at + 1) & (slots.count - 1) }
    return at
  }

  private mutating func take(_ hash: UInt64, _ found: inout Found) -> Role? {
    let at = place(of: hash)
    guard slots[at].hash != 0 else { return nil }
    if let name = slots[at].name {
      found.names.append(name)
      slots[at].name = nil
    }
    if slots[at].role == .change { found.mayReplace = true }
    return slots[at].role
  }

  /// What stands before a byte of a text.
  private enum Path {
    case nothing
    /// A global of the engine's, or a member of one: `JSON`, `JSON.parse`.
    case engines
    /// The same with a dot.
    case dot
    /// The same with one `=`.
    case equals
    /// The global object.
    case realm
    /// `__proto__`, behind no dot.
    case proto
  }

  /// The lazy globals that `text` has as words, each once, and takes them off the list.
  mutating func takeMentioned(in text: String) -> Found {
    var found = Found()
    found.mayReplace = text.utf8.count > Self.limit
    var hash = Self.seed
    var isInWord = false
    var path = Path.nothing
    // The last that is part of no word, and no space.
    var before: UInt8 = 0
    for byte in text.utf8.prefix(Self.limit) {
      if Self.isWord(byte) {
        if path == .equals { (found.mayReplace, path) = (true, .nothing) }
        hash = Self.step(hash, byte)
        isInWord = true
        continue
      }
      if isInWord {
        let role = take(hash, &found)
        path = Self.path(path, behind: role, before, &found)
        (hash, isInWord) = (Self.seed, false)
      }
      if path != .nothing { path = Self.path(path, behind: byte, &found) }
      if byte > 0x20 { before = byte }
    }
    if isInWord, take(hash, &found) == .proto { found.mayReplace = true }
    return found
  }

  /// The path behind a word, which stands behind the byte `before`.
  private static func path(_ path: Path, behind role: Role?, _ before: UInt8, _ found: inout Found) -> Path {
    if role == .proto {
      guard before == UInt8(ascii: ".") else { return .proto }
      found.mayReplace = true
    }
    if path == .dot || role == .engines { return .engines }
    return role == .realm ? .realm : .nothing
  }

  /// The path behind a byte that is part of no word.
  private static func path(_ path: Path, behind byte: UInt8, _ found: inout Found) -> Path {
    let isEquals = byte == UInt8(ascii: "=")
    if path == .equals {
      // `==` compares, and `=>` is a function's.
      if !isEquals, byte != UInt8(ascii: ">") { found.mayReplace = true }
      return .nothing
    }
    if byte <= 0x20 { return path }
    if path == .proto {
      if byte != UInt8(ascii: ":") { found.mayReplace = true }
      return .nothing
    }
    if path == .engines, byte == UInt8(ascii: ".") { return .dot }
    // Nobody knows of which name: `JSON[name] = …`, `self[name] = …`.
    if path != .dot, byte == UInt8(ascii: "[") { found.mayReplace = true }
    return path == .engines && isEquals ? .equals : .nothing
  }

  /// FNV-1a (Fowler, Noll, Vo 1991).
  private static let seed: UInt64 = 0xCBF2_9CE4_8422_2325
  @inline(__always)
  private static func step(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
    (hash ^ UInt64(byte)) &* 0x100_0000_01B3
  }

  @inline(__always)
  private static func isWord(_ byte: UInt8) -> Bool {
    byte | 0x20 &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x5F || byte == 0x24
  }
}
