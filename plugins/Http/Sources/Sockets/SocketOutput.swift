// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// What a WebSocket sends, as the system takes it. Confined to the engine's thread.
final class SocketOutput {
  private struct Piece {
    let bytes: [UInt8]
    /// How many bytes of a script's message it stands for.
    let weight: Int
  }

  private let stream: OpaquePointer
  private let ready: () -> Void
  private var pieces: [Piece] = []
  private var first = 0
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

  var isEmpty: Bool { first == pieces.count }

  /// How many bytes of the script's messages the system has taken.
  var taken: Int {
    guard !isEmpty, !pieces[first].bytes.isEmpty else { return done }
    let piece = pieces[first]
    return done + Int(Double(piece.weight) * Double(at) / Double(piece.bytes.count))
  }

  func add(_ bytes: [UInt8], weight: Int = 0) { pieces.append(Piece(bytes: bytes, weight: weight)) }

  /// Writes as much as the system takes now.
  func write() {
    while !isEmpty, !hasFailed {
      let piece = pieces[first]
      var failure: UnsafeMutablePointer<GError>?
      let count = piece.bytes.withUnsafeBytes { bytes in
        g_pollable_output_stream_write_nonblocking(
          stream, bytes.baseAddress.map { $0 + at }, gsize(bytes.count - at), nil, &failure)
      }
      if let failure {
        let reason = GLibFailure.taking(failure)
        if reason.isIO(G_IO_ERROR_WOULD_BLOCK) { return watch() }
        hasFailed = true
        return stop()
      }
      at += max(0, Int(count))
      progress += max(0, Int(count))
      if at == piece.bytes.count { next(piece) }
    }
    stop()
  }

  private func next(_ piece: Piece) {
    done += piece.weight
    at = 0
    pieces[first] = Piece(bytes: [], weight: 0)
    first += 1
    if isEmpty { (pieces, first) = ([], 0) }
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

/// A source of GIO's that tells when a stream can be read or written, again and again.
enum PollableSource {
  private final class Listener {
    let body: () -> Bool
    init(_ body: @escaping () -> Bool) { self.body = body }
  }

  /// Calls `body` on the loop of this thread until it is detached, or `body` answers that nobody is there any
  /// more: one that is always ready would keep the loop busy.
  static func attach(_ source: UnsafeMutablePointer<GSource>?, _ body: @escaping () -> Bool)
    -> UnsafeMutablePointer<GSource>?
  {
    typealias Ready = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> gboolean
    let ready: Ready = { _, data in
      guard let data else { return 0 }
      // G_SOURCE_CONTINUE or G_SOURCE_REMOVE
      return Unmanaged<Listener>.fromOpaque(data).takeUnretainedValue().body() ? 1 : 0
    }
    // GPollableSourceFunc, which the source calls (gio/gpollableinputstream.h).
    g_source_set_callback(
      source, unsafeBitCast(ready, to: GSourceFunc.self), Unmanaged.passRetained(Listener(body)).toOpaque(),
      { data in if let data { Unmanaged<Listener>.fromOpaque(data).release() } })
    // One that is always ready must not keep the script from running.
    g_source_set_priority(source, EventPriority.script)
    g_source_attach(source, g_main_context_get_thread_default())
    return source
  }

  static func detach(_ source: UnsafeMutablePointer<GSource>) {
    g_source_destroy(source)
    g_source_unref(source)
  }
}
