// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// A text file's lines, many at once: pieces of UTF-8 that end where a line ends. What stands behind the
/// file's last line end is a piece of its own.
struct FilePieces: AsyncSequence, Sendable {
  let file: OpenFile

  /// A line must fit into memory some times over.
  static let longest = 64 << 20
  /// How much is read at once, in bytes.
  fileprivate static let step = 1 << 18

  struct AsyncIterator: AsyncIteratorProtocol {
    let file: OpenFile
    /// Where in the file to go on; nil at its end.
    var offset: Int? = 0
    /// What was read behind the last line end.
    var rest: [UInt8] = []

    mutating func next() async throws -> Bytes? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Bytes? {
      let state = self
      let (piece, then) = try await Blocking.run(isolation: actor) {
        var state = state
        let piece = try state.read()
        return (piece, state)
      }
      self = then
      return piece
    }

    /// Reads until a line is whole.
    private mutating func read() throws -> Bytes? {
      while let start = offset {
        let before = rest
        let piece = try Bytes(capacity: before.count + FilePieces.step) { room in
          room.copyBytes(from: before)
          let count = try file.read(
            into: UnsafeMutableRawBufferPointer(rebasing: room[before.count...]), at: start)
          return take(UnsafeRawBufferPointer(rebasing: room[..<(before.count + count)]), count, from: start)
        }
        guard rest.count <= FilePieces.longest else {
          throw BridgeError(
            .tooLarge, "a line of '\(file.path.shown)' has more than \(FilePieces.longest) bytes")
        }
        if piece.count > 0 { return try checked(piece) }
      }
      return nil
    }

    /// Keeps what stands behind the last line end, and answers how much stands before.
    private mutating func take(_ bytes: UnsafeRawBufferPointer, _ count: Int, from start: Int) -> Int {
      guard count > 0 else {
        (offset, rest) = (nil, [])
        return bytes.count
      }
      offset = start + count
      // None is in what was there before.
      let new = bytes[(bytes.count - count)...]
      let end = new.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      if end == 0 { rest += new } else { rest = Array(bytes[end...]) }
      return end
    }

    private func checked(_ piece: Bytes) throws -> Bytes {
      let isText = piece.withUnsafeBytes { UTF8Check.isValid($0.bindMemory(to: UInt8.self)) }
      guard isText else {
        throw BridgeError(.invalidData, "'\(file.path.shown)' is not text in UTF-8; read it as bytes")
      }
      return piece
    }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(file: file) }
}

/// A text file's lines, without their ends (LF or CR LF). The last one needs no end.
struct FileLines: AsyncSequence, Sendable {
  let pieces: FilePieces

  struct AsyncIterator: AsyncIteratorProtocol {
    var pieces: FilePieces.AsyncIterator
    var lines: ArraySlice<String> = []

    mutating func next() async throws -> String? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> String? {
      while lines.isEmpty {
        guard let piece = try await pieces.next(isolation: actor) else { return nil }
        lines = FileLines.lines(of: piece)[...]
      }
      return lines.popFirst()
    }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: pieces.makeAsyncIterator()) }

  private static func lines(of piece: Bytes) -> [String] {
    piece.withUnsafeBytes { bytes in
      var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      if bytes.last == UInt8(ascii: "\n") { lines.removeLast() }
      return lines.map { line in
        String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
      }
    }
  }
}
