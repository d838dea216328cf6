// SPDX-License-Identifier: MIT

internal import Glibc

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
    (data.lastIndex(of: "/").map { String(data[..<$0]) } ?? ".") + "/.state"
  }

  /// The user's: `$NBRIDGE_HOME`, else `$XDG_DATA_HOME/nbridge` or `~/.local/share/nbridge` with
  /// `$XDG_RUNTIME_DIR/nbridge` and `$XDG_STATE_HOME/nbridge` (XDG Base Directory Specification 0.8). Nil when the
  /// environment names no place.
  public static func ofUser() -> SharedFolders? {
    if let home = variable("NBRIDGE_HOME") { return SharedFolders(below: home) }
    guard let root = dataRoot else { return nil }
    let runtime = variable("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 + "/nbridge" : nil }
    return SharedFolders(
      data: root + "/.shared", runtime: runtime ?? root + "/.run", state: stateRoot ?? root + "/.state")
  }

  /// The folder in which apps have their containers; nil when the environment names none.
  package static var dataRoot: String? {
    if let home = variable("NBRIDGE_HOME") { return home }
    if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/nbridge" }
    return variable("HOME").map { $0 + "/.local/share/nbridge" }
  }

  /// Data that were moved by themselves keep their state beside them: it is theirs, not that of others.
  private static var stateRoot: String? {
    if let state = variable("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/nbridge" }
    return variable("XDG_DATA_HOME") == nil ? variable("HOME").map { $0 + "/.local/state/nbridge" } : nil
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Makes `name` in one of the folders, and what leads to it, with mode 0700; answers its path.
  ///
  /// - Throws: ``BridgeError/Code/ioError`` when it can't be made, or is somebody else's.
  public static func make(_ name: String, in folder: String) throws -> String {
    let path = name.isEmpty ? folder : folder + "/" + name
    try Folders.make(path)
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid() else {
      throw BridgeError(.ioError, "'\(path)' is not a folder of this user's")
    }
    if status.st_mode & 0o077 != 0 { chmod(path, 0o700) }
    return path
  }
}
