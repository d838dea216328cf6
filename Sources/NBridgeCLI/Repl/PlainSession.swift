// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeTerminal

/// A prompt on a terminal that can only write one line after the other (`TERM=dumb`): the terminal edits the
/// lines itself, and nothing but text is written.
final class PlainSession: EntryRunner {
  let terminal: Terminal
  let session: InteractiveSession
  private(set) var signals: ReplSignals?
  /// The lines of an entry that is not whole yet.
  private var entry = PendingEntry()
  var ending: ExitStatus?
  private var hasWarnedOfLeaving = false
  var transcript: [String] = []
  let pages: PagePrompt?

  init(_ terminal: Terminal, _ session: InteractiveSession, _ pages: PagePrompt?) {
    self.terminal = terminal
    self.session = session
    self.pages = pages
  }

  /// Runs until the person leaves or the program ends. `first` is run before the first prompt.
  func run(_ signals: ReplSignals, first: [FirstEntry]) -> ExitStatus {
    self.signals = signals
    session.noteStop = { signals.noteSeen() }
    show("nbridge \(NBridgeVersion.current): .help lists commands, ^D leaves\n")
    pages?.begin()
    runFirst(first)
    let lines = InputLines(session)
    while ending == nil {
      ask()
      guard let line = lines.next() else { break }
      take(line)
    }
    if let status = ending ?? session.endedBetweenEntries() { return status }
    show("\n")
    return session.finish()
  }

  private func ask() { terminal.write(entry.isBlank ? pages?.mark ?? "> " : "... ") }

  private func take(_ line: String) {
    entry.add(line)
    let text = entry.text.trimmed
    guard text.isEmpty || DotCommand.isOne(text) || session.isComplete(text) else { return }
    entry = PendingEntry()
    hasWarnedOfLeaving = false
    if !text.isEmpty { runEntered(text) }
  }

  // MARK: - Signals

  /// What the signal thread saw, on this thread.
  func handle(_ event: ReplSignals.Event) {
    switch event {
    case .interrupt(let number): interrupt(number)
    case .end(let number): end(ExitStatus(128 + number))
    case .suspend: Process.stop()
    case .resume: if signals?.isRunning == false { ask() }
    case .resize: break
    }
  }

  /// ^C while the person types: the entry is dropped; at an empty prompt, the second one leaves.
  private func interrupt(_ number: Int) {
    // One that comes while an entry runs is seen to where that is waited for.
    guard signals?.isRunning == false, signals?.isOpen(number) == true else { return }
    signals?.noteSeen()
    session.clearInterrupt()
    let wasBlank = entry.isBlank
    if wasBlank, hasWarnedOfLeaving { end(.success) }
    terminal.write(wasBlank ? "\n(^C again, ^D or .exit leaves)\n" : "\n")
    hasWarnedOfLeaving = wasBlank
    entry = PendingEntry()
    ask()
  }

  /// The lines are waited for where no status comes through. What must not be lost is saved.
  private func end(_ status: ExitStatus) -> Never {
    _ = session.finish()
    Process.exit(status)
  }

  // MARK: - What commands ask for

  func show(_ text: String) { terminal.write(TextWidth.printable(text, colours: false)) }

  func show(value: String) { show(value) }

  func answer(_ text: String, indent: Int) {
    show(TextWidth.folded(text, columns: terminal.size.columns, indent: indent))
  }

  func showInterrupt(_ open: [OpenCall]) {
    signals?.noteSeen()
    show(interrupted(open))
  }

  func startComposing() {
    show("an entry goes on until it is whole; .editor needs another TERM than 'dumb'\n")
  }

  func clearScreen() {}

  func leave() { ending = session.finish() }
}
