// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// How a record is written.
package enum RecordFormat: String, Codable, CaseIterable, Sendable {
  /// For people.
  case pretty
  /// `key=value` pairs in a line (brandur.org/logfmt).
  case logfmt
  /// As it is kept.
  case json

  /// A line without its end.
  package func text(_ line: UnsafeBufferPointer<UInt8>, colours: Bool = false) -> String {
    switch self {
    case .json: String(decoding: line, as: UTF8.self)
    case .logfmt: Logfmt.text(RecordView(line))
    case .pretty: PrettyRecord.text(RecordView(line), colours: colours)
    }
  }
}

/// Records for people: time, level, service, message, fields, place.
package enum PrettyRecord {
  package static func text(_ record: RecordView, colours: Bool) -> String {
    let paint = { (code: String, text: String) in colours ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
    var line = paint("2", visible(String(record.time.dropFirst(11).prefix(12)))) + " "
    line += paint(colour(record.level), label(record.level)) + " "
    if !record.service.isEmpty, record.service != "script" {
      line += paint("36", visible(record.service)) + " "
    }
    // The further lines of a message belong to this record, and look so.
    line += VisibleText.of(record.message, keepsLines: true).split(
      separator: "\n", omittingEmptySubsequences: false
    )
    .joined(separator: "\n    ")
    for (name, value) in record.fields {
      line += "  " + paint("2", visible(name) + "=") + visible(value)
    }
    if !record.place.isEmpty {
      let function = record.function.isEmpty ? "" : " \(visible(record.function))"
      line += "  " + paint("2", "(\(visible(record.place))\(function))")
    }
    return line
  }

  private static func visible(_ text: String) -> String { VisibleText.of(text) }

  /// Five letters.
  package static func label(_ level: LogLevel) -> String {
    switch level {
    case .trace: "TRACE"
    case .debug: "DEBUG"
    case .info: "INFO "
    case .notice: "NOTE "
    case .warning: "WARN "
    case .error: "ERROR"
    case .critical: "CRIT "
    }
  }

  /// As in SGR (ECMA-48, 8.3.117).
  package static func colour(_ level: LogLevel) -> String {
    switch level {
    case .trace, .debug: "2"
    case .info: "32"
    case .notice: "1;34"
    case .warning: "33"
    case .error: "31"
    case .critical: "1;97;41"
    }
  }
}

enum Logfmt {
  static func text(_ record: RecordView) -> String {
    var pairs = [("time", record.time), ("level", record.level.rawValue)]
    if !record.service.isEmpty { pairs.append(("service", record.service)) }
    pairs.append(("msg", record.message))
    if !record.place.isEmpty { pairs.append(("at", record.place)) }
    if !record.function.isEmpty { pairs.append(("function", record.function)) }
    pairs += record.fields.map { (name($0.name), RecordView.plain($0.value)) }
    return pairs.map { "\($0)=\(quoted($1))" }.joined(separator: " ")
  }

  private static func name(_ name: String) -> String {
    var word = ""
    for scalar in name.unicodeScalars {
      let ends = scalar.properties.isWhitespace || scalar == "=" || scalar == "\""
      word.unicodeScalars.append(ends ? "_" : scalar)
    }
    return word.isEmpty ? "_" : VisibleText.of(word)
  }

  private static func quoted(_ value: String) -> String {
    let isPlain =
      !value.isEmpty
      && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3D && $0 != 0x5C }
    if isPlain { return value }
    var bytes: [UInt8] = []
    JSONText.append(value, to: &bytes)
    return VisibleText.of(String(decoding: bytes, as: UTF8.self))
  }
}
