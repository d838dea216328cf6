// SPDX-License-Identifier: MIT

package import NBridgePlugin
package import NBridgeSystem

/// What no permission opens to scripts: what nBridge keeps for all of a user's apps, what decides about this
/// one, and other apps' containers.
package struct SealedPaths: Sendable {
  private let paths: [String]
  /// What stands there may be a link, whose name is as good as what it leads to.
  private let names: [RealPath]
  private let own: Container

  package init(_ paths: [String], names: [RealPath] = [], own: Container) {
    (self.paths, self.names, self.own) = (paths, names, own)
  }

  /// Whether a permission with a path (`service.name:/a/b`) is for something in there, or above it. The path
  /// is one without links.
  package func holds(_ permission: String) -> Bool {
    guard let scoped = ScopedPermission(permission), !scoped.isByName else { return false }
    let path = scoped.path
    if let container = Container.around(path), container != RealPath(planned: own.path) { return true }
    if names.contains(where: { $0.lies(in: path) }) { return true }
    return paths.contains { sealed in
      // A folder may have been made since, or be a link by now.
      let real = RealPath(planned: sealed)
      return path.lies(in: real) || real.lies(in: path)
    }
  }
}

/// A permission with a path: `documents.import:/home/ada/Pictures`; or with a name: `process.env:HOME`,
/// `weather.fetch:example.org`.
package struct ScopedPermission {
  package let name: Substring
  /// As it is written there; see ``PathText``.
  let pathText: String
  package var path: RealPath { RealPath(text: pathText) }
  /// Whether the scope is a name, and no folder: what is no whole path, and every variable of a process.
  package var isByName: Bool {
    if name == "process.env" || isOpenByItself { return true }
    if Self.ofPaths.contains(String(name)) { return false }
    return pathText.utf8.first != UInt8(ascii: "/") && pathText.utf8.first != UInt8(ascii: "~")
  }

  /// Whether everybody has it where no list says more: its name alone, `*` or no list opens all its scopes.
  var isOpenByItself: Bool { Self.ofServers.contains(String(name)) }

  /// Those whose scope is a server's address, as `https://example.org`.
  private static let ofServers = ["http.fetch", "http.serve"]

  /// Those whose scope is a path, however it is written.
  private static let ofPaths = ["import", "documents.import", "documents.export", "process.run"]

  /// Whether a permission of nBridge's own plugins has scopes; those of others are known to them alone.
  package static func isScoped(_ name: String) -> Bool {
    ofServers.contains(name) || ofPaths.contains(name) || name == "process.env"
  }

  /// Whether a permission's scope is a path, however it is written.
  package static func takesPath(_ name: String) -> Bool { ofPaths.contains(name) }

  /// Nil for one without a path.
  package init?(_ permission: String) {
    guard let colon = permission.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    name = permission[..<colon]
    pathText = String(permission[permission.utf8.index(after: colon)...])
  }
}
