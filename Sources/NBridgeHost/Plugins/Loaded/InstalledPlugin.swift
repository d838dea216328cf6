// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// A plugin in a plugin folder: a folder of its own, named like its service, with a `plugin.json` and a
/// library.
public struct InstalledPlugin: Sendable {
  /// The name that scripts use.
  public let service: String
  /// Where it lies.
  public let folder: String

  /// What lies in these folders, by name; a folder that is not there holds nothing. Reads names only, so that
  /// hundreds of plugins that a program does not use cost it next to nothing.
  public static func all(in folders: [String]) -> [InstalledPlugin] {
    folders.flatMap { parent in
      names(in: parent).sorted().map { InstalledPlugin(service: $0, folder: "\(parent)/\($0)") }
    }
  }

  private static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let kind = Int(entry.pointee.d_type)
      guard kind == DT_DIR || kind == DT_LNK || kind == DT_UNKNOWN else { continue }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if (try? PluginNames.check(service: name)) != nil { names.append(name) }
    }
    return names
  }

  /// What its `plugin.json` says.
  public func record() throws -> PluginRecord {
    let record = try PluginRecord.read(folder: folder)
    guard record.service == service else {
      throw PluginError(
        "'\(folder)/plugin.json' says service '\(record.service)', but the folder's name is '\(service)'")
    }
    return record
  }

  /// Opens its library, which must be the plugin that its `plugin.json` says.
  ///
  /// - Parameter isIsolated: whether it runs in a process of its own also where its `plugin.json` does not
  ///   say so.
  public func open(isIsolated: Bool = false) throws -> PluginLibrary {
    try record().open(in: folder, isIsolated: isIsolated)
  }
}

/// A `plugin.json`: what is known of a plugin without loading it.
public struct PluginRecord: Codable, Sendable {
  /// The name that scripts use.
  public var service: String
  /// The plugin's own version.
  public var version: String
  /// One sentence.
  public var help: String?
  /// The file beside it.
  public var library: String?
  /// How it runs in a process of its own; nil for in the program's.
  public var isolation: Isolation?

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case service, version, help, library, isolation
  }

  /// Reads the `plugin.json` of a folder.
  public static func read(folder: String) throws -> PluginRecord {
    let path = folder + "/plugin.json"
    guard let bytes = try SmallFile.read(path, followsLinks: true) else {
      throw PluginError("'\(folder)' is no plugin: it has no plugin.json")
    }
    do {
      let value = Value(text: bytes)
      try checkKeys(value)
      return try value.decode(PluginRecord.self)
    } catch {
      throw PluginError("'\(path)' can't be used: \((error as? BridgeError)?.message ?? "\(error)")")
    }
  }

  /// An `isolation` that is misspelt, null, or replaced by a second one, would let the plugin into the
  /// program without a word.
  private static func checkKeys(_ value: Value) throws {
    // The decoder says what it is instead.
    guard value.kind == .object else { return }
    if let twice = value.doubledKey(inDepths: true) { throw PluginError("it has '\(twice)' twice") }
    let known = CodingKeys.allCases.map(\.rawValue)
    for (key, member) in try value.decode([String: Value].self).sorted(by: { $0.key < $1.key }) {
      guard known.contains(key) else {
        throw PluginError("it has no key '\(key)'" + NearestName.hint(for: key, among: known))
      }
      if member.kind == .null { throw PluginError("its '\(key)' is null; leave it out, or say what it is") }
    }
  }

  private func path(in folder: String) throws -> String {
    guard let library, !library.hasSlash, !library.isEmpty else {
      throw PluginError("'\(folder)/plugin.json' names no \"library\", a file beside it")
    }
    return "\(folder)/\(library)"
  }

  /// Throws ``PluginError`` when the library beside a `plugin.json` could not be loaded, as far as can be
  /// seen without loading it.
  public func check(in folder: String) throws {
    try Self.checkOwners(folder)
    let path = try path(in: folder)
    do { try LibraryFile.check(path) } catch let error as PluginError {
      throw PluginError("'\(path)' \(error)")
    }
  }

  /// Who can write to the `plugin.json` decides what runs, and whether in a process of its own.
  private static func checkOwners(_ folder: String) throws {
    let path = folder + "/plugin.json"
    do { try LibraryFile.checkOwners(path) } catch let error as PluginError {
      throw PluginError("'\(path)' \(error)")
    }
  }

  /// Opens the library beside a `plugin.json`. Throws ``PluginError`` when it is another plugin.
  ///
  /// - Parameter isIsolated: as for ``InstalledPlugin/open(isIsolated:)``.
  public func open(in folder: String, isIsolated: Bool = false) throws -> PluginLibrary {
    try Self.checkOwners(folder)
    let path = try path(in: folder)
    let opened =
      try isIsolated || isolation != nil
      ? PluginLibrary(isolated: path, in: folder, isolation ?? Isolation()) : PluginLibrary(path: path)
    guard opened.service == service else {
      throw PluginError(
        """
        '\(folder)/plugin.json' says service '\(service)', but '\(library ?? "")' is the plugin \
        '\(opened.service)'
        """
      )
    }
    return opened
  }
}
