// SPDX-License-Identifier: MIT

internal import AuthPlugin
internal import Glibc
internal import LoggerPlugin
internal import NBridge
internal import NBridgePlugin

/// Asks the person at the terminal, on stdin and stderr. It takes the person's word: nobody is checked.
final class TerminalAuthPrompter: AuthPrompter {
  /// Runs what asks, where it may block; takes the terminal for it.
  private let run: @Sendable (@escaping @Sendable () -> Void) -> Void
  /// Whether whoever runs the script has stopped it; nil where a signal ends the process.
  private let isInterrupted: (@Sendable () -> Bool)?

  /// - Parameter run: by default a thread of its own.
  init(
    isInterrupted: (@Sendable () -> Bool)? = nil,
    run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { body in
      if !PlainThread.start("nb-auth-ask", body) { body() }
    }
  ) { (self.isInterrupted, self.run) = (isInterrupted, run) }

  /// A program in the background would be stopped when it reads.
  var canAsk: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp()
  }

  func ask(_ question: AuthQuestion) async -> AuthAnswer {
    let cancel = Signal()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        run { [isInterrupted] in
          continuation.resume(returning: TerminalAuthDialog(question, cancel, isInterrupted).run())
        }
      }
    } onCancel: {
      cancel.raise()
    }
  }
}

/// One question, asked until the answer is one.
private struct TerminalAuthDialog {
  private let question: AuthQuestion
  private let cancel: Signal
  private let isInterrupted: (@Sendable () -> Bool)?
  private static let lookMilliseconds: Int32 = 50

  init(_ question: AuthQuestion, _ cancel: Signal, _ isInterrupted: (@Sendable () -> Bool)?) {
    (self.question, self.cancel, self.isInterrupted) = (question, cancel, isInterrupted)
  }

  func run() -> AuthAnswer {
    TerminalTurn.take { answer() }
  }

  private func answer() -> AuthAnswer {
    // What was typed before the question is no answer to it.
    tcflush(STDIN_FILENO, TCIFLUSH)
    show("\n\(visible(question.app)) asks for authentication: \(visible(question.reason))\n\(choices)\n")
    while true {
      show("  your answer, nobody checks it: ")
      guard let line = readAnswer() else {
        show("\n")
        return AuthAnswer(.cancel)
      }
      if let answer = answer(line) { return answer }
      show("  '\(visible(line))' is none of these\n")
    }
  }

  private var choices: String {
    var lines: [String] = []
    let reader = question.biometry == .face ? "face" : "finger"
    if question.factors.contains(.biometrics) { lines.append("  y  the \(reader) is mine") }
    if question.factors.contains(.passcode) { lines.append("  p  I know the passcode") }
    lines.append("  n  it fails")
    if !question.factors.contains(.passcode) {
      lines.append("  f  " + (question.fallbackTitle.map(visible) ?? "another way"))
    }
    lines.append("  c  " + (question.cancelTitle.map(visible) ?? "cancel"))
    return lines.joined(separator: "\n")
  }

  private func answer(_ line: String) -> AuthAnswer? {
    let takes = question.factors.contains
    switch line.lowercased() {
    case "y": return takes(.biometrics) ? AuthAnswer(.pass, .biometrics) : nil
    case "p": return takes(.passcode) ? AuthAnswer(.pass, .passcode) : nil
    case "n": return AuthAnswer(.fail, question.factors.first)
    case "f": return takes(.passcode) ? nil : AuthAnswer(.fallback)
    case "c": return AuthAnswer(.cancel)
    default: return nil
    }
  }

  /// What scripts write must not move the cursor, or look like an answer on a line of its own.
  private func visible(_ text: String) -> String { VisibleText.of(text.replacing("\n", with: " ")) }

  private func show(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }

  /// A line from the terminal; nil at its end, or when nobody wants to know any more.
  private func readAnswer() -> String? {
    var files = [STDIN_FILENO, cancel.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    repeat {
      if let isInterrupted, isInterrupted() { return nil }
    } while poll(&files, 2, isInterrupted == nil ? -1 : Self.lookMilliseconds) < 1
    guard files[1].revents == 0 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = read(STDIN_FILENO, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count], as: UTF8.self).trimmed
  }
}
