// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridge
internal import NBridgeTerminal

/// Keys as sources of the session's loop: read while the person may type, left alone while an entry runs.
final class TerminalInput {
  private let terminal: Terminal
  private let session: InteractiveSession
  /// Takes keys; nil when the terminal has gone.
  private let take: ([Key]?) -> Void
  private var parser = KeyParser()
  private var waiting: [Key] = []
  private var source: UnsafeMutablePointer<GSource>?
  private var escapeTimer: UnsafeMutablePointer<GSource>?
  /// Takes the cursor's row that the terminal was asked for.
  private var takeRow: ((Int?) -> Void)?
  private var rowTimer: UnsafeMutablePointer<GSource>?
  /// How many answers are still to come.
  private var asked = 0

  /// How long a lone Escape waits for the rest of a sequence, in milliseconds.
  private static let escapeDelay: UInt32 = 50
  /// How long the terminal is waited for, in milliseconds.
  private static let answerDelay: UInt32 = 200

  init(_ terminal: Terminal, _ session: InteractiveSession, take: @escaping ([Key]?) -> Void) {
    self.terminal = terminal
    self.session = session
    self.take = take
  }

  deinit {
    stop()
    Self.remove(&escapeTimer)
    Self.remove(&rowTimer)
  }

  /// Asks the terminal for the cursor's row, from 0; nil when it does not tell. Of several questions the last
  /// is answered.
  func askRow(_ take: @escaping (Int?) -> Void) {
    takeRow = take
    asked += 1
    terminal.write("\u{1B}[6n")
    Self.remove(&rowTimer)
    rowTimer = after(Self.answerDelay) { $0.answer(nil) }
  }

  /// Waits for no answer any more.
  func stopAsking() {
    takeRow = nil
    Self.remove(&rowTimer)
  }

  private func answer(_ row: Int?) {
    let take = takeRow
    stopAsking()
    take?(row)
  }

  /// Keys that came behind an entry wait for the next.
  func putBack(_ keys: ArraySlice<Key>) { waiting = keys + waiting }

  /// What was typed until now and the line editor has not taken.
  func takeTyped() -> [Key] {
    var poller = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    let typed = waiting + (poll(&poller, 1, 0) > 0 ? parser.feed(terminal.read()) : [])
    waiting = []
    return typed
  }

  /// Drops what has not ended, as a paste whose end never came.
  func reset() { parser = KeyParser() }

  func start() {
    guard source == nil else { return }
    let made = g_unix_fd_source_new(
      STDIN_FILENO, GIOCondition(rawValue: G_IO_IN.rawValue | G_IO_HUP.rawValue | G_IO_ERR.rawValue))
    let ready: @convention(c) (Int32, GIOCondition, gpointer?) -> gboolean = { _, _, argument in
      guard let argument else { return 0 }
      Unmanaged<TerminalInput>.fromOpaque(argument).takeUnretainedValue().read()
      return 1
    }
    // Not retained: the source ends with `stop`, which `deinit` calls. GLib calls it with these three
    // arguments.
    g_source_set_callback(
      made, unsafeBitCast(ready, to: GSourceFunc.self), Unmanaged.passUnretained(self).toOpaque(), nil)
    g_source_set_priority(made, 100)
    g_source_attach(made, session.mainContext)
    source = made
    if !waiting.isEmpty {
      let keys = waiting
      waiting = []
      take(keys)
    }
  }

  func stop() { Self.remove(&source) }

  private static func remove(_ source: inout UnsafeMutablePointer<GSource>?) {
    guard let old = source else { return }
    source = nil
    g_source_destroy(old)
    g_source_unref(old)
  }

  private func read() {
    let bytes = terminal.read()
    guard !bytes.isEmpty else {
      stop()
      return take(nil)
    }
    let keys = withoutAnswers(parser.feed(bytes))
    if parser.hasLoneEscape { waitForSequence() }
    if !keys.isEmpty { take(keys) }
  }

  private func withoutAnswers(_ keys: [Key]) -> [Key] {
    keys.filter { key in
      guard case .place(let row) = key else { return true }
      asked = max(0, asked - 1)
      if asked == 0 { answer(row) }
      return false
    }
  }

  private func waitForSequence() {
    Self.remove(&escapeTimer)
    escapeTimer = after(Self.escapeDelay) { $0.flushEscape() }
  }

  private func after(
    _ milliseconds: UInt32, _ act: @escaping (TerminalInput) -> Void
  ) -> UnsafeMutablePointer<GSource>? {
    guard let timer = g_timeout_source_new(milliseconds) else { return nil }
    let delayed = Unmanaged.passRetained(Delayed(input: self, act: act))
    g_source_set_callback(
      timer,
      { argument in
        guard let argument else { return 0 }
        let delayed = Unmanaged<Delayed>.fromOpaque(argument).takeUnretainedValue()
        if let input = delayed.input { delayed.act(input) }
        return 0
      }, delayed.toOpaque(),
      { argument in if let argument { Unmanaged<Delayed>.fromOpaque(argument).release() } })
    g_source_attach(timer, session.mainContext)
    return timer
  }

  private final class Delayed {
    weak var input: TerminalInput?
    let act: (TerminalInput) -> Void
    init(input: TerminalInput, act: @escaping (TerminalInput) -> Void) {
      (self.input, self.act) = (input, act)
    }
  }

  private func flushEscape() {
    let keys = parser.flushEscape()
    if !keys.isEmpty { take(keys) }
  }
}
