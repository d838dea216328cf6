// SPDX-License-Identifier: MIT

package import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSystem

/// The functions of libsoup 3 for the WebSockets of pages, looked for with the first one.
package struct SoupSockets: @unchecked Sendable {  // pointers to functions, which don't change
  package typealias Connection = OpaquePointer
  package typealias Text = UnsafePointer<CChar>

  package let setLongest: @convention(c) (Connection?, UInt64) -> Void
  package let send: @convention(c) (Connection?, Int32, OpaquePointer?) -> Void
  package let close: @convention(c) (Connection?, UInt16, Text?) -> Void
  package let state: @convention(c) (Connection?) -> Int32
  package let stream: @convention(c) (Connection?) -> UnsafeMutablePointer<GIOStream>?

  /// SOUP_WEBSOCKET_DATA_TEXT and _BINARY, SOUP_WEBSOCKET_STATE_OPEN (libsoup/soup-websocket.h).
  package static let text: Int32 = 1
  package static let binary: Int32 = 2
  package static let open: Int32 = 1

  package static func opened() throws -> SoupSockets { try shared.orUnavailable() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try SoupSockets() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary(LibSoup.name, of: "libsoup 3", package: "libsoup-3.0-0")
    setLongest = try library.function("soup_websocket_connection_set_max_incoming_payload_size")
    send = try library.function("soup_websocket_connection_send_message")
    close = try library.function("soup_websocket_connection_close")
    state = try library.function("soup_websocket_connection_get_state")
    stream = try library.function("soup_websocket_connection_get_io_stream")
  }
}
