// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// The functions of nghttp2 that are used here (nghttp2.h): it knows HTTP/2 (RFC 9113) and the compression of
/// its heads, and nothing of sockets. Opened with the first server that speaks it.
struct LibNghttp2: @unchecked Sendable {  // pointers to functions, which don't change
  typealias Session = OpaquePointer
  typealias Pointer = UnsafeMutableRawPointer
  typealias Memory = UnsafePointer<UInt8>

  /// nghttp2_nv.
  struct Field {
    let name: Memory?
    let value: Memory?
    let nameLength: Int
    let valueLength: Int
    let flags: UInt8
  }

  /// nghttp2_settings_entry.
  struct Setting {
    let id: Int32
    let value: UInt32
  }

  /// nghttp2_data_provider.
  struct Provider {
    var source: Pointer?
    let read: ReadBody
  }

  /// The beginning of nghttp2_frame_hd, which all frames begin with.
  struct FrameHead {
    let length: Int
    let stream: Int32
    let type: UInt8
    let flags: UInt8
  }

  typealias OnField =
    @convention(c) (Session?, UnsafeRawPointer?, Memory?, Int, Memory?, Int, UInt8, Pointer?) -> Int32
  typealias OnFrame = @convention(c) (Session?, UnsafeRawPointer?, Pointer?) -> Int32
  typealias OnNotSent = @convention(c) (Session?, UnsafeRawPointer?, Int32, Pointer?) -> Int32
  typealias OnData = @convention(c) (Session?, UInt8, Int32, Memory?, Int, Pointer?) -> Int32
  typealias OnClose = @convention(c) (Session?, Int32, UInt32, Pointer?) -> Int32
  typealias ReadBody =
    @convention(c) (
      Session?, Int32, UnsafeMutablePointer<UInt8>?, Int, UnsafeMutablePointer<UInt32>?, Pointer?, Pointer?
    ) -> Int

  /// nghttp2_frame_type and nghttp2_flag.
  static let data: UInt8 = 0
  static let headers: UInt8 = 1
  static let goAway: UInt8 = 7
  static let endsStream: UInt8 = 1
  /// NGHTTP2_NV_FLAG_NO_INDEX: no table keeps it, from which it could be guessed (RFC 7541, 7.1).
  static let secret: UInt8 = 1
  /// NGHTTP2_DATA_FLAG_EOF.
  static let atEnd: UInt32 = 1
  /// NGHTTP2_ERR_DEFERRED and NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.
  static let deferred = -508
  static let refused = -521

  let newCallbacks: @convention(c) (UnsafeMutablePointer<OpaquePointer?>) -> Int32
  let freeCallbacks: @convention(c) (OpaquePointer?) -> Void
  let onField: @convention(c) (OpaquePointer?, OnField) -> Void
  let onFrame: @convention(c) (OpaquePointer?, OnFrame) -> Void
  let onSent: @convention(c) (OpaquePointer?, OnFrame) -> Void
  let onNotSent: @convention(c) (OpaquePointer?, OnNotSent) -> Void
  let onData: @convention(c) (OpaquePointer?, OnData) -> Void
  let onClose: @convention(c) (OpaquePointer?, OnClose) -> Void
  let newOption: @convention(c) (UnsafeMutablePointer<OpaquePointer?>) -> Int32
  let freeOption: @convention(c) (OpaquePointer?) -> Void
  let setNoWindowUpdates: @convention(c) (OpaquePointer?, Int32) -> Void
  let newClient:
    @convention(c) (UnsafeMutablePointer<Session?>, OpaquePointer?, Pointer?, OpaquePointer?) -> Int32
  let free: @convention(c) (Session?) -> Void
  let submitSettings: @convention(c) (Session?, UInt8, UnsafeRawPointer?, Int) -> Int32
  let setWindow: @convention(c) (Session?, UInt8, Int32, Int32) -> Int32
  let submitRequest:
    @convention(c) (Session?, UnsafeRawPointer?, UnsafeRawPointer?, Int, UnsafeRawPointer?, Pointer?) -> Int32
  let submitReset: @convention(c) (Session?, UInt8, Int32, UInt32) -> Int32
  let resume: @convention(c) (Session?, Int32) -> Int32
  let receive: @convention(c) (Session?, Memory?, Int) -> Int
  let send: @convention(c) (Session?, UnsafeMutablePointer<Memory?>) -> Int
  let wantsRead: @convention(c) (Session?) -> Int32
  let wantsWrite: @convention(c) (Session?) -> Int32
  let consumeConnection: @convention(c) (Session?, Int) -> Int32
  let consumeStream: @convention(c) (Session?, Int32, Int) -> Int32
  let terminate: @convention(c) (Session?, UInt32) -> Int32
  let text: @convention(c) (Int32) -> UnsafePointer<CChar>?

  /// The library, opened with its first use.
  static func opened() throws -> LibNghttp2 { try shared.orUnavailable() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try LibNghttp2() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary("libnghttp2.so.14", of: "nghttp2", package: "libnghttp2-14")
    newCallbacks = try library.function("nghttp2_session_callbacks_new")
    freeCallbacks = try library.function("nghttp2_session_callbacks_del")
    onField = try library.function("nghttp2_session_callbacks_set_on_header_callback")
    onFrame = try library.function("nghttp2_session_callbacks_set_on_frame_recv_callback")
    onSent = try library.function("nghttp2_session_callbacks_set_on_frame_send_callback")
    onNotSent = try library.function("nghttp2_session_callbacks_set_on_frame_not_send_callback")
    onData = try library.function("nghttp2_session_callbacks_set_on_data_chunk_recv_callback")
    onClose = try library.function("nghttp2_session_callbacks_set_on_stream_close_callback")
    newOption = try library.function("nghttp2_option_new")
    freeOption = try library.function("nghttp2_option_del")
    setNoWindowUpdates = try library.function("nghttp2_option_set_no_auto_window_update")
    newClient = try library.function("nghttp2_session_client_new2")
    free = try library.function("nghttp2_session_del")
    submitSettings = try library.function("nghttp2_submit_settings")
    setWindow = try library.function("nghttp2_session_set_local_window_size")
    submitRequest = try library.function("nghttp2_submit_request")
    submitReset = try library.function("nghttp2_submit_rst_stream")
    resume = try library.function("nghttp2_session_resume_data")
    receive = try library.function("nghttp2_session_mem_recv")
    send = try library.function("nghttp2_session_mem_send")
    wantsRead = try library.function("nghttp2_session_want_read")
    wantsWrite = try library.function("nghttp2_session_want_write")
    consumeConnection = try library.function("nghttp2_session_consume_connection")
    consumeStream = try library.function("nghttp2_session_consume_stream")
    terminate = try library.function("nghttp2_session_terminate_session")
    text = try library.function("nghttp2_strerror")
  }

  /// The last stream that the server takes, as a frame GOAWAY says it: behind its beginning (nghttp2_goaway).
  static func lastStream(of frame: UnsafeRawPointer) -> Int32 {
    (frame + MemoryLayout<FrameHead>.stride).load(as: Int32.self)
  }

  /// What a frame begins with.
  static func head(of frame: UnsafeRawPointer) -> FrameHead { frame.load(as: FrameHead.self) }
}
