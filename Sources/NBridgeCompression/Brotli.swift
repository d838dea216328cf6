// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// The functions of brotli's encoder that are used here (brotli/encode.h).
struct LibBrotliEncoder: @unchecked Sendable {  // pointers to functions, which many threads may use
  let create: @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> OpaquePointer?
  let destroy: @convention(c) (OpaquePointer?) -> Void
  let set: @convention(c) (OpaquePointer?, Int32, UInt32) -> Int32
  let compress: BrotliStep
  let isFinished: @convention(c) (OpaquePointer?) -> Int32

  static func opened() throws(MissingLibrary) -> LibBrotliEncoder { try shared.get() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try LibBrotliEncoder() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary("libbrotlienc.so.1", of: "brotli", package: "libbrotli1")
    create = try library.function("BrotliEncoderCreateInstance")
    destroy = try library.function("BrotliEncoderDestroyInstance")
    set = try library.function("BrotliEncoderSetParameter")
    compress = try library.function("BrotliEncoderCompressStream")
    isFinished = try library.function("BrotliEncoderIsFinished")
  }
}

/// State, operation, then how much is there to read and where, how much room and where, and a count.
typealias BrotliStep =
  @convention(c) (
    OpaquePointer?, Int32, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
    UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
    UnsafeMutablePointer<Int>?
  ) -> Int32

final class BrotliEncoder: CodecEngine {
  private let library: LibBrotliEncoder
  private let state: OpaquePointer

  /// BROTLI_PARAM_QUALITY, and a quality that is about as fast as gzip: the library's own takes fifty times
  /// as long.
  private static let quality: (Int32, UInt32) = (1, 5)
  /// BROTLI_OPERATION_PROCESS and BROTLI_OPERATION_FINISH.
  private static let (process, finish): (Int32, Int32) = (0, 2)

  init() throws {
    library = try LibBrotliEncoder.opened()
    guard let state = library.create(nil, nil, nil) else { throw CompressionFault.noMemory }
    self.state = state
    _ = library.set(state, Self.quality.0, Self.quality.1)
  }

  deinit { library.destroy(state) }

  func step(
    _ input: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(CompressionFault) -> CodecProgress {
    var (left, free) = (input.count, room.count)
    var from = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var to = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let operation = isLast ? Self.finish : Self.process
    guard library.compress(state, operation, &left, &from, &free, &to, nil) != 0 else { throw .noMemory }
    return CodecProgress(
      consumed: input.count - left, produced: room.count - free, isOver: library.isFinished(state) != 0)
  }
}

/// The functions of brotli's decoder that are used here (brotli/decode.h).
struct LibBrotliDecoder: @unchecked Sendable {  // pointers to functions, which many threads may use
  let create: @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> OpaquePointer?
  let destroy: @convention(c) (OpaquePointer?) -> Void
  let decompress:
    @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
      UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
      UnsafeMutablePointer<Int>?
    ) -> Int32

  static func opened() throws(MissingLibrary) -> LibBrotliDecoder { try shared.get() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try LibBrotliDecoder() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary("libbrotlidec.so.1", of: "brotli", package: "libbrotli1")
    create = try library.function("BrotliDecoderCreateInstance")
    destroy = try library.function("BrotliDecoderDestroyInstance")
    decompress = try library.function("BrotliDecoderDecompressStream")
  }
}

final class BrotliDecoder: CodecEngine {
  private let library: LibBrotliDecoder
  private let state: OpaquePointer

  /// BROTLI_DECODER_RESULT_ERROR and _SUCCESS.
  private static let (failed, succeeded): (Int32, Int32) = (0, 1)

  init() throws {
    library = try LibBrotliDecoder.opened()
    guard let state = library.create(nil, nil, nil) else { throw CompressionFault.noMemory }
    self.state = state
  }

  deinit { library.destroy(state) }

  func step(
    _ input: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(CompressionFault) -> CodecProgress {
    var (left, free) = (input.count, room.count)
    var from = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var to = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let result = library.decompress(state, &left, &from, &free, &to, nil)
    if result == Self.failed { throw .malformed }
    return CodecProgress(
      consumed: input.count - left, produced: room.count - free, isOver: result == Self.succeeded)
  }
}
