// SPDX-License-Identifier: MIT

internal import Glibc

/// A pattern over relative paths: `*`, `?` and `[a-z]` within one name (fnmatch of POSIX), `**` over any number of folders.
struct Glob: Sendable {
  private let parts: [[UInt8]]

  init(_ pattern: String) {
    parts = FilePath.encode(pattern).split(separator: UInt8(ascii: "/")).map(Array.init)
  }

  /// Whether a path fits; one part alone fits the last name wherever it stands.
  func matches(_ path: [UInt8]) -> Bool {
    let names = path.split(separator: UInt8(ascii: "/")).map(Array.init)
    if parts.count == 1, parts[0] != Self.any, let last = names.last { return Self.fits(parts[0], last) }
    return matches(parts[...], names[...])
  }

  private static let any = Array("**".utf8)

  private func matches(_ parts: ArraySlice<[UInt8]>, _ names: ArraySlice<[UInt8]>) -> Bool {
    guard let part = parts.first else { return names.isEmpty }
    if part == Self.any {
      return (0...names.count).contains { matches(parts.dropFirst(), names.dropFirst($0)) }
    }
    guard let name = names.first, Self.fits(part, name) else { return false }
    return matches(parts.dropFirst(), names.dropFirst())
  }

  private static func fits(_ part: [UInt8], _ name: [UInt8]) -> Bool {
    part.withCString { pattern in name.withCString { fnmatch(pattern, $0, 0) == 0 } }
  }
}
