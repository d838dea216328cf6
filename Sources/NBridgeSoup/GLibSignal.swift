// SPDX-License-Identifier: MIT

package import CNBridgeGLib

/// Signals of GLib's objects, told to an object of ours.
package enum GLibSignal {
  /// Has a C function called with `listener`, which the object keeps until it goes.
  ///
  /// - Parameter handler: a C function of the type that the signal's manual names; its last pointer is for
  ///   ``listener(_:as:)``.
  package static func connect<Handler>(
    _ object: OpaquePointer, _ signal: String, _ handler: Handler, keeping listener: AnyObject
  ) {
    g_signal_connect_data(
      UnsafeMutableRawPointer(object), signal, callback(handler),
      Unmanaged<AnyObject>.passRetained(listener).toOpaque(),
      { data, _ in if let data { Unmanaged<AnyObject>.fromOpaque(data).release() } }, GConnectFlags(0))
  }

  /// The same for a listener that disconnects before it goes.
  ///
  /// - Returns: what `g_signal_handler_disconnect` takes.
  package static func connect<Handler>(
    _ object: OpaquePointer, _ signal: String, _ handler: Handler, unretained listener: AnyObject
  ) -> gulong {
    g_signal_connect_data(
      UnsafeMutableRawPointer(object), signal, callback(handler),
      Unmanaged<AnyObject>.passUnretained(listener).toOpaque(), nil, GConnectFlags(0))
  }

  /// The listener of a handler's last parameter.
  package static func listener<Listener: AnyObject>(_ data: UnsafeMutableRawPointer?, as type: Listener.Type)
    -> Listener?
  {
    data.flatMap { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() as? Listener }
  }

  private static func callback<Handler>(_ handler: Handler) -> GCallback {
    // GLib calls it with what the signal has, as its own G_CALLBACK does.
    unsafeBitCast(handler, to: GCallback.self)
  }
}
