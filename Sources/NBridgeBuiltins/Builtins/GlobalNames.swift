// SPDX-License-Identifier: MIT

/// The runtime's lazy globals. Until one is touched it is an accessor, which a script that looks at its
/// descriptor would see; so those that a script mentions are put in place, as the data properties that Web
/// IDL wants, before it runs.
struct GlobalNames {
  /// A table with open addresses: the mentioned ones stay in it without a name. (A dictionary whose keys are
  /// numbers would cost each start a look through all conformances of the program.)
  private var slots: [Slot]
  /// Scripts longer than this are looked at up to here: the rest is found when it is touched.
  private static let limit = 1 << 20

  private struct Slot {
    var hash: UInt64 = 0
    var name: String?
  }

  init(_ list: [String]) {
    var size = 64
    while size < list.count * 4 { size *= 2 }
    slots = Array(repeating: Slot(), count: size)
    for name in list {
      let hash = name.utf8.reduce(Self.seed, Self.step)
      slots[place(of: hash)] = Slot(hash: hash, name: name)
    }
  }

  /// Where a hash stands, or would stand.
  private func place(of hash: UInt64) -> Int {
    var at = Int(truncatingIfNeeded: hash >> 32) & (slots.count - 1)
    while slots[at].hash != 0, slots[at].hash != hash { at = (at + 1) & (slots.count - 1) }
    return at
  }

  private mutating func take(_ hash: UInt64) -> String? {
    let at = place(of: hash)
    defer { slots[at].name = nil }
    return slots[at].name
  }

  /// The lazy globals that `text` has as words, each once, and takes them off the list.
  mutating func takeMentioned(in text: String) -> [String] {
    var found: [String] = []
    var hash = Self.seed
    var isInWord = false
    for byte in text.utf8.prefix(Self.limit) {
      if Self.isWord(byte) {
        hash = Self.step(hash, byte)
        isInWord = true
      } else if isInWord {
        if let name = take(hash) { found.append(name) }
        (hash, isInWord) = (Self.seed, false)
      }
    }
    if isInWord, let name = take(hash) { found.append(name) }
    return found
  }

  /// FNV-1a (Fowler, Noll, Vo 1991).
  private static let seed: UInt64 = 0xCBF2_9CE4_8422_2325
  @inline(__always)
  private static func step(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
    (hash ^ UInt64(byte)) &* 0x100_0000_01B3
  }

  @inline(__always)
  private static func isWord(_ byte: UInt8) -> Bool {
    byte | 0x20 &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x5F || byte == 0x24
  }
}
