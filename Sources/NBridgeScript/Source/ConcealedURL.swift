// SPDX-License-Identifier: MIT

/// URLs as messages name them.
package enum ConcealedURL {
  /// Without the name and password that may stand in it. A URL of the web may have any number of slashes
  /// behind its scheme, of either kind (URL standard, 4.4).
  package static func text(_ url: String) -> String {
    let isSlash = { (character: Character) in character == "/" || character == "\\" }
    let scheme = url.prefix { $0 != ":" && !isSlash($0) }
    let behind = url.dropFirst(scheme.count).drop { $0 == ":" }
    let rest = behind.drop(while: isSlash)
    let isWeb = behind.startIndex > scheme.endIndex && ["http", "https", "ws", "wss"].contains(scheme)
    guard isWeb || url.distance(from: behind.startIndex, to: rest.startIndex) > 1,
      let sign = rest.prefix(while: { !isSlash($0) && $0 != "?" && $0 != "#" }).lastIndex(of: "@")
    else { return url }
    return url[..<rest.startIndex] + "***" + url[sign...]
  }
}
