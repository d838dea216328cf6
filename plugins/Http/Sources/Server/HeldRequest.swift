// SPDX-License-Identifier: MIT

internal import CNBridgeGLib

/// The head of a request, which its message keeps: libsoup does not know it.
final class HeldRequest {
  let head: RequestHead

  private static let key = g_quark_from_string("nbridge-held-request")

  private init(_ head: RequestHead) { self.head = head }

  static func keep(_ head: RequestHead, at message: OpaquePointer) {
    g_object_set_qdata_full(
      UnsafeMutableRawPointer(message).assumingMemoryBound(to: GObject.self), key,
      Unmanaged.passRetained(HeldRequest(head)).toOpaque(),
      { data in if let data { Unmanaged<HeldRequest>.fromOpaque(data).release() } })
  }

  /// Nil for a message that was refused at its head.
  static func of(_ message: OpaquePointer) -> HeldRequest? {
    let object = UnsafeMutableRawPointer(message).assumingMemoryBound(to: GObject.self)
    guard let data = g_object_get_qdata(object, key) else { return nil }
    return Unmanaged<HeldRequest>.fromOpaque(data).takeUnretainedValue()
  }
}
