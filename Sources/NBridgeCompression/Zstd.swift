// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// The functions of zstd that are used here (zstd.h).
struct LibZstd: @unchecked Sendable {  // pointers to functions, which many threads may use
  /// ZSTD_inBuffer.
  struct Input {
    var start: UnsafeRawPointer?
    var size: Int
    var at: Int
  }
  /// ZSTD_outBuffer.
  struct Output {
    var start: UnsafeMutableRawPointer?
    var size: Int
    var at: Int
  }

  let createEncoder: @convention(c) () -> OpaquePointer?
  let freeEncoder: @convention(c) (OpaquePointer?) -> Int
  let compress:
    @convention(c) (OpaquePointer?, UnsafeMutableRawPointer, UnsafeMutableRawPointer, Int32) -> Int
  let createDecoder: @convention(c) () -> OpaquePointer?
  let freeDecoder: @convention(c) (OpaquePointer?) -> Int
  let decompress: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int
  let isError: @convention(c) (Int) -> UInt32

  static func opened() throws(MissingLibrary) -> LibZstd { try shared.get() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try LibZstd() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary("libzstd.so.1", of: "zstd", package: "libzstd1")
    createEncoder = try library.function("ZSTD_createCCtx")
    freeEncoder = try library.function("ZSTD_freeCCtx")
    compress = try library.function("ZSTD_compressStream2")
    createDecoder = try library.function("ZSTD_createDCtx")
    freeDecoder = try library.function("ZSTD_freeDCtx")
    decompress = try library.function("ZSTD_decompressStream")
    isError = try library.function("ZSTD_isError")
  }

  /// Calls a function that moves both places on. Answers what it answered; nil for an error.
  func step(
    _ input: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer,
    _ body: (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int
  ) -> (left: Int, progress: CodecProgress)? {
    var from = Input(start: input.baseAddress, size: input.count, at: 0)
    var to = Output(start: room.baseAddress, size: room.count, at: 0)
    let left = body(&to, &from)
    if isError(left) != 0 { return nil }
    return (left, CodecProgress(consumed: from.at, produced: to.at))
  }
}

final class ZstdEncoder: CodecEngine {
  private let library: LibZstd
  private let state: OpaquePointer

  /// ZSTD_e_continue and ZSTD_e_end.
  private static let (goesOn, ends): (Int32, Int32) = (0, 2)

  init() throws {
    library = try LibZstd.opened()
    guard let state = library.createEncoder() else { throw CompressionFault.noMemory }
    self.state = state
  }

  deinit { _ = library.freeEncoder(state) }

  func step(
    _ input: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(CompressionFault) -> CodecProgress {
    let directive = isLast ? Self.ends : Self.goesOn
    guard
      let (left, made) = library.step(input, room, { library.compress(state, $0, $1, directive) })
    else { throw .noMemory }
    return CodecProgress(consumed: made.consumed, produced: made.produced, isOver: isLast && left == 0)
  }
}

final class ZstdDecoder: CodecEngine {
  private let library: LibZstd
  private let state: OpaquePointer

  init() throws {
    library = try LibZstd.opened()
    guard let state = library.createDecoder() else { throw CompressionFault.noMemory }
    self.state = state
  }

  deinit { _ = library.freeDecoder(state) }

  func step(
    _ input: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(CompressionFault) -> CodecProgress {
    guard
      let (left, made) = library.step(input, room, { library.decompress(state, $0, $1) })
    else { throw .malformed }
    // A frame is read and written whole.
    return CodecProgress(consumed: made.consumed, produced: made.produced, isOver: left == 0)
  }

  /// Frames begin with 28 B5 2F FD, or, where they are to be skipped, with 50 to 5F (RFC 8878, 3.1); the
  /// library goes on by itself.
  func restart(at first: UInt8) -> Bool { first == 0x28 || 0x50...0x5F ~= first }
}
