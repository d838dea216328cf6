// SPDX-License-Identifier: MIT

internal import AuthPlugin
internal import Glibc
internal import LoggerPlugin
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem
internal import NBridgeTerminal

/// Asks the person at the terminal, on stdin and stderr. It takes the person's word: no identity is checked.
final class TerminalAuthPrompter: AuthPrompter {
  /// Runs what asks, where it may block; takes the terminal for it.
  private let run: @Sendable (@escaping @Sendable () -> Void) -> Void
  /// Writes what was printed until now, before the question.
  private let flush: @Sendable () -> Void
  /// Whether the person who runs the script has stopped it; nil where a signal ends the process.
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
    let cancel = WakeFile()
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
      cancel.set()
    }
  }
}

/// One question, asked until the answer is one. Meanwhile nothing else of this process reaches the terminal.
private struct AuthDialog {
  private let question: AuthQuestion
  private let cancel: WakeFile
  private let isInterrupted: (@Sendable () -> Bool)?
  /// More is no answer.
  private static let longestAnswer = 40

  init(_ question: AuthQuestion, _ cancel: WakeFile, _ isInterrupted: (@Sendable () -> Bool)?) {
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

  /// An answer counts that was typed under the question, a key at a time, which was drawn again since.
  private func answer(_ page: AuthPage, _ turn: OutputGate.Question) -> AuthAnswer {
    var shown = AuthQuestionText(question)
    var input = AuthInput(cancel, isInterrupted, sendsLines: !page.isScreen)
    guard turn.draw({ page.draw(shown) }) else { return AuthAnswer(.cancel) }
    while true {
      switch shown.takesAnswers ? input.next() : input.settle() {
      case .over: return AuthAnswer(.cancel)
      case .pause: shown.takesAnswers = true
      case .several where !shown.takesAnswers: break
      case .several:
        shown.typed = ""
        shown.remark =
          page.isScreen ? "several keys at once are no answer" : "several lines at once are no answer"
      case .keys(let keys):
        for key in keys { if let answer = take(key, &shown) { return answer } }
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
    // What else a terminal sends is no answer.
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
    var file = pollfd(fd: cancel.number, events: Int16(POLLIN), revents: 0)
    return poll(&file, 1, 0) > 0
  }
}
