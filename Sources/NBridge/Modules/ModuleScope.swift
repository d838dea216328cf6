// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// Which files a program's modules may be. With a list of permissions those of the app's folder and of the
/// `node_modules` above it, and what `import:/path` among them names; without a list all. What nBridge keeps for all apps
/// is never one.
struct ModuleScope: Sendable {
  /// The app's folder, without links.
  let appFolder: String
  private let permissions: PermissionSet
  private let sealed: SealedPaths
  /// The entry, by its path without links; nil for what is no file.
  let entry: String?
  /// The folder of the entry, which `--app` may have set up from elsewhere; the app's without one.
  private let entryFolder: String
  private let entryName: String?

  /// - Parameters:
  ///   - bundle: the app's own folder; nil for the current one.
  ///   - entry: the file that a person named to be run; nil for one that a page names.
  init(
    bundle: String?, _ permissions: PermissionSet, sealed: SealedPaths, entry: BundleRequest.Entry? = nil
  ) {
    let folder = bundle ?? ScriptFile.currentFolder
    appFolder = RealPath.of(folder) ?? folder
    self.permissions = permissions
    self.sealed = sealed
    if case .file(let path) = entry { entryName = path } else { entryName = nil }
    self.entry = entryName.flatMap(RealPath.of)
    entryFolder = self.entry.map { DisplayPath.folder(of: $0) } ?? appFolder
  }

  /// Whether the app says what it may read.
  var hasList: Bool { permissions.list != nil }

  /// Whether a file, by its path without links, is the app's own.
  func isOwn(_ path: String) -> Bool {
    if path == entry || Self.lies(path, in: appFolder) || Self.lies(path, in: entryFolder) { return true }
    var above = appFolder
    while let slash = above.lastIndex(of: "/") {
      above = String(above[..<slash])
      if Self.lies(path, in: above + "/node_modules") { return true }
    }
    return false
  }

  /// Reads a file that a module is made of. What is asked about is the file that was opened, whatever stands at the path
  /// by then.
  func read(_ path: String) throws(ScriptFileError) -> [UInt8] {
    try ScriptFile.bytes(path, plainOnly: path != entryName) { real in refusal(of: real, named: path) }
  }

  /// Why a file can't be a module; nil when it can.
  private func refusal(of real: String?, named path: String) -> String? {
    guard let real else {
      return permissions.list == nil || path == entryName ? nil : "'\(path)' is no file of the app's"
    }
    if sealed.holds("import:" + real) {
      return "'\(path)' is closed to scripts: nBridge keeps it for all apps"
    }
    if permissions.list == nil || isOwn(real) || permissions.allows("import:" + real) { return nil }
    return
      "'\(path)' lies outside of the app's folder '\(appFolder)'; to allow it, add \"import:\(real)\" to "
      + "\"permissions\" in app.json (or to --permissions)"
  }

  /// What tells bundles apart that were made under other rules.
  var key: String { permissions.list.map { "\(appFolder)\n\($0.sorted().joined(separator: "\n"))" } ?? "all" }

  private static func lies(_ path: String, in folder: String) -> Bool {
    path.hasPrefix(folder == "/" ? "/" : folder + "/")
  }
}
