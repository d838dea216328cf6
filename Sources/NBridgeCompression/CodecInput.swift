// SPDX-License-Identifier: MIT

/// What a codec has still to read: bytes of its own, or somebody's that stay where they are.
struct CodecInput {
  private var owned: [UInt8] = []
  private var borrowed: UnsafeRawBufferPointer?
  private var taken = 0

  private var count: Int { borrowed?.count ?? owned.count }
  var isEmpty: Bool { taken == count }
  var first: UInt8? { withLeft { $0.first } }

  /// Adds a copy of some bytes.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if isEmpty {
      owned.removeAll(keepingCapacity: bytes.count >= owned.capacity / 4)
    } else if borrowed != nil {
      owned = withLeft { Array($0) }
    } else {
      owned.removeFirst(taken)
    }
    (borrowed, taken) = (nil, 0)
    owned.append(contentsOf: bytes)
  }

  /// Adds bytes that stay until all is taken; copies them where there is more to read before them.
  mutating func borrow(_ bytes: UnsafeRawBufferPointer) {
    guard isEmpty else { return append(bytes) }
    (borrowed, taken) = (bytes, 0)
  }

  func withLeft<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    if let borrowed { return body(UnsafeRawBufferPointer(rebasing: borrowed[taken...])) }
    return owned.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[taken...])) }
  }

  mutating func take(_ bytes: Int) {
    taken += bytes
    // Who lent it may free it from now on.
    if borrowed != nil, isEmpty { (borrowed, owned, taken) = (nil, [], 0) }
  }
}
