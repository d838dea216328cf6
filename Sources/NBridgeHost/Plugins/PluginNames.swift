// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// Which names services and actions can have.
public enum PluginNames {
  /// Names that an object can't have, or that the bridge itself uses.
  static let reserved: Set<String> = [
    "constructor", "then", "prototype", "callToNative", "resolvePromise", "finallyResolvePromise", "version",
    "services", "args", "define", "toString", "valueOf", "hasOwnProperty",
  ]
  private static let reservedActions: Set<String> = ["constructor", "then", "toString", "valueOf"]

  /// Throws ``PluginError`` for a name that no service can have.
  public static func check(service: String) throws {
    guard isIdentifier(service), !reserved.contains(service) else {
      throw PluginError(
        "'\(service)' can't be a service name: it must be a lower-case letter, then letters and digits, and "
          + "none of "
          + reserved.sorted().joined(separator: ", "))
    }
  }

  /// Names that every object has already.
  private static let reservedMethods: Set<String> = ["close"]

  /// Throws for a name that an action, or a method of an object, can't have.
  package static func check(_ name: String, _ handle: HandleMember?, of service: String) throws {
    guard let handle else { return try check(action: name, of: service) }
    try check(type: handle.type, of: service)
    if !handle.closes, reservedMethods.contains(name) {
      throw PluginError("'\(service).\(handle.type).\(name)' can't be declared: every object has it")
    }
    try check(action: name, of: "\(service).\(handle.type)")
  }

  private static func check(type: String, of service: String) throws {
    guard isIdentifier(type), !reservedActions.contains(type) else {
      throw PluginError(
        "'\(type)' can't be the name of a type of '\(service)': it must be a lower-case letter, then letters "
          + "and digits")
    }
  }

  private static func check(action: String, of service: String) throws {
    guard isIdentifier(action), !reservedActions.contains(action) else {
      throw PluginError(
        "'\(service).\(action)' can't be an action name: it must be a lower-case letter, then letters and "
          + "digits, and "
          + "none of \(reservedActions.sorted().joined(separator: ", "))")
    }
  }

  private static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.utf8.first, 0x61...0x7A ~= first, name.utf8.count <= 64 else { return false }
    return name.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x41...0x5A ~= $0 || 0x30...0x39 ~= $0 }
  }
}

/// A plugin that can't be added.
public struct PluginError: Error, CustomStringConvertible {
  /// What is wrong with it.
  public let description: String
  package init(_ description: String) { self.description = description }
}
