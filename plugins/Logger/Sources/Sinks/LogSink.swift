// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// A place that records go to.
protocol LogSink: AnyObject, Sendable {
  /// Records below this level do not go to the sink.
  var level: LogLevel { get }
  /// Takes records, in order; returns soon. Any thread, one at a time.
  func put(_ chunk: LogChunk)
  /// Returns when all that was put is where it belongs, or the time is over; blocks.
  func drain(milliseconds: Int)
  /// The same at the end; no record is put any more. What did not arrive by then may do so later.
  func close(milliseconds: Int)
  /// Returns when no write is under way and none begins any more: the process ends. Blocks, with a bound.
  func halt()
  var statistics: SinkStatistics { get }
}

extension LogSink {
  func halt() {}

  /// Whether a warning that is put arrives, as far as the sink knows.
  var takesWarnings: Bool { level.rank <= LogLevel.warning.rank && statistics.problem == nil }
}

/// What a sink counts.
struct SinkStatistics: Codable, Sendable {
  var kind: String
  /// Bytes that were put and did not arrive.
  var waiting = 0
  /// Records that arrived.
  var written = 0
  /// Records that were dropped, each told in the log.
  var dropped = 0
  /// Why it does not go on.
  var problem: String?
}

/// Writes to the person who runs the program, in the order of what scripts print.
final class TerminalSink: LogSink {
  let level: LogLevel
  private let format: RecordFormat
  private let app: AppEnvironment
  private let colours: Bool

  init(_ level: LogLevel, _ format: RecordFormat, _ app: AppEnvironment, colours: Bool) {
    (self.level, self.format, self.app, self.colours) = (level, format, app, colours)
  }

  func put(_ chunk: LogChunk) {
    var lines: [String] = []
    chunk.forEach(atLeast: level) { _, line in lines.append(format.text(line, colours: colours)) }
    if !lines.isEmpty { app.note(lines.joined(separator: "\n")) }
  }

  func drain(milliseconds: Int) {}
  func close(milliseconds: Int) {}
  var statistics: SinkStatistics { SinkStatistics(kind: "terminal") }
}

/// Takes records while other sinks take the places of the present ones.
final class HoldingSink: LogSink {
  let level = LogLevel.trace
  private let held = Mutex<[LogChunk]>([])

  var chunks: [LogChunk] { held.withLock(\.self) }
  func put(_ chunk: LogChunk) { held.withLock { $0.append(chunk) } }
  func drain(milliseconds: Int) {}
  func close(milliseconds: Int) {}
  var statistics: SinkStatistics { SinkStatistics(kind: "holding") }
}
