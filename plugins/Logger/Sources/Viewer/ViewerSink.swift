// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Where a viewer is looked for, and where records wait for one meanwhile.
struct ViewerPlace: Sendable {
  /// The folder of its socket.
  let runtime: String
  /// The folder of the app's records that wait.
  let spool: String
  let hello: ViewerWire.Hello
  /// Brings what earlier runs left there, at the first connection.
  let earlierRuns: SpooledRunsDelivery
  /// So many bytes wait at most.
  var limit = 64 << 20
}

/// Sends records to `nbridge logs`. While there is no viewer, or a slow one, they wait in a file; the viewer
/// says which records it has kept, so each gets there once.
final class ViewerSink: LogSink {
  private struct State {
    var queue: [LogChunk] = []
    var bytes = 0
    var isClosing = false
    var closesAt = 0
    var drains = false
    var isOver = false
    var statistics = SinkStatistics(kind: "viewer")
  }

  let level: LogLevel
  private let state = Mutex(State())
  private let work = WakeFile()
  private let progress = WakeFile()
  private static let maximum = 16 << 20
  private static let look = 20

  init(_ place: ViewerPlace, _ level: LogLevel, tell: @escaping @Sendable (String) -> Void) {
    self.level = level
    PlainThread.start("nb-log-viewer") { [self] in
      let delivery = ViewerDelivery(place, tell)
      run(delivery)
    }
  }

  var statistics: SinkStatistics { state.withLock(\.statistics) }

  func put(_ chunk: LogChunk) {
    guard let chunk = chunk.part(atLeast: level) else { return }
    // The thread writes to memory or to a file: it is never far behind, unless the disk is.
    let end = MonotonicTime.milliseconds + 2000
    while state.withLock({ $0.bytes > Self.maximum && !$0.isOver }), MonotonicTime.milliseconds < end {
      progress.wait(milliseconds: Self.look)
    }
    state.withLock { state in
      state.queue.append(chunk)
      state.bytes += chunk.bytes.count
    }
    work.set()
  }

  func drain(milliseconds: Int) {
    let end = MonotonicTime.milliseconds + milliseconds
    state.withLock { $0.drains = true }
    work.set()
    while state.withLock({ $0.drains && !$0.isOver }), MonotonicTime.milliseconds < end {
      progress.wait(milliseconds: Self.look)
    }
  }

  func close(milliseconds: Int) {
    state.withLock { ($0.isClosing, $0.closesAt) = (true, MonotonicTime.milliseconds + milliseconds) }
    work.set()
    while state.withLock({ !$0.isOver }), MonotonicTime.milliseconds < state.withLock({ $0.closesAt }) + 1000
    {
      progress.wait(milliseconds: Self.look)
    }
  }

  private func run(_ delivery: ViewerDelivery) {
    while true {
      let (chunks, isClosing, closesAt) = state.withLock { state in
        defer { (state.queue, state.bytes) = ([], 0) }
        return (state.queue, state.isClosing, state.closesAt)
      }
      for chunk in chunks { delivery.take(chunk) }
      delivery.advance()
      state.withLock { state in
        state.statistics = delivery.statistics
        // Records that wait in the file have left the program.
        if state.queue.isEmpty, delivery.isSafe { state.drains = false }
      }
      progress.set()
      if isClosing, delivery.isDone || !delivery.isConnected || MonotonicTime.milliseconds >= closesAt {
        delivery.finish()
        state.withLock { $0.isOver = true }
        progress.set()
        return
      }
      if state.withLock({ $0.queue.isEmpty }) {
        delivery.wait(work, milliseconds: isClosing ? max(1, closesAt - MonotonicTime.milliseconds) : nil)
      }
    }
  }
}
