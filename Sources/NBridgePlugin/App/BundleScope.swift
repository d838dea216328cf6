// SPDX-License-Identifier: MIT

internal import Glibc

/// What scripts may read of the folder that their app lies in.
///
/// Closed to them are hidden files (keys, histories, repositories), containers, and what nBridge keeps for all apps; where
/// the app has a list of its resources, all that is neither one of them nor a file that the program is made of, too.
/// Asked about is the file that was opened, by the path that the kernel tells of it: no link and no rename leads around it.
package struct BundleScope: Sendable {
  /// The folder, without links.
  package let root: String
  private let closed: [String]
  /// In full, without links; nil when all is one that is not closed.
  private let resources: [String]?
  private let holdsProgramFile: @Sendable (String) -> Bool

  /// - Throws: `permission_denied` when the app lies in a container, or where nBridge keeps what is shared.
  init(_ folder: String, _ app: AppEnvironment) throws {
    root = folder
    let kept = [
      app.container.path, app.shared.data, app.shared.runtime, app.shared.state, SharedFolders.dataRoot,
    ]
    closed = kept.compactMap(\.self).map(RealPath.ofPlanned)
    resources = app.resources?.map { RealPath.ofPlanned($0.hasPrefix("/") ? $0 : folder + "/" + $0) }
    holdsProgramFile = { [host = app.host] in host.holdsProgramFile($0) }
    let around = closed.first { Self.lies(folder, in: $0) } ?? Container.around(folder)
    if let around {
      throw BridgeError(
        .permissionDenied,
        "the script lies in '\(around)', where nBridge keeps what apps store, so it has no bundle; move it elsewhere"
      )
    }
  }

  /// Why scripts don't get what was opened, by its path without links; nil when they do.
  package func refusal(of real: String) -> String? {
    if real == root { return nil }
    guard Self.lies(real, in: root) else { return "it lies outside of the app's folder" }
    let names = real.utf8.dropFirst(root.utf8.count).split(separator: UInt8(ascii: "/"))
    if names.contains(where: { $0.first == UInt8(ascii: ".") }) {
      return "hidden files are closed to scripts"
    }
    if closed.contains(where: { Self.lies(real, in: $0) }) || isInContainer(real) {
      return "nBridge keeps what apps store there, and it is closed to scripts"
    }
    return isResource(real)
      ? nil
      : "the app does not name it as a resource; name it with --resources, or in \"resources\" of an app.json"
  }

  /// What is on the way to a resource may be listed; what is shown there is asked about by itself.
  private func isResource(_ real: String) -> Bool {
    guard let resources else { return true }
    return resources.contains { Self.lies(real, in: $0) || Self.lies($0, in: real) } || holdsProgramFile(real)
  }

  private func isInContainer(_ real: String) -> Bool {
    Container.around(real).map { $0 != root && Self.lies($0, in: root) } ?? false
  }

  private static func lies(_ path: String, in folder: String) -> Bool {
    path == folder || path.hasPrefix(folder == "/" ? "/" : folder + "/")
  }
}

extension Container {
  /// The innermost app's folder that a path, without links, lies in; nil when it lies in none. They are known by their
  /// shape: `--container` puts them anywhere.
  package static func around(_ path: String) -> String? {
    let ancestors = sequence(first: path) { path in
      guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else {
        return nil
      }
      return String(path[..<slash])
    }
    return ancestors.first { folder in
      access(folder + "/Library/Preferences", F_OK) == 0 && access(folder + "/Documents", F_OK) == 0
    }
  }
}

extension AppEnvironment {
  /// What scripts may read of the app's own folder.
  ///
  /// - Parameter real: the folder's path without links.
  /// - Throws: `permission_denied` when it lies where nBridge keeps what apps store.
  package func bundleScope(_ real: String) throws -> BundleScope { try BundleScope(real, self) }
}
