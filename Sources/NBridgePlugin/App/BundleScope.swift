// SPDX-License-Identifier: MIT

internal import Glibc
package import NBridgeSystem

/// What scripts may read of the folder that their app lies in.
///
/// Closed to them are hidden files (keys, histories, repositories), containers, and what nBridge keeps for
/// all apps; where the app has a list of its resources, all that is neither one of them nor a file that the
/// program is made of, too. Asked about is the file that was opened, by the path that the kernel tells of it:
/// no link and no rename leads around it.
package struct BundleScope: Sendable {
  /// The folder.
  package let root: RealPath
  private let closed: [RealPath]
  /// Nil when all is one that is not closed.
  private let resources: [RealPath]?
  private let holdsProgramFile: @Sendable (RealPath) -> Bool

  /// - Throws: `permission_denied` when the app lies in a container, or where nBridge keeps what is shared.
  init(_ folder: RealPath, _ app: AppEnvironment) throws {
    root = folder
    let kept = [
      app.container.path, app.shared.data, app.shared.runtime, app.shared.state, SharedFolders.dataRoot,
    ]
    closed = kept.compactMap(\.self).map { RealPath(planned: $0) }
    resources = app.resources?.map {
      RealPath(planned: $0.utf8.first == UInt8(ascii: "/") ? Array($0.utf8) : folder.appending($0.utf8).bytes)
    }
    holdsProgramFile = { [host = app.host] in host.holdsProgramFile($0) }
    let around = closed.first { folder.lies(in: $0) } ?? Container.around(folder)
    if let around {
      throw BridgeError(
        .permissionDenied,
        """
        the script lies in '\(around.text)', where nBridge keeps what apps store, so it has no bundle; \
        move it elsewhere
        """
      )
    }
  }

  /// Why scripts don't get what was opened; nil when they do.
  package func refusal(of real: RealPath) -> String? {
    if real == root { return nil }
    guard real.lies(in: root) else { return "it lies outside of the app's folder" }
    let names = real.bytes.dropFirst(root == .root ? 0 : root.bytes.count).split(separator: UInt8(ascii: "/"))
    if names.contains(where: { $0.first == UInt8(ascii: ".") }) {
      return "hidden files are closed to scripts"
    }
    if closed.contains(where: real.lies(in:)) || isInContainer(real) {
      return "nBridge keeps what apps store there, and it is closed to scripts"
    }
    return isResource(real)
      ? nil
      : "the app does not name it as a resource; name it with --resources, or in \"resources\" of an app.json"
  }

  /// What is on the way to a resource may be listed; what is shown there is asked about by itself.
  private func isResource(_ real: RealPath) -> Bool {
    guard let resources else { return true }
    return resources.contains { real.lies(in: $0) || $0.lies(in: real) } || holdsProgramFile(real)
  }

  private func isInContainer(_ real: RealPath) -> Bool {
    Container.around(real).map { $0 != root && $0.lies(in: root) } ?? false
  }
}

extension AppEnvironment {
  /// What scripts may read of the app's own folder.
  ///
  /// - Throws: `permission_denied` when it lies where nBridge keeps what apps store.
  package func bundleScope(_ folder: RealPath) throws -> BundleScope { try BundleScope(folder, self) }
}
