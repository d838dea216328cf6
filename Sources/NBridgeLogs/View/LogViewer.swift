// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import LoggerPlugin
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem
package import NBridgeTerminal
internal import Synchronization

/// The viewer on a terminal: the server feeds it, keys steer it, one thread draws.
package final class LogViewer {
  private let terminal: Terminal
  private let screen: LogScreen
  private let inbox = LogInbox()
  private let names: SourceNames
  private var state: LogViewState
  private var parser = KeyParser()
  private var drawnAt = 0
  private var mustDraw = true
  private var stop: () -> Void = {}

  /// So often what comes is drawn, in milliseconds; keys are answered at once.
  private static let frame = 33
  /// So long the viewer looks for records before it draws what it has.
  private static let slice = 12
  /// So long a jump may look for its goal.
  private static let patience = 1500
  private static let escapeDelay = 50
  private var endSignal: Int32?

  package init(_ terminal: Terminal, _ filter: LogFilter, _ names: SourceNames, since: Int?) throws {
    self.terminal = terminal
    self.names = names
    screen = LogScreen(terminal)
    let pages = try LogPages(LogStore.ofUser(), since: since ?? 0)
    state = LogViewState(LogWindow(pages, filter), names)
  }

  /// Shows what comes and what was kept, until a person or a signal ends it.
  ///
  /// - Parameters:
  ///   - ends: A descriptor of signals (signalfd(2)) that are asked to end or to stop the program.
  ///   - stop: Stops the program, as ^Z does.
  /// - Returns: the signal that ended it; nil when a person did.
  package func run(_ session: LogSession, ends: Int32, stop: @escaping () -> Void) throws -> Int32? {
    self.stop = stop
    let server = try session.start(
      tell: { [inbox] in inbox.put($0) }, fail: { [inbox] in inbox.put(problem: $0) })
    state.whereabouts = session.whereabouts
    signal(SIGWINCH) { _ in }
    screen.open()
    defer {
      screen.close()
      server.stop()
    }
    while !state.isOver {
      takeNews()
      lookOn()
      if mustDraw { draw() }
      if !wait(ends) { break }
    }
    return endSignal
  }

  private static var now: Int { Int(g_get_monotonic_time() / 1000) }

  /// Whether the time is over that a person waits without noticing.
  private func deadline(_ milliseconds: Int = slice) -> () -> Bool {
    let end = Self.now + milliseconds
    return { Self.now >= end }
  }

  // MARK: - The loop

  private func takeNews() {
    let (batches, problem) = inbox.take()
    for batch in batches { state.take(batch) }
    if let problem { state.message = problem }
    if !batches.isEmpty || problem != nil { mustDraw = true }
  }

  private func lookOn() {
    guard state.window.isLooking else { return }
    _ = state.window.look(deadline())
    mustDraw = true
    // The person who waits for the end of the search is not kept waiting for the next frame.
    if !state.window.isLooking { state.isUrgent = true }
  }

  private func draw() {
    let now = Self.now
    guard now - drawnAt >= Self.frame || state.isUrgent else { return }
    let size = terminal.size
    state.window.set(height: max(1, size.rows - 2))
    if state.window.isLooking { _ = state.window.look(deadline()) }
    screen.draw(LogFrame(state, size).rows, size)
    (drawnAt, mustDraw, state.isUrgent) = (now, state.window.isLooking, false)
  }

  /// Waits for keys, records or a signal; false when it is over.
  private func wait(_ ends: Int32) -> Bool {
    var files = [STDIN_FILENO, inbox.descriptor, ends].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    var timeout: Int32 = state.needsClock ? 1000 : -1
    if mustDraw { timeout = Int32(max(0, drawnAt + Self.frame - Self.now)) }
    if parser.hasLoneEscape { timeout = min(timeout < 0 ? .max : timeout, Int32(Self.escapeDelay)) }
    if state.window.isLooking { timeout = 0 }
    let count = poll(&files, 3, timeout)
    if count < 0 || state.needsClock { mustDraw = true }  // the window's size changed
    if count == 0, parser.hasLoneEscape { handle(parser.flushEscape()) }
    if count > 0, files[2].revents != 0, hasEndSignal(ends) { return false }
    if count > 0, files[0].revents != 0 {
      let bytes = terminal.read()
      if bytes.isEmpty { return false }
      handle(parser.feed(bytes))
    }
    return true
  }

  /// ^Z stops the program, any other signal ends it.
  private func hasEndSignal(_ file: Int32) -> Bool {
    var info = signalfd_siginfo()
    guard read(file, &info, MemoryLayout<signalfd_siginfo>.size) > 0 else { return false }
    if info.ssi_signo == UInt32(SIGCONT) { return false }
    guard info.ssi_signo == UInt32(SIGTSTP) else {
      endSignal = Int32(info.ssi_signo)
      return true
    }
    screen.close()
    stop()
    screen.open()
    mustDraw = true
    return false
  }

  private func handle(_ keys: [Key]) {
    for key in keys {
      // A key that comes at once behind a filter finds what that lets through.
      if state.window.isLooking { _ = state.window.look(deadline()) }
      switch state.handle(key, deadline(Self.patience)) {
      case nil: break
      case .copy(let text): screen.copy(text)
      }
    }
    (mustDraw, state.isUrgent) = (true, true)
  }
}

/// What the server tells, on its way to the thread that draws.
final class LogInbox: Sendable {
  private let waiting = Mutex<(batches: [LogBatch], bytes: Int, problem: String?)>(([], 0, nil))
  /// When more waits, it is read from the store.
  private static let maximum = 4 << 20
  private let signal = WakeFile()
  /// Readable while something waits.
  var descriptor: Int32 { signal.number }

  func put(_ batches: [LogBatch]) {
    waiting.withLock { waiting in
      for var batch in batches {
        waiting.bytes += batch.lines?.count ?? 0
        if waiting.bytes > Self.maximum { batch.lines = nil }
        waiting.batches.append(batch)
      }
    }
    signal.set()
  }

  func put(problem: String) {
    waiting.withLock { $0.problem = problem }
    signal.set()
  }

  func take() -> ([LogBatch], String?) {
    signal.take()
    return waiting.withLock { waiting in
      defer { waiting = ([], 0, nil) }
      return (waiting.batches, waiting.problem)
    }
  }
}
