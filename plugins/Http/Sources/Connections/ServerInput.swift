// SPDX-License-Identifier: MIT

internal import CNBridgeGLib

/// What comes from a server. One that ends its connection without taking leave (RFC 8446, 6.1) has closed it:
/// libsoup sends a request by a kept connection once more for that, and for no error of TLS. An answer that
/// it has begun with fails all the same.
class ServerInput: InputFilter {
  override func read(_ room: UnsafeMutableRawBufferPointer, _ failure: Failure?, _ plain: Plain) -> gssize {
    let count = plain(room, failure)
    if count < 0, let failure, let error = failure.pointee, Self.isEnd(error) {
      failure.pointee = g_error_new_literal(
        g_io_error_quark(), Int32(G_IO_ERROR_CONNECTION_CLOSED.rawValue), error.pointee.message)
      g_error_free(error)
    }
    return count
  }

  private static func isEnd(_ error: UnsafeMutablePointer<GError>) -> Bool {
    error.pointee.domain == g_tls_error_quark()
      && error.pointee.code == Int32(bitPattern: G_TLS_ERROR_EOF.rawValue)
  }

  override var mayWait: Bool { true }
}
