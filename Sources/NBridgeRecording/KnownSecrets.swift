// SPDX-License-Identifier: MIT

/// Which texts are secret, and the marks that stand for them: `[redacted 1]`, the same one for a text each
/// time. Texts are UTF-8 as they are, not as JSON writes them. Used by one thread at a time.
final class KnownSecrets {
  /// Words in a name that say that the named value is secret.
  private let words: WordSet
  /// These words, and what else makes a text worth a look: that something is concealed, and names that are
  /// written in numbers.
  private let hints: WordSet
  private var numbers: [[UInt8]: Int] = [:]
  private var last = 0
  /// The secrets that are looked for everywhere, the longest first, by their first four bytes.
  private var wanted: [UInt32: [[UInt8]]] = [:]
  /// Whether a secret begins with these two bytes: most places of a text are done with at one look.
  private var beginnings = [Bool](repeating: false, count: 1 << 16)

  /// A shorter text stands in too many places that have nothing to do with it.
  private static let shortestWanted = 8
  /// More are marked where they stand, and looked for nowhere else.
  private static let maximum = 4096
  private static let markStart = Array("[redacted ".utf8)

  init(_ words: [String]) {
    let names = words.map { Array($0.lowercased().utf8) }.filter { !$0.isEmpty }
    self.words = WordSet(names)
    hints = WordSet(names + [Array("concealed".utf8), Array("\\u".utf8)])
  }

  var isEmpty: Bool { wanted.isEmpty }

  // MARK: - Words

  /// Whether a secret word stands anywhere in it, in small letters or capitals.
  func mentions(_ text: UnsafeBufferPointer<UInt8>) -> Bool { words.stands(in: text) }

  /// Whether something secret may stand in it.
  func mayStand(in text: UnsafeBufferPointer<UInt8>) -> Bool { !wanted.isEmpty || hints.stands(in: text) }

  func mentions(_ text: String) -> Bool {
    var text = text
    return text.withUTF8(mentions)
  }

  // MARK: - Marks

  /// What stands for a secret. A mark, which a replay meets, stands for itself.
  func mark(for secret: [UInt8]) -> [UInt8] {
    if secret.isEmpty { return secret }
    if let number = secret.withUnsafeBufferPointer({ Self.mark(in: $0, at: 0) }), number.end == secret.count {
      last = max(last, number.number)
      return secret
    }
    if let known = numbers[secret] { return Self.mark(known) }
    last += 1
    if numbers.count < Self.maximum {
      numbers[secret] = last
      if secret.count >= Self.shortestWanted { want(secret) }
    }
    return Self.mark(last)
  }

  private static func mark(_ number: Int) -> [UInt8] { markStart + Array("\(number)]".utf8) }

  private func want(_ secret: [UInt8]) {
    secret.withUnsafeBytes { bytes in
      beginnings[Int(bytes.loadUnaligned(as: UInt16.self))] = true
      var same = wanted[bytes.loadUnaligned(as: UInt32.self)] ?? []
      same.insert(secret, at: same.firstIndex { $0.count < secret.count } ?? same.count)
      wanted[bytes.loadUnaligned(as: UInt32.self)] = same
    }
  }

  /// The mark that begins at a place: its number, and where it ends.
  private static func mark(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> (number: Int, end: Int)? {
    guard start + markStart.count < text.count, text[start] == markStart[0] else { return nil }
    for index in 1..<markStart.count where text[start + index] != markStart[index] { return nil }
    var at = start + markStart.count
    var number = 0
    while at < text.count, 0x30...0x39 ~= text[at], number < 1 << 40 {
      number = number * 10 + Int(text[at] - 0x30)
      at += 1
    }
    guard at < text.count, at > start + markStart.count, text[at] == UInt8(ascii: "]") else { return nil }
    return (number, at + 1)
  }

  // MARK: - Places

  /// Calls `body` with each place where a secret stands, from left to right, the longest at each. Marks are
  /// stepped over.
  private func places(in text: UnsafeBufferPointer<UInt8>, _ body: (Range<Int>, [UInt8]) -> Void) {
    guard !wanted.isEmpty, text.count >= Self.shortestWanted else { return }
    beginnings.withUnsafeBufferPointer { beginnings in
      let bytes = UnsafeRawBufferPointer(text)
      var at = 0
      while at + Self.shortestWanted <= text.count {
        if text[at] == Self.markStart[0], let mark = Self.mark(in: text, at: at) {
          at = mark.end
        } else if beginnings[Int(bytes.loadUnaligned(fromByteOffset: at, as: UInt16.self))],
          let secret = secret(bytes, at)
        {
          body(at..<at + secret.count, secret)
          at += secret.count
        } else {
          at += 1
        }
      }
    }
  }

  private func secret(_ text: UnsafeRawBufferPointer, _ at: Int) -> [UInt8]? {
    wanted[text.loadUnaligned(fromByteOffset: at, as: UInt32.self)]?.first { secret in
      at + secret.count <= text.count && text[at..<at + secret.count].elementsEqual(secret)
    }
  }

  /// A text with a mark in the place of each secret; nil when there is none.
  func replaced(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var copied = 0
    places(in: text) { place, secret in
      result += text[copied..<place.lowerBound]
      result += mark(for: secret)
      copied = place.upperBound
    }
    return copied == 0 ? nil : result + text[copied...]
  }

  /// Bytes with zeros in the place of each secret; nil when there is none.
  func zeroed(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    places(in: bytes) { place, _ in
      if result.isEmpty { result = Array(bytes) }
      for index in place { result[index] = 0 }
    }
    return result.isEmpty ? nil : result
  }
}
