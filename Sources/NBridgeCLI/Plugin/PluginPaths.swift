// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// Where plugins, and what builds them, are found.
enum PluginPaths {
  /// The folders with installed plugins, the user's first: `NBRIDGE_PLUGINS` (joined by `:`), else
  /// `~/.local/lib/nbridge/plugins`; then that of this installation.
  static var folders: [String] {
    var folders = user.map { [$0] } ?? []
    if let list = environment("NBRIDGE_PLUGINS") {
      folders = list.split(separator: ":").map(String.init)
    }
    if let prefix { folders.append(prefix + "/lib/nbridge/plugins") }
    return folders
  }

  /// The plugins that a script in the current folder finds beside those that are part of nbridge.
  static var installedHere: [InstalledPlugin] {
    var options = RuntimeOptions()
    options.pluginFolders = folders
    // An app.json that can't be used is told by what runs the app.
    let app = try? AppManifest.find(forScript: "script.js", isFile: false, explicit: nil)
    options.appPluginFolder = app?.folder.map { $0 + "/plugins" }
    return options.installedPlugins
  }

  /// Where `install` puts a plugin.
  static func installFolder() throws -> String {
    if let list = environment("NBRIDGE_PLUGINS") {
      if let first = list.split(separator: ":").first { return String(first) }
    }
    guard let user else { throw PluginProblem("there is no home folder: set HOME or NBRIDGE_PLUGINS") }
    return user
  }

  private static var user: String? { environment("HOME").map { $0 + "/.local/lib/nbridge/plugins" } }

  /// The prefix this program was installed under; nil for one that runs where it was built.
  private static var prefix: String? {
    let folder = Path.parent(program)
    return folder.hasSuffix("/bin") ? Path.parent(folder) : nil
  }

  private static var program: String { Path.real("/proc/self/exe") ?? "" }

  /// The SDK: `NBRIDGE_SDK`, else that of this installation, else the sources that this program was built of.
  static func sdk() throws -> String {
    if let named = environment("NBRIDGE_SDK") {
      guard isSDK(named) else {
        throw PluginProblem("NBRIDGE_SDK is '\(named)', where there is no Sources/NBridgePlugin")
      }
      return Path.real(named) ?? named
    }
    if let prefix, isSDK(prefix + "/share/nbridge/sdk") { return prefix + "/share/nbridge/sdk" }
    var folder = Path.parent(program)
    while folder.count > 1 {
      if isSDK(folder) { return folder }
      folder = Path.parent(folder)
    }
    throw PluginProblem(
      "the SDK is not there: install nbridge with `make install`, or set NBRIDGE_SDK to its sources")
  }

