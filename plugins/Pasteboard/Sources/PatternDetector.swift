// SPDX-License-Identifier: MIT

/// Tells what a text looks like, without handing it over: a web address, a number, a mail address.
enum PatternDetector {
  /// Text behind this many bytes is not looked at.
  static let limit = 1 << 20

  /// The kinds that a word of the text is of, in the order of ``PatternKind``.
  static func detect(_ text: some Collection<UInt8>) -> [PatternKind] {
    var found: Set<PatternKind> = []
    for word in Array(text.prefix(limit)).split(whereSeparator: { $0 <= 0x20 })
    where found.count < PatternKind.allCases.count {
      let core = trimmed(word)
      if isURL(core) { found.insert(.url) }
      if isEmail(core) { found.insert(.email) }
      if isNumber(core) { found.insert(.number) }
    }
    return PatternKind.allCases.filter(found.contains)
  }

  /// Without the punctuation that stands around words in a sentence.
  private static func trimmed(_ word: ArraySlice<UInt8>) -> [UInt8] {
    var bytes = word
    while let last = bytes.last, ".,;:!?)]}>\"'".utf8.contains(last) { bytes.removeLast() }
    while let first = bytes.first, "([{<\"'".utf8.contains(first) { bytes.removeFirst() }
    return Array(bytes)
  }

  /// `http:` or `https:` with a host, or a host that begins with `www.`.
  private static func isURL(_ word: [UInt8]) -> Bool {
    let text = String(decoding: word.prefix(2048), as: UTF8.self).lowercased()
    for scheme in ["https://", "http://"] where text.hasPrefix(scheme) {
      return text.dropFirst(scheme.count).first.map { $0.isLetter || $0.isNumber || $0 == "[" } ?? false
    }
    return text.hasPrefix("www.") && isHost(Array(text.utf8.prefix { $0 != 0x2F && $0 != 0x3A }))
  }

  /// A local part of RFC 5322's atoms, `@`, and a host with a dot.
  private static func isEmail(_ word: [UInt8]) -> Bool {
    guard let at = word.lastIndex(of: 0x40), 1...64 ~= at, word.count <= 320 else { return false }
    let isLocal = word[..<at].allSatisfy {
      isAlphanumeric($0) || ".!#$%&'*+/=?^_`{|}~-".utf8.contains($0) || $0 >= 0x80
    }
    return isLocal && word[0] != 0x2E && word[at - 1] != 0x2E && isHost(Array(word[(at + 1)...]))
  }

  /// Labels of letters, digits and hyphens, two at least (RFC 1035, 2.3.1).
  private static func isHost(_ bytes: [UInt8]) -> Bool {
    let labels = bytes.split(separator: 0x2E, omittingEmptySubsequences: false)
    return labels.count > 1
      && labels.allSatisfy { label in
        1...63 ~= label.count && label.first != 0x2D && label.last != 0x2D
          && label.allSatisfy { isAlphanumeric($0) || $0 == 0x2D || $0 >= 0x80 }
      }
  }

  /// A decimal number with a sign, groups of three, a fraction and an exponent, each if it likes.
  private static func isNumber(_ word: [UInt8]) -> Bool {
    var rest = word[...]
    if let first = rest.first, first == 0x2B || first == 0x2D { rest.removeFirst() }
    let whole = rest.prefix { isDigit($0) || $0 == 0x2C }
    let groups = whole.split(separator: 0x2C, omittingEmptySubsequences: false)
    guard groups.count == 1 || (1...3 ~= groups[0].count && groups.dropFirst().allSatisfy { $0.count == 3 })
    else {
      return false
    }
    rest = rest.dropFirst(whole.count)
    var digits = whole.count
    if rest.first == 0x2E {
      let fraction = rest.dropFirst().prefix(while: isDigit)
      digits += fraction.count
      rest = rest.dropFirst(fraction.count + 1)
    }
    guard digits > 0 else { return false }
    guard let exponent = rest.first else { return true }
    guard exponent | 0x20 == 0x65 else { return false }
    rest.removeFirst()
    if let sign = rest.first, sign == 0x2B || sign == 0x2D { rest.removeFirst() }
    return !rest.isEmpty && rest.allSatisfy(isDigit)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isDigit(byte) || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
  }
}
