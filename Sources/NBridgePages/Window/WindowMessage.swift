// SPDX-License-Identifier: MIT

/// What goes to the window's program and comes back: lines NAME VALUE, and an empty one at the end. Values
/// are escaped as C's strings are, so that each stays one line of ASCII (GLib's `g_strescape`).
enum WindowMessage {
  static func encode(_ fields: [String: String]) -> [UInt8] {
    let lines = fields.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
    return lines.flatMap { Array("\($0.key) ".utf8) + escaped($0.value) + [newline] } + [newline]
  }

  /// Nil for a line that is none.
  static func decode(_ line: ArraySlice<UInt8>) -> (name: String, value: String)? {
    guard let space = line.firstIndex(of: UInt8(ascii: " ")), space > line.startIndex else { return nil }
    let name = String(decoding: line[..<space], as: UTF8.self)
    return (name, String(decoding: unescaped(line[(space + 1)...]), as: UTF8.self))
  }

  static let newline = UInt8(ascii: "\n")
  private static let backslash = UInt8(ascii: "\\")

  private static func escaped(_ text: String) -> [UInt8] {
    var made: [UInt8] = []
    for byte in text.utf8 where byte != 0 {
      if (0x20...0x7E).contains(byte), byte != backslash {
        made.append(byte)
      } else {
        made += [backslash] + [6, 3, 0].map { UInt8(ascii: "0") + (byte >> $0) & 7 }
      }
    }
    return made
  }

  private static let letters: [UInt8: UInt8] = [
    UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13,
    UInt8(ascii: "t"): 9, UInt8(ascii: "v"): 11,
  ]

  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var made: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == backslash, let next = rest.popFirst() else {
        made.append(byte)
        continue
      }
      guard (0x30...0x37).contains(next) else {
        made.append(letters[next] ?? next)
        continue
      }
      var value = Int(next - 0x30)
      for _ in 0..<2 {
        guard let digit = rest.first, (0x30...0x37).contains(digit) else { break }
        rest.removeFirst()
        value = value * 8 + Int(digit - 0x30)
      }
      made.append(UInt8(truncatingIfNeeded: value))
    }
    return made
  }
}

/// Puts messages together that come in parts.
struct WindowMessageReader {
  private var bytes: [UInt8] = []
  private var fields: [String: String] = [:]

  /// Longer lines, in bytes, are none.
  private static let limit = 16 << 20

  /// Takes what has come, and answers the messages that are whole. Nil for what is none, or too long.
  mutating func take(_ more: ArraySlice<UInt8>) -> [[String: String]]? {
    bytes += more
    var (messages, start): ([[String: String]], Int) = ([], 0)
    while let end = bytes[start...].firstIndex(of: WindowMessage.newline) {
      let line = bytes[start..<end]
      start = end + 1
      if line.isEmpty {
        messages.append(fields)
        fields = [:]
      } else if let (name, value) = WindowMessage.decode(line) {
        fields[name] = value
      } else {
        return nil
      }
    }
    bytes.removeFirst(start)
    return bytes.count > Self.limit ? nil : messages
  }
}