  private static func isSDK(_ folder: String) -> Bool {
    Path.exists(folder + "/Package.swift") && Path.exists(folder + "/Sources/NBridgePlugin")
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// A library, a plugin's folder or a plugin's package, as `--plugin` names it.
enum PluginPlace {
  /// Opens the plugin that stands there.
  ///
  /// - Parameter isolated: the plugins that run in processes of their own; `*` for all.
  static func open(_ path: String, isolated: Set<String> = []) throws -> PluginLibrary {
    guard let real = Path.real(path) else {
      throw PluginProblem("there is no plugin '\(path)': no such file or folder")
    }
    let folder: String
    if Path.isFolder(real) {
      folder = try built(real, as: path)
    } else {
      // What its `plugin.json` says counts whichever way it is named.
      guard let own = try described(real) else { return try library(real, isolated) }
      folder = own
    }
    let record = try PluginRecord.read(folder: folder)
    return try record.open(in: folder, isIsolated: !isolated.isDisjoint(with: [record.service, "*"]))
  }

  /// The files of the plugin that stands there: its library, and its `plugin.json` where it has one. None of
  /// one that can't be found.
  static func files(_ path: String) -> [String] {
    guard let real = Path.real(path) else { return [] }
    guard Path.isFolder(real) else {
      return [real] + [Path.parent(real) + "/plugin.json"].filter(Path.exists)
    }
    guard let folder = try? built(real, as: path), let record = try? PluginRecord.read(folder: folder) else {
      return []
    }
    return [folder + "/plugin.json"] + (record.library.map { ["\(folder)/\($0)"] } ?? [])
  }

  /// The folder of a library whose `plugin.json` names it. One that can't be read may name it, too.
  private static func described(_ library: String) throws -> String? {
    guard let path = RealPath(library), let folder = path.parent?.text,
      Path.exists(folder + "/plugin.json")
    else { return nil }
    guard let name = try PluginRecord.read(folder: folder).library, RealPath("\(folder)/\(name)") == path
    else { return nil }
    return folder
  }

  /// A library without a `plugin.json`: what it is called, it tells itself. Where any plugin is to be
  /// isolated it is, too: its own word must not bring it into the program.
  private static func library(_ path: String, _ isolated: Set<String>) throws -> PluginLibrary {
    isolated.isEmpty ? try PluginLibrary(path: path) : try PluginLibrary(isolated: path)
  }

  /// The folder with the built plugin: this one, or the one that `plugin build` makes in a package.
  static func built(_ folder: String, as path: String) throws -> String {
    for candidate in [folder + "/" + PluginPackage.product, folder] {
      guard Path.exists(candidate + "/plugin.json") else { continue }
      guard let library = try PluginRecord.read(folder: candidate).library else { continue }
      if Path.exists(candidate + "/" + library) { return candidate }
    }
    if Path.exists(folder + "/Package.swift") {
      throw PluginProblem("the plugin in '\(path)' is not built; run: nbridge plugin build \(path)")
    }
    throw PluginProblem("'\(path)' is no plugin: it has no plugin.json with its library beside it")
  }
}

/// What can't be done with a plugin, and what to do about it.
struct PluginProblem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Small questions about paths.
enum Path {
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  static func isFolder(_ path: String) -> Bool { isKind(path, S_IFDIR) }

  /// Whether it is a file of bytes, neither a folder nor a pipe or a device.
  static func isFile(_ path: String) -> Bool { isKind(path, S_IFREG) }

  private static func isKind(_ path: String, _ kind: mode_t) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == kind
  }

  /// The path without links; nil when nothing is there, or what is there has a name that no text can tell.
  static func real(_ path: String) -> String? { RealPath(path)?.string }

  static func parent(_ path: String) -> String {
    guard let slash = path.lastSlash else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func name(_ path: String) -> String { path.pathNames.last.map(String.init) ?? path }

  /// Makes a folder and those above it.
  static func makeFolders(_ path: String, mode: mode_t = 0o755) throws {
    if isFolder(path) { return }
    try makeFolders(parent(path), mode: mode)
    if mkdir(path, mode) != 0, errno != EEXIST {
      throw PluginProblem("can't make the folder '\(path)': \(SystemError.lastReason)")
    }
  }

  /// The names in a folder, sorted; none when there is no such folder.
  static func names(in folder: String) -> [String] { (try? list(folder)) ?? [] }

  /// The same for a folder that must be there, and open to this user.
  static func list(_ folder: String) throws(SystemError) -> [String] {
    try rawNames(in: folder).map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  /// The same as the kernel has them, in no order: a name need not be UTF-8.
  static func rawNames(in folder: String) throws(SystemError) -> [[UInt8]] {
    guard let stream = opendir(folder) else { throw .last("list", folder) }
    defer { closedir(stream) }
    return names(of: stream)
  }

  /// The names that come from an open folder.
  static func names(of stream: OpaquePointer) -> [[UInt8]] {
    var names: [[UInt8]] = []
    while let entry = readdir(stream) {
      names.append(withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) })
    }
    return names.filter { !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }
  }

  /// A name below a folder that is not UTF-8, as a path from there on with its bytes as `\xFF`; nil when all
  /// are.
  static func unreadableName(in folder: String) -> String? {
    let names = (try? rawNames(in: folder)) ?? []
    for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      guard let text = String(whole: name) else { return escaped(name) }
      let path = "\(folder)/\(text)"
      if isFolder(path), !isLink(path), let below = unreadableName(in: path) { return "\(text)/\(below)" }
    }
    return nil
  }

  private static func escaped(_ name: [UInt8]) -> String {
    PathText.decode(name).unicodeScalars.reduce(into: "") { text, scalar in
      // What stands for a byte, as ``PathText`` has it.
      if scalar.value >= 0x10FF80 {
        text += "\\x" + String(scalar.value - 0x10FF00, radix: 16, uppercase: true)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  /// Removes a folder with what is in it; of a link only the link.
  static func remove(_ folder: String) throws {
    if isLink(folder) {
      if unlink(folder) == 0 { return }
      throw PluginProblem("can't remove the link '\(folder)': \(SystemError.lastReason)")
    }
    FolderRemoval.empty(folder)
    if rmdir(folder) != 0, errno != ENOENT {
      throw PluginProblem("can't remove '\(folder)': \(SystemError.lastReason)")
    }
  }

  /// Whether a pipe, a socket or a device is there.
  static func isSpecial(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }

  static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }
}
