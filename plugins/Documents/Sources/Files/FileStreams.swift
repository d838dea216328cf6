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
      // Two changes of threads would cost as much as to copy what is in memory.
      let bytes =
        if let known = file.readAtOnce(size, at: offset) { known } else {
          try await Blocking.run(isolation: actor) {
            try Bytes(capacity: size) { try file.read(into: $0, at: offset) }
          }
        }
      if bytes.count == 0 { return nil }
      self.offset += bytes.count
      return bytes
    }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(file: file, size: size) }
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
