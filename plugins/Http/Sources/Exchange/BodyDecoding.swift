// SPDX-License-Identifier: MIT

internal import NBridgeCompression
internal import NBridgePlugin
internal import NBridgeSystem

/// Takes a body's encodings off it, piece by piece: few bytes may stand for very many, or for very many that
/// stand for none. Confined to the engine's thread.
final class BodyDecoding {
  /// One encoding.
  private struct Stage {
    private(set) var codec: ByteCodec
    /// Whether its first byte may show that it is DEFLATE without a head, as some servers send it.
    private var mayBeBare: Bool
    /// Whether all that it unfolds to was taken.
    var isOver = false
    /// Whether it was told that no more comes.
    var isTold = false

    init(_ format: CompressionFormat) throws {
      codec = try ByteCodec(decompressing: format, members: true)
      mayBeBare = format == .deflate
    }

    mutating func feed(_ bytes: UnsafeRawBufferPointer) {
      if mayBeBare, let first = bytes.first {
        mayBeBare = false
        // RFC 1950, 2.2: method 8, and a window of at most 32 KiB.
        let isWhole = first & 0x0F == 8 && first >> 4 <= 7
        if !isWhole, let bare = try? ByteCodec(decompressing: .deflateRaw) { codec = bare }
      }
      codec.feed(bytes)
    }
  }

  /// What a step finds.
  enum Step {
    case bytes(Bytes)
    /// More of the server's are needed.
    case needs
    /// It has worked for a while, and there is more to do.
    case pauses
    case end
  }

  /// The last encoding that was put on first.
  private var stages: [Stage]
  private var isAtEnd = false
  private var hasBegun = false

  /// So many bytes are handed from one encoding to the next in a step.
  private static let measure = 1 << 20

  /// More than a server would put on.
  private static let most = 5

  /// Nil for a body that is told as it is, and for encodings that nobody knows: the script gets the bytes.
  ///
  /// - Throws: `unavailable` when the library of one is not installed, `invalid_data` for too many.
  init?(of head: ResponseHead) throws {
    let names = head.encodings
    guard !names.isEmpty, !head.hasNoBody else { return nil }
    guard names.count <= Self.most else {
      throw BridgeError(
        "invalid_data", "the answer has \(names.count) content encodings, more than \(Self.most)")
    }
    let formats = names.reversed().map(Self.format)
    guard !formats.contains(nil) else { return nil }
    do {
      stages = try formats.compactMap(\.self).map(Stage.init)
    } catch let missing as MissingLibrary {
      throw BridgeError(missing)
    }
  }

  private static func format(_ name: String) -> CompressionFormat? {
    switch name {
    case "gzip", "x-gzip": .gzip
    case "deflate": .deflate
    case "br": .brotli
    case "zstd": .zstd
    default: nil
    }
  }

  /// Takes bytes of the server's; none when there are no more.
  func feed(_ bytes: Bytes) {
    if bytes.count == 0 { isAtEnd = true } else { hasBegun = true }
    bytes.withUnsafeBytes { stages[0].feed($0) }
  }

  /// The next bytes, where there are some.
  func step(_ place: RequestPlace) throws -> Step {
    // Nothing at all is no body that was cut.
    if isAtEnd, !hasBegun { return .end }
    let last = stages.count - 1
    var left = Self.measure
    do throws(CompressionFault) {
      if let piece = try next(of: last, &left) { return .bytes(Bytes(piece)) }
    } catch { throw place.malformed(error) }
    if stages[last].isOver { return .end }
    return left > 0 ? .needs : .pauses
  }

  /// The next bytes of one stage; nil when it needs more, is over, or nothing is left of the measure.
  private func next(of index: Int, _ left: inout Int) throws(CompressionFault) -> [UInt8]? {
    while !stages[index].isOver, left > 0 {
      do throws(CompressionFault) {
        if let piece = try stages[index].codec.next() { return piece }
      } catch {
        // What stands behind the end is no part of the body; browsers pass it over, too.
        guard error == .trailing else { throw error }
        stages[index].isOver = true
        return nil
      }
      if stages[index].isTold {
        stages[index].isOver = true
        return nil
      }
      if index > 0, let piece = try next(of: index - 1, &left) {
        left -= piece.count
        piece.withUnsafeBytes { stages[index].feed($0) }
      } else if index > 0 ? stages[index - 1].isOver : isAtEnd {
        stages[index].codec.end()
        stages[index].isTold = true
      } else {
        return nil
      }
    }
    return nil
  }
}
