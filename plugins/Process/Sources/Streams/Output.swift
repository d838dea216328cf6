// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// What scripts write to stdout and stderr, until it is written.
final class Output: Sendable {
  /// One piece.
  private final class Piece: Sendable {
    let written = Notice()
    let error = Mutex<Int32?>(nil)
  }

  private struct State {
    var pieces: [Int: Piece] = [:]
    var last = 0
  }

  private let state = Mutex(State())

  /// Writes, behind what was printed before. Answers the number of what is not written yet; nil for what is.
  func write(_ bytes: Bytes, to stream: OutputStream, _ app: AppEnvironment) throws -> Int? {
    let piece = Piece()
    app.write(bytes, to: stream) { error in
      piece.error.withLock { $0 = error }
      piece.written.happen()
    }
    if piece.written.hasHappened {
      try Self.check(piece, stream)
      return nil
    }
    return state.withLock { state in
      state.last += 1
      state.pieces[state.last] = piece
      return state.last
    }
  }

  func written(_ number: Int) -> AsyncStream<Bool> {
    let notice = state.withLock { $0.pieces[number]?.written }
    return notice?.stream() ?? AsyncStream { $0.finish() }
  }

  /// Throws when a piece could not be written; forgets it.
  func settle(_ number: Int, _ stream: OutputStream) throws {
    guard let piece = state.withLock({ $0.pieces.removeValue(forKey: number) }) else { return }
    try Self.check(piece, stream)
  }

  private static func check(_ piece: Piece, _ stream: OutputStream) throws {
    guard let error = piece.error.withLock(\.self) else { return }
    let name = stream == .output ? "stdout" : "stderr"
    if error == EPIPE {
      throw BridgeError(
        .closed, "can't write to \(name): its reader has gone (EPIPE); stop writing, or end the program")
    }
    if error == EOPNOTSUPP {
      throw BridgeError(.unavailable, "can't write to \(name): this program lends it to no plugin")
    }
    throw BridgeError(SystemError("write to", name, code: error))
  }
}

extension BridgeError.Code {
  /// The other end of a pipe was closed.
  static let closed: Self = "closed"
}
