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
  /// Writes what was printed until now, before the question.
  private let flush: @Sendable () -> Void
  /// Whether whoever runs the script has stopped it; nil where a signal ends the process.
  private let isInterrupted: (@Sendable () -> Bool)?

  /// - Parameter run: by default a thread of its own.
  init(
    flush: @escaping @Sendable () -> Void = {}, isInterrupted: (@Sendable () -> Bool)? = nil,
    run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { body in
      if !PlainThread.start("nb-auth-ask", body) { body() }
    }
  ) { (self.flush, self.isInterrupted, self.run) = (flush, isInterrupted, run) }

  /// A program in the background would be stopped when it reads.
  var canAsk: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp()
  }

  func ask(_ question: AuthQuestion) async -> AuthAnswer {
    let cancel = Signal()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        run { [isInterrupted, flush] in
          let answer = TerminalTurn.take {
            flush()
            return AuthDialog(question, cancel, isInterrupted).run()
          }
          continuation.resume(returning: answer)
        }
      }
    } onCancel: {
      cancel.raise()
    }
  }
}

/// One question, asked until the answer is one. Meanwhile nothing else of this process reaches the terminal.
private struct AuthDialog {
  private let question: AuthQuestion
  private let cancel: Signal
  private let isInterrupted: (@Sendable () -> Bool)?
  /// How often it is looked whether the script was stopped, and how often the question is drawn anew: other processes may
  /// write to the terminal, too. In milliseconds.
  private static let (look, redraw) = (Int32(50), Int32(250))
  /// More is no answer.
  private static let longestAnswer = 40

  private enum Event {
    case keys([UInt8])
    case pause, over
  }

  init(_ question: AuthQuestion, _ cancel: Signal, _ isInterrupted: (@Sendable () -> Bool)?) {
    (self.question, self.cancel, self.isInterrupted) = (question, cancel, isInterrupted)
  }

  func run() -> AuthAnswer {
    let page = AuthPage()
    let isOver = { isCancelled || isInterrupted?() == true }
    guard let turn = OutputGate.process.ask(unless: isOver, giveBack: { page.close() }) else {
      return AuthAnswer(.cancel)
    }
    defer { turn.end() }
    return turn.draw { page.open() } ? answer(page, turn) : AuthAnswer(.cancel)
  }

  /// An answer counts that was typed under the question, which was drawn again since.
  private func answer(_ page: AuthPage, _ turn: OutputGate.Question) -> AuthAnswer {
    var (shown, keys) = (AuthQuestionText(question), KeyParser())
    guard turn.draw({ page.draw(shown) }) else { return AuthAnswer(.cancel) }
    // What was typed before the question is no answer to it.
    tcflush(STDIN_FILENO, TCIFLUSH)
    while true {
      switch wait() {
      case .over: return AuthAnswer(.cancel)
      case .pause: break
      case .keys(let bytes):
        for key in keys.feed(bytes) {
          if let answer = take(key, &shown) { return answer }
          guard turn.draw({ page.draw(shown) }) else { return AuthAnswer(.cancel) }
        }
      }
      guard turn.draw({ page.draw(shown) }) else { return AuthAnswer(.cancel) }
    }
  }

  private func take(_ key: Key, _ shown: inout AuthQuestionText) -> AuthAnswer? {
    switch key {
    case .text(let text): shown.typed = String((shown.typed + text).prefix(Self.longestAnswer))
    case .backspace: shown.typed = String(shown.typed.dropLast())
    case .control("u"): shown.typed = ""
    case .control("d") where shown.typed.isEmpty: return AuthAnswer(.cancel)
    case .enter:
      let typed = shown.typed.trimmed
      if let answer = answer(typed) { return answer }
      shown.remark = typed.isEmpty ? "" : "'\(VisibleText.of(typed))' is none of these"
      shown.typed = ""
    // A paste is no answer; what else a terminal sends is none either.
    default: break
    }
    return nil
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

  private var isCancelled: Bool {
    var file = pollfd(fd: cancel.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&file, 1, 0) > 0
  }

  /// Keys; or the end of the terminal, or of all interest in an answer.
  private func wait() -> Event {
    var files = [STDIN_FILENO, cancel.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    for _ in 0..<(isInterrupted == nil ? 1 : Self.redraw / Self.look) {
      if let isInterrupted, isInterrupted() { return .over }
      guard poll(&files, 2, isInterrupted == nil ? Self.redraw : Self.look) > 0 else { continue }
      guard files[1].revents == 0 else { return .over }
      let bytes = [UInt8](unsafeUninitializedCapacity: 1024) { memory, count in
        count = max(0, read(STDIN_FILENO, memory.baseAddress, memory.count))
      }
      return bytes.isEmpty ? .over : .keys(bytes)
    }
    return .pause
  }
}
