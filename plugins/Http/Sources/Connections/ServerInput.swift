// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Synchronization

/// What comes from a server by one connection, as libsoup (3.2) is to hear of it:
///
/// - It takes the lines that came for a whole head where the connection ends in it, and sends a request
///   again of whose answer some has come. An end in a head is an error here, of a kind for which it repeats
///   nothing.
/// - It repeats nothing for an error of TLS. An end without a word (RFC 8446, 6.1) before anything came is a
///   connection that was closed here.
/// - What a server says while its request is still sent is read before libsoup reads, which gets it then: of
///   a connection that is encrypted nothing can be looked at otherwise.
///
/// Its state may be asked for where libsoup closes a stream, on another thread; all else is confined to the
/// engine's thread.
final class ServerInput: InputFilter {
  private struct State {
    /// Read so far, and not given to libsoup.
    var held: ArraySlice<UInt8> = []
    /// Whether the head of an answer is awaited, as far as anybody has told, and whether some of it has come.
    var isInHead = false, hasBegun = false
  }
  private let state = Mutex(State())
  private let stream: UnsafeMutableRawPointer
  private var source: UnsafeMutablePointer<GSource>?

  private init?(_ stream: UnsafeMutableRawPointer) {
    self.stream = stream
    super.init()
    guard stand(before: stream) else { return nil }
  }

  /// Of a connection's input, which keeps it; made where there is none.
  static func before(_ stream: UnsafeMutableRawPointer) -> ServerInput? {
    InputFilter.standing(before: stream) as? ServerInput ?? ServerInput(stream)
  }

  /// A request is sent, whose answer comes next.
  func beginHead() { state.withLock { ($0.isInHead, $0.hasBegun) = (true, false) } }

  func endHead() { state.withLock { $0.isInHead = false } }

  // MARK: - For libsoup

  override func read(_ room: UnsafeMutableRawBufferPointer, _ failure: Failure?, _ plain: Plain) -> gssize {
    let size = takeHeld(room)
    let count = size > 0 ? size : plain(room, failure)
    let isCut = state.withLock { state in
      if count > 0 { state.hasBegun = true }
      return count <= 0 && state.isInHead && state.hasBegun
    }
    if count == 0, isCut { return Self.fail(failure) }
    guard count < 0, let error = failure?.pointee, !Self.waits(error) else { return count }
    if isCut {
      failure?.pointee = nil
      g_error_free(error)
      return Self.fail(failure)
    }
    if Self.isEnd(error) {
      failure?.pointee = g_error_new_literal(
        g_io_error_quark(), Int32(G_IO_ERROR_CONNECTION_CLOSED.rawValue), error.pointee.message)
      g_error_free(error)
    }
    return count
  }

  private func takeHeld(_ room: UnsafeMutableRawBufferPointer) -> Int {
    state.withLock { state in
      let size = min(room.count, state.held.count)
      room.copyBytes(from: state.held.prefix(size))
      state.held = state.held.count == size ? [] : state.held.dropFirst(size)
      return size
    }
  }

  private static func fail(_ failure: Failure?) -> gssize {
    let error = g_error_new_literal(
      g_tls_error_quark(), Int32(bitPattern: G_TLS_ERROR_EOF.rawValue), "the answer's head is not whole")
    g_propagate_error(failure, error)
    return -1
  }

  private static func isEnd(_ error: UnsafeMutablePointer<GError>) -> Bool {
    error.pointee.domain == g_tls_error_quark()
      && error.pointee.code == Int32(bitPattern: G_TLS_ERROR_EOF.rawValue)
  }

  /// What says nothing of the server.
  private static func waits(_ error: UnsafeMutablePointer<GError>) -> Bool {
    let codes = [G_IO_ERROR_WOULD_BLOCK, G_IO_ERROR_CANCELLED, G_IO_ERROR_TIMED_OUT]
    return error.pointee.domain == g_io_error_quark()
      && codes.contains { error.pointee.code == Int32($0.rawValue) }
  }

  override var hasMore: Bool { state.withLock { !$0.held.isEmpty } }
  override var mayWait: Bool { true }

  // MARK: - Early answers

  /// Heads that are looked at, in bytes; hints of an answer (RFC 8297) may be long.
  private static let most = 64 << 10
  /// So much is read at once: what stays of a record in TLS makes no stream readable.
  private static let piece = 16 << 10

  /// Looks until it is known whether the server wants more of the request, and tells that.
  func look(_ found: @escaping (EarlyStatus) -> Void) {
    guard source == nil else { return }
    source = PollableSource.attach(Self.plainSource(stream)) { [weak self] in
      guard let self else { return false }
      let status = hear()
      if status == .unknown { return true }
      endLooking()
      found(status)
      return false
    }
  }

  func endLooking() {
    if let source { PollableSource.detach(source) }
    source = nil
  }

  /// Something has come.
  private func hear() -> EarlyStatus {
    guard let plain = Self.plain(stream) else { return .goesOn }
    var error: UnsafeMutablePointer<GError>?
    let (count, status) = withUnsafeTemporaryAllocation(byteCount: Self.piece, alignment: 1) { room in
      let count = plain(UnsafeMutableRawBufferPointer(room), &error)
      return state.withLock { state in
        if count > 0 { state.held += room[..<count] }
        let status = EarlyStatus(state.held)
        // Who talks so long without a status does not come to one.
        return (count, status == .unknown && state.held.count >= Self.most ? .goesOn : status)
      }
    }
    if count > 0 { return status }
    guard let error else { return .wantsNoMore }
    defer { g_error_free(error) }
    return Self.waits(error) ? .unknown : .wantsNoMore
  }
}
