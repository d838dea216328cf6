// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// What is kept of a request until all of it has come: its head, and how many bytes of its body there were,
/// of one in chunks. Its message keeps it.
final class HeldRequest {
  let head: RequestHead
  private let limit: Int
  private let body: OpaquePointer?
  private let library: SoupServers
  private var count = 0

  private static let key = g_quark_from_string("nbridge-held-request")

  /// - Parameter limit: no more of its body is kept, in bytes.
  init(_ head: RequestHead, _ limit: Int, _ message: OpaquePointer, _ library: SoupServers) {
    (self.head, self.limit, self.library) = (head, limit, library)
    body = library.requestBody(message)
    g_object_set_qdata_full(
      UnsafeMutableRawPointer(message).assumingMemoryBound(to: GObject.self), Self.key,
      Unmanaged.passRetained(self).toOpaque(),
      { data in if let data { Unmanaged<HeldRequest>.fromOpaque(data).release() } })
  }

  /// Nil for a message that was refused at its head.
  static func of(_ message: OpaquePointer) -> HeldRequest? {
    let object = UnsafeMutableRawPointer(message).assumingMemoryBound(to: GObject.self)
    guard let data = g_object_get_qdata(object, key) else { return nil }
    return Unmanaged<HeldRequest>.fromOpaque(data).takeUnretainedValue()
  }

  /// Counts what comes of the body.
  func measure(_ message: OpaquePointer) {
    typealias Handler = @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let handler: Handler = { _, chunk, data in
      if let chunk { GLibSignal.listener(data, as: HeldRequest.self)?.add(Int(g_bytes_get_size(chunk))) }
    }
    GLibSignal.connect(message, "got-chunk", handler, keeping: self)
  }

  private func add(_ size: Int) {
    count += size
    // No more of it is kept.
    if isTooLong { library.setAccumulate(body, 0) }
  }

  /// Whether the body is longer than it may be.
  var isTooLong: Bool { count > limit }
}
