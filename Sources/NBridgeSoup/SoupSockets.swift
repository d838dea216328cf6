// SPDX-License-Identifier: MIT

package import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSystem

/// The functions of libsoup 3 for WebSockets, looked for with the first one.
package struct SoupSockets: @unchecked Sendable {  // pointers to functions, which don't change
  package typealias Connection = OpaquePointer
  package typealias Pointer = UnsafeMutableRawPointer
  package typealias Text = UnsafePointer<CChar>

  package let connect:
    @convention(c) (
      OpaquePointer?, OpaquePointer?, Text?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, Int32,
      UnsafeMutablePointer<GCancellable>?, GAsyncReadyCallback?, Pointer?
    ) -> Void
  package let finish:
    @convention(c) (
      OpaquePointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
    ) -> Connection?
  package let make:
    @convention(c) (
      UnsafeMutablePointer<GIOStream>?, OpaquePointer?, Int32, Text?, Text?, UnsafeMutablePointer<GList>?
    ) -> Connection?
  package let chosen: @convention(c) (Connection?) -> Text?
  package let setLongest: @convention(c) (Connection?, UInt64) -> Void
  package let send: @convention(c) (Connection?, Int32, OpaquePointer?) -> Void
  package let close: @convention(c) (Connection?, UInt16, Text?) -> Void
  package let state: @convention(c) (Connection?) -> Int32
  package let closeCode: @convention(c) (Connection?) -> UInt16
  package let closeReason: @convention(c) (Connection?) -> Text?
  package let stream: @convention(c) (Connection?) -> UnsafeMutablePointer<GIOStream>?
  package let deflateType: @convention(c) () -> GType

  /// SOUP_WEBSOCKET_DATA_TEXT and _BINARY, SOUP_WEBSOCKET_STATE_OPEN and _CLOSED (libsoup/soup-websocket.h).
  package static let text: Int32 = 1
  package static let binary: Int32 = 2
  package static let open: Int32 = 1
  package static let closed: Int32 = 3
  /// SOUP_WEBSOCKET_CONNECTION_SERVER, the side that does not mask what it sends.
  package static let server: Int32 = 2

  package static func opened() throws -> SoupSockets { try shared.orUnavailable() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try SoupSockets() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary(LibSoup.name, of: "libsoup 3", package: "libsoup-3.0-0")
    connect = try library.function("soup_session_websocket_connect_async")
    finish = try library.function("soup_session_websocket_connect_finish")
    make = try library.function("soup_websocket_connection_new")
    chosen = try library.function("soup_websocket_connection_get_protocol")
    setLongest = try library.function("soup_websocket_connection_set_max_incoming_payload_size")
    send = try library.function("soup_websocket_connection_send_message")
    close = try library.function("soup_websocket_connection_close")
    state = try library.function("soup_websocket_connection_get_state")
    closeCode = try library.function("soup_websocket_connection_get_close_code")
    closeReason = try library.function("soup_websocket_connection_get_close_data")
    stream = try library.function("soup_websocket_connection_get_io_stream")
    deflateType = try library.function("soup_websocket_extension_deflate_get_type")
  }
}
