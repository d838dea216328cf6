// SPDX-License-Identifier: MIT

/// The runtime's lazy globals. Until one is touched it is an accessor, which a script that looks at its
/// descriptor would see; so those that a script mentions are put in place, as the data properties that Web
/// IDL wants, before it runs.
struct GlobalNames {
  private var names: [UInt64: String] = [:]
  /// Scripts longer than this are looked at up to here: the rest is found when it is touched.
  private static let limit = 1 << 20

  init(_ list: some Sequence<String>) {
    names.reserveCapacity(128)
    for name in list { names[name.utf8.reduce(Self.seed, Self.step)] = name }
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
        if let name = names.removeValue(forKey: hash) { found.append(name) }
        (hash, isInWord) = (Self.seed, false)
      }
    }
    if isInWord, let name = names.removeValue(forKey: hash) { found.append(name) }
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
