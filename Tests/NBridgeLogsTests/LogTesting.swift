// SPDX-License-Identifier: MIT

import LoggerPlugin
import NBridgePlugin
import NBridgeTesting
import Testing

@testable import NBridgeLogs

/// A store in a folder of its own, and what is put into it.
final class StoreBench {
  let folder = TemporaryFolder.make()
  let store: LogStore

  init() throws { store = LogStore(in: folder) }

  deinit { TemporaryFolder.remove(folder) }

  var path: String { folder + "/records.db" }

  func archive(bytes: Int = 1 << 30, seconds: Int = 86_400) throws -> LogArchive {
    try LogArchive(store, limits: (bytes, seconds))
  }
}

extension LogArchive {
  /// Adds a record without a number.
  func add(_ source: Int, _ rank: Int, _ json: String) {
    Array(json.utf8).withUnsafeBufferPointer { add(source, rank, $0) }
  }

  /// Adds a record with its number; false when it is kept already.
  func add(_ number: Int, _ rank: Int, _ json: String, of name: String) -> Bool {
    Array(json.utf8).withUnsafeBufferPointer { add(number, rank, $0, of: name) }
  }
}

/// Records as lines of a store.
enum Line {
  static func stored(_ json: String, source: Int = 1, rank: Int = 2) -> [UInt8] {
    var bytes: [UInt8] = []
    StoredLine.append(source, rank, json.utf8, to: &bytes)
    return bytes.dropLast()
  }

  static func record(_ message: String, _ rank: Int = 2, _ more: String = "") -> String {
    let level = LogLevel.allCases[rank].rawValue
    return #"{"time":"2026-11-22T10:00:00.000Z","level":"\#(level)","service":"db","message":"#
      + #""\#(message)"\#(more)}"#
  }

  static func matches(_ filter: LogFilter, _ json: String, source: Int = 1, rank: Int = 2) -> Bool {
    stored(json, source: source, rank: rank).withUnsafeBufferPointer { filter.matches($0) }
  }

  /// The messages of a page's lines.
  static func messages(_ bytes: [UInt8]) -> [String] {
    var messages: [String] = []
    bytes.withUnsafeBufferPointer { bytes in
      StoredLine.forEach(bytes) { line in
        messages.append(StoredLine(line).map { RecordView($0.json).message } ?? "none")
      }
    }
    return messages
  }
}

/// Time that is over after so many looks.
final class Patience {
  private var left: Int
  init(_ looks: Int) { left = looks }
  func isOver() -> Bool {
    left -= 1
    return left < 0
  }
}
