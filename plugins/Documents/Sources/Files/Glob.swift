// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// A pattern over relative paths: `*`, `?` and `[a-z]` within one name (fnmatch of POSIX), `**` over any
/// number of folders.
struct Glob: Sendable {
  private let parts: [[UInt8]]

  init(_ pattern: String) {
    parts = PathText.encode(pattern).split(separator: UInt8(ascii: "/")).map(Array.init)
  }

  /// Whether a path fits; one part alone fits the last name wherever it stands.
  func matches(_ path: [UInt8]) -> Bool {
    let names = path.split(separator: UInt8(ascii: "/")).map(Array.init)
    if parts.count == 1, parts[0] != Self.any, let last = names.last { return Self.fits(parts[0], last) }
    return matchesAll(names)
  }

  private static let any = Array("**".utf8)

  /// Goes back to the last `**` only: an earlier one that took more could not do better, and a path that fits
  /// nothing is known in time.
  private func matchesAll(_ names: [[UInt8]]) -> Bool {
    var (part, name) = (0, 0)
    var last: (part: Int, name: Int)?
    while name < names.count {
      if part < parts.count, parts[part] == Self.any {
        last = (part, name)
        part += 1
      } else if part < parts.count, Self.fits(parts[part], names[name]) {
        part += 1
        name += 1
      } else if let (starPart, starName) = last {
        last = (starPart, starName + 1)
        (part, name) = (starPart + 1, starName + 1)
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { $0 == Self.any }
  }

  private static func fits(_ part: [UInt8], _ name: [UInt8]) -> Bool {
    part.withCString { pattern in name.withCString { fnmatch(pattern, $0, 0) == 0 } }
  }
}
