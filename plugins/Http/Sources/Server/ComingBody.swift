// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// A request's body that is read while it comes: libsoup waits while more is kept than is wanted. Confined to
/// the engine's thread.
final class ComingBody: @unchecked Sendable {  // see above
  private let limit: Int
  private let pause: (Bool) -> Void
  private var pieces: [Bytes] = []
  /// Bytes: of `pieces`, and of all that came.
  private var kept = 0, count = 0
  /// Whether all of it has come.
  private(set) var isOver = false
  private var failure: BridgeError?
  private var waiting: CheckedContinuation<Void, Never>?
  private var isWanted = false
  private var isAnswered = false
  /// Whether some of it is lost, because nobody seemed to want it.
  private var hasDropped = false
  private(set) var isTooLong = false
  /// Whether the client sends nothing more than what has come to the socket.
  private var isLast = false

  /// Above this the client waits, in bytes.
  private static let mostKept = 1 << 20
  /// A body of at most so many bytes comes with its request.
  static let smallest: Int64 = 64 << 10

  /// - Parameters:
  ///   - limit: no longer body is taken, in bytes.
  ///   - pause: has libsoup stop reading, or go on.
  init(_ limit: Int, of message: OpaquePointer, pause: @escaping (Bool) -> Void) {
    (self.limit, self.pause) = (limit, pause)
    typealias Chunk = @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let chunk: Chunk = { _, bytes, data in if let bytes { ComingBody.of(data)?.take(bytes) } }
    typealias End = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let end: End = { _, data in ComingBody.of(data)?.finish() }
    GLibSignal.connect(message, "got-chunk", chunk, keeping: self)
    GLibSignal.connect(message, "got-body", end, keeping: self)
  }

  private static func of(_ data: UnsafeMutableRawPointer?) -> ComingBody? {
    GLibSignal.listener(data, as: ComingBody.self)
  }

  private func take(_ chunk: OpaquePointer) {
    let size = Int(g_bytes_get_size(chunk))
    count += size
    if count > limit, !isTooLong {
      isTooLong = true
      fail(
        BridgeError(.tooLarge, "the body of the request is longer than \(limit) bytes, option.bodyLimit"))
    }
    if failure != nil || size == 0 { return }
    if isAnswered, !isWanted { return hasDropped = true }
    pieces.append(Bytes(UnsafeRawBufferPointer(start: g_bytes_get_data(chunk, nil), count: size)))
    kept += size
    // An answer that has begun goes out behind the request's end, so that all of it must come in first.
    if kept > Self.mostKept, !isAnswered, !isLast { pause(true) }
    resume()
  }

  private func finish() {
    isOver = true
    resume()
  }

  /// The client has said its last: whether that was all of it is known when it was read, which is not much.
  func takeRest() {
    isLast = true
    pause(false)
  }

  /// No more of it comes: the client has gone, or the request was answered.
  func fail(_ error: BridgeError) {
    if isOver || failure != nil { return }
    failure = error
    (pieces, kept) = ([], 0)
    resume()
  }

  /// The answer has begun, which libsoup writes when it has read the request.
  func answer() {
    isAnswered = true
    if !isWanted {
      hasDropped = hasDropped || !pieces.isEmpty
      (pieces, kept) = ([], 0)
    }
    pause(false)
  }

  /// What is there, or comes next; nil at the end.
  func read() async throws -> Bytes? {
    if hasDropped {
      throw BridgeError(.closed, "the answer had begun before anybody read the body of the request")
    }
    isWanted = true
    while pieces.isEmpty {
      if let failure { throw failure }
      if isOver { return nil }
      if waiting != nil { throw BridgeError(.invalidParameter, "the body is being read already") }
      await withCheckedContinuation { waiting = $0 }
    }
    let piece = takeFirst()
    pause(false)
    return piece
  }

  /// What came first of what is there; all of it, which may be as long as a body, would be copied at once.
  private func takeFirst() -> Bytes? {
    var (count, size) = (0, 0)
    while count < pieces.count, size < Self.mostKept {
      size += pieces[count].count
      count += 1
    }
    let taken = Bytes(joining: Array(pieces[..<count]))
    pieces.removeFirst(count)
    kept -= size
    return taken
  }

  /// Nobody wants the rest.
  func drop() {
    isWanted = false
    fail(BridgeError(.cancelled, "the body of the request is not wanted any more"))
    pause(false)
  }

  private func resume() {
    let waiting = waiting
    self.waiting = nil
    waiting?.resume()
  }
}
