// SPDX-License-Identifier: MIT

internal import CNBridgeGLib

/// A connection has one, which goes with it.
extension RequestInput {
  private static let key = g_quark_from_string("nbridge-request-input")

  /// Stands before a connection's requests from now on; false for a stream of a kind that is not known.
  ///
  /// - Parameters:
  ///   - bodyLimit: so much at the most is passed over of a body that was answered, in bytes.
  ///   - lingering: takes connections that must not end at once.
  static func watch(
    _ connection: UnsafeMutablePointer<GIOStream>, of socket: UnsafeMutablePointer<GSocket>, bodyLimit: Int,
    lingering: LingeringSockets
  ) -> Bool {
    guard let stream = g_io_stream_get_input_stream(connection) else { return false }
    let input = RequestInput(connection, socket, bodyLimit, lingering)
    guard input.stand(before: UnsafeMutableRawPointer(stream)) else { return false }
    g_object_weak_ref(
      UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GObject.self),
      { data, _ in
        // Its stream and its socket keep this, and go with it or behind it.
        if let data { Unmanaged<RequestInput>.fromOpaque(data).takeUnretainedValue().lose() }
      }, Unmanaged.passUnretained(input).toOpaque())
    g_object_set_qdata_full(
      UnsafeMutableRawPointer(socket).assumingMemoryBound(to: GObject.self), key,
      Unmanaged.passRetained(input).toOpaque(),
      { data in if let data { Unmanaged<RequestInput>.fromOpaque(data).release() } })
    return true
  }

  /// Of a connection; nil for one without.
  static func of(_ socket: UnsafeMutablePointer<GSocket>?) -> RequestInput? {
    guard let socket else { return nil }
    let object = UnsafeMutableRawPointer(socket).assumingMemoryBound(to: GObject.self)
    guard let data = g_object_get_qdata(object, key) else { return nil }
    return Unmanaged<RequestInput>.fromOpaque(data).takeUnretainedValue()
  }
}
