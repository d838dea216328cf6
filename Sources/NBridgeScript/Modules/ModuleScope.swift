// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
package import NBridgeSystem

/// Which files a program's modules may be. With a list of permissions those of the app's folder and of the
/// `node_modules` above it, and what `import:/path` among them names; without a list all. What nBridge keeps
/// for all apps is never one.
package struct ModuleScope: Sendable {
  /// The app's folder.
  package let appFolder: RealPath
  private let permissions: PermissionSet
  private let sealed: SealedPaths
  /// Nil for what is no file.
  package let entry: RealPath?
  /// The folder of the entry, which `--app` may have set up from elsewhere; the app's without one.
  private let entryFolder: RealPath
  private let entryName: String?

  /// - Parameters:
  ///   - bundle: the app's own folder; nil for the current one.
  ///   - entry: the file that a person named to be run; nil for one that a page names.
  package init(
    bundle: String?, _ permissions: PermissionSet, sealed: SealedPaths, entry: ModuleRequest.Entry? = nil
  ) {
    appFolder = RealPath(planned: bundle ?? ".")
    self.permissions = permissions
    self.sealed = sealed
    if case .file(let path) = entry { entryName = path } else { entryName = nil }
    self.entry = entryName.flatMap { RealPath($0) }
    entryFolder = self.entry?.parent ?? appFolder
  }

  /// Whether the app says what it may read.
  var hasList: Bool { permissions.list != nil }

  /// Whether a file is the app's own.
  package func isOwn(_ path: RealPath) -> Bool {
    if path == entry || path.lies(in: appFolder) || path.lies(in: entryFolder) { return true }
    return sequence(first: appFolder, next: \.parent).dropFirst().contains {
      path.lies(in: $0.appending("node_modules".utf8))
    }
  }

  /// Reads a file that a module is made of. What is asked about is the file that was opened, whatever stands
  /// at the path by then.
  package func read(_ path: String) throws(ScriptFileError) -> [UInt8] {
    try ScriptFile.bytes(path, plainOnly: path != entryName) { real in refusal(of: real, named: path) }
  }

  /// Throws what ``read(_:)`` would, for a file that is there to be named only.
  func demand(_ path: String) throws(ScriptFileError) { _ = try read(path) }

  /// Why a file can't be a module; nil when it can.
  private func refusal(of real: RealPath?, named path: String) -> String? {
    guard let real else { return path == entryName ? nil : "'\(path)' has no path, or one that is too long" }
    let permission = "import:" + real.text
    if sealed.holds(permission) {
      return "'\(path)' is closed to scripts: nBridge keeps it for all apps"
    }
    if permissions.list == nil || isOwn(real) || permissions.allows(permission) { return nil }
    return
      "'\(path)' lies outside of the app's folder '\(appFolder.text)'; to allow it, add \"\(permission)\" to "
      + "\"permissions\" in app.json (or to --permissions)"
  }

  /// What tells bundles apart that were made under other rules.
  package var key: String {
    permissions.list.map { "\(appFolder.text)\n\($0.sorted().joined(separator: "\n"))" } ?? "all"
  }
}
