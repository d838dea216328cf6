// SPDX-License-Identifier: MIT

internal import CGLib
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

  /// How long a lone Escape waits for the rest of a sequence, in milliseconds.
  private static let escapeDelay: UInt32 = 50

  init(_ terminal: Terminal, _ session: InteractiveSession, take: @escaping ([Key]?) -> Void) {
    self.terminal = terminal
    self.session = session
    self.take = take
  }

  deinit {
    stop()
    Self.remove(&escapeTimer)
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
    let keys = parser.feed(bytes)
    if parser.hasLoneEscape { waitForSequence() }
    if !keys.isEmpty { take(keys) }
  }

  private func waitForSequence() {
    Self.remove(&escapeTimer)
    guard let timer = g_timeout_source_new(Self.escapeDelay) else { return }
    g_source_set_callback(
      timer,
      { argument in
        guard let argument else { return 0 }
        Unmanaged<TerminalInput>.fromOpaque(argument).takeUnretainedValue().flushEscape()
        return 0
      }, Unmanaged.passUnretained(self).toOpaque(), nil)
    g_source_attach(timer, session.mainContext)
    escapeTimer = timer
  }

  private func flushEscape() {
    let keys = parser.flushEscape()
    if !keys.isEmpty { take(keys) }
  }
}
