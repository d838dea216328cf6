// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeTerminal

/// A prompt on a terminal: reads entries, runs them, prints what they come to. All on one thread, whose loop
/// also runs the script's timers, watches and calls, while the person types, too.
final class ReplSession: EntryRunner {
  let terminal: Terminal
  let session: InteractiveSession
  let pages: PagePrompt?
  private(set) var signals: ReplSignals?
  private var history: ReplHistory
  private var editor = LineEditor()
  private var screen = Screen()
  private var input: TerminalInput?
  /// Names that fit, shown below the entry until the next key.
  private var shownNames: [String] = []
  /// The entry that was ended, to be run by ``run()``.
  private var submitted: String?
  private var isEditing = false
  var ending: ExitStatus?
  private var hasWarnedOfLeaving = false
  /// Whether the terminal was asked where the cursor is; nothing is drawn until it tells.
  private var isMeasuring = false
  /// A text that is being shown a screen at a time.
  private var pager: Pager?
  var transcript: [String] = []

  init(
    _ terminal: Terminal, _ session: InteractiveSession, _ pages: PagePrompt?, historyPath: String?
  ) {
    self.terminal = terminal
    self.session = session
    self.pages = pages
    history = ReplHistory(path: historyPath)
    input = TerminalInput(terminal, session) { [unowned self] keys in handle(keys) }
  }

  /// Runs until the person leaves or the program ends. `first` is run before the first prompt.
  func run(_ signals: ReplSignals, first: [FirstEntry]) -> ExitStatus {
    self.signals = signals
    session.noteStop = { [unowned self] in noteInterrupt() }
    terminal.enterRawMode()
    defer { terminal.restore() }
    terminal.write("nbridge \(NBridgeVersion.current): .help lists commands, tab completes, ^D leaves\n")
    if let problem = history.problem { show("nbridge: \(problem)\n") }
    pages?.begin()
    runFirst(first)
    while ending == nil {
      guard let text = readEntry() else { continue }
      take(text)
    }
    return ending ?? .success
  }

  // MARK: - Entries

  private func readEntry() -> String? {
    submitted = nil
    history.refresh()
    editor.reset(history: history.entries)
    return edit()
  }

  /// Turns the loop until an entry is ended.
  private func edit() -> String? {
    isEditing = true
    redraw()
    input?.start()
    while submitted == nil, ending == nil {
      session.turn()
      if let status = session.endedBetweenEntries() { ending = status }
    }
    input?.stop()
    isEditing = false
    return submitted
  }

  private func take(_ text: String) {
    guard !text.trimmed.isEmpty else { return }
    let problem = history.problem
    history.add(text)
    if problem == nil, let problem = history.problem { show("nbridge: \(problem)\n") }
    hasWarnedOfLeaving = false
    runEntered(text)
  }

  func showInterrupt(_ open: [OpenCall]) {
    noteInterrupt()
    let timers = session.timerCount
    let waiting = timers == 0 ? "" : "  still open: \(timers) timer\(timers == 1 ? "" : "s")\n"
    show(interrupted(open) + waiting)
  }

  // MARK: - Long texts

  func show(value: String) { page(value) }

  /// Shows a text a screen at a time. The script's timers, watches and calls go on meanwhile.
  func page(_ text: String) {
    let text = TextWidth.printable(text, colours: session.colours)
    let (columns, rows) = terminal.size
    pager = isEditing ? nil : Pager(text, columns: columns, rows: rows)
    guard pager != nil else { return show(text) }
    let typedAhead = input?.takeTyped() ?? []
    showMore(.screen)
    input?.start()
    while pager != nil, ending == nil {
      session.turn()
      if let status = session.endedBetweenEntries() { ending = status }
    }
    input?.stop()
    input?.putBack(typedAhead[...])
  }

  private func showMore(_ answer: Pager.Answer) {
    guard var pager else { return }
    var output = withoutRows()
    if answer == .stop {
      output += pager.farewell
      self.pager = nil
    } else {
      output += pager.next(answer)
      self.pager = pager.isOver ? nil : pager
    }
    terminal.write(output + question())
  }

  /// The output that draws the pager's question.
  private func question() -> String {
    guard let row = pager?.question else { return "" }
    let shown = Screen.Row(text: "\u{1B}[7m\(row.text)\u{1B}[0m", width: row.width)
    let columns = terminal.size.columns
    return screen.draw([shown], cursorRow: 0, cursorColumn: min(row.width, columns - 1), columns: columns)
  }

  /// The output that takes away what stands at the bottom.
  private func withoutRows() -> String {
    stopMeasuring()
    return screen.erase()
  }

  // MARK: - Keys

  private func handle(_ keys: [Key]?) {
    guard let keys else { return finish(.init(129)) }
    if pager != nil { return handleInPager(keys) }
    for (index, key) in keys.enumerated() {
      if [.up, .control("p"), .control("r")].contains(key), let added = history.refresh() {
        editor.extend(history: added)
      }
      act(editor.handle(key), on: key)
      if submitted != nil || ending != nil {
        input?.putBack(keys[(index + 1)...])
        return
      }
    }
    redraw()
  }

  /// The key that is none of the pager's ends it. It and all behind it are the next entry's.
  private func handleInPager(_ keys: [Key]) {
    let keys = Pager.apart(keys)
    for (index, key) in keys.enumerated() {
      if pager != nil, let answer = Pager.answer(key) {
        showMore(answer)
        continue
      }
      showMore(.stop)
      input?.putBack(keys[index...])
      return
    }
  }

