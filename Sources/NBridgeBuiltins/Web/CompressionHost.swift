// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeCompression
internal import NBridgePlugin
internal import NBridgeSystem

/// The native half of CompressionStream and DecompressionStream: `codec(format, isDecoder)` answers an object
/// of `feed(bytes)`, `end()` and `next()`, a text that says why there is none, or undefined for a format that
/// is not known.
enum CompressionHost {
  static let add: BuiltinModule.Host = { host, services throws(JSException) in
    host.function("codec") { [unowned context = services.context] frame throws(JSException) in
      guard let format = CompressionFormat(rawValue: frame[0].string ?? "") else { return frame.undefined }
      do {
        let codec =
          frame[1].bool ? try ByteCodec(decompressing: format) : try ByteCodec(compressing: format)
        return object(codec, context)
      } catch {
        return context.make((error as? MissingLibrary)?.description ?? "there is not enough memory")
      }
    }
  }

  private static let fewBytes = 16 << 10
  /// How large pieces are, at first and at most.
  private static let smallRoom = 64 << 10
  private static let largeRoom = 1 << 20

  private static func object(_ codec: ByteCodec, _ context: JSContext) -> JSValue {
    let made = HostObject(context)
    made.function("feed") { frame in
      guard let bytes = frame[0].bytes else { return frame.undefined }
      // The engine may move few bytes. Others stay with what keeps them: no script knows this copy.
      if bytes.count < Self.fewBytes {
        codec.feed(UnsafeRawBufferPointer(bytes))
      } else {
        codec.feed(staying: UnsafeRawBufferPointer(bytes))
      }
      return frame.undefined
    }
    made.function("end") { frame in
      codec.end()
      return frame.undefined
    }
    var room = Self.smallRoom
    made.function("next") { [unowned context] frame in
      do {
        let bytes = try Bytes(capacity: room) { try codec.next(into: $0) }
        if bytes.count == 0 { return frame.undefined }
        // Much that comes is handed over in few pieces.
        room = bytes.count == room ? min(2 * room, Self.largeRoom) : Self.smallRoom
        return bytes.withUnsafeBytes { context.makeBytes(over: $0, keeping: bytes.storage) }
      } catch { return context.make((error as? CompressionFault)?.text ?? "\(error)") }
    }
    return made.value
  }
}

extension CompressionFault {
  /// What is wrong, in words.
  fileprivate var text: String {
    switch self {
    case .malformed: "the bytes are not of this format"
    case .truncated: "the bytes end too early"
    case .trailing: "there are bytes behind the end"
    case .noMemory: "there is not enough memory"
    }
  }
}
