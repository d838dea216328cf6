// SPDX-License-Identifier: MIT

internal import Glibc
public import NBridgePlugin
internal import NBridgeSystem

/// An app that others can open by a URL: which schemes are its own, and how it is started.
public struct RegisteredApp: Codable, Sendable, Equatable {
  /// From its `app.json`.
  public var id: String
  /// For people.
  public var name: String
  /// The URL schemes that it handles, in lower case.
  public var schemes: [String]
  /// The script that is run, as a full path.
  public var script: String
  /// The `nbridge` that runs it, as a full path.
  public var program: String

  /// Describes an app.
  public init(id: String, name: String, schemes: [String], script: String, program: String) {
    (self.id, self.name, self.schemes, self.script, self.program) = (id, name, schemes, script, program)
  }
}

/// The apps of a user that are registered for URL schemes: a file each, `apps/<id>.json` in the shared
/// folder.
public struct AppRegistry: Sendable {
  private let folder: String
  private let shared: SharedFolders
  private static let largest = 1 << 20

  /// The registry in a shared folder. Reads and makes nothing yet.
  public init(_ shared: SharedFolders) {
    self.shared = shared
    folder = shared.data + "/apps"
  }

  /// All of them, by id. A file that can't be read is left out.
  public func all() -> [RegisteredApp] {
    FolderNames.of(folder).filter { $0.hasSuffix(".json") }.sorted().compactMap { name in
      var status = stat()
      guard stat("\(folder)/\(name)", &status) == 0, Int(status.st_size) < Self.largest,
        let bytes = try? SmallFile.read("\(folder)/\(name)")
      else { return nil }
      let app = try? Value(text: bytes).decode(RegisteredApp.self)
      return app.flatMap { "\($0.id).json" == name ? $0 : nil }
    }
  }

  /// The app that a scheme belongs to.
  public func app(for scheme: String) -> RegisteredApp? { all().first { $0.schemes.contains(scheme) } }

  /// Registers an app, in place of an earlier one of the same id.
  ///
  /// - Throws: `invalid_parameter` for a scheme that no app can have, `conflict` for one that another app
  ///   has, naming both, or when another process has the registry for longer than one waits.
  public func register(_ app: RegisteredApp) throws {
    guard !app.id.isEmpty, !app.id.hasSlash, !app.id.utf8.contains(0) else {
      throw BridgeError(.invalidParameter, "an app's id must be a file's name without '/', not '\(app.id)'")
    }
    for scheme in app.schemes { try URLScheme.checkClaim(scheme) }
    _ = try SharedFolders.make("", in: folder)
    let lock: FileLock
    do { lock = try FileLock(at: folder + "/.lock") } catch {
      throw BridgeError(SystemError("write in", folder, code: error.code))
    }
    defer { lock.file.close() }
    guard lock.take() else {
      throw BridgeError(
        .conflict, "another process has held '\(folder)/.lock' for \(FileLock.patience / 1000) s")
    }
    for other in all() where other.id != app.id {
      if let scheme = app.schemes.first(where: other.schemes.contains) {
        throw Self.claimed(scheme, by: (other.id, other.script), and: (app.id, app.script))
      }
    }
    for scheme in app.schemes {
      if let other = RunningApps(shared: shared).app(for: scheme), other.id != app.id {
        throw Self.claimed(scheme, by: (other.id, other.place), and: (app.id, app.script))
      }
    }
    try SmallFile.replace("\(folder)/\(app.id).json", with: Array(try Value(encoding: app).text))
  }

  static func claimed(
    _ scheme: String, by first: (id: String, place: String), and second: (id: String, place: String)
  )
    -> BridgeError
  {
    BridgeError(
      .conflict,
      """
      '\(scheme):' is claimed by '\(first.id)' (\(first.place)) and by '\(second.id)' (\(second.place)); \
      one of them must leave it out of "schemes", or be unregistered
      """
    )
  }

  /// Takes an app out; false when it was not registered.
  public func unregister(_ id: String) -> Bool {
    !id.hasSlash && unlink("\(folder)/\(id).json") == 0
  }
}
