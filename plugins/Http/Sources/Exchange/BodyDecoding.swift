// SPDX-License-Identifier: MIT

internal import NBridgeCompression
internal import NBridgePlugin
internal import NBridgeSystem

/// Takes a body's encodings off it, piece by piece: few bytes may stand for very many. Confined to the
/// engine's thread.
final class BodyDecoding {
  /// The last encoding that was put on first.
  private let codecs: [ByteCodec]
  private(set) var isOver = false
  private var isAtEnd = false
  private var hasBegun = false

  /// More than a server would put on.
  private static let most = 5

  /// Nil for a body that is told as it is, and for encodings that nobody knows: the script gets the bytes.
  ///
  /// - Throws: `unavailable` when the library of one is not installed.
  init?(of head: ResponseHead) throws {
    let names = head.encodings
    guard !names.isEmpty, names.count <= Self.most, !head.hasNoBody else { return nil }
    let formats = names.reversed().map(Self.format)
    guard !formats.contains(nil) else { return nil }
    do {
      codecs = try formats.compactMap(\.self).map { try ByteCodec(decompressing: $0, members: true) }
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
    // Nothing at all is no body that was cut.
    if isAtEnd, !hasBegun { isOver = true }
    bytes.withUnsafeBytes { codecs[0].feed($0) }
    if isAtEnd { codecs[0].end() }
  }

  /// The next bytes; nil when more of the server's are needed, or it is over.
  func next(_ place: RequestPlace) throws -> Bytes? {
    if isOver { return nil }
    do throws(CompressionFault) {
      if let piece = try next(of: codecs.count - 1) { return Bytes(piece) }
    } catch {
      // What stands behind the end is no part of the body; browsers pass it over, too.
      guard error == .trailing else { throw place.malformed(error) }
      isOver = true
      return nil
    }
    isOver = isAtEnd
    return nil
  }

  private func next(of index: Int) throws(CompressionFault) -> [UInt8]? {
    while true {
      if let piece = try codecs[index].next() { return piece }
      guard index > 0 else { return nil }
      guard let piece = try next(of: index - 1) else {
        guard isAtEnd else { return nil }
        codecs[index].end()
        return try codecs[index].next()
      }
      piece.withUnsafeBytes { codecs[index].feed($0) }
    }
  }
}
