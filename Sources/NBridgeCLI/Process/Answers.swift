// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgeSystem
internal import Synchronization

/// Asks the person at the terminal.
final class TerminalAnswers: DialogAnswerer {
  /// Whether the person who runs the script has stopped it.
  private let isInterrupted: @Sendable () -> Bool
  private static let lookMilliseconds: Int32 = 50

  init(isInterrupted: @escaping @Sendable () -> Bool) { self.isInterrupted = isInterrupted }

  /// The person at the terminal; no answers when stdin is no terminal.
  static func ifInteractive() -> any DialogAnswerer {
    isatty(STDIN_FILENO) != 0
      ? TerminalAnswers { Process.isEnding.load(ordering: .acquiring) } : NoAnswers()
  }

  func confirm(_ message: String) -> Bool {
    ask("\(message) [y/N] ").map { ["y", "yes"].contains($0.lowercased()) } ?? false
  }

  func prompt(_ message: String, default text: String) -> String? {
    let hint = text.isEmpty ? "" : "[\(text)] "
    guard let answer = ask("\(message) \(hint)") else { return nil }
    return answer.isEmpty ? text : answer
  }

  private func ask(_ question: String) -> String? { TerminalTurn.take { answer(question) } }

  private func answer(_ question: String) -> String? {
    var bytes = Array(question.utf8)
    _ = write(STDERR_FILENO, &bytes, bytes.count)
    var line: [UInt8] = []
    while true {
      var poller = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      let ready = poll(&poller, 1, Self.lookMilliseconds)
      if isInterrupted() { return nil }
      guard ready > 0 else { continue }
      // A part of a line may come by itself, behind ^D.
      let more = [UInt8](unsafeUninitializedCapacity: 4096) { memory, count in
        count = max(0, read(STDIN_FILENO, memory.baseAddress, memory.count))
      }
      line += more
      if more.isEmpty || more.last == UInt8(ascii: "\n") {
        if line.isEmpty { return nil }
        return String(decoding: line.last == UInt8(ascii: "\n") ? line.dropLast() : line[...], as: UTF8.self)
      }
    }
  }
}

/// One question at a time: of two that read the same terminal either could get the other's answer.
enum TerminalTurn {
  private static let turn = Mutex<Void>(())

  static func take<R: Sendable>(_ body: () -> R) -> R { turn.withLock { _ in body() } }
}

/// Says yes, and takes every prompt's default: `--yes`.
final class YesAnswers: DialogAnswerer {
  func confirm(_ message: String) -> Bool { true }
  func prompt(_ message: String, default text: String) -> String? { text }
}

/// Answers with the lines of a file, one a question; no and nothing when they run out: `--answers FILE`.
final class FileAnswers: DialogAnswerer {
  private let lines: Mutex<ArraySlice<String>>

  init(path: String) throws {
    guard let file = fopen(path, "re") else {
      throw UsageError("can't read the answers '\(path)': \(SystemError.lastReason)")
    }
    defer { fclose(file) }
    var lines: [String] = []
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    while getline(&line, &capacity, file) >= 0 {
      guard let line else { break }
      var text = String(cString: line)
      if text.last == "\n" || text.last == "\r\n" { text.removeLast() }
      lines.append(text)
    }
    let reason = SystemError.lastReason
    free(line)
    // What can't be read to its end, as a folder, is not an empty file.
    guard ferror(file) == 0 else { throw UsageError("can't read the answers '\(path)': \(reason)") }
    self.lines = Mutex(lines[...])
  }

  private func next() -> String? { lines.withLock { $0.popFirst() } }

  func confirm(_ message: String) -> Bool {
    next().map { ["y", "yes", "true"].contains($0.lowercased()) } ?? false
  }
  func prompt(_ message: String, default text: String) -> String? { next() }
}
