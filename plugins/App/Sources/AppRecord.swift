// SPDX-License-Identifier: MIT

internal import CGLib
internal import FoundationEssentials
internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// What the app plugin remembers between runs: `Library/Application Support/app-record.json`.
final class AppRecord: Sendable {
  /// The record.
  struct Content: Codable {
    var deviceId: String
    var firstRun: Date
    var runs: Int
  }

  private let counted = Mutex<Content?>(nil)

  /// Counts this run, once, and answers the record.
  @discardableResult
  func countRun(_ app: AppEnvironment) throws -> Content {
    try counted.withLock { counted in
      if let counted { return counted }
      try app.container.create()
      let content = try Self.update(app.container.applicationSupport)
      counted = content
      return content
    }
  }

  /// Counts this run, once, for an app that has asked for its record before: for others nothing is written at the start. What
  /// can't be written now is told to whoever asks.
  func countRunIfKept(_ app: AppEnvironment) {
    if access(Self.path(app.container.applicationSupport), F_OK) == 0 { _ = try? countRun(app) }
  }

  private static func path(_ folder: String) -> String { folder + "/app-record.json" }

  /// The record with this run counted.
  func load(_ app: AppEnvironment) throws -> Content { try countRun(app) }

  /// Two runs that start together count as two: a lock spans reading and writing.
  private static func update(_ folder: String) throws -> Content {
    let lock = open(folder + "/app-record.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else {
      throw BridgeError(.ioError, "can't write in '\(folder)': \(String(cString: strerror(errno)))")
    }
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0, errno == EINTR {}
    let path = path(folder)
    // A record that can't be read is worth less than an app that runs: it starts anew.
    let old = try SmallFile.read(path).flatMap { try? JSONDecoder().decode(Content.self, from: Data($0)) }
    var content = old ?? Content(deviceId: newID(), firstRun: Date(), runs: 0)
    content.runs += 1
    try SmallFile.replace(path, with: Array(try JSONEncoder().encode(content)))
    return content
  }

  private static func newID() -> String {
    guard let text = g_uuid_string_random() else { return "" }
    defer { g_free(text) }
    return String(cString: text)
  }
}

/// When the app ran first and how often.
struct RunStatistics: Codable {
  var firstRun: Date
  var runs: Int
  var elapsed: Elapsed

  /// The time since the first run, each unit on its own: 90 minutes are 1 hour and 5,400 seconds.
  struct Elapsed: Codable {
    var months: Int
    var days: Int
    var hours: Int
    var seconds: Int
  }

  init(_ record: AppRecord.Content, now: Date = Date()) {
    firstRun = record.firstRun
    runs = record.runs
    let seconds = max(0, now.timeIntervalSince(record.firstRun))
    elapsed = Elapsed(
      months: Self.months(from: record.firstRun, to: now), days: Int(seconds / 86400),
      hours: Int(seconds / 3600), seconds: Int(seconds))
  }

  /// Whole calendar months, in UTC.
  private static func months(from start: Date, to end: Date) -> Int {
    func parts(_ date: Date) -> (months: Int, rest: Int) {
      var time = time_t(date.timeIntervalSince1970)
      var parts = tm()
      gmtime_r(&time, &parts)
      let day = Int(parts.tm_mday) * 86400
      return (
        Int(parts.tm_year) * 12 + Int(parts.tm_mon),
        day + Int(parts.tm_hour) * 3600 + Int(parts.tm_min) * 60 + Int(parts.tm_sec)
      )
    }
    let (first, last) = (parts(start), parts(end))
    return max(0, last.months - first.months - (last.rest < first.rest ? 1 : 0))
  }
}
