// SPDX-License-Identifier: MIT

internal import CNBridgeZlib
internal import NBridgeSystem

/// The functions of zlib that are used here (zlib.h).
struct LibZlib: @unchecked Sendable {  // pointers to functions, which many threads may use
  typealias Stream = UnsafeMutablePointer<z_stream>

  let deflateInit:
    @convention(c) (Stream, Int32, Int32, Int32, Int32, Int32, UnsafePointer<CChar>, Int32)
      -> Int32
  let deflate: @convention(c) (Stream, Int32) -> Int32
  let deflateEnd: @convention(c) (Stream) -> Int32
  let deflateReset: @convention(c) (Stream) -> Int32
  let inflateInit: @convention(c) (Stream, Int32, UnsafePointer<CChar>, Int32) -> Int32
  let inflate: @convention(c) (Stream, Int32) -> Int32
  let inflateEnd: @convention(c) (Stream) -> Int32
  let inflateReset: @convention(c) (Stream) -> Int32
  /// Begins anew, with the window of before.
  let inflateResetKeep: @convention(c) (Stream) -> Int32

  static func opened() throws(MissingLibrary) -> LibZlib { try shared.get() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try LibZlib() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary("libz.so.1", of: "zlib", package: "zlib1g")
    deflateInit = try library.function("deflateInit2_")
    deflate = try library.function("deflate")
    deflateEnd = try library.function("deflateEnd")
    deflateReset = try library.function("deflateReset")
    inflateInit = try library.function("inflateInit2_")
    inflate = try library.function("inflate")
    inflateEnd = try library.function("inflateEnd")
    inflateReset = try library.function("inflateReset")
    inflateResetKeep = try library.function("inflateResetKeep")
  }
}

extension CompressionFormat {
  /// What `deflateInit2` and `inflateInit2` call windowBits: the largest window, and what stands around it.
  fileprivate var windowBits: Int32 {
    switch self {
    case .gzip: 15 + 16
    case .deflateRaw: -15
    default: 15
    }
  }
}

/// zlib's state, at an address that stays: the library keeps a pointer back to it.
final class ZlibStream {
  let pointer: LibZlib.Stream
  private let end: (LibZlib.Stream) -> Int32

  init(_ begin: (LibZlib.Stream) -> Int32, end: @escaping (LibZlib.Stream) -> Int32)
    throws(CompressionFault)
  {
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: z_stream())
    self.end = end
    guard begin(pointer) == Z_OK else {
      isEmpty = true
      throw .noMemory
    }
  }

  /// Whether there is nothing for the library to free.
  private var isEmpty = false

  deinit {
    if !isEmpty { _ = end(pointer) }
    pointer.deallocate()
  }

  /// Calls a function of the library for as much as its 32-bit counts hold.
  func step(
    _ input: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer,
    _ body: (LibZlib.Stream) -> Int32
  ) -> (status: Int32, progress: CodecProgress) {
    let count = min(input.count, 1 << 30)
    pointer.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    pointer.pointee.avail_in = UInt32(count)
    pointer.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
    pointer.pointee.avail_out = UInt32(room.count)
    let status = body(pointer)
    let progress = CodecProgress(
      consumed: count - Int(pointer.pointee.avail_in), produced: room.count - Int(pointer.pointee.avail_out),
      isOver: status == Z_STREAM_END)
    return (status, progress)
  }
}

let zlibVersion = "1"

final class ZlibEncoder: CodecEngine {
  private let library: LibZlib
  private let stream: ZlibStream

  /// zlib's own level between speed and size, 6, and its memory (zlib.h, deflateInit2).
  init(_ format: CompressionFormat) throws {
    let library = try LibZlib.opened()
    self.library = library
    stream = try ZlibStream(
      {
        library.deflateInit(
          $0, Z_DEFAULT_COMPRESSION, Z_DEFLATED, format.windowBits, 8, Z_DEFAULT_STRATEGY, zlibVersion,
          Int32(MemoryLayout<z_stream>.size))
      }, end: library.deflateEnd)
  }

  func step(
    _ input: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(CompressionFault) -> CodecProgress {
    let flush = isLast && input.count <= 1 << 30 ? Z_FINISH : Z_NO_FLUSH
    let (status, progress) = stream.step(input, room) { library.deflate($0, flush) }
    // Z_BUF_ERROR: there was nothing to do.
    guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { throw .noMemory }
    return progress
  }
}

final class ZlibDecoder: CodecEngine {
  private let library: LibZlib
  private let stream: ZlibStream
  private let format: CompressionFormat

  init(_ format: CompressionFormat) throws {
    let library = try LibZlib.opened()
    (self.library, self.format) = (library, format)
    stream = try ZlibStream(
      {
        library.inflateInit($0, format.windowBits, zlibVersion, Int32(MemoryLayout<z_stream>.size))
      }, end: library.inflateEnd)
  }

  func step(
    _ input: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(CompressionFault) -> CodecProgress {
    let (status, progress) = stream.step(input, room) { library.inflate($0, Z_NO_FLUSH) }
    switch status {
    case Z_OK, Z_STREAM_END, Z_BUF_ERROR: return progress
    case Z_MEM_ERROR: throw .noMemory
    // Z_NEED_DICT, too: nobody can give one.
    default: throw .malformed
    }
  }

  /// Members of gzip begin with 1F 8B (RFC 1952, 2.3.1), blocks of DEFLATE with anything.
  func restart(at first: UInt8) -> Bool {
    switch format {
    case .gzip: first == 0x1F && library.inflateReset(stream.pointer) == Z_OK
    case .deflateRaw: library.inflateResetKeep(stream.pointer) == Z_OK
    default: false
    }
  }
}
