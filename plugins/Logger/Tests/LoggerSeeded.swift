// SPDX-License-Identifier: MIT

import Foundation
import NBridgePlugin
import NBridgeTesting
import TestSupport
import Testing

@testable import LoggerPlugin

extension SeededGenerator {
  /// A text of whatever makes trouble.
  mutating func trouble(_ maxLength: Int) -> String { text(of: Self.troublesome, count: 0...maxLength) }

  private static let troublesome = [
    "a", "Z", "0", " ", "\n", "\r", "\t", "\"", "\\", "=", "\0", "\u{1B}", "\u{7F}", "é", "漢", "🦆",
    "\u{301}", "\u{202E}", "\u{200B}", "{", "}", ":", ",", "[", "]", "/", "\u{85}", "\u{2028}", "\u{FEFF}",
  ]
}

/// Records put together, as the hub does it.
enum Chunks {
  static func of(
    _ records: [LogRecord], first: Int = 1, redactor: Redactor? = nil,
    time: String = "2026-11-22T06:41:45.123Z"
  ) throws -> LogChunk {
    var lines: [UInt8] = []
    for record in records { RecordText.append(record, time: time, to: &lines) }
    return try of(lines, first: first, redactor: redactor)
  }

  static func of(_ lines: [UInt8], first: Int = 1, redactor: Redactor? = nil) throws -> LogChunk {
    var builder = ChunkBuilder(first: first, pid: 7)
    let redactor = try redactor ?? Redactor(RedactionRules(keys: [], patterns: []))
    lines.withUnsafeBufferPointer { builder.add($0, redactor) }
    return try #require(builder.finish())
  }

  /// Some records of so many bytes each.
  static func filled(_ count: Int, first: Int, size: Int = 100, level: LogLevel = .info) throws -> LogChunk {
    try of(
      (0..<count).map {
        LogRecord(
          level: level, service: "s", message: "\(first + $0) " + String(repeating: "x", count: size))
      },
      first: first)
  }
}

/// A folder of one test, which goes with it.
final class LogFolder {
  let path = TemporaryFolder.make()
  deinit { TemporaryFolder.remove(path) }
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
  func text(_ name: String) -> String {
    (try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)) ?? ""
  }
}

extension String {
  /// The numbers of the records in whole lines.
  var numbers: [Int] { split(separator: "\n").compactMap { RecordView($0.utf8).number } }
}
