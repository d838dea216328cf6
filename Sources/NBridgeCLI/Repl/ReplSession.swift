// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeTerminal

/// A prompt on a terminal: reads entries, runs them, prints what they come to. All on one thread, whose loop
/// also runs the script's timers, watches and calls, while the person types, too.
final class ReplSession: PromptActions {
  private let terminal: Terminal
  private let session: InteractiveSession
  private let completer: Completer
  private var signals: ReplSignals?
  private var history: ReplHistory
  private var editor = LineEditor()
  private var screen = Screen()
  private var input: TerminalInput?
  /// Names that fit, shown below the entry until the next key.
  private var shownNames: [String] = []
  /// The entry that was ended, to be run by ``run()``.
  private var submitted: String?
  private var isEditing = false
  private var ending: ExitStatus?
  private var hasWarnedOfLeaving = false
  /// A text that is being shown a screen at a time.
  private var pager: Pager?
  /// What was entered and came to an end.
  private(set) var transcript: [String] = []

  init(_ terminal: Terminal, _ session: InteractiveSession, historyPath: String?) {
    self.terminal = terminal
    self.session = session
    completer = Completer(session: session)
    history = ReplHistory(path: historyPath)
    input = TerminalInput(terminal, session) { [unowned self] keys in handle(keys) }
  }

  private var commands: DotCommands { DotCommands(session: session, prompt: self) }

  /// Runs until the person leaves or the program ends. `first` is run before the first prompt.
  func run(_ signals: ReplSignals, first: [FirstEntry]) -> ExitStatus {
    self.signals = signals
    session.noteStop = { [unowned self] in noteInterrupt() }
    terminal.enterRawMode()
    defer { terminal.restore() }
    terminal.write("nbridge \(NBridgeVersion.current): .help lists commands, tab completes, ^D leaves\n")
    for entry in first where ending == nil { runShown(entry.text, name: entry.name) }
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
    if DotCommand.isOne(text) { return commands.run(text) }
    if runShown(text) { transcript.append(text) }
  }

  /// Whether it came to an end without an error.
  @discardableResult
  private func runShown(_ text: String, name: String? = nil) -> Bool {
    session.width = terminal.size.columns
    signals?.isRunning = true
    let result = session.evaluate(text, name: name)
    signals?.isRunning = false
    switch result {
    case .value(let shown): page(shown + "\n")
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

  func showInterrupt(_ open: [OpenCall]) {
    noteInterrupt()
    let timers = session.timerCount
    let waiting = timers == 0 ? "" : "  still open: \(timers) timer\(timers == 1 ? "" : "s")\n"
    show("interrupted\n" + open.prefix(20).map { "  still open: \($0)\n" }.joined() + waiting)
  }

  // MARK: - Long texts

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
    var output = Self.emptyRow
    if answer == .stop {
      output += pager.farewell
      self.pager = nil
    } else {
      output += pager.next(answer)
      self.pager = pager.isOver ? nil : pager
    }
    terminal.write(output + question)
  }

  private static let emptyRow = "\r\u{1B}[K"
  private var question: String { pager.map { "\u{1B}[7m\($0.question)\u{1B}[0m" } ?? "" }

  // MARK: - Keys

  private func handle(_ keys: [Key]?) {
    guard let keys else { return finish(.init(129)) }
    if pager != nil { return keys.compactMap(Pager.answer).forEach(showMore) }
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
    redraw()
    terminal.write(screen.leave())
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

  // MARK: - Drawing

  private func redraw() {
    guard isEditing else { return }
    let size = terminal.size
    if let search = editor.search { return drawSearch(search, size.columns) }
    var below =
      shownNames.isEmpty
      ? [] : NameTable.rows(shownNames, columns: size.columns, limit: max(1, size.rows / 3))
    if size.rows > 3, let hint = completer.hint(editor.buffer.textBeforeCursor) {
      below += hintRows(hint, size)
    }
    let text = editor.buffer.text
    let highlighter = session.colours ? Highlighter(text) : nil
    var layout = EntryLayout(
      prompt: editor.isComposing ? "" : "> ", continuation: editor.isComposing ? "" : "... ",
      columns: size.columns,
      height: max(1, size.rows - below.count - 1))
    layout.lay(editor.buffer) { highlighter?.style(at: $0) ?? "" }
    terminal.write(
      screen.draw(layout.rows + below, cursorRow: layout.cursorRow, cursorColumn: layout.cursorColumn))
  }

  private func hintRows(_ hint: String, _ size: (columns: Int, rows: Int)) -> [Screen.Row] {
    let rows = TextWidth.folded(hint, columns: size.columns - 1, indent: 2).split(separator: "\n")
    return rows.prefix(max(2, size.rows / 4)).map { dim(NameTable.cut(String($0), size.columns)) }
  }

  private func drawSearch(_ search: LineEditor.Search, _ columns: Int) {
    let found = search.found?.replacing("\n", with: " ") ?? ""
    let label = "(search) \(TextWidth.visible(search.query))"
    let row = NameTable.cut("\(label): \(TextWidth.visible(found))", columns)
    terminal.write(screen.draw([row], cursorRow: 0, cursorColumn: min(TextWidth.of(label), columns - 1)))
  }

  private func dim(_ row: Screen.Row) -> Screen.Row {
    session.colours ? Screen.Row(text: "\u{1B}[2m\(row.text)\u{1B}[0m", width: row.width) : row
  }

  /// Prints above the prompt.
  func show(_ text: String) {
    let text = TextWidth.printable(text, colours: session.colours)
    if pager != nil { return terminal.write(Self.emptyRow + text + question) }
    guard isEditing else { return terminal.write(text) }
    terminal.write(screen.erase() + text)
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

  // MARK: - Signals

  /// What the signal thread saw, on this thread.
  func handle(_ event: ReplSignals.Event) {
    switch event {
    case .interrupt(let number): interrupt(number)
    case .resize: if isEditing { resize() }
    case .end(let number): finish(ExitStatus(128 + number))
    case .suspend: suspend()
    case .resume:
      terminal.enterRawMode()
      screen.forget()
      terminal.write(question)
      redraw()
    }
  }

  private func resize() {
    terminal.write(screen.erase(columns: terminal.size.columns))
    redraw()
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
    terminal.write(screen.leave())
    if wasEmpty, hasWarnedOfLeaving { return finish(.success) }
    if wasEmpty { terminal.write("(^C again, ^D or .exit leaves)\n") }
    hasWarnedOfLeaving = wasEmpty
    editor.cancel()
    redraw()
  }

  private func noteInterrupt() { signals?.noteSeen() }

  private func suspend() {
    if isEditing { terminal.write(screen.leave()) }
    terminal.restore()
    Process.stop()  // what goes on then is told by SIGCONT
  }

  // MARK: - The end

  func leave() {
    if isEditing { terminal.write(screen.leave()) }
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

  /// Runs an entry that a command made.
  func run(_ text: String, name: String?) {
    if runShown(text, name: name), name != nil { transcript.append(text) }
  }
}
