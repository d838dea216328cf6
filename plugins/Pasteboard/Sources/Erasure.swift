// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeStore
internal import Synchronization

/// Taking what has gone out of the store's files.
///
/// Deleted contents stay in the database's log until the log is cut off. So a log that holds anything is to
/// be cut off: it is the mark that needs no other, and outlives kills. Every process that has used the store
/// looks at it, a moment after any change and at its own end; no other process needs to live.
enum Erasure {
  /// How long a change waits for others, to be erased with them, in milliseconds.
  static let delay: Int64 = 200
  /// The same for changes of other processes, which erase by themselves as long as they live.
  static let delayForOthers: Int64 = 400
  /// Between two tries while a reader holds the log, in milliseconds; it grows up to the longest.
  static let pause: Int64 = 40
  static let longestPause: Int64 = 500
  /// At the end of the process, all tries together, in milliseconds.
  static let patienceAtEnd: Int64 = 400
}

extension PasteboardStore {
  /// Takes out of all files what is not on a board or in a history any more; answers whether nothing is left
  /// to do that can be.
  func erase() -> Bool {
    erasing.withLock { _ in
      do {
        try dropWhatIsOver()
        let isEmpty = try !hasLog || openBeside().emptyLog()
        // After the log: a writer that was killed meanwhile has committed before.
        let (isSwept, blobs) = try wait(.writing) { (try $0.sweepFiles(), $0.places.blobs) }
        blobs.eraseGone()
        return isSwept && isEmpty
      } catch {
        // Nothing can be written here, or the store was damaged: the next process that uses it finds it
        // mended, and does this anew.
        return (error as? BridgeError)?.code != .conflict
      }
    }
  }

  private func dropWhatIsOver() throws {
    let isOver = try wait { try $0.needsSweep() || $0.needsTrim() }
    guard isOver else { return }
    try wait(.writing) { access in
      try access.change {
        try access.sweep()
        try access.trimHistory()
      }
    }
  }

  /// The same when this process ends. A process that is reading just then erases when it has read; one that
  /// is stopped meanwhile leaves it to the next process that uses the store.
  func eraseAtEnd() {
    let start = g_get_monotonic_time()
    while !erase(), g_get_monotonic_time() - start < Erasure.patienceAtEnd * 1000 {
      usleep(UInt32(Erasure.pause * 250))
    }
  }
}
