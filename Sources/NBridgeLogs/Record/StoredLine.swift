// SPDX-License-Identifier: MIT

internal import LoggerPlugin
internal import NBridgePlugin

/// A record as the viewer keeps it: `source TAB rank JSON`.
package struct StoredLine {
  package let source: Int
  let rank: Int
  package let json: UnsafeBufferPointer<UInt8>

  /// Nil for what is none.
  package init?(_ line: UnsafeBufferPointer<UInt8>) {
    var at = 0, source = 0
    while at < line.count, 0x30...0x39 ~= line[at], at < 10 {
      source = source * 10 + Int(line[at] - 0x30)
      at += 1
    }
    guard at > 0, at + 1 < line.count, line[at] == 0x09, 0x30...0x36 ~= line[at + 1] else { return nil }
    self.source = source
    rank = Int(line[at + 1] - 0x30)
    json = UnsafeBufferPointer(rebasing: line[(at + 2)...])
  }

  var level: LogLevel { LogLevel(rank: rank) ?? .info }

  static func append(_ source: Int, _ rank: Int, _ json: some Sequence<UInt8>, to bytes: inout [UInt8]) {
    bytes += Array("\(source)\t\(rank)".utf8)
    bytes += json
    bytes.append(0x0A)
  }

  /// Calls `body` with each line of some, without its end.
  package static func forEach(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    var start = 0
    while start < bytes.count {
      let rest = UnsafeBufferPointer(rebasing: bytes[start...])
      let end = Newline.find(in: rest) ?? rest.count
      body(UnsafeBufferPointer(rebasing: rest[..<end]))
      start += end + 1
    }
  }
}
