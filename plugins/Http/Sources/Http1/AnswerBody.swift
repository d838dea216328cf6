// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// The body of an answer as it comes in, before its encodings are taken off. libsoup (3.2) takes for a whole
/// one what ends between two chunks or has a chunk without a size, and what is shorter than its head says
/// where the connection ends with it: so chunks are read here, from under libsoup's own reader of them, and
/// bytes are counted. Confined to the engine's thread.
final class AnswerBody {
  typealias Stream = UnsafeMutablePointer<GInputStream>

  private let stream: Stream
  private let length: BodyLength
  /// The connection, as far as libsoup has read of it, where chunks come; else the same as `stream`.
  private let source: Stream
  private var framing = ChunkFraming()
  /// How many bytes came, of a body that is not in chunks.
  private var count = 0
  private var isTold = false
  /// Bytes that were read since the loop had its turn: of chunks there may be much for little.
  private var unrested = 0
  private static let mostUnrested = 1 << 20

  /// - Parameter stream: what libsoup answered, which the caller keeps as long as this.
  init(_ stream: Stream, _ length: BodyLength) {
    (self.stream, self.length) = (stream, length)
    source = (length == .chunked ? Self.connection(under: stream) : nil) ?? stream
  }

  /// What libsoup's reader of bodies reads from; nil where it is another reader than the one that is known.
  private static func connection(under stream: Stream) -> Stream? {
    guard let body = base(of: stream), let name = g_type_name_from_instance(instance(body)),
      String(cString: name) == "SoupBodyInputStream", let connection = base(of: body),
      g_type_check_instance_is_a(instance(connection), g_pollable_input_stream_get_type()) != 0
    else { return nil }
    return connection
  }

  private static func base(of stream: Stream) -> Stream? {
    guard g_type_check_instance_is_a(instance(stream), g_filter_input_stream_get_type()) != 0 else {
      return nil
    }
    return g_filter_input_stream_get_base_stream(
      UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GFilterInputStream.self))
  }

  private static func instance(_ stream: Stream) -> UnsafeMutablePointer<GTypeInstance> {
    UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GTypeInstance.self)
  }

  // MARK: - Reading

  /// Reads without waiting: nil where it would wait, or the loop should have its turn before; 0 at the end,
  /// which the connection is free from.
  func read(
    _ room: UnsafeMutableRawBufferPointer, _ cancellable: UnsafeMutablePointer<GCancellable>?
  ) throws(AnswerFault) -> Int? {
    while true {
      if framing.isOver { return finish() }
      guard unrested < Self.mostUnrested, let size = try receive(room, cancellable) else {
        unrested = 0
        return nil
      }
      guard source != stream else { return try counted(size) }
      if size == 0 { throw .cut }
      unrested += size
      let piece = UnsafeMutableRawBufferPointer(rebasing: room[..<size])
      let found: Int
      do throws(ChunkFraming.Fault) { found = try framing.strip(piece) } catch { throw .malformed }
      if found > 0 { return found }
    }
  }

  /// The end of a body in chunks. libsoup hears of it as its own reader would tell it, unless something
  /// stands behind it, which would be taken for the answer to another request.
  private func finish() -> Int {
    if !framing.hasExcess, !isTold { tellEnd() }
    isTold = true
    g_input_stream_close(stream, nil, nil)
    return 0
  }

  /// Emits the signal "eof" of libsoup's stream; where there is none, the connection is not used again.
  private func tellEnd() {
    guard let type = Self.instance(stream).pointee.g_class?.pointee.g_type else { return }
    let signal = g_signal_lookup("eof", type)
    guard signal != 0 else { return }
    var value = GValue()
    g_value_init(&value, type)
    g_value_set_object(&value, UnsafeMutableRawPointer(stream))
    g_signal_emitv(&value, signal, 0, nil)
    g_value_unset(&value)
  }

  private func counted(_ size: Int) throws(AnswerFault) -> Int {
    count += size
    guard size == 0 else { return size }
    if case .bytes(let whole) = length, count < whole { throw .cut }
    g_input_stream_close(stream, nil, nil)
    return 0
  }

  private func receive(
    _ room: UnsafeMutableRawBufferPointer, _ cancellable: UnsafeMutablePointer<GCancellable>?
  ) throws(AnswerFault) -> Int? {
    var failure: UnsafeMutablePointer<GError>?
    let count = g_pollable_input_stream_read_nonblocking(
      OpaquePointer(source), room.baseAddress, gsize(room.count), cancellable, &failure)
    guard let failure else { return count }
    let reason = GLibFailure.taking(failure)
    if reason.isIO(G_IO_ERROR_WOULD_BLOCK) { return nil }
    throw .failed(reason)
  }

  /// Waits until it can be read, has ended or failed, or is cancelled.
  func wait(_ cancellable: UnsafeMutablePointer<GCancellable>?) async {
    await GLibResult.waitToRead(source, cancellable)
  }
}
