// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// An app's own plugins: its `plugins` folder, and the `nbridge.lock` beside its `app.json`, which names them
/// for others.
struct AppPlugins {
  /// Where they lie.
  let folder: String
  private let app: String
  private var file: String { app + "/nbridge.lock" }

  /// `nbridge.lock`.
  struct Lock: Codable {
    /// Of this format.
    var version = 1
    var plugins: [String: Entry] = [:]
  }

  private struct Format: Codable { var version: Int }

  /// What an app needs of one plugin.
  struct Entry: Codable, Equatable {
    /// The plugin's own version, for people.
    var version: String
    /// A URL, or a path from the app's folder on.
    var from: String
    /// Of all its files: ``PluginFiles/digest(of:)``.
    var sha256: String
  }

  /// - Parameter path: the app's folder, or its `app.json`.
  init(_ path: String) throws {
    let real = Path.real(path)
    let folder = real.map { Path.isFolder($0) ? $0 : Path.parent($0) }
    guard let folder, Path.exists(folder + "/app.json") else {
      throw PluginProblem("there is no app in '\(path)': it has no app.json; make one with: nbridge init")
    }
    app = folder
    self.folder = folder + "/plugins"
  }

  /// What the app needs; nothing without the file.
  func lock() throws -> Lock {
    guard let bytes = try SmallFile.read(file, followsLinks: true) else { return Lock() }
    do {
      let version = try Value(text: bytes).decode(Format.self).version
      guard version == 1 else {
        throw PluginProblem("'\(file)' is of version \(version), and this nbridge knows version 1")
      }
      return try Value(text: bytes).decode(Lock.self)
    } catch let error as BridgeError { throw PluginProblem("'\(file)' can't be used: \(error.message)") }
  }

  /// Names a plugin that was installed.
  func note(_ plugin: PluginInstallation, from origin: String) throws {
    // Others may be installed at the same time.
    let turn = FileLock(try .open(folder, O_RDONLY | O_DIRECTORY))
    guard turn.take() else {
      throw PluginProblem("another process has been changing '\(file)' for 5 s; try again")
    }
    defer { turn.release() }
    var lock = try lock()
    let isURL = origin.contains("://")
    lock.plugins[plugin.service] = Entry(
      version: plugin.version, from: isURL ? origin : Self.relative(origin, from: app),
      sha256: try PluginFiles.digest(of: plugin.folder))
    try SmallFile.replace(file, with: Array(try JSONText.pretty(lock).utf8), mode: 0o644)
  }

  /// Brings a plugin unless it is there. Answers whether it was brought.
  func restore(_ service: String, _ entry: Entry) throws -> Bool {
    try PluginNames.check(service: service)
    let place = "\(folder)/\(service)"
    // One that can't be read through, as with a link or a pipe in it, is not the one that was installed.
    if Path.isFolder(place), (try? PluginFiles.digest(of: place)) == entry.sha256 {
      let record = try PluginRecord.read(folder: place)
      try check(record, service, entry)
      // What `nbridge` keeps beside the files is made of them anew: the digest doesn't look at it.
      try PluginFiles.removeDescription(from: place)
      try PluginFiles.writeDescription(of: record.open(in: place), to: place)
      return false
    }
    let isURL = entry.from.contains("://")
    let source = try PluginSource(isURL || entry.from.hasPrefix("/") ? entry.from : "\(app)/\(entry.from)")
    defer { source.remove() }
    _ = try PluginInstallation.install(source, to: folder) { made in
      try check(PluginRecord.read(folder: made), service, entry)
      let digest = try PluginFiles.digest(of: made)
      if digest == entry.sha256 { return }
      throw PluginProblem(
        """
        '\(entry.from)' is not the plugin that nbridge.lock names: its sha256 is \(digest), not \
        \(entry.sha256). To take it all the same: nbridge plugin install --app \(app) \(entry.from)
        """
      )
    }
    return true
  }

  private func check(_ record: PluginRecord, _ service: String, _ entry: Entry) throws {
    guard record.service == service else {
      throw PluginProblem("'\(entry.from)' is the plugin '\(record.service)', and not '\(service)'")
    }
    guard record.version == entry.version else {
      throw PluginProblem(
        "nbridge.lock names \(service) \(entry.version), and '\(entry.from)' is its version \(record.version)"
      )
    }
  }

  /// A path from a folder on; both without links.
  static func relative(_ path: String, from folder: String) -> String {
    let (to, from) = (path.pathNames.map(String.init), folder.pathNames.map(String.init))
    let common = zip(to, from).prefix { $0 == $1 }.count
    let names = from.dropFirst(common).map { _ in ".." } + to.dropFirst(common)
    return names.isEmpty ? "." : names.joined(separator: "/")
  }
}

extension PluginFiles {
  /// A SHA-256, in hexadecimal, of a plugin's files: of each one's name, size and bytes, by name. What
  /// `nbridge` keeps beside them counts not.
  static func digest(of folder: String) throws -> String {
    guard let checksum = g_checksum_new(G_CHECKSUM_SHA256) else {
      throw PluginProblem("GLib knows no SHA-256")
    }
    defer { g_checksum_free(checksum) }
    try add(folder, named: "", to: checksum)
    return g_checksum_get_string(checksum).map { String(cString: $0) } ?? ""
  }

  private static func add(_ folder: String, named prefix: String, to checksum: OpaquePointer) throws {
    // What no text can name is in no plugin that was installed: any mark of it will do.
    for name in try Path.rawNames(in: folder) where String(whole: name) == nil {
      let mark = Array(prefix.utf8) + name + [0]
      g_checksum_update(checksum, mark, gssize(mark.count))
    }
    for name in try Path.list(folder) where !(prefix.isEmpty && name == KnownDescription.file) {
      let path = "\(folder)/\(name)"
      if Path.isFolder(path), !Path.isLink(path) {
        try add(path, named: prefix + name + "/", to: checksum)
        continue
      }
      guard let bytes = try SmallFile.read(path) else { continue }
      let head = Array("\(prefix + name)\0\(bytes.count)\0".utf8)
      for part in [head, bytes] { g_checksum_update(checksum, part, gssize(part.count)) }
    }
  }
}
