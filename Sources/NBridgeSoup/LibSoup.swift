// SPDX-License-Identifier: MIT

package import CNBridgeGLib
internal import NBridgePlugin
package import NBridgeSystem

/// The functions of libsoup 3 that are used here. The library is opened with the first request, so that a
/// program without one neither reads nor needs it. What was opened stays.
package struct LibSoup: @unchecked Sendable {  // pointers to functions, which don't change
  package typealias Session = OpaquePointer
  package typealias Message = OpaquePointer
  package typealias Headers = OpaquePointer
  package typealias Pointer = UnsafeMutableRawPointer
  package typealias Text = UnsafePointer<CChar>

  package let sessionType: @convention(c) () -> GType
  package let contentDecoderType: @convention(c) () -> GType
  package let authManagerType: @convention(c) () -> GType
  package let removeFeature: @convention(c) (Session?, GType) -> Void
  package let setTimeout: @convention(c) (Session?, UInt32) -> Void
  package let setIdleTimeout: @convention(c) (Session?, UInt32) -> Void
  package let setProxyResolver: @convention(c) (Session?, OpaquePointer?) -> Void
  package let setDatabase: @convention(c) (Session?, Pointer?) -> Void
  package let abort: @convention(c) (Session?) -> Void
  package let send:
    @convention(c) (
      Session?, Message?, Int32, UnsafeMutablePointer<GCancellable>?, GAsyncReadyCallback?, Pointer?
    ) -> Void
  package let finish:
    @convention(c) (Session?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?) ->
      UnsafeMutablePointer<GInputStream>?
  package let newMessage: @convention(c) (Text?, OpaquePointer?) -> Message?
  package let addFlags: @convention(c) (Message?, UInt32) -> Void
  package let setBody: @convention(c) (Message?, Text?, UnsafeMutablePointer<GInputStream>?, Int) -> Void
  package let setBodyBytes: @convention(c) (Message?, Text?, OpaquePointer?) -> Void
  package let status: @convention(c) (Message?) -> UInt32
  package let reason: @convention(c) (Message?) -> Text?
  package let requestHeaders: @convention(c) (Message?) -> Headers?
  package let responseHeaders: @convention(c) (Message?) -> Headers?
  package let appendHeader: @convention(c) (Headers?, Text?, Text?) -> Void
  package let forEachHeader:
    @convention(c) (Headers?, @convention(c) (Text?, Text?, Pointer?) -> Void, Pointer?) -> Void
  package let method: @convention(c) (Message?) -> Text?
  package let connection: @convention(c) (Message?) -> UInt64
  package let certificate: @convention(c) (Message?) -> OpaquePointer?
  package let certificateErrors: @convention(c) (Message?) -> UInt32

  package static let name = "libsoup-3.0.so.0"
  /// SOUP_MESSAGE_NO_REDIRECT and SOUP_MESSAGE_NEW_CONNECTION (libsoup/soup-message.h).
  package static let noRedirect: UInt32 = 1 << 1
  package static let newConnection: UInt32 = 1 << 2

  /// The library, opened with its first use.
  package static func opened() throws -> LibSoup {
    GLibWarnings.passOver()
    return try shared.orUnavailable()
  }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try LibSoup(named: name) }

  /// - Throws: `MissingLibrary`, with what to install.
  package init(named name: String) throws(MissingLibrary) {
    let library = try DynamicLibrary(name, of: "libsoup 3", package: "libsoup-3.0-0")
    sessionType = try library.function("soup_session_get_type")
    contentDecoderType = try library.function("soup_content_decoder_get_type")
    authManagerType = try library.function("soup_auth_manager_get_type")
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
    method = try library.function("soup_message_get_method")
    connection = try library.function("soup_message_get_connection_id")
    certificate = try library.function("soup_message_get_tls_peer_certificate")
    certificateErrors = try library.function("soup_message_get_tls_peer_certificate_errors")
  }
}
