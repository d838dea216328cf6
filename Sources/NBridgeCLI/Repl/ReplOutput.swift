// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgeTerminal
internal import Synchronization

/// What scripts print at a prompt: shown above it. No sequence but colours reaches the terminal, whatever is
/// printed; what `console.clear()` prints has the prompt clear its screen.
final class ReplOutput: ScriptOutput {
  private let terminal: Terminal
  private let owner = pthread_self()
  private let hooks = Mutex<Hooks>(Hooks())
  let colours: Bool
  var errorColours: Bool { colours }

  private struct Hooks: Sendable {
    /// Prints text above the prompt, on the prompt's thread.
    var show: (@Sendable (String) -> Void)?
    /// Clears the screen, on that thread.
    var clear: (@Sendable () -> Void)?
    /// Takes work to that thread.
    var post: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
  }

  init(_ terminal: Terminal) {
    self.terminal = terminal
    colours = StandardOutput().colours
  }

  /// Connects the prompt.
  func connect(
    show: @escaping @Sendable (String) -> Void, clear: @escaping @Sendable () -> Void,
    post: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    hooks.withLock { $0 = Hooks(show: show, clear: clear, post: post) }
  }

  func write(_ text: String) { present(text) }
  func writeError(_ text: String) { present(text) }
  func flush() {}

  private func present(_ text: String) {
    guard !text.isEmpty else { return }
    if text == Self.clearing { return clear() }
    let text = TextWidth.printable(text.utf8.last == 0x0A ? text : text + "\n", colours: colours)
    let hooks = hooks.withLock { $0 }
    guard let show = hooks.show, let post = hooks.post else { return terminal.write(text) }
    if pthread_equal(pthread_self(), owner) != 0 { show(text) } else { post { [text] in show(text) } }
  }
}

extension ReplOutput {
  /// What `console.clear()` prints: to the first place, and all behind it away.
  private static let clearing = "\u{1B}[1;1H\u{1B}[0J"

  private func clear() {
    let hooks = hooks.withLock { $0 }
    guard let clear = hooks.clear, let post = hooks.post else { return terminal.write(Self.clearing) }
    if pthread_equal(pthread_self(), owner) != 0 { clear() } else { post { clear() } }
  }
}

/// Asks the person at the prompt's terminal, in its usual mode meanwhile.
final class ReplDialogs: DialogAnswerer {
  private let terminal: Terminal
  private let answers: TerminalAnswers

  /// - Parameter isInterrupted: whether ^C came, which leaves the question.
  init(_ terminal: Terminal, isInterrupted: @escaping @Sendable () -> Bool) {
    self.terminal = terminal
    answers = TerminalAnswers(isInterrupted: isInterrupted)
  }

  func confirm(_ message: String) -> Bool { inUsualMode { answers.confirm(TextWidth.visible(message)) } }

  func prompt(_ message: String, default text: String) -> String? {
    // Asked with what can be seen of the default, answered with the default itself.
    let shown = TextWidth.visible(text)
    let answer = inUsualMode { answers.prompt(TextWidth.visible(message), default: shown) }
    return answer == shown ? text : answer
  }

  private func inUsualMode<R>(_ body: () -> R) -> R {
    terminal.restore()
    defer { terminal.enterRawMode() }
    return body()
  }
}
