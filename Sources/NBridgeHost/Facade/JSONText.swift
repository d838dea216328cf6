// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// JSON for people.
package enum JSONText {
  /// A value's JSON, indented by two spaces, its members in the order they were written, with a line end.
  package static func pretty(_ value: some Encodable) throws -> String {
    String(decoding: indented(try Value(encoding: value).text), as: UTF8.self).told
  }

  /// Indents JSON that has no white space outside of strings.
  private static func indented(_ text: [UInt8]) -> [UInt8] {
    var made: [UInt8] = []
    var depth = 0
    var isInString = false
    func newLine() {
      made.append(0x0A)
      made += [UInt8](repeating: 0x20, count: 2 * depth)
    }
    for (index, byte) in text.enumerated() {
      if isInString {
        made.append(byte)
        isInString = byte != 0x22 || isEscaped(text, index)
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        made.append(byte)
        isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        made.append(byte)
        if text[index + 1] == byte + 2 { continue }
        depth += 1
        newLine()
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if text[index - 1] != byte - 2 {
          depth -= 1
          newLine()
        }
        made.append(byte)
      case UInt8(ascii: ","):
        made.append(byte)
        newLine()
      case UInt8(ascii: ":"): made += [byte, 0x20]
      default: made.append(byte)
      }
    }
    return made + [0x0A]
  }

  /// Whether an odd number of backslashes stands before a quote.
  private static func isEscaped(_ text: [UInt8], _ index: Int) -> Bool {
    text[..<index].reversed().prefix { $0 == 0x5C }.count % 2 == 1
  }
}
