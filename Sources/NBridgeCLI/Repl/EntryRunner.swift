// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgeTerminal

/// A prompt that runs what a person enters and shows what it comes to; how, each says itself.
protocol EntryRunner: PromptActions {
  var terminal: Terminal { get }
  var session: InteractiveSession { get }
  var signals: ReplSignals? { get }
  /// What was entered and came to an end.
  var transcript: [String] { get set }
  /// How the program has ended, once it has.
  var ending: ExitStatus? { get set }
  /// Shows an entry's value, with its line end.
  func show(value: String)
}

extension EntryRunner {
  /// Runs what was entered: a command of the prompt's, or a script.
  func runEntered(_ text: String) {
    if DotCommand.isOne(text) { return DotCommands(session: session, prompt: self).run(text) }
    if runShown(text) { transcript.append(text) }
  }

  /// Runs what comes before the first prompt.
  func runFirst(_ entries: [FirstEntry]) {
    for entry in entries where ending == nil { runShown(entry.text, name: entry.name) }
  }

  /// Runs an entry that a command made.
  func run(_ text: String, name: String?) {
    if runShown(text, name: name), name != nil { transcript.append(text) }
  }

  /// Whether it came to an end without an error.
  @discardableResult
  private func runShown(_ text: String, name: String? = nil) -> Bool {
    session.width = terminal.size.columns
    signals?.isRunning = true
    let result = pages?.evaluate(text) ?? session.evaluate(text, name: name)
    signals?.isRunning = false
    switch result {
    case .value(let shown): show(value: shown + "\n")
    case .nothing: break
    case .neverSettles: return false
    case .failed(let report):
      show(report)
      return false
    case .interrupted(let open):
      showInterrupt(open)
      return false
    case .ended(let status): ending = status
    }
    return true
  }

  /// What is said of an entry that was stopped.
  func interrupted(_ open: [OpenCall]) -> String {
    "interrupted\n" + open.prefix(20).map { "  still open: \($0)\n" }.joined()
  }
}
