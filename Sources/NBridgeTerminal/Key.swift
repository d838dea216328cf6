// SPDX-License-Identifier: MIT

/// What a person did at the keyboard.
package enum Key: Equatable {
  case text(String)
  /// A whole paste, told apart by the terminal.
  case paste(String)
  case enter, tab, backTab, backspace, delete, escape
  case left, right, up, down, home, end, pageUp, pageDown
  case control(Character)
  /// With Alt, or Escape in front.
  case meta(Character)
  case metaEnter, metaBackspace
  /// The wheel of a mouse, in lines: less than 0 is up.
  case wheel(Int)
  /// A mouse's button on a row, from 0 on.
  case click(row: Int)
  /// No key, but what a terminal answers that is asked for the cursor's place (`ESC [ 6 n`): its row, from 0.
  case place(row: Int)
}

/// Makes keys of what a terminal sends: UTF-8, and the sequences of ECMA-48 and xterm. Keeps what has not
/// ended yet. What is no text and no sequence that we know is dropped, what is not UTF-8 becomes U+FFFD.
package struct KeyParser {
  private var bytes: [UInt8] = []
  /// The bytes of a paste that has begun.
  private var paste: [UInt8]?

  package init() {}

  private static let escape: UInt8 = 0x1B
  private static let pasteStart = Array("\u{1B}[200~".utf8)
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  /// Whether a lone Escape waits: it may be a key, or the beginning of a sequence that comes at once.
  package var hasLoneEscape: Bool { paste == nil && bytes == [Self.escape] }

  /// Takes the lone Escape as the key.
  package mutating func flushEscape() -> [Key] {
    guard hasLoneEscape else { return [] }
    bytes = []
    return [.escape]
  }

  /// The keys that end in these bytes.
  package mutating func feed(_ more: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    if paste != nil { takePaste(more, &keys) } else { bytes += more }
    while let key = next() { if let key { keys.append(key) } }
    return keys
  }

  private mutating func takePaste(_ more: some Sequence<UInt8>, _ keys: inout [Key]) {
    let searched = max(0, (paste?.count ?? 0) - Self.pasteEnd.count)
    paste?.append(contentsOf: more)
    guard let text = paste, let end = Self.find(Self.pasteEnd, in: text, from: searched) else { return }
    paste = nil
    bytes = Array(text[(end + Self.pasteEnd.count)...])
    keys.append(.paste(Self.clean(text[..<end])))
  }

  private static func find(_ pattern: [UInt8], in text: [UInt8], from start: Int) -> Int? {
    guard text.count - start >= pattern.count else { return nil }
    return (start...(text.count - pattern.count)).first {
      text[$0] == pattern[0] && text[$0...].starts(with: pattern)
    }
  }

  /// A paste's text: line ends as `\n`, control characters left out.
  private static func clean(_ bytes: ArraySlice<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n").replacing(
      "\r", with: "\n")
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter {
          $0 == "\n" || $0 == "\t" || !($0.value < 0x20 || 0x7F...0x9F ~= $0.value)
        }))
  }

  /// The next key; nil inside for bytes that are none; nil when more bytes are wanted.
  private mutating func next() -> Key?? {
    guard let first = bytes.first else { return nil }
    if first == Self.escape { return sequence() }
    if first < 0x20 || first == 0x7F {
      bytes.removeFirst()
      return .some(Self.controlKey(first))
    }
    return text()
  }

  /// Text up to the next control byte; a character that has not come whole waits.
  private mutating func text() -> Key?? {
    var end = bytes.firstIndex { $0 < 0x20 || $0 == 0x7F } ?? bytes.count
    if end == bytes.count { end -= Self.unfinished(bytes[..<end]) }
    guard end > 0 else { return nil }
    let text = String(decoding: bytes[..<end], as: UTF8.self)
    bytes.removeFirst(end)
    return .some(.text(text))
  }

  /// How many bytes at the end begin a character that more bytes would end.
  private static func unfinished(_ bytes: ArraySlice<UInt8>) -> Int {
    for count in 1...3 where count <= bytes.count {
      let byte = bytes[bytes.endIndex - count]
      if byte & 0xC0 == 0x80 { continue }
      let length = byte >= 0xF0 && byte < 0xF5 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1
      return byte < 0xF5 && length > count ? count : 0
    }
    return 0
  }

  private static func controlKey(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x09: .tab
    case 0x0A, 0x0D: .enter
    case 0x08, 0x7F: .backspace
    case 0x1F: .control("_")
    case 0x01...0x1A: .control(Character(UnicodeScalar(byte + 0x60)))
    default: nil
    }
  }

  private mutating func sequence() -> Key?? {
    guard bytes.count > 1 else { return nil }
    switch bytes[1] {
    case 0x5B: return controlSequence()
    case 0x4F:
      guard bytes.count > 2 else { return nil }
      let final = bytes[2]
      guard 0x20...0x7E ~= final else { return abandon(2) }
      bytes.removeFirst(3)
      return .some(Self.cursorKey(final, isWord: false))
    case 0x0D, 0x0A:
      bytes.removeFirst(2)
      return .some(.metaEnter)
    case 0x7F, 0x08:
      bytes.removeFirst(2)
      return .some(.metaBackspace)
    case Self.escape:
      bytes.removeFirst()
      return .some(.escape)
    case 0x80...:
      bytes.removeFirst()  // Alt with a letter beyond ASCII: the letter
      return .some(nil)
    case let byte:
      bytes.removeFirst(2)
      return .some(byte >= 0x20 && byte < 0x7F ? .meta(Character(UnicodeScalar(byte))) : nil)
    }
  }

  /// Drops the beginning of a sequence that does not go on as one: what came instead is a key of its own.
  private mutating func abandon(_ count: Int) -> Key?? {
    bytes.removeFirst(count)
    return .some(nil)
  }

  /// `ESC [ parameters final` (ECMA-48, 5.4); Linux's console sends its first function keys as `ESC [ [` and
  /// a letter.
  private mutating func controlSequence() -> Key?? {
    guard let end = bytes.dropFirst(2).firstIndex(where: { !(0x20...0x3F ~= $0) }) else {
      return bytes.count > 32 ? abandon(bytes.count) : nil
    }
    guard 0x40...0x7E ~= bytes[end] else { return abandon(end) }
    if end == 2, bytes[2] == 0x5B { return bytes.count > 3 ? abandon(4) : nil }
    if bytes.starts(with: Self.pasteStart) {
      let rest = bytes[Self.pasteStart.count...]
      bytes = []
      paste = []
      var keys: [Key] = []
      takePaste(rest, &keys)
      return .some(keys.first)
    }
    let parameters = String(decoding: bytes[2..<end], as: UTF8.self).split(separator: ";")
    let final = bytes[end]
    bytes.removeFirst(end + 1)
    let isWord = parameters.count > 1 && ["3", "5"].contains(parameters[1])
    if let first = parameters.first, first.hasPrefix("<") { return .some(Self.mouse(parameters, final)) }
    if final == 0x7E { return .some(Self.numbered(parameters.first ?? "")) }
    if final == 0x5A { return .some(.backTab) }
    if final == 0x52, parameters.count == 2, let row = Int(parameters[0]) {
      return .some(.place(row: row - 1))
    }
    return .some(Self.cursorKey(final, isWord: isWord))
  }

  /// `< button ; column ; row M`, or `m` when the button goes (xterm, "SGR mouse").
  private static func mouse(_ parameters: [Substring], _ final: UInt8) -> Key? {
    guard parameters.count == 3, final == 0x4D, let row = Int(parameters[2]) else { return nil }
    switch parameters[0] {
    case "<64": return .wheel(-3)
    case "<65": return .wheel(3)
    case "<0": return .click(row: row - 1)
    default: return nil
    }
  }

  private static func numbered(_ number: Substring) -> Key? {
    switch number {
    case "1", "7": .home
    case "4", "8": .end
    case "3": .delete
    case "5": .pageUp
    case "6": .pageDown
    default: nil
    }
  }

  private static func cursorKey(_ final: UInt8, isWord: Bool) -> Key? {
    switch final {
    case 0x41: .up
    case 0x42: .down
    case 0x43: isWord ? .meta("f") : .right
    case 0x44: isWord ? .meta("b") : .left
    case 0x48: .home
    case 0x46: .end
    default: nil
    }
  }
}
