// SPDX-License-Identifier: MIT

/// Writes numbers and texts one after the other: a number as 64 bits, little-endian, a text as its length in
/// bytes and its UTF-8. Generic decoders look up conformances while a program starts; this one looks up none.
struct FieldWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put(_ number: Int) {
    withUnsafeBytes(of: Int64(number).littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ flag: Bool) { put(flag ? 1 : 0) }

  mutating func put(_ text: String) {
    put(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  mutating func put(_ text: String?) {
    put(text != nil)
    if let text { put(text) }
  }

  mutating func put<Item>(_ items: [Item], _ each: (inout Self, Item) -> Void) {
    put(items.count)
    for item in items { each(&self, item) }
  }
}

/// Reads what a ``FieldWriter`` wrote, in the same order.
struct FieldReader {
  /// It ends too early, or holds what no writer writes.
  struct Damage: Error {}

  private let bytes: [UInt8]
  private var at = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { at == bytes.count }

  mutating func number() throws(Damage) -> Int {
    guard bytes.count - at >= 8 else { throw Damage() }
    defer { at += 8 }
    let number = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: Int64.self) }
    return Int(Int64(littleEndian: number))
  }

  mutating func flag() throws(Damage) -> Bool {
    switch try number() {
    case 0: false
    case 1: true
    default: throw Damage()
    }
  }

  mutating func text() throws(Damage) -> String {
    let count = try count()
    defer { at += count }
    guard let text = String(validating: bytes[at..<at + count], as: UTF8.self) else { throw Damage() }
    return text
  }

  mutating func optionalText() throws(Damage) -> String? { try flag() ? try text() : nil }

  mutating func list<Item>(_ each: (inout Self) throws(Damage) -> Item) throws(Damage) -> [Item] {
    let count = try count()
    var items: [Item] = []
    items.reserveCapacity(min(count, 1024))
    for _ in 0..<count { items.append(try each(&self)) }
    return items
  }

  /// No text and no list has more bytes or items than there are bytes left.
  private mutating func count() throws(Damage) -> Int {
    let count = try number()
    guard 0...(bytes.count - at) ~= count else { throw Damage() }
    return count
  }
}
