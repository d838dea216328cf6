// SPDX-License-Identifier: MIT

/// URLs as messages name them.
package enum ConcealedURL {
  /// Without the name and password that may stand in it.
  package static func text(_ url: String) -> String {
    guard let slashes = url.firstRange(of: "//") else { return url }
    let rest = url[slashes.upperBound...]
    guard let sign = rest.prefix(while: { !"/?#".contains($0) }).lastIndex(of: "@") else { return url }
    return url[..<slashes.upperBound] + "***" + url[sign...]
  }
}
