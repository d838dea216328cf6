// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSoup

/// Compression of WebSockets, permessage-deflate (RFC 7692): libsoup agrees on it and compresses. What comes
/// in is unfolded here, since libsoup limits what a message has compressed and not what it unfolds to: a
/// megabyte would fill a gigabyte of memory.
enum SocketDeflate {
  /// The class of libsoup's extension, whose incoming messages are ours; nil for a libsoup in which it is
  /// made in another way than we know: then nothing is compressed. Of the engine's thread, as libsoup is.
  static func type(_ library: SoupSockets) -> UnsafeMutableRawPointer? {
    let type = library.deflateType()
    var query = GTypeQuery()
    g_type_query(type, &query)
    guard Int(query.class_size) == Layout.size, let made = g_type_class_ref(type) else { return nil }
    let name = made.load(fromByteOffset: Layout.name, as: UnsafePointer<CChar>?.self)
    guard let name, String(cString: name) == "permessage-deflate" else { return nil }
    made.storeBytes(of: incoming, toByteOffset: Layout.incoming, as: Incoming.self)
    return made
  }

  /// `SoupWebsocketExtensionClass` (libsoup/websocket/soup-websocket-extension.h): the class of GObject, a
  /// name, five functions and six spare words.
  private enum Layout {
    static let word = MemoryLayout<Int>.size
    static let name = MemoryLayout<GObjectClass>.size
    static let incoming = name + 5 * word
    static let size = name + 12 * word
  }

  private typealias Failure = UnsafeMutablePointer<UnsafeMutablePointer<GError>?>
  /// Takes a frame's first byte and its payload, and answers what is to be read in its place.
  private typealias Incoming =
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, OpaquePointer?, Failure?
    ) -> OpaquePointer?

  private static let incoming: Incoming = { owner, head, payload, failure in
    guard let owner, let head, let payload else { return payload }
    var count: gsize = 0
    let start = g_bytes_get_data(payload, &count)
    do {
      let bytes = UnsafeRawBufferPointer(start: start, count: Int(count))
      guard let unfolded = try inflater(of: owner).unfold(bytes, head: &head.pointee) else { return payload }
      g_bytes_unref(payload)
      return unfolded.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
    } catch {
      g_bytes_unref(payload)
      tell(error, failure)
      return nil
    }
  }

  private static let key = "nbridge-inflater"

  /// The extension's own, which goes with it.
  private static func inflater(of owner: UnsafeMutableRawPointer) throws -> SocketInflater {
    let object = owner.assumingMemoryBound(to: GObject.self)
    if let data = g_object_get_data(object, key) {
      return Unmanaged<SocketInflater>.fromOpaque(data).takeUnretainedValue()
    }
    let made = try SocketInflater(limit: SocketConnection.longest)
    g_object_set_data_full(object, key, Unmanaged.passRetained(made).toOpaque()) { data in
      if let data { Unmanaged<SocketInflater>.fromOpaque(data).release() }
    }
    return made
  }

  /// libsoup ends the connection with the error's code (RFC 6455, 7.4.1).
  private static func tell(_ error: any Error, _ failure: Failure?) {
    let (code, text): (Int32, String) =
      switch error {
      case SocketInflater.Fault.tooLong:
        (1009, "a message unfolds to more than \(SocketConnection.longest >> 20) MiB")
      case SocketInflater.Fault.malformed: (1007, "a message is not compressed as it says")
      default: (1011, "\(error)")
      }
    failure?.pointee = g_error_new_literal(g_quark_from_string("nbridge-socket"), code, text)
  }
}
