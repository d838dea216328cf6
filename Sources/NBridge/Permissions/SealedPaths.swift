// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// What no permission opens to scripts: what nBridge keeps for all of a user's apps, what decides about this one, and other
/// apps' containers.
struct SealedPaths: Sendable {
  private let paths: [String]
  private let own: Container

  init(_ paths: [String], own: Container) { (self.paths, self.own) = (paths, own) }

  /// Whether a permission with a path (`service.name:/a/b`) is for something in there, or above it. The path is one
  /// without links.
  func holds(_ permission: String) -> Bool {
    guard let colon = permission.firstIndex(of: ":") else { return false }
    let path = String(permission[permission.index(after: colon)...])
    if let container = Container.around(path), container != RealPath.ofPlanned(own.path) { return true }
    return paths.contains { sealed in
      // A folder may have been made since, or be a link by now.
      let real = RealPath.ofPlanned(sealed)
      return path == real || path.hasPrefix(real + "/") || path == "/" || real.hasPrefix(path + "/")
    }
  }
}
