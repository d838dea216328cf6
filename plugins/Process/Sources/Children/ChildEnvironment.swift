// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// The variables of this process, and those that a child gets of them.
enum ChildEnvironment {
  /// What every child gets: what programs need to find their files, their user and their language.
  private static let usual: Set<String> = [
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR", "COLORTERM",
    "NO_COLOR", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
  ]

  /// What would have a child run other code than its own.
  private static func leadsAstray(_ name: String) -> Bool {
    name.hasPrefix("LD_") || ["GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH", "NLSPATH"].contains(name)
  }

  /// A child's variables: the usual ones, those that the script may read, and over them those that it gives.
  static func variables(_ given: [String: String]?, _ call: Call) throws -> [[UInt8]] {
    var variables: [[UInt8]] = []
    let given = given ?? [:]
    for (name, entry) in own where given[name] == nil && !leadsAstray(name) {
      if usual.contains(name) || name.hasPrefix("LC_") || call.allows("process.env:\(name)") {
        variables.append(entry)
      }
    }
    for (name, value) in given.sorted(by: { $0.key < $1.key }) {
      try check(name, value)
      variables.append(Array("\(name)=\(value)".utf8))
    }
    return variables
  }

  private static func check(_ name: String, _ value: String) throws {
    try demandName(name)
    guard !value.utf8.contains(0) else {
      throw BridgeError(
        .invalidParameter, "option.env: '\(name)' holds a NUL character, which ends a variable")
    }
    guard !leadsAstray(name) else {
      throw BridgeError(
        .invalidParameter,
        "option.env: '\(name)' would have the child run other code than its own; it can't be given")
    }
  }

  /// Throws for what can't be a variable's name.
  static func demandName(_ name: String) throws {
    guard !name.isEmpty, !name.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == 0 }) else {
      throw BridgeError(
        .invalidParameter, "the name of a variable must not be empty, nor have '=' or a NUL character in it")
    }
  }

  /// A variable's value; nil when there is none.
  static func value(of name: String, _ call: Call) throws -> String? {
    try demandName(name)
    guard name.utf8.last != UInt8(ascii: "*"), call.allows("process.env:\(name)") else {
      throw call.denial(of: "'env' of '\(name)'", permission: "process.env:\(name)")
    }
    guard let value = getenv(name) else { return nil }
    guard let text = String(validatingCString: value) else {
      throw BridgeError(.invalidData, "the variable '\(name)' is not text in UTF-8")
    }
    return text
  }

  /// Names, and whole entries, of this process.
  private static var own: [(String, [UInt8])] {
    var entries: [(String, [UInt8])] = []
    var next = environ
    while let entry = next.pointee {
      let bytes = Array(UnsafeRawBufferPointer(start: entry, count: strlen(entry)))
      // What is no UTF-8 has no name that a permission could name.
      if let end = bytes.firstIndex(of: UInt8(ascii: "=")),
        let name = String(validating: bytes[..<end], as: UTF8.self)
      {
        entries.append((name, bytes))
      }
      next += 1
    }
    return entries
  }
}