  private func act(_ action: LineEditor.Action, on key: Key) {
    shownNames = []
    switch action {
    case .enter: enter()
    case .complete: complete()
    case .endOfInput: if editor.isComposing { submit() } else { leave() }
    case .clearScreen: clearScreen()
    case .suspend: suspend()
    case .redraw, .none: break
    }
  }

  private func enter() {
    let text = editor.buffer.text
    guard text.trimmed.isEmpty || DotCommand.isOne(text) || session.isComplete(text) else {
      return editor.newLine()
    }
    submit()
  }

  private func submit() {
    editor.buffer.move(to: editor.buffer.characters.count)
    leaveRows()
    submitted = editor.buffer.text
    isEditing = false
  }

  private func complete() {
    let before = editor.buffer.textBeforeCursor
    let found = completer.candidates(before)
    let common = found.common
    if common.count > found.typed {
      editor.buffer.insert(String(common.dropFirst(found.typed)))
    } else if found.names.count > 1 {
      shownNames = found.names
    }
  }

  private var completer: Completer { Completer(session: session, isElsewhere: pages?.attached != nil) }

  // MARK: - Drawing

  private func redraw() {
    guard isEditing, !isMeasuring else { return }
    let size = terminal.size
    if screen.isStale(columns: size.columns) { return resize() }
    let hint = completer.hint(editor.buffer.textBeforeCursor)
    let view = EntryView(
      editor, prompt: pages?.mark ?? "> ", names: shownNames, hint: hint, size, colours: session.colours)
    terminal.write(
      screen.draw(
        view.rows, cursorRow: view.cursorRow, cursorColumn: view.cursorColumn, columns: size.columns))
  }

  /// Leaves what is shown where it is, as it is now.
  private func leaveRows() {
    stopMeasuring()
    redraw()
    terminal.write(screen.leave())
  }

  /// Prints above the prompt.
  func show(_ text: String) {
    let text = TextWidth.printable(text, colours: session.colours)
    if pager != nil { return terminal.write(withoutRows() + text + question()) }
    guard isEditing else { return terminal.write(text) }
    terminal.write(withoutRows() + text)
    redraw()
  }

  /// Prints what a command answers: folded between words, a screen at a time.
  func answer(_ text: String, indent: Int = 0) {
    page(TextWidth.folded(text, columns: terminal.size.columns, indent: indent))
  }

  func clearScreen() {
    screen.forget()
    terminal.write("\u{1B}[H\u{1B}[2J")
    redraw()
  }

  /// The same for a script: while an entry runs there is no row of the prompt's.
  func clearForScript() {
    screen.forget()
    terminal.write("\u{1B}[H\u{1B}[2J")
    if pager != nil { terminal.write(question()) } else if isEditing { redraw() }
  }

  // MARK: - Signals

  /// What the signal thread saw, on this thread.
  func handle(_ event: ReplSignals.Event) {
    switch event {
    case .interrupt(let number): interrupt(number)
    case .resize: resize()
    case .end(let number): finish(ExitStatus(128 + number))
    case .suspend: suspend()
    case .resume:
      terminal.enterRawMode()
      screen.forget()
      terminal.write(question())
      redraw()
    }
  }

  /// The terminal has another size. Where the rows are now is known when it has told where the cursor is.
  private func resize() {
    if pager != nil { return resizePager() }
    guard isEditing else { return }
    isMeasuring = true
    input?.askRow { [unowned self] row in
      stopMeasuring(row)
      redraw()
    }
  }

  private func resizePager() {
    let size = terminal.size
    terminal.write(screen.refit(columns: size.columns, row: nil))
    pager?.resize(columns: size.columns, rows: size.rows)
    terminal.write(question())
  }

  /// Takes away what was drawn at another size.
  private func stopMeasuring(_ row: Int? = nil) {
    let columns = terminal.size.columns
    guard isMeasuring || screen.isStale(columns: columns) else { return }
    isMeasuring = false
    input?.stopAsking()
    terminal.write(screen.refit(columns: columns, row: row))
  }

  /// ^C while the person types: the entry is dropped; at an empty prompt, the second one leaves.
  private func interrupt(_ number: Int) {
    if pager != nil {
      noteInterrupt()
      session.clearInterrupt()
      return showMore(.stop)
    }
    // One that comes while an entry runs is seen to where that is waited for.
    guard isEditing, signals?.isOpen(number) == true else { return }
    noteInterrupt()
    session.clearInterrupt()
    input?.reset()
    let wasEmpty = editor.buffer.isEmpty && editor.search == nil && !editor.isComposing
    shownNames = []
    leaveRows()
    if wasEmpty, hasWarnedOfLeaving { return finish(.success) }
    if wasEmpty { terminal.write("(^C again, ^D or .exit leaves)\n") }
    hasWarnedOfLeaving = wasEmpty
    editor.cancel()
    redraw()
  }

  private func noteInterrupt() { signals?.noteSeen() }

  private func suspend() {
    if isEditing { leaveRows() }
    terminal.restore()
    Process.stop()  // what goes on then is told by SIGCONT
  }

  // MARK: - The end

  func leave() {
    if isEditing { leaveRows() }
    finish(.success)
  }

  private func finish(_ status: ExitStatus) {
    isEditing = false
    guard ending == nil else { return }
    _ = session.finish()
    ending = status
  }

  /// `.editor`: the next entry is a text of several lines.
  func startComposing() {
    terminal.write("// ^D runs it, ^C drops it\n")
    submitted = nil
    editor.reset(history: history.entries)
    editor.isComposing = true
    if let text = edit() { take(text) }
  }
}
