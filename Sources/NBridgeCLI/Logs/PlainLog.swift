// SPDX-License-Identifier: MIT

internal import Glibc
internal import LoggerPlugin
internal import NBridge
internal import NBridgeHost
internal import NBridgeLogs
internal import Synchronization

/// Records as lines on stdout.
final class PlainLog: Sendable {
  private let format: RecordFormat
  private let filter: LogFilter
  private let names: SourceNames
  private let colours: Bool
  private let isTerminal: Bool

  init(_ format: RecordFormat, _ filter: LogFilter, _ names: SourceNames) {
    (self.format, self.filter, self.names) = (format, filter, names)
    colours = StandardOutput().colours
    isTerminal = isatty(STDOUT_FILENO) == 1
  }

  /// Prints what was kept since a time, then what comes, until a signal ends it or the time is over.
  func run(_ session: LogSession, _ since: Int?, _ until: Int?) throws -> ExitStatus {
    if let since { try printKept(since, until ?? .max) }
    let server = try session.start(
      tell: { [self] batches in
        for batch in batches { batch.lines?.withUnsafeBufferPointer { show($0) } }
      },
      fail: { [self] in note("nbridge: \($0)") })
    note("nbridge: listens at \(session.whereabouts)")
    let signal = waitForEnd(until)
    server.stop()
    return signal.map { ExitStatus(128 + $0) } ?? .success
  }

  private func note(_ line: String) { StandardOutput().writeError(line + "\n") }

  /// Answers the signal that ended it; nil when the time is over.
  private func waitForEnd(_ until: Int?) -> Int32? {
    while true {
      guard let number = nextSignal(until) else { return nil }
      if number == SIGTSTP { Process.stop() }
      if number != SIGTSTP && number != SIGCONT { return number }
    }
  }

  private func nextSignal(_ until: Int?) -> Int32? {
    guard let until else { return Process.handled.wait() }
    let end = max(0, until / 1000 - time(nil))
    return Process.handled.wait(within: .seconds(end))
  }

  private func printKept(_ since: Int, _ until: Int) throws {
    _ = try LogQuery(LogStore.ofUser(), filter).run(since: since, until: until) { show($0) }
  }

  /// Writes those of some lines that the filter lets through.
  func show(_ lines: UnsafeBufferPointer<UInt8>) {
    var text: [UInt8] = []
    StoredLine.forEach(lines) { line in
      guard filter.matches(line), let stored = StoredLine(line) else { return }
      if format == .json {
        // What is no control character may still hide text, or turn it round.
        text +=
          isTerminal
          ? Array(VisibleText.of(String(decoding: JSONLine.of(stored), as: UTF8.self)).utf8)
          : JSONLine.of(stored)
      } else {
        let app = names.app(stored.source) ?? ""
        text += Array("\(VisibleText.of(app)) ".utf8)
        text += Array(format.text(stored.json, colours: colours).utf8)
      }
      text.append(0x0A)
    }
    var done = 0
    while done < text.count {
      let count = text.withUnsafeBytes {
        write(STDOUT_FILENO, $0.baseAddress.map { $0 + done }, $0.count - done)
      }
      if count < 0, errno == EINTR { continue }
      // The reader has gone, as with `| head`.
      guard count > 0 else { Process.exit(errno == EPIPE ? .readerGone : .failure) }
      done += count
    }
  }
}
