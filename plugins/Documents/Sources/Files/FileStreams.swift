// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// A file's bytes in pieces, each read when the script has room for it.
struct FileChunks: AsyncSequence, Sendable {
  let file: OpenFile
  let size: Int

  struct AsyncIterator: AsyncIteratorProtocol {
    let file: OpenFile
    let size: Int
    var offset = 0

    mutating func next() async throws -> Bytes? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Bytes? {
      let (file, size, offset) = (file, size, offset)
      let bytes = try await Blocking.run(isolation: actor) {
        try Bytes(capacity: size) { try file.read(into: $0, at: offset) }
      }
      if bytes.count == 0 { return nil }
      self.offset += bytes.count
      return bytes
    }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(file: file, size: size) }
}

/// A text file's lines, without their ends (LF or CR LF). The last one needs no end.
struct FileLines: AsyncSequence, Sendable {
  let file: OpenFile

  /// A line must fit into memory some times over.
  static let longest = 64 << 20

  struct AsyncIterator: AsyncIteratorProtocol {
    let file: OpenFile
    var offset = 0
    var isAtEnd = false
    var rest: [UInt8] = []
    var lines: ArraySlice<String> = []

    mutating func next() async throws -> String? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> String? {
      while lines.isEmpty {
        if isAtEnd { return nil }
        let (file, offset, rest) = (file, offset, rest)
        let piece = try await Blocking.run(isolation: actor) { try LinePiece(file, offset, rest) }
        self.offset += piece.count
        self.rest = piece.rest
        lines = piece.lines[...]
        isAtEnd = piece.count == 0
      }
      return lines.popFirst()
    }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(file: file) }
}

/// The lines of one piece of a file.
private struct LinePiece: Sendable {
  var lines: [String] = []
  /// The bytes behind the last line's end.
  var rest: [UInt8]
  /// How many bytes were read; 0 at the file's end.
  let count: Int

  init(_ file: OpenFile, _ offset: Int, _ before: [UInt8]) throws {
    let read = try Bytes(capacity: 1 << 18) { try file.read(into: $0, at: offset) }
    count = read.count
    rest = before
    try read.withUnsafeBytes { bytes in
      var start = 0
      while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
        try take(bytes[start..<end], file)
        start = end + 1
      }
      rest += bytes[start...]
    }
    guard rest.count <= FileLines.longest else {
      throw BridgeError(.tooLarge, "a line of '\(file.path.shown)' has more than \(FileLines.longest) bytes")
    }
    if count == 0, !rest.isEmpty { try take(UnsafeRawBufferPointer(start: nil, count: 0)[...], file) }
  }

  private mutating func take(_ bytes: Slice<UnsafeRawBufferPointer>, _ file: OpenFile) throws {
    rest += bytes
    if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
    guard let line = String(validating: rest, as: UTF8.self) else {
      throw BridgeError(.invalidData, "'\(file.path.shown)' is not text in UTF-8; read it as bytes")
    }
    lines.append(line)
    rest = []
  }
}

/// The files that scripts are writing piece by piece, by number.
final class Writers: Sendable {
  private struct State {
    var last = 0
    var open: [Int: Writer] = [:]
  }
  private let state = Mutex<State>(State())

  /// The writer of one file; it has a lock of its own, so that a long write holds up no other file's writer.
  private final class Writer: Sendable {
    let file: Mutex<UncheckedSendable<Replacement>>  // used under the lock
    init(_ file: Replacement) { self.file = Mutex(UncheckedSendable(file)) }
  }

  func add(_ make: () throws -> Replacement) throws -> Int {
    let made = Writer(try make())
    return state.withLock { state in
      state.last += 1
      state.open[state.last] = made
      return state.last
    }
  }

  func write(_ number: Int, _ bytes: Bytes) throws {
    guard let writer = state.withLock({ $0.open[number] }) else { throw Self.closed }
    do {
      try writer.file.withLock { file in try bytes.withUnsafeBytes { try file.value.append($0) } }
    } catch {
      abort(number)  // with a piece missing it can't be right any more
      throw error
    }
  }

  func close(_ number: Int) throws {
    guard let writer = state.withLock({ $0.open.removeValue(forKey: number) }) else { throw Self.closed }
    try writer.file.withLock { try $0.value.commit() }
  }

  func abort(_ number: Int) { state.withLock { _ = $0.open.removeValue(forKey: number) } }

  /// Drops every file that is being written.
  func clear() { state.withLock { $0.open = [:] } }

  private static let closed = BridgeError(
    .unavailable, "this writer is closed; open another with documents.writer")
}
