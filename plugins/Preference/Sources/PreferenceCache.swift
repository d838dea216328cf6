// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// A key as it is stored: texts that mean the same to people, as "é" in one scalar and in two, are two keys.
struct ExactKey: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (one: ExactKey, other: ExactKey) -> Bool {
    one.withBytes { bytes in other.withBytes { bytes.count == $0.count && bytes.elementsEqual($0) } }
  }

  func hash(into hasher: inout Hasher) { withBytes { hasher.combine(bytes: $0) } }

  /// Of a text that has its bytes elsewhere they are copied.
  private func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    if let result = text.utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) {
      return result
    }
    return Array(text.utf8).withUnsafeBytes(body)
  }
}

/// Values as they were read when the store had a certain number of changes. Bounded.
struct PreferenceCache {
  /// A value that is known of a key; nil inside for a key that has none.
  struct Known {
    let value: Value?
  }

  private var known: [ExactKey: Known] = [:]
  private var number: UInt64 = 0
  /// The size of the keys and values that are kept.
  private var bytes = 0

  private static let largest = 64 << 10
  private static let maximum = 4 << 20

  /// nil when it has to be read.
  func value(of key: String, at number: UInt64?) -> Known? {
    number == self.number ? known[ExactKey(key)] : nil
  }

  /// Keeps what was read after the store had that number. An odd one means that a change was being made, and
  /// nothing is kept.
  mutating func keep(_ value: Value?, of key: String, at number: UInt64?) {
    guard let number, number % 2 == 0 else { return }
    let size = key.utf8.count + (value.map { Self.size(of: $0) } ?? 0)
    if number != self.number || bytes + size > Self.maximum { forget() }
    self.number = number
    // An earlier value of the same key counts until all is forgotten: the size is a bound, not a measure.
    known[ExactKey(key)] = size <= Self.largest ? Known(value: value) : nil
    bytes += size
  }

  /// The store has another number by a change of this process alone: what is kept of other keys holds.
  mutating func move(from before: UInt64?, to after: UInt64?) {
    guard let before, let after, before == number, after == before + 2 else { return forget() }
    number = after
  }

  mutating func forget() {
    known = [:]
    bytes = 0
    number = 0
  }

  private static func size(of value: Value) -> Int {
    value.text.count + value.attachments.reduce(0) { $0 + $1.count }
  }
}
