// SPDX-License-Identifier: MIT

/// The formats of compressed bytes.
package enum CompressionFormat: String, CaseIterable, Sendable {
  /// RFC 1952.
  case gzip
  /// RFC 1950: zlib's.
  case deflate
  /// RFC 1951.
  case deflateRaw = "deflate-raw"
  /// RFC 7932.
  case brotli
  /// RFC 8878.
  case zstd
}

/// What is wrong with bytes that are to be decompressed.
package enum CompressionFault: Error, Equatable {
  /// They are not of the format.
  case malformed
  /// They end before their format does.
  case truncated
  /// More bytes stand behind the end.
  case trailing
  /// The library has no memory for it.
  case noMemory
}

/// Compresses or decompresses a stream of bytes, piece by piece. Confined to one thread at a time.
///
/// ```swift
/// codec.feed(bytes)
/// while let piece = try codec.next() { … }
/// codec.end()
/// while let piece = try codec.next() { … }
/// ```
package final class ByteCodec {
  /// The most bytes of a piece that ``next()`` makes.
  package static let piece = 64 << 10

  private let engine: any CodecEngine
  private let isDecoder: Bool
  private let readsMembers: Bool
  private var input = CodecInput()
  private var isLast = false
  /// Whether the format's end was reached, or an encoder has written it.
  private var isOver = false
  private var hasInput = false
  private var fault: CompressionFault?

  /// - Throws: `MissingLibrary` when the format's library is not installed.
  package init(compressing format: CompressionFormat) throws {
    (engine, isDecoder, readsMembers) = (try format.encoder(), false, false)
  }

  /// - Parameter members: whether what may stand behind the end is another one of the same kind, as in files
  ///   that were joined (RFC 1952, 2.2; RFC 8878, 3); of `deflateRaw` more blocks behind one that says it is
  ///   the last, which may refer to what came before it.
  /// - Throws: `MissingLibrary` when the format's library is not installed.
  package init(decompressing format: CompressionFormat, members: Bool = false) throws {
    (engine, isDecoder, readsMembers) = (try format.decoder(), true, members)
  }

  /// Takes bytes, a copy of them; behind the ``next()`` that answers nil.
  package func feed(_ bytes: UnsafeRawBufferPointer) { input.append(bytes) }

  /// Takes bytes that stay where they are, and as they are, until ``next()`` answers nil or throws.
  package func feed(staying bytes: UnsafeRawBufferPointer) { input.borrow(bytes) }

  /// Whether what was fed so far ends where the format does.
  package var isAtEnd: Bool { isOver && input.isEmpty }

  /// No more bytes come.
  package func end() { isLast = true }

  /// The next bytes, none of them empty; nil when more input is needed, or all is told.
  ///
  /// - Throws: what is wrong with the input; again at each later call.
  package func next() throws(CompressionFault) -> [UInt8]? {
    var failure: CompressionFault?
    let made = [UInt8](unsafeUninitializedCapacity: Self.piece) { room, count in
      do throws(CompressionFault) { count = try next(into: UnsafeMutableRawBufferPointer(room)) } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return made.isEmpty ? nil : made
  }

  /// Writes the next bytes to where there is room for one or more, and answers how many; 0 when more input is
  /// needed, or all is told.
  ///
  /// - Throws: what is wrong with the input; again at each later call.
  package func next(into room: UnsafeMutableRawBufferPointer) throws(CompressionFault) -> Int {
    if let fault { throw fault }
    do throws(CompressionFault) { return try step(room) } catch {
      fault = error
      throw error
    }
  }

  private func step(_ room: UnsafeMutableRawBufferPointer) throws(CompressionFault) -> Int {
    while true {
      if isOver {
        // Of a decoder: an encoder's end comes behind all input.
        guard let first = input.first else { return 0 }
        guard readsMembers, engine.restart(at: first) else { throw .trailing }
        isOver = false
      }
      if input.isEmpty, !isLast, !hasInput { return 0 }
      var failure: CompressionFault?
      var progress = CodecProgress()
      input.withLeft { bytes in
        do throws(CompressionFault) { progress = try engine.step(bytes, room, isLast: isLast) } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      input.take(progress.consumed)
      isOver = progress.isOver
      // A room that is full may leave more behind in the engine.
      hasInput = !isOver && (progress.produced == room.count || !input.isEmpty)
      if progress.produced > 0 { return progress.produced }
      if isOver { continue }
      if progress.consumed == 0 || input.isEmpty {
        if isLast, isDecoder { throw .truncated }
        if isLast { throw .noMemory }
        hasInput = false
        return 0
      }
    }
  }
}

/// What one step of an engine did.
struct CodecProgress {
  var consumed = 0
  var produced = 0
  /// Whether the format's end was read, or written.
  var isOver = false
}

/// A library's state for one stream.
protocol CodecEngine: AnyObject {
  /// Takes what it can of the input, and fills what it can of the room.
  ///
  /// - Parameter isLast: whether no more input comes behind this one.
  func step(
    _ input: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(CompressionFault) -> CodecProgress

  /// Makes ready for what stands behind the end that was read, and answers whether it may be another member.
  /// The default: there are none.
  ///
  /// - Parameter first: its first byte.
  func restart(at first: UInt8) -> Bool
}

extension CodecEngine {
  func restart(at first: UInt8) -> Bool { false }
}

extension CompressionFormat {
  fileprivate func encoder() throws -> any CodecEngine {
    switch self {
    case .gzip, .deflate, .deflateRaw: try ZlibEncoder(self)
    case .brotli: try BrotliEncoder()
    case .zstd: try ZstdEncoder()
    }
  }

  fileprivate func decoder() throws -> any CodecEngine {
    switch self {
    case .gzip, .deflate, .deflateRaw: try ZlibDecoder(self)
    case .brotli: try BrotliDecoder()
    case .zstd: try ZstdDecoder()
    }
  }
}
