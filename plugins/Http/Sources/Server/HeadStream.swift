// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSoup

/// A connection whose requests ``HeadMarks`` looks at before libsoup reads them: a GIOStream over another.
/// Confined to the engine's thread, but for its end.
enum HeadStream {
  typealias Stream = UnsafeMutablePointer<GIOStream>
  typealias Address = UnsafeMutablePointer<GSocketAddress>

  private final class Marks: @unchecked Sendable {  // the engine's thread alone reads
    var marks = HeadMarks()
  }

  private static let (marksKey, baseKey, inputKey) = ("nbridge-marks", "nbridge-base", "nbridge-input")

  /// A stream over a connection, which it keeps; nil where GLib makes none. The caller lets go of it.
  ///
  /// - Parameter there: the other end, by which ``stop(_:_:)`` finds it.
  static func over(_ base: Stream, at there: Address) -> Stream? {
    guard let made = g_object_new_with_properties(streamType, 0, nil, nil),
      let converter = g_object_new_with_properties(converterType, 0, nil, nil),
      let input = g_converter_input_stream_new(g_io_stream_get_input_stream(base), OpaquePointer(converter))
    else { return nil }
    let marks = Marks()
    keep(marks, at: UnsafeMutableRawPointer(converter))
    keep(marks, at: UnsafeMutableRawPointer(there))
    g_object_unref(UnsafeMutableRawPointer(converter))
    let object = UnsafeMutableRawPointer(made).assumingMemoryBound(to: GObject.self)
    g_object_ref(UnsafeMutableRawPointer(base))
    g_object_set_data_full(object, inputKey, UnsafeMutableRawPointer(input), { g_object_unref($0) })
    g_object_set_data_full(object, baseKey, UnsafeMutableRawPointer(base), { g_object_unref($0) })
    return UnsafeMutableRawPointer(made).assumingMemoryBound(to: GIOStream.self)
  }

  /// What comes by a message's connection is no request any more.
  static func stop(_ message: OpaquePointer, _ library: SoupServers) {
    if let there = library.remoteAddress(message) { marks(of: UnsafeMutableRawPointer(there))?.marks.stop() }
  }

  private static func keep(_ marks: Marks, at place: UnsafeMutableRawPointer) {
    g_object_set_data_full(
      place.assumingMemoryBound(to: GObject.self), marksKey, Unmanaged.passRetained(marks).toOpaque(),
      { data in if let data { Unmanaged<Marks>.fromOpaque(data).release() } })
  }

  private static func marks(of place: UnsafeMutableRawPointer) -> Marks? {
    g_object_get_data(place.assumingMemoryBound(to: GObject.self), marksKey)
      .map { Unmanaged<Marks>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func base(of stream: Stream?) -> Stream? {
    guard let stream else { return nil }
    return g_object_get_data(UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GObject.self), baseKey)?
      .assumingMemoryBound(to: GIOStream.self)
  }

  // MARK: - Types of GObject's

  private static let streamType: GType = {
    let begin: GClassInitFunc = { data, _ in
      guard let type = data?.assumingMemoryBound(to: GIOStreamClass.self) else { return }
      type.pointee.get_input_stream = { stream in
        guard let stream else { return nil }
        let object = UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GObject.self)
        return g_object_get_data(object, HeadStream.inputKey)?.assumingMemoryBound(to: GInputStream.self)
      }
      type.pointee.get_output_stream = { HeadStream.base(of: $0).flatMap(g_io_stream_get_output_stream) }
      type.pointee.close_fn = { stream, cancellable, failure in
        HeadStream.base(of: stream).map { g_io_stream_close($0, cancellable, failure) } ?? 1
      }
    }
    return register("NBridgeHeadStream", under: g_io_stream_get_type(), begin)
  }()

  private static let converterType: GType = {
    // G_TYPE_OBJECT, the twentieth fundamental type (gobject/gtype.h).
    let type = register("NBridgeHeadConverter", under: GType(20 << 2), nil)
    var interface = GInterfaceInfo()
    interface.interface_init = { data, _ in
      guard let interface = data?.assumingMemoryBound(to: GConverterIface.self) else { return }
      interface.pointee.reset = { _ in }
      interface.pointee.convert = { converter, from, size, to, room, flags, read, written, failure in
        let count = min(size, room)
        read?.pointee = count
        written?.pointee = count
        guard count > 0 else { return HeadStream.waits(flags, failure) }
        guard let converter, let from, let to else { return G_CONVERTER_ERROR }
        to.copyMemory(from: from, byteCount: Int(count))
        let bytes = UnsafeMutableRawBufferPointer(start: to, count: Int(count))
        HeadStream.marks(of: UnsafeMutableRawPointer(converter))?.marks.pass(bytes)
        return G_CONVERTER_CONVERTED
      }
    }
    g_type_add_interface_static(type, g_converter_get_type(), &interface)
    return type
  }()

  /// Nothing is there to be converted.
  private static func waits(
    _ flags: GConverterFlags, _ failure: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
  ) -> GConverterResult {
    if flags.rawValue & G_CONVERTER_INPUT_AT_END.rawValue != 0 { return G_CONVERTER_FINISHED }
    g_set_error_literal(failure, g_io_error_quark(), Int32(G_IO_ERROR_PARTIAL_INPUT.rawValue), "more is to come")
    return G_CONVERTER_ERROR
  }

  private static func register(_ name: String, under parent: GType, _ begin: GClassInitFunc?) -> GType {
    var size = GTypeQuery()
    g_type_query(parent, &size)
    var info = GTypeInfo()
    info.class_size = guint16(size.class_size)
    info.instance_size = guint16(size.instance_size)
    info.class_init = begin
    return g_type_register_static(parent, name, &info, GTypeFlags(rawValue: 0))
  }
}
