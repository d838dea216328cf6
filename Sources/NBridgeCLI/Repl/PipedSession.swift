// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge
internal import NBridgeHost

/// A prompt without a terminal: takes statements from stdin as they come, prints their values, stops at the
/// first error.
struct PipedSession {
  let session: InteractiveSession
  let output: any ScriptOutput

  /// A text of more lines than this is looked at only when its brackets could be closed, or it has doubled:
  /// each look parses all of it.
  private static let longText = 100

  func run(first: [FirstEntry]) -> ExitStatus {
    session.waitsForEver = false
    for entry in first { if let status = take(entry.text, name: entry.name) { return status } }
    let lines = InputLines(session)
    var entry = PendingEntry()
    while let line = lines.next() {
      if session.failures > 0 { break }
      entry.add(line)
      guard entry.lineCount < Self.longText || entry.mayBeWhole, !entry.isBlank,
        session.isComplete(entry.text), !lines.continues(entry.text)
      else {
        continue
      }
      if let status = take(entry.text) { return status }
      entry = PendingEntry()
    }
    if let status = session.endedBetweenEntries() { return status }
    if session.failures == 0, !entry.isBlank, let status = take(entry.text) { return status }
    session.runToEnd()
    let status = session.endedBetweenEntries() ?? session.finish()
    return session.failures > 0 && status == .success ? .failure : status
  }

  /// Ends the process because of a signal. What must not be lost is saved.
  func end(by signal: Int32) -> Never {
    _ = session.finish()
    output.flush()
    Process.exit(ExitStatus(128 + signal))
  }

  /// Answers a status when the run ends here.
  private func take(_ text: String, name: String? = nil) -> ExitStatus? {
    if text.trimmed.isEmpty { return nil }
    if DotCommand.isOne(text.trimmed) {
      output.writeError(
        """
        nbridge: '\(text.trimmed)' is a command of the prompt; without a terminal there are statements only

        """
      )
      _ = session.finish()
      return .failure
    }
    switch session.evaluate(text.hasSuffix("\n") ? String(text.dropLast()) : text, name: name) {
    case .value(let shown): output.write(shown + "\n")
    case .nothing: break
    case .failed(let report):
      output.writeError(report)
      _ = session.finish()
      return .failure
    case .interrupted:
      _ = session.finish()
      return session.statusOfStop
    case .neverSettles:
      output.writeError(
        """
        \(text.trimmed)
        nbridge: this await can never settle: no timer, call or watch is left to bring it forward

        """
      )
      _ = session.finish()
      return .neverSettles
    case .ended(let status): return status
    }
    if session.failures > 0 {
      _ = session.finish()
      return .failure
    }
    return nil
  }
}

/// Lines that are not a whole entry yet.
struct PendingEntry {
  private(set) var text = ""
  private(set) var lineCount = 0
  /// How many brackets are open, as far as that can be told without knowing strings and comments.
  private var depth = 0
  private var nextLook = 0

  var isBlank: Bool { text.trimmed.isEmpty }

  mutating func add(_ line: String) {
    text += line
    lineCount += 1
    for byte in line.utf8 {
      switch byte {
      case 0x28, 0x5B, 0x7B: depth += 1
      case 0x29, 0x5D, 0x7D: depth -= 1
      default: break
      }
    }
    if lineCount >= 2 * nextLook { nextLook = lineCount }
  }

  var mayBeWhole: Bool { depth <= 0 || nextLook == lineCount }
}
