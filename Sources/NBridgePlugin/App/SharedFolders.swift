// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeSystem

/// Folders that all apps of a user share: for plugins whose matter is what goes from one app to another.
public struct SharedFolders: Codable, Sendable, Equatable {
  /// What outlives restarts: beside the apps' containers, under a name that no app can have.
  public let data: String
  /// Sockets, locks and the like, empty after the machine's start where the system has a place for that.
  public let runtime: String
  /// What vouches for the rest and lies apart from it: keys.
  package let state: String

  /// Names the folders; makes nothing.
  public init(data: String, runtime: String) {
    self.init(data: data, runtime: runtime, state: Self.state(beside: data))
  }

  package init(data: String, runtime: String, state: String) {
    (self.data, self.runtime, self.state) = (data, runtime, state)
  }

  /// All below one folder.
  public init(below folder: String) {
    self.init(data: folder + "/.shared", runtime: folder + "/.run")
  }

  /// Reads them as a host tells them; one of an earlier version knows no folder for state.
  public init(from decoder: any Decoder) throws {
    let told = try decoder.container(keyedBy: CodingKeys.self)
    let data = try told.decode(String.self, forKey: .data)
    self.init(
      data: data, runtime: try told.decode(String.self, forKey: .runtime),
      state: try told.decodeIfPresent(String.self, forKey: .state) ?? Self.state(beside: data))
  }

  private static func state(beside data: String) -> String {
    (data.lastSlash.map { String(data[..<$0]) } ?? ".") + "/.state"
  }

  /// The user's: `$NBRIDGE_HOME`, else `$XDG_DATA_HOME/nbridge` or `~/.local/share/nbridge` with
  /// `$XDG_RUNTIME_DIR/nbridge` and `$XDG_STATE_HOME/nbridge` (XDG Base Directory Specification 0.8). Nil
  /// when the environment names no place.
  public static func ofUser() -> SharedFolders? {
    if unreadableVariable != nil { return nil }
    if let home = variable("NBRIDGE_HOME") { return SharedFolders(below: home) }
    guard let root = dataRoot else { return nil }
    let runtime = variable("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 + "/nbridge" : nil }
    return SharedFolders(
      data: root + "/.shared", runtime: runtime ?? root + "/.run", state: stateRoot ?? root + "/.state")
  }

  /// The folder in which apps have their containers; nil when the environment names none.
  package static var dataRoot: String? {
    if unreadableVariable != nil { return nil }
    if let home = variable("NBRIDGE_HOME") { return home }
    if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/nbridge" }
    return variable("HOME").map { $0 + "/.local/share/nbridge" }
  }

  /// Data that were moved by themselves keep their state beside them: it is theirs, not that of others.
  private static var stateRoot: String? {
    if let state = variable("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/nbridge" }
    return variable("XDG_DATA_HOME") == nil ? variable("HOME").map { $0 + "/.local/state/nbridge" } : nil
  }

  /// What is said when the environment names no place for `content`, as `the app's files`.
  package static func missing(_ content: String) -> String {
    let reason = unreadableVariable.map { "\($0) is not UTF-8; name another folder" }
    return "no place for \(content): \(reason ?? "set HOME, XDG_DATA_HOME or NBRIDGE_HOME")"
  }

  /// The variable that names a place in bytes which are no text: as text it would be another place.
  private static var unreadableVariable: String? {
    let names = ["NBRIDGE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "HOME"]
    let used =
      variable("NBRIDGE_HOME") != nil
      ? names.prefix(1) : variable("XDG_DATA_HOME") != nil ? names.dropLast() : names[...]
    return used.first { name in getenv(name).map { String(validatingCString: $0) == nil } ?? false }
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Makes `name` in one of the folders, and what leads to it, with mode 0700; answers its path.
  ///
  /// From the shared folder on each is looked at before anything is put there: one that another user owns,
  /// that others may write to or that a link leads to is refused, for root too. What others may only read is
  /// closed to them.
  ///
  /// - Throws: ``BridgeError/Code/ioError`` when it can't be made or is refused; the message says which user
  ///   owns it and what to do.
  public static func make(_ name: String, in folder: String) throws -> String {
    try makeOwn(folder)
    return try makeParts(of: name, in: folder)
  }

  /// The same in an app's container, which may be a link or whatever else the user made of it.
  package static func make(_ name: String, inContainer path: String) throws -> String {
    try Folders.make(path, as: "the app's folder")
    return try makeParts(of: name, in: path)
  }

  private static func makeParts(of name: String, in folder: String) throws -> String {
    var path = folder
    for part in name.pathNames {
      path += "/\(part)"
      try makeOwn(path)
    }
    return path
  }

  private static func makeOwn(_ path: String) throws {
    var status = stat()
    if lstat(path, &status) != 0 {
      try Folders.make(path)
      guard lstat(path, &status) == 0 else {
        throw BridgeError.system("look at", path)
      }
    }
    if let fault = fault(of: status) {
      throw BridgeError(.ioError, "'\(path)' \(fault.what); \(fault.remedy)")
    }
    if status.st_mode & 0o077 != 0 { chmod(path, 0o700) }
  }

  private static func fault(of status: stat) -> (what: String, remedy: String)? {
    let elsewhere = "move it away, or name another place with NBRIDGE_HOME or XDG_RUNTIME_DIR"
    if status.st_mode & S_IFMT == S_IFLNK { return ("is a link, which leads nobody knows where", elsewhere) }
    if status.st_mode & S_IFMT != S_IFDIR { return ("is not a folder", elsewhere) }
    if status.st_uid != getuid() {
      return ("belongs to user \(status.st_uid) and not to user \(getuid()), as whom this runs", elsewhere)
    }
    if status.st_mode & 0o022 != 0 {
      let mode = String(status.st_mode & 0o7777, radix: 8)
      return (
        "may be written to by others (mode \(mode))", "look what is in it, then close it with chmod 700"
      )
    }
    return nil
  }
}
