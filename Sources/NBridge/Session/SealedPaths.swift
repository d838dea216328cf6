// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// What no permission opens to scripts: what nBridge keeps for all of a user's apps, and what decides about this one.
struct SealedPaths: Sendable {
  private let paths: [String]

  init(_ paths: [String]) { self.paths = paths }

  /// Whether a permission with a path (`service.name:/a/b`) is for something in there, or above it. The path is one
  /// without links.
  func holds(_ permission: String) -> Bool {
    guard let colon = permission.firstIndex(of: ":") else { return false }
    let path = String(permission[permission.index(after: colon)...])
    return paths.contains { sealed in
      // A folder may have been made since, or be a link by now.
      let real = RealPath.ofPlanned(sealed)
      return path == real || path.hasPrefix(real + "/") || path == "/" || real.hasPrefix(path + "/")
    }
  }
}
