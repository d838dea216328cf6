// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Synchronization

/// What a server says while its request is still sent, read before libsoup reads, which gets it then: of a
/// connection that is encrypted nothing can be looked at otherwise.
final class EarlyBytes: ServerInput {
  /// Read so far, and not given to libsoup; it may close a stream on another thread, and read on it there.
  private let held = Mutex<ArraySlice<UInt8>>([])
  private let stream: UnsafeMutableRawPointer
  private var source: UnsafeMutablePointer<GSource>?

  /// Heads that are looked at, in bytes; hints of an answer (RFC 8297) may be long.
  private static let most = 64 << 10
  /// So much is read at once: what stays of a record in TLS makes no stream readable.
  private static let piece = 16 << 10

  /// - Parameter stream: a connection's input, which keeps this.
  init?(_ stream: UnsafeMutableRawPointer) {
    self.stream = stream
    super.init()
    guard stand(before: stream) else { return nil }
  }

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
      return held.withLock { held in
        if count > 0 { held += room[..<count] }
        let status = EarlyStatus(held)
        // Who talks so long without a status does not come to one.
        return (count, status == .unknown && held.count >= Self.most ? .goesOn : status)
      }
    }
    if count > 0 { return status }
    guard let error else { return .wantsNoMore }
    defer { g_error_free(error) }
    let waits =
      error.pointee.domain == g_io_error_quark()
      && error.pointee.code == Int32(G_IO_ERROR_WOULD_BLOCK.rawValue)
    return waits ? .unknown : .wantsNoMore
  }

  // MARK: - For libsoup

  override func read(_ room: UnsafeMutableRawBufferPointer, _ failure: Failure?, _ plain: Plain) -> gssize {
    let size = held.withLock { held in
      let size = min(room.count, held.count)
      room.copyBytes(from: held.prefix(size))
      held = held.count == size ? [] : held.dropFirst(size)
      return size
    }
    return size > 0 ? size : super.read(room, failure, plain)
  }

  override var hasMore: Bool { held.withLock { !$0.isEmpty } }
}
