// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeStore
internal import Synchronization

/// Writes the database's log back, on a thread and a connection of its own: that waits for the disk, and nobody for it.
/// One thread, however often it is asked for.
final class LogWriter: Sendable {
  private struct State {
    var isRunning = false
    var isWanted = false
    /// Whether nothing is to be left in the log.
    var empties = false
  }
  private let state = Mutex<State>(State())

  /// Has the log of the store in `folder` written back soon.
  func run(_ folder: String, empties: Bool) {
    let starts = state.withLock { state in
      state.isWanted = true
      state.empties = state.empties || empties
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard starts else { return }
    let isStarted = PlainThread.start("nb-pasteboard") { [self] in
      while let empties = take() { Self.write(folder, empties: empties) }
    }
    // The system gives no thread: the next change asks again.
    if !isStarted { state.withLock { $0.isRunning = false } }
  }

  /// Nil when nobody has asked since.
  private func take() -> Bool? {
    state.withLock { state in
      guard state.isWanted else {
        state.isRunning = false
        return nil
      }
      defer { (state.isWanted, state.empties) = (false, false) }
      return state.empties
    }
  }

  /// What can't be written back now is when the log has grown again.
  private static func write(_ folder: String, empties: Bool) {
    let path = folder + "/" + StoreRecovery.fileName
    try? SQLiteDatabase(path: path, content: "the pasteboards", checkpoints: false).checkpoint(
      empties: empties)
  }
}
