// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// How the logger is set up: `plugins.logger` in `app.json`, and what scripts give to `configure`.
struct LoggerSettings: Codable, Sendable {
  /// Records below this level are not recorded at all.
  var level: LogLevel?
  /// The sinks that records go to; absent: the terminal and the viewer.
  var sinks: [SinkSettings]?
  var redact: RedactionRules?
  var limits: [LimitSettings]?

  /// Reads them from `app.json`; a wrong name is refused, at every level, as in `configure`.
  init(_ value: Value?) throws {
    guard let value else { return }
    self = try value.decode(settings: LoggerSettings.self, named: "plugins.logger")
    for sink in sinks ?? [] { try sink.check() }
  }
}

/// One place for records.
struct SinkSettings: Codable, Sendable {
  /// The kind of sink.
  enum Kind: String, Codable, CaseIterable, Sendable {
    case terminal, file, viewer, journal, syslog
  }

  var kind: Kind
  /// Records below this level do not go to the sink. By default "info" for a terminal and the system's logs,
  /// else "trace".
  var level: LogLevel?
  /// By default "pretty" for a terminal, "json" for a file.
  var format: RecordFormat?
  /// A file's name in the app's folder for logs.
  var name: String?
  /// When a file is put aside: its size in bytes, by default 10 MiB.
  var maximumSize: Int?
  /// When a file is put aside: its age in seconds.
  var maximumAge: Int?
  /// How many files that were put aside are kept; by default 5.
  var keep: Int?
  /// Whether the files that were put aside are compressed; by default they are.
  var compress: Bool?
  /// How many milliseconds pass until written records are sure to last; by default 1,000.
  var sync: Int?
  var overflow: OverflowPolicy?
  /// How many bytes wait for a viewer at most; by default 64 MiB.
  var limit: Int?

  init(_ kind: Kind) { self.kind = kind }

  var minLevel: LogLevel {
    if let level { return level }
    switch kind {
    case .terminal, .journal, .syslog: return .info
    case .file, .viewer: return .trace
    }
  }

  /// - Throws: `invalid_parameter` for what can't be.
  func check() throws {
    if let name {
      let isName =
        !name.isEmpty && name.utf8.count <= 200 && name.utf8.first != UInt8(ascii: ".") && !name.hasSlash
        && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
      guard isName else {
        throw BridgeError(.invalidParameter, "a sink's name must be a file's name without '/', not '\(name)'")
      }
    }
    try Self.check("maximumSize", maximumSize, 4096...(1 << 40))
    try Self.check("maximumAge", maximumAge, 1...(100 * 365 * 86_400))
    try Self.check("keep", keep, 0...1000)
    try Self.check("sync", sync, 1...3_600_000)
    try Self.check("limit", limit, 64 << 10...(1 << 40))
  }

  private static func check(_ name: String, _ value: Int?, _ range: ClosedRange<Int>) throws {
    guard let value, !range.contains(value) else { return }
    throw BridgeError(
      .invalidParameter, "a sink's \(name) must be \(range.lowerBound) to \(range.upperBound), not \(value)")
  }
}

/// Holds back what comes too often; applied by the script's half.
struct LimitSettings: Codable, Sendable {
  /// The part by which records are told apart: "message", "place", or a field's name.
  var key: String
  /// So many records of each key in a period.
  var most: Int
  /// The period in milliseconds.
  var period: Int
}

/// Records as the script's half made them.
struct WriteOptions: Codable, Sendable {
  /// Lines: a digit for the level, then the members of a JSON object.
  var lines: String?
  /// The same lines in UTF-8.
  var bytes: Bytes?
}

/// How long a call waits at most.
struct FlushOptions: Codable, Sendable {
  /// In milliseconds; 5,000 by default.
  var timeout: Int?
}

/// The state that the script's half has to know.
struct LoggerState: Codable, Sendable {
  /// Records below this level are not recorded.
  var level: LogLevel
  /// From which level on records are handed over one by one.
  var direct: LogLevel
}
