// SPDX-License-Identifier: MIT

internal import LoggerPlugin
internal import NBridgeHost
internal import NBridgePlugin

/// A record as a line of JSON for other programs. It is kept as its sender wrote it, and a sender may write
/// anything; what goes out is JSON in UTF-8 (RFC 8259), and has nothing that a terminal would obey.
package enum JSONLine {
  /// The record itself where it is such a line already; else with its control characters escaped and what is
  /// no UTF-8 replaced; where that makes no JSON of it either, as the message of another record.
  package static func of(_ record: StoredLine) -> [UInt8] {
    if isPlain(record.json) { return Array(record.json) }
    let text = String(decoding: record.json, as: UTF8.self)
    let escaped = escaped(text)
    if escaped.withUnsafeBufferPointer(isPlain) { return escaped }
    var wrapped = Array("{\"level\":\"\(record.level.rawValue)\",\"service\":\"socket\",\"message\":".utf8)
    JSONText.append(text, to: &wrapped)
    // JSON allows control characters of the second kind.
    return Self.escaped(String(decoding: wrapped + [UInt8(ascii: "}")], as: UTF8.self))
  }

  private static func isPlain(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard !hasControl(line), UTF8Check.isValid(line) else { return false }
    return (try? WireTape(line)) != nil
  }

  /// Whether there is a control character: of ASCII, or of the second kind, which UTF-8 begins with 0xC2.
  private static func hasControl(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    for at in 0..<line.count {
      let byte = line[at]
      if byte < 0x20 || byte == 0x7F { return true }
      if byte == 0xC2, at + 1 < line.count, line[at + 1] < 0xA0 { return true }
    }
    return false
  }

  /// Control characters can only stand in strings.
  private static func escaped(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0:
        bytes += Array("\\u00".utf8) + String(0x100 + scalar.value, radix: 16).utf8.dropFirst()
      default: bytes += UTF8.encode(scalar).map(Array.init) ?? []
      }
    }
    return bytes
  }
}
