// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSystem

/// The functions of libsoup 3 for servers, looked for with the first one.
struct SoupServers: @unchecked Sendable {  // pointers to functions, which don't change
  typealias Server = OpaquePointer
  typealias Message = OpaquePointer
  typealias Body = OpaquePointer
  typealias Pointer = UnsafeMutableRawPointer
  typealias Text = UnsafePointer<CChar>
  typealias Handler = @convention(c) (Server?, Message?, Text?, Pointer?, Pointer?) -> Void
  typealias Add = @convention(c) (Server?, Text?, Handler?, Pointer?, GDestroyNotify?) -> Void

  let type: @convention(c) () -> GType
  let listen:
    @convention(c) (
      Server?, UnsafeMutablePointer<GSocket>?, UInt32,
      UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
    ) -> gboolean
  let listeners: @convention(c) (Server?) -> UnsafeMutablePointer<GSList>?
  let disconnect: @convention(c) (Server?) -> Void
  let setCertificate: @convention(c) (Server?, UnsafeMutablePointer<GTlsCertificate>?) -> Void
  let addHandler: Add
  let addEarlyHandler: Add
  let method: @convention(c) (Message?) -> Text?
  let uri: @convention(c) (Message?) -> OpaquePointer?
  let requestHeaders: @convention(c) (Message?) -> OpaquePointer?
  let responseHeaders: @convention(c) (Message?) -> OpaquePointer?
  let requestBody: @convention(c) (Message?) -> Body?
  let responseBody: @convention(c) (Message?) -> Body?
  let socket: @convention(c) (Message?) -> UnsafeMutablePointer<GSocket>?
  let setStatus: @convention(c) (Message?, UInt32, Text?) -> Void
  let pause: @convention(c) (Message?) -> Void
  let unpause: @convention(c) (Message?) -> Void
  let contentLength: @convention(c) (OpaquePointer?) -> Int64
  let setEncoding: @convention(c) (OpaquePointer?, Int32) -> Void
  let handshake:
    @convention(c) (
      Message?, Text?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, Pointer?, Pointer?
    ) -> gboolean
  let steal: @convention(c) (Message?) -> UnsafeMutablePointer<GIOStream>?
  let flatten: @convention(c) (Body?) -> OpaquePointer?
  let append: @convention(c) (Body?, OpaquePointer?) -> Void
  let complete: @convention(c) (Body?) -> Void
  let setAccumulate: @convention(c) (Body?, gboolean) -> Void

  /// SOUP_SERVER_LISTEN_HTTPS (libsoup/soup-server.h) and SOUP_ENCODING_CHUNKED
  /// (libsoup/soup-message-headers.h).
  static let overTLS: UInt32 = 1
  static let chunked: Int32 = 4

  static func opened() throws -> SoupServers { try shared.orUnavailable() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try SoupServers() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary(LibSoup.name, of: "libsoup 3", package: "libsoup-3.0-0")
    type = try library.function("soup_server_get_type")
    listen = try library.function("soup_server_listen_socket")
    listeners = try library.function("soup_server_get_listeners")
    disconnect = try library.function("soup_server_disconnect")
    setCertificate = try library.function("soup_server_set_tls_certificate")
    addHandler = try library.function("soup_server_add_handler")
    addEarlyHandler = try library.function("soup_server_add_early_handler")
    method = try library.function("soup_server_message_get_method")
    uri = try library.function("soup_server_message_get_uri")
    requestHeaders = try library.function("soup_server_message_get_request_headers")
    responseHeaders = try library.function("soup_server_message_get_response_headers")
    requestBody = try library.function("soup_server_message_get_request_body")
    responseBody = try library.function("soup_server_message_get_response_body")
    socket = try library.function("soup_server_message_get_socket")
    setStatus = try library.function("soup_server_message_set_status")
    pause = try library.function("soup_server_message_pause")
    unpause = try library.function("soup_server_message_unpause")
    contentLength = try library.function("soup_message_headers_get_content_length")
    setEncoding = try library.function("soup_message_headers_set_encoding")
    handshake = try library.function("soup_websocket_server_process_handshake")
    steal = try library.function("soup_server_message_steal_connection")
    flatten = try library.function("soup_message_body_flatten")
    append = try library.function("soup_message_body_append_bytes")
    complete = try library.function("soup_message_body_complete")
    setAccumulate = try library.function("soup_message_body_set_accumulate")
  }
}
