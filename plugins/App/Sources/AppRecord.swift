// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// What the app plugin remembers between runs: `Library/Application Support/app-record.json`.
///
/// Scripts may write there, and another process of the app may hold the lock for ever: neither ends a program
/// nor holds it up.
final class AppRecord: Sendable {
  /// The record.
  struct Content: Codable {
    var deviceId: String
    var firstRun: Date
    var runs: Int

    /// Whether programs write such numbers: counts that JavaScript's numbers hold exactly, times of
    /// four-digit years since 1970.
    fileprivate var isSound: Bool {
      0..<1 << 53 ~= runs && 0..<253_402_300_800 ~= firstRun.timeIntervalSince1970
        && RandomUUID.isOne(deviceId)
    }
  }

  private let counted = Mutex<Content?>(nil)
  /// A record is some hundred bytes.
  private static let largest = 1 << 16

  /// The record with this run counted: once, by the first caller.
  ///
  /// - Throws: `conflict` when another process has held the record for longer than a caller waits.
  func load(_ call: Call) throws -> Content {
    guard let content = try count(call.app, within: FileLock.patience, unless: { call.isCancelled }) else {
      try call.checkCancellation()
      throw BridgeError(
        .conflict,
        """
        another process of the app has held '\(Self.path(call.app)).lock' for \(FileLock.patience / 1000) s
        """
      )
    }
    return content
  }

  /// Counts this run, once, for an app that has asked for its record before: for other apps nothing is
  /// written at the start. A caller that asks for the record is told if it can't be written. Where another
  /// process holds the record, a thread of its own waits for it, and not the program.
  func countRunIfKept(_ app: AppEnvironment) {
    guard access(Self.path(app) + ".json", F_OK) == 0 else { return }
    do { if try count(app, within: 0) != nil { return } } catch { return }
    PlainThread.start("nb-app-record") { [self] in
      _ = try? count(app, within: FileLock.patience)
    }
  }

  private static func path(_ app: AppEnvironment) -> String {
    app.container.applicationSupport + "/app-record"
  }

  /// Nil when another process had the record all the time. Two runs that start together count as two: a lock
  /// spans reading and writing, that of the file between processes, the other one between threads.
  private func count(_ app: AppEnvironment, within milliseconds: Int, unless isOver: () -> Bool = { false })
    throws -> Content?
  {
    if let known = counted.withLock(\.self) { return known }
    try app.container.create()
    let path = Self.path(app)
    let file: Descriptor
    do { file = try Descriptor.open(path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK) } catch {
      throw BridgeError(error)
    }
    defer { file.close() }
    guard FileLock(file).take(within: milliseconds, unless: isOver) else { return nil }
    return try counted.withLock { counted in
      if let counted { return counted }
      let content = try Self.update(path + ".json")
      counted = content
      return content
    }
  }

  /// A record that can't be read, or says what no program wrote, is worth less than an app that runs: it
  /// starts anew.
  private static func update(_ path: String) throws -> Content {
    var content = try kept(path) ?? Content(deviceId: RandomUUID.make(), firstRun: Date(), runs: 0)
    content.runs += 1
    try SmallFile.replace(path, with: Array(try JSONEncoder().encode(content)))
    return content
  }

  private static func kept(_ path: String) throws -> Content? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_size <= largest, let bytes = try SmallFile.read(path),
      let content = try? JSONDecoder().decode(Content.self, from: Data(bytes))
    else { return nil }
    return content.isSound ? content : nil
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
