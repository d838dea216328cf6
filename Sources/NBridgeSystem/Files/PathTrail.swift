// SPDX-License-Identifier: MIT

internal import Glibc

/// The way that a path leads: each name on it, those of links and of what they lead to, where that name
/// stands.
///
/// A user who can give one of these names to something else decides where the path leads the next time.
public struct PathTrail: Sendable {
  /// Where the names stand, the last one being what the path leads to.
  public private(set) var places: [RealPath] = []

  /// So many links the kernel follows, too (`path_resolution(7)`).
  private static let maxLinks = 40

  /// Nil for a path that leads nowhere, or in a circle.
  public init?(_ path: String) {
    guard var at = RealPath("."), !path.utf8.contains(0) else { return nil }
    var links = 0
    var pending: [ArraySlice<UInt8>] = []
    func follow(_ path: [UInt8]) {
      if path.first == UInt8(ascii: "/") { at = .root }
      pending += path.split(separator: UInt8(ascii: "/")).reversed()
    }
    follow(Array(path.utf8))
    while let name = pending.popLast() {
      if name.elementsEqual(".".utf8) { continue }
      if name.elementsEqual("..".utf8) {
        at = at.parent ?? .root
        continue
      }
      let place = at.appending(name)
      places.append(place)
      guard let target = Self.target(of: place) else {
        at = place
        continue
      }
      links += 1
      if links > Self.maxLinks { return nil }
      follow(target)
    }
    guard let end = places.last, end == at, RealPath(resolving: at.bytes) == at else { return nil }
  }

  /// Where a link leads; nil for what is none.
  private static func target(of place: RealPath) -> [UInt8]? {
    var room = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = place.bytes.withCString { readlink($0, &room, Int(PATH_MAX)) }
    return count > 0 ? room.prefix(count).map { UInt8(bitPattern: $0) } : nil
  }
}
