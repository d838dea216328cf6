// SPDX-License-Identifier: MIT

/// Bytes that wait to be read, in the pieces in which they came. What they take in memory is what they are:
/// short ones are joined, and none keeps the room that it was read into.
struct BodyPieces {
  private(set) var all: [[UInt8]] = []
  /// Bytes.
  private(set) var count = 0

  /// Pieces are joined up to so many bytes.
  private static let short = 4 << 10

  mutating func append(_ piece: [UInt8]) {
    count += piece.count
    if let last = all.last?.count, last + piece.count <= Self.short {
      all[all.count - 1] += piece
    } else {
      all.append(piece.capacity > 2 * piece.count ? Self.fitting(piece) : piece)
    }
  }

  private static func fitting(_ piece: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: piece.count) { room, count in
      count = room.initialize(fromContentsOf: piece)
    }
  }

  /// What came first, up to the piece with which that is `enough` bytes: all of it may be as long as a body,
  /// and who reads it would copy that at once.
  mutating func take(_ enough: Int) -> [[UInt8]] {
    var (pieces, size) = (0, 0)
    while pieces < all.count, size < enough {
      size += all[pieces].count
      pieces += 1
    }
    defer { all.removeFirst(pieces) }
    count -= size
    return Array(all[..<pieces])
  }
}
