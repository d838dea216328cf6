// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// A record as people read it: a line of JSON, taken apart. A line that is none is a message as it stands.
package struct RecordView {
  /// Counts the records of a source, from 1 on.
  package var number: Int?
  package var pid: Int?
  /// ISO 8601, UTC.
  package var time = ""
  package var level = LogLevel.info
  package var service = ""
  package var message = ""
  /// `file:line`.
  package var place = ""
  package var function = ""
  /// Names, and values as JSON.
  package var fields: [(name: String, value: String)] = []

  package init(_ line: UnsafeBufferPointer<UInt8>) {
    var cursor = JSONCursor(line)
    let isRecord = cursor.members { cursor, key in take(key, &cursor) }
    if !isRecord, message.isEmpty { message = String(decoding: line, as: UTF8.self) }
  }

  package init(_ line: some Collection<UInt8>) {
    let line = Array(line)
    self = line.withUnsafeBufferPointer { RecordView($0) }
  }

  private mutating func take(_ key: Range<Int>, _ cursor: inout JSONCursor) -> Bool {
    _ = cursor.peek()
    if cursor.matches(key, "fields") { return takeFields(&cursor) }
    guard let value = cursor.value() else { return false }
    let isString = cursor.text[value.lowerBound] == UInt8(ascii: "\"")
    let text = isString ? cursor.unescaped((value.lowerBound + 1)..<(value.upperBound - 1)) : ""
    let plain = isString ? text : String(decoding: cursor.text[value], as: UTF8.self)
    switch cursor.unescaped(key) {
    case "seq": number = Int(plain)
    case "pid": pid = Int(plain)
    case "time": time = plain
    case "level": level = LogLevel(named: plain) ?? .info
    case "service": service = plain
    case "message", "msg": message = plain
    case "at": place = plain
    case "function": function = plain
    case let name: fields.append((name, String(decoding: cursor.text[value], as: UTF8.self)))
    }
    return true
  }

  private mutating func takeFields(_ cursor: inout JSONCursor) -> Bool {
    guard cursor.peek() == UInt8(ascii: "{") else { return cursor.value() != nil }
    return cursor.members { cursor, key in
      guard let value = cursor.value() else { return false }
      fields.append((cursor.unescaped(key), String(decoding: cursor.text[value], as: UTF8.self)))
      return true
    }
  }

  /// A field's value as text: strings without their quotes.
  package func field(_ name: String) -> String? {
    fields.first { $0.name == name }.map { Self.plain($0.value) }
  }

  /// A JSON value as people read it.
  package static func plain(_ value: String) -> String {
    guard value.utf8.first == UInt8(ascii: "\"") else { return value }
    var value = value
    return value.withUTF8 { text in
      var cursor = JSONCursor(text)
      return cursor.string().map { cursor.unescaped($0) } ?? ""
    }
  }
}

extension LogLevel {
  /// A level by its name, or by one that other systems use for it.
  package init?(named name: String) {
    switch name.lowercased() {
    case "warn": self = .warning
    case "err", "fault": self = .error
    case "fatal", "crit", "alert", "emergency": self = .critical
    case "verbose": self = .trace
    case "log", "information": self = .info
    case let name:
      guard let level = LogLevel(rawValue: name) else { return nil }
      self = level
    }
  }
}
