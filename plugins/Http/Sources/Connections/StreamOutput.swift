// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup
internal import NBridgeSystem

/// What goes out by a connection, as the system takes it. Confined to the engine's thread.
final class StreamOutput {
  private struct Piece {
    let bytes: [UInt8]
    /// How many bytes of a script's message it stands for.
    let weight: Int
  }

  private let stream: OpaquePointer
  private let ready: () -> Void
  private var pieces = FIFO<Piece>()
  /// Of the first one, how many bytes are out.
  private var at = 0
  private var done = 0
  /// How many bytes went out in all.
  private(set) var progress = 0
  private var source: UnsafeMutablePointer<GSource>?
  private(set) var hasFailed = false

  /// - Parameter ready: called when the system takes more; ``write()`` is to follow.
  init(_ stream: OpaquePointer, ready: @escaping () -> Void) { (self.stream, self.ready) = (stream, ready) }

  deinit { stop() }

  var isEmpty: Bool { pieces.isEmpty }

  /// How many bytes of the script's messages the system has taken.
  var taken: Int {
    guard let piece = pieces.first, !piece.bytes.isEmpty else { return done }
    return done + Int(Double(piece.weight) * Double(at) / Double(piece.bytes.count))
  }

  func add(_ bytes: [UInt8], weight: Int = 0) {
    if !hasFailed { pieces.append(Piece(bytes: bytes, weight: weight)) }
  }

  /// Writes as much as the system takes now.
  func write() {
    while let piece = pieces.first, !hasFailed {
      var failure: UnsafeMutablePointer<GError>?
      let count = piece.bytes.withUnsafeBytes { bytes in
        g_pollable_output_stream_write_nonblocking(
          stream, bytes.baseAddress.map { $0 + at }, gsize(bytes.count - at), nil, &failure)
      }
      if let failure {
        let reason = GLibFailure.taking(failure)
        if reason.isIO(G_IO_ERROR_WOULD_BLOCK) { return watch() }
        return fail()
      }
      at += max(0, Int(count))
      progress += max(0, Int(count))
      if at == piece.bytes.count { next(piece) }
    }
    stop()
  }

  /// Nothing goes out any more: what is left is let go of.
  private func fail() {
    (done, at) = (taken, 0)
    pieces = FIFO()
    hasFailed = true
    stop()
  }

  private func next(_ piece: Piece) {
    done += piece.weight
    at = 0
    _ = pieces.popFirst()
  }

  private func watch() {
    if source != nil { return }
    source = PollableSource.attach(g_pollable_output_stream_create_source(stream, nil)) { [weak self] in
      self?.ready()
      return self != nil
    }
  }

  func stop() {
    if let source { PollableSource.detach(source) }
    source = nil
  }
}
