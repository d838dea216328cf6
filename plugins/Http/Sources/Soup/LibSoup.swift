// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSystem

/// The functions of libsoup 3 that are used here. The library is opened with the first request, so that a
/// program without one neither reads nor needs it. What was opened stays.
struct LibSoup: @unchecked Sendable {  // pointers to functions, which don't change
  typealias Session = OpaquePointer
  typealias Message = OpaquePointer
  typealias Headers = OpaquePointer
  typealias Pointer = UnsafeMutableRawPointer
  typealias Text = UnsafePointer<CChar>

  let sessionType: @convention(c) () -> GType
  let extensionsType: @convention(c) () -> GType
  let contentDecoderType: @convention(c) () -> GType
  let removeFeature: @convention(c) (Session?, GType) -> Void
  let setTimeout: @convention(c) (Session?, UInt32) -> Void
  let setIdleTimeout: @convention(c) (Session?, UInt32) -> Void
  let setProxyResolver: @convention(c) (Session?, OpaquePointer?) -> Void
  let setDatabase: @convention(c) (Session?, Pointer?) -> Void
  let abort: @convention(c) (Session?) -> Void
  let send:
    @convention(c) (
      Session?, Message?, Int32, UnsafeMutablePointer<GCancellable>?, GAsyncReadyCallback?, Pointer?
    ) -> Void
  let finish:
    @convention(c) (Session?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?) ->
      UnsafeMutablePointer<GInputStream>?
  let newMessage: @convention(c) (Text?, OpaquePointer?) -> Message?
  let addFlags: @convention(c) (Message?, UInt32) -> Void
  let setBody: @convention(c) (Message?, Text?, UnsafeMutablePointer<GInputStream>?, Int) -> Void
  let setBodyBytes: @convention(c) (Message?, Text?, OpaquePointer?) -> Void
  let status: @convention(c) (Message?) -> UInt32
  let reason: @convention(c) (Message?) -> Text?
  let requestHeaders: @convention(c) (Message?) -> Headers?
  let responseHeaders: @convention(c) (Message?) -> Headers?
  let appendHeader: @convention(c) (Headers?, Text?, Text?) -> Void
  let forEachHeader:
    @convention(c) (Headers?, @convention(c) (Text?, Text?, Pointer?) -> Void, Pointer?) -> Void
  let certificateErrors: @convention(c) (Message?) -> UInt32

  static let name = "libsoup-3.0.so.0"
  /// SOUP_MESSAGE_NO_REDIRECT and SOUP_MESSAGE_NEW_CONNECTION (libsoup/soup-message.h).
  static let noRedirect: UInt32 = 1 << 1
  static let newConnection: UInt32 = 1 << 2

  /// The library, opened with its first use.
  static func opened() throws -> LibSoup { try shared.orUnavailable() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try LibSoup(named: name) }

  /// - Throws: `MissingLibrary`, with what to install.
  init(named name: String) throws(MissingLibrary) {
    let library = try DynamicLibrary(name, of: "libsoup 3", package: "libsoup-3.0-0")
    sessionType = try library.function("soup_session_get_type")
    extensionsType = try library.function("soup_websocket_extension_manager_get_type")
    contentDecoderType = try library.function("soup_content_decoder_get_type")
    removeFeature = try library.function("soup_session_remove_feature_by_type")
    setTimeout = try library.function("soup_session_set_timeout")
    setIdleTimeout = try library.function("soup_session_set_idle_timeout")
    setProxyResolver = try library.function("soup_session_set_proxy_resolver")
    setDatabase = try library.function("soup_session_set_tls_database")
    abort = try library.function("soup_session_abort")
    send = try library.function("soup_session_send_async")
    finish = try library.function("soup_session_send_finish")
    newMessage = try library.function("soup_message_new_from_uri")
    addFlags = try library.function("soup_message_add_flags")
    setBody = try library.function("soup_message_set_request_body")
    setBodyBytes = try library.function("soup_message_set_request_body_from_bytes")
    status = try library.function("soup_message_get_status")
    reason = try library.function("soup_message_get_reason_phrase")
    requestHeaders = try library.function("soup_message_get_request_headers")
    responseHeaders = try library.function("soup_message_get_response_headers")
    appendHeader = try library.function("soup_message_headers_append")
    forEachHeader = try library.function("soup_message_headers_foreach")
    certificateErrors = try library.function("soup_message_get_tls_peer_certificate_errors")
  }
}
