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
    if path != entryName, let reason = refusal(ofPlace: path) { throw ScriptFileError(reason) }
    return try ScriptFile.bytes(path, plainOnly: path != entryName) { real in refusal(of: real, named: path) }
  }

  /// Throws what ``read(_:)`` would, for a file that is there to be named only.
  func demand(_ path: String) throws(ScriptFileError) { _ = try read(path) }

  /// What a name may lead to that has no ending.
  private static let endings = [
    "", "/index.js", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".mts", ".cjs", ".json",
  ]

  /// Why nothing at a place may be a module, told without a look at what is there: a program must not learn
  /// what there is outside of its folder. Nil where something may be one.
  func refusal(ofPlace path: String) -> String? {
    guard permissions.list != nil else { return nil }
    let real = RealPath(planned: path)
    if let denial = permissions.forbidding("import:" + real.text) {
      return Self.forbiddenText(path, denial)
    }
    if isOwn(real) { return nil }
    if Self.endings.contains(where: { permissions.allows("import:" + real.text + $0) }) { return nil }
    if sealed.holds("import:" + real.text) { return Self.sealedText(path) }
    // As it was written: where a link on the way leads is not told either.
    let written = RealPath(text: DisplayPath(folder: ScriptFile.currentFolder).absolute(path))
    let isWritten = isOwn(written) || permissions.allows("import:" + written.text)
    return outsideText(path, isWritten ? real : written)
  }

  private static func sealedText(_ path: String) -> String {
    "'\(path)' is closed to scripts: nBridge keeps it for all apps"
  }

  /// A path behind the mark is not told: it may be one that the program should not learn.
  private static func forbiddenText(_ path: String, _ denial: String) -> String {
    let shown = denial.hasPrefix("!import:") ? "!import:…" : denial
    return "'\(path)' is not to be imported: \"\(shown)\" in \"permissions\" of app.json (or in "
      + "--permissions) says so"
  }

  private func outsideText(_ path: String, _ real: RealPath) -> String {
    "'\(path)' lies outside of the app's folder '\(appFolder.text)'; to allow it, add "
      + "\"import:\(real.text)\" to \"permissions\" in app.json (or to --permissions)"
  }

  /// Why a file can't be a module; nil when it can.
  private func refusal(of real: RealPath?, named path: String) -> String? {
    guard let real else { return path == entryName ? nil : "'\(path)' has no path, or one that is too long" }
    let permission = "import:" + real.text
    if sealed.holds(permission) { return Self.sealedText(path) }
    if real != entry, let denial = permissions.forbidding(permission) {
      return Self.forbiddenText(path, denial)
    }
    if permissions.list == nil || isOwn(real) || permissions.allows(permission) { return nil }
    return outsideText(path, real)
  }

  /// What tells bundles apart that were made under other rules.
  package var key: String {
    permissions.list.map { "\(appFolder.text)\n\($0.sorted().joined(separator: "\n"))" } ?? "all"
  }
}
