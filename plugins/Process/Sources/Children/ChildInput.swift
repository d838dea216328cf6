// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// What is on its way to a child's stdin, between scripts and the thread that writes it. Any thread.
final class ChildInput: Sendable {
  private struct State {
    var pieces: [Bytes] = []
    /// How much of the first one is written.
    var offset = 0
    var isClosing = false
    var failure: BridgeError?
    /// What waits for all that was put so far.
    var drained: Notice?
  }

  private let state = Mutex(State())

  /// Puts bytes behind the others. Answers what tells when all are written.
  func put(_ bytes: Bytes) throws {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      guard !state.isClosing else {
        throw BridgeError(.closed, "the child's stdin is closed; write before close()")
      }
      if bytes.count > 0 { state.pieces.append(Bytes(Array(bytes))) }
    }
  }

  /// No more comes: the child's stdin ends behind what was put.
  func close() { state.withLock { $0.isClosing = true } }

  /// Tells when all that was put is written, or never will be.
  func drained() -> AsyncStream<Bool> {
    let notice = state.withLock { state in
      if let drained = state.drained { return drained }
      let notice = Notice()
      if Self.isIdle(state) { notice.happen() } else { state.drained = notice }
      return notice
    }
    return notice.stream()
  }

  /// Throws when something was not written.
  func check() throws {
    if let failure = state.withLock(\.failure) { throw failure }
  }

  private static func isIdle(_ state: State) -> Bool {
    state.failure != nil || state.pieces.isEmpty
  }

  // MARK: - The thread that writes

  var hasBytes: Bool { state.withLock { !$0.pieces.isEmpty } }

  /// Whether the child's stdin is to be closed now.
  var isDone: Bool { state.withLock { $0.failure != nil || $0.isClosing && $0.pieces.isEmpty } }

  /// Writes what the pipe takes.
  func write(to file: Int32) {
    let notice = state.withLock { state -> Notice? in
      while let piece = state.pieces.first {
        let offset = state.offset
        let count = piece.withUnsafeBytes { bytes in
          Glibc.write(file, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
        }
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN { return nil }
        if count < 0 {
          Self.fail(&state)
          break
        }
        state.offset += count
        guard state.offset == piece.count else { continue }
        state.pieces.removeFirst()
        state.offset = 0
      }
      defer { state.drained = nil }
      return state.drained
    }
    notice?.happen()
  }

  /// The child takes no more.
  func end() {
    let notice = state.withLock { state -> Notice? in
      if !state.isClosing || !state.pieces.isEmpty { Self.fail(&state) }
      defer { state.drained = nil }
      return state.drained
    }
    notice?.happen()
  }

  private static func fail(_ state: inout State) {
    state.pieces = []
    state.failure = BridgeError(
      .closed, "the child takes no more input: it has closed its stdin, or has ended (EPIPE)")
  }
}
