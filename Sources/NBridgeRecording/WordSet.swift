// SPDX-License-Identifier: MIT

/// Words that are looked for in texts, in small letters or capitals, however many they are in about the same
/// time.
struct WordSet {
  private let words: [[UInt8]]
  /// The words of one letter.
  private let singles: [[UInt8]]
  /// Whether a word begins with these two bytes: most places of a text are done with at one look.
  private var beginnings = [Bool](repeating: false, count: 1 << 16)

  /// - Parameter words: in small letters, none of them empty.
  init(_ words: [[UInt8]]) {
    self.words = words
    singles = words.filter { $0.count == 1 }
    for word in words { noteBeginning(word) }
  }

  /// A word of one letter begins with any second byte.
  private mutating func noteBeginning(_ word: [UInt8]) {
    for first in Self.cases(word[0]) {
      for second in word.count > 1 ? Self.cases(word[1]) : Array(0...255) {
        // By arithmetic: of the bytes of an array literal, read as a whole, the optimiser of Swift 6.3 made
        // zeros.
        beginnings[Int(UInt16(littleEndian: UInt16(second) << 8 | UInt16(first)))] = true
      }
    }
  }

  private static func cases(_ letter: UInt8) -> [UInt8] {
    0x61...0x7A ~= letter ? [letter, letter - 0x20] : [letter]
  }

  /// Whether one of them stands anywhere in a text.
  func stands(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count > 0 else { return false }
    let bytes = UnsafeRawBufferPointer(text)
    return beginnings.withUnsafeBufferPointer { beginnings in
      for at in 0..<text.count - 1
      where beginnings[Int(bytes.loadUnaligned(fromByteOffset: at, as: UInt16.self))] {
        for word in words where Self.matches(word, text, at) { return true }
      }
      // The last byte is a word only when it is one of one letter.
      return singles.contains { Self.matches($0, text, text.count - 1) }
    }
  }

  private static func matches(_ word: [UInt8], _ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> Bool {
    guard at + word.count <= text.count else { return false }
    for index in 0..<word.count {
      let byte = text[at + index]
      if (0x41...0x5A ~= byte ? byte + 0x20 : byte) != word[index] { return false }
    }
    return true
  }
}
