// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// The children of a program that scripts hold, and the one thread that starts them, reads and writes their
/// pipes and takes their ends. It starts with the first child and lives as long as the
/// program: the kernel kills a child with the thread that started it.
final class Children: Sendable {
  private struct State {
    var children: [ObjectIdentifier: RunningChild] = [:]
    /// What the thread is to do next.
    var posted: [@Sendable (ChildThread) -> Void] = []
    var isStarted = false
    var isClosed = false
  }

  private let state = Mutex(State())
  private let wake = Mutex<WakeFile?>(nil)

  /// How many milliseconds children have at the program's end.
  private static let lastGrace = 250
  /// How long the end waits for those that were killed: a disk may hold them.
  private static let patience = 500

  // MARK: - Scripts

  /// Makes a child. It runs, or could not be started, when its ``RunningChild/started`` tells.
  func add(_ plan: ChildPlan) throws -> RunningChild {
    let wake = try startThread()
    let child = RunningChild(plan, of: self) { wake.set() }
    try state.withLock { state in
      guard !state.isClosed else { throw BridgeError(.cancelled, "the call was cancelled") }
      state.children[ObjectIdentifier(child)] = child
      state.posted.append { $0.start(child) }
    }
    wake.set()
    return child
  }

  /// Ends a child.
  func cancel(_ child: RunningChild) { post { _ in child.process?.stop(.cancelled) } }

  func signal(_ child: RunningChild, _ signal: Int32) { post { _ in child.process?.signal(signal) } }

  /// The same by the number of a child's process; signal 0 only looks. False when there is no such child.
  ///
  /// - Throws: `not_found` for a child that has ended.
  func signal(process id: Int, _ signal: Int32) throws -> Bool {
    let found = state.withLock { state in state.children.values.filter { $0.number.map(Int.init) == id } }
    guard !found.isEmpty else { return false }
    // A number may have come again.
    guard let child = found.first(where: { !$0.hasEnded }) else {
      throw BridgeError(.notFound, "the child \(id) has ended")
    }
    if signal != 0 { post { _ in child.process?.signal(signal) } }
    return true
  }

  /// Something was put, or closed.
  func wakeUp() { wake.withLock(\.self)?.set() }

  func forget(_ child: RunningChild) {
    state.withLock { _ = $0.children.removeValue(forKey: ObjectIdentifier(child)) }
  }

  /// Ends all children and returns when they are gone, or have been killed.
  func stop() {
    let isRunning = state.withLock { state in
      state.isClosed = true
      return state.isStarted
    }
    guard isRunning else { return }
    let gone = Notice()
    post { thread in thread.close(within: Self.lastGrace) { gone.happen() } }
    let end = MonotonicTime.milliseconds + Self.lastGrace + Self.patience
    while !gone.hasHappened, MonotonicTime.milliseconds < end { usleep(500) }
  }

  // MARK: - The thread

  private func post(_ body: @escaping @Sendable (ChildThread) -> Void) {
    state.withLock { $0.posted.append(body) }
    wakeUp()
  }

  private func startThread() throws -> WakeFile {
    let wake = try wake.withLock { wake in
      if let wake { return wake }
      let made = WakeFile()
      guard made.isOpen else { throw BridgeError(.ioError, "can't run a program: too many files are open") }
      wake = made
      return made
    }
    let isFirst = state.withLock { state in
      defer { state.isStarted = true }
      return !state.isStarted
    }
    if isFirst, !PlainThread.start("nb-children", { [self] in ChildThread(wake).run { takePosted() } }) {
      state.withLock { $0.isStarted = false }
      throw BridgeError(.ioError, "can't run a program: the system gives no thread")
    }
    return wake
  }

  private func takePosted() -> [@Sendable (ChildThread) -> Void] {
    state.withLock { state in
      defer { state.posted = [] }
      return state.posted
    }
  }
}
