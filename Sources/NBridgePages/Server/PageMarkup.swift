// SPDX-License-Identifier: MIT

/// A page's text with the bridge in front of its own scripts.
enum PageMarkup {
  /// Where the bridge's script lies.
  static let script = "/.nbridge/bridge.js"

  /// Puts the script behind the document type: a parser makes the head of what comes before it, and takes the
  /// attributes of an `<html>` that comes later all the same (HTML, 13.2.6.4.4 and 13.2.6.4.7).
  static func withBridge(_ page: [UInt8]) -> [UInt8] {
    // Each unit of UTF-16 has two bytes.
    if let isBig = Self.isBigEndian(page) { return wide(page, isBig) }
    let tag = Array("<script src=\"\(script)\"></script>".utf8)
    let at = endOfType(page)
    return Array(page[..<at]) + tag + page[at...]
  }

  /// Whether UTF-16 has the larger byte first; nil for what is none.
  private static func isBigEndian(_ page: [UInt8]) -> Bool? {
    if page.starts(with: [0xFE, 0xFF]) { return true }
    return page.starts(with: [0xFF, 0xFE]) ? false : nil
  }

  private static func wide(_ page: [UInt8], _ isBig: Bool) -> [UInt8] {
    var units: [UInt16] = []
    for at in stride(from: 2, to: page.count - 1, by: 2) {
      let (first, second) = (UInt16(page[at]), UInt16(page[at + 1]))
      units.append(isBig ? first << 8 | second : second << 8 | first)
    }
    return withBridge([0xEF, 0xBB, 0xBF] + Array(String(decoding: units, as: UTF16.self).utf8))
  }

  /// Behind `<!doctype …>`, before which only space and comments may stand; 0 without one.
  private static func endOfType(_ page: [UInt8]) -> Int {
    var at = page.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let start = at
    while at < page.count {
      if isSpace(page[at]) {
        at += 1
      } else if starts("<!--", page, at) {
        guard let end = find("-->", page, at + 4) else { return start }
        at = end
      } else if starts("<!doctype", page, at) {
        return find(">", page, at) ?? start
      } else {
        return start
      }
    }
    return start
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(byte) }

  /// Whether it stands there, in small letters or large.
  private static func starts(_ text: StaticString, _ page: [UInt8], _ at: Int) -> Bool {
    guard at + text.utf8CodeUnitCount <= page.count else { return false }
    return (0..<text.utf8CodeUnitCount).allSatisfy { index in
      let byte = page[at + index]
      let small = (0x41...0x5A).contains(byte) ? byte + 0x20 : byte
      return small == text.utf8Start[index]
    }
  }

  /// Behind the next place where it stands.
  private static func find(_ text: StaticString, _ page: [UInt8], _ from: Int) -> Int? {
    var at = from
    while at + text.utf8CodeUnitCount <= page.count {
      if starts(text, page, at) { return at + text.utf8CodeUnitCount }
      at += 1
    }
    return nil
  }
}
