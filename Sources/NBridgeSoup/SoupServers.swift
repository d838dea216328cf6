// SPDX-License-Identifier: MIT

package import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSystem

/// The functions of libsoup 3 for servers, looked for with the first one.
package struct SoupServers: @unchecked Sendable {  // pointers to functions, which don't change
  package typealias Server = OpaquePointer
  package typealias Message = OpaquePointer
  package typealias Body = OpaquePointer
  package typealias Pointer = UnsafeMutableRawPointer
  package typealias Text = UnsafePointer<CChar>
  package typealias Handler = @convention(c) (Server?, Message?, Text?, Pointer?, Pointer?) -> Void
  package typealias SocketHandler =
    @convention(c) (Server?, Message?, Text?, OpaquePointer?, Pointer?) -> Void
  package typealias Add = @convention(c) (Server?, Text?, Handler?, Pointer?, GDestroyNotify?) -> Void

  package let type: @convention(c) () -> GType
  package let listen:
    @convention(c) (
      Server?, UnsafeMutablePointer<GSocket>?, UInt32,
      UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
    ) -> gboolean
  package let disconnect: @convention(c) (Server?) -> Void
  package let addHandler: Add
  package let addEarlyHandler: Add
  package let method: @convention(c) (Message?) -> Text?
  package let uri: @convention(c) (Message?) -> OpaquePointer?
  package let requestHeaders: @convention(c) (Message?) -> OpaquePointer?
  package let responseHeaders: @convention(c) (Message?) -> OpaquePointer?
  package let requestBody: @convention(c) (Message?) -> Body?
  package let responseBody: @convention(c) (Message?) -> Body?
  package let remoteHost: @convention(c) (Message?) -> Text?
  package let remoteAddress: @convention(c) (Message?) -> UnsafeMutablePointer<GSocketAddress>?
  package let setStatus: @convention(c) (Message?, UInt32, Text?) -> Void
  package let pause: @convention(c) (Message?) -> Void
  package let unpause: @convention(c) (Message?) -> Void
  package let version: @convention(c) (Message?) -> Int32
  package let setEncoding: @convention(c) (OpaquePointer?, Int32) -> Void
  package let setLength: @convention(c) (OpaquePointer?, Int64) -> Void
  package let handshake:
    @convention(c) (
      Message?, Text?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, Pointer?, Pointer?
    ) -> gboolean
  package let steal: @convention(c) (Message?) -> UnsafeMutablePointer<GIOStream>?
  package let flatten: @convention(c) (Body?) -> OpaquePointer?
  package let append: @convention(c) (Body?, OpaquePointer?) -> Void
  package let complete: @convention(c) (Body?) -> Void
  package let setResponse: @convention(c) (Message?, Text?, Int32, Text?, gsize) -> Void
  package let addSocketHandler:
    @convention(c) (
      Server?, Text?, Text?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, SocketHandler?, Pointer?,
      GDestroyNotify?
    ) -> Void
  package let removeSocketExtension: @convention(c) (Server?, GType) -> Void
  package let deflateType: @convention(c) () -> GType
  package let accept:
    @convention(c) (
      Server?, UnsafeMutablePointer<GIOStream>?, UnsafeMutablePointer<GSocketAddress>?,
      UnsafeMutablePointer<GSocketAddress>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
    ) -> gboolean
  package let oneHeader: @convention(c) (OpaquePointer?, Text?) -> Text?
  /// The values of all headers of a name, with commas between them.
  package let allHeaders: @convention(c) (OpaquePointer?, Text?) -> Text?
  package let replaceHeader: @convention(c) (OpaquePointer?, Text?, Text?) -> Void
  package let removeHeader: @convention(c) (OpaquePointer?, Text?) -> Void
  package let setAccumulate: @convention(c) (Body?, gboolean) -> Void

  /// SOUP_ENCODING_NONE, and SOUP_ENCODING_CHUNKED (libsoup/soup-message-headers.h).
  package static let none: Int32 = 1
  package static let chunked: Int32 = 4
  /// SOUP_ENCODING_EOF, and SOUP_HTTP_1_0 (libsoup/soup-types.h).
  package static let untilEnd: Int32 = 3
  package static let oldest: Int32 = 0
  /// SOUP_MEMORY_COPY (libsoup/soup-message-body.h).
  package static let copied: Int32 = 2

  package static func opened() throws -> SoupServers { try shared.orUnavailable() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try SoupServers() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary(LibSoup.name, of: "libsoup 3", package: "libsoup-3.0-0")
    type = try library.function("soup_server_get_type")
    listen = try library.function("soup_server_listen_socket")
    disconnect = try library.function("soup_server_disconnect")
    addHandler = try library.function("soup_server_add_handler")
    addEarlyHandler = try library.function("soup_server_add_early_handler")
    method = try library.function("soup_server_message_get_method")
    uri = try library.function("soup_server_message_get_uri")
    requestHeaders = try library.function("soup_server_message_get_request_headers")
    responseHeaders = try library.function("soup_server_message_get_response_headers")
    requestBody = try library.function("soup_server_message_get_request_body")
    responseBody = try library.function("soup_server_message_get_response_body")
    remoteHost = try library.function("soup_server_message_get_remote_host")
    remoteAddress = try library.function("soup_server_message_get_remote_address")
    setStatus = try library.function("soup_server_message_set_status")
    pause = try library.function("soup_server_message_pause")
    unpause = try library.function("soup_server_message_unpause")
    version = try library.function("soup_server_message_get_http_version")
    setEncoding = try library.function("soup_message_headers_set_encoding")
    setLength = try library.function("soup_message_headers_set_content_length")
    handshake = try library.function("soup_websocket_server_process_handshake")
    steal = try library.function("soup_server_message_steal_connection")
    flatten = try library.function("soup_message_body_flatten")
    append = try library.function("soup_message_body_append_bytes")
    complete = try library.function("soup_message_body_complete")
    setResponse = try library.function("soup_server_message_set_response")
    addSocketHandler = try library.function("soup_server_add_websocket_handler")
    removeSocketExtension = try library.function("soup_server_remove_websocket_extension")
    deflateType = try library.function("soup_websocket_extension_deflate_get_type")
    accept = try library.function("soup_server_accept_iostream")
    oneHeader = try library.function("soup_message_headers_get_one")
    allHeaders = try library.function("soup_message_headers_get_list")
    replaceHeader = try library.function("soup_message_headers_replace")
    removeHeader = try library.function("soup_message_headers_remove")
    setAccumulate = try library.function("soup_message_body_set_accumulate")
  }
}
