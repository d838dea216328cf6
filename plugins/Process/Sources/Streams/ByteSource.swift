// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// Bytes on their way from a thread that reads them to the script that takes them. They stay here until a
/// reader of the script's takes them: what one reader leaves, the next one gets. Any thread.
final class ByteSource: Sendable {
  /// What a reader of the script's waits for.
  enum Need: String, Codable, CaseIterable, Sendable {
    /// A byte.
    case some
    /// A whole line.
    case line
    /// All up to the end.
    case all
  }

  private struct Waiter {
    let need: Need
    /// How many bytes may gather meanwhile.
    let limit: Int
    let continuation: AsyncStream<Bool>.Continuation
  }

  private struct State {
    var bytes: [UInt8] = []
    /// Where what was not taken begins.
    var start = 0
    /// Up to where no line's end was found.
    var searched = 0
    /// Where the lines end that were handed out and may still be given back, behind their line feeds.
    var handedOut: [Int] = []
    var isEnded = false
    var isClosed = false
    var failure: BridgeError?
    var waiters: [Int: Waiter] = [:]
    var last = 0
    /// Bytes that are gathered though no reader waits.
    var ahead: Int

    var count: Int { bytes.count - start }
  }

  /// What it is called in messages, as `stdin`.
  let name: String
  private let state: Mutex<State>
  private let wake: @Sendable () -> Void

  /// A line must fit into memory some times over.
  static let longestLine = 64 << 20
  /// So much is read at once.
  static let piece = 1 << 18
  /// So many bytes of lines are handed out at once.
  private static let batch = 1 << 16

  /// - Parameters:
  ///   - ahead: how many bytes are read though no reader waits for any.
  ///   - wake: tells the thread that reads to look at ``room`` again.
  init(_ name: String, ahead: Int, wake: @escaping @Sendable () -> Void) {
    (self.name, self.wake) = (name, wake)
    state = Mutex(State(ahead: ahead))
  }

  // MARK: - The thread that reads

  /// How many bytes are to be read now.
  var room: Int {
    state.withLock { state in
      if state.isEnded { return 0 }
      let wanted = state.waiters.values.map { $0.need == .some ? state.count + Self.piece : $0.limit + 1 }
      return min(Self.piece, max(0, max(state.ahead, wanted.max() ?? 0) - state.count))
    }
  }

  /// How many bytes wait for a reader.
  var count: Int { state.withLock(\.count) }

  /// Puts bytes behind the others.
  func append(_ more: UnsafeRawBufferPointer) {
    tell { state in
      if state.isClosed { return }
      if state.start > 0, state.start == state.bytes.count || state.start > 1 << 20 {
        Self.compact(&state)
      }
      state.bytes.append(contentsOf: more)
    }
  }

  /// No more comes; why, if that is no end in order. What is there can still be taken.
  func end(_ failure: BridgeError? = nil) {
    tell { state in if !state.isEnded { (state.isEnded, state.failure) = (true, failure) } }
  }

  var isEnded: Bool { state.withLock(\.isEnded) }

  /// No reader wants any of it, or more: it ends here, for the readers and for who writes.
  func close() {
    tell { state in
      (state.isEnded, state.isClosed) = (true, true)
      (state.bytes, state.start, state.searched, state.handedOut) = ([], 0, 0, [])
    }
    wake()
  }

  /// Whether ``close()`` was called.
  var isClosed: Bool { state.withLock(\.isClosed) }

  private static func compact(_ state: inout State) {
    state.bytes.removeFirst(state.start)
    state.searched = max(0, state.searched - state.start)
    state.handedOut = state.handedOut.map { $0 - state.start }
    state.start = 0
  }

  /// Makes a change, and tells the readers that have what they wait for: behind the lock, which a stream that
  /// finishes asks for.
  private func tell<R: Sendable>(_ change: (inout State) -> R) -> R {
    let (result, met) = state.withLock { state -> (R, [Waiter]) in
      let result = change(&state)
      var met: [Waiter] = []
      for (number, waiter) in state.waiters where Self.isMet(waiter, &state) {
        state.waiters[number] = nil
        met.append(waiter)
      }
      return (result, met)
    }
    for waiter in met {
      waiter.continuation.yield(true)
      waiter.continuation.finish()
    }
    return result
  }

  private static func isMet(_ waiter: Waiter, _ state: inout State) -> Bool {
    if state.isEnded { return true }
    switch waiter.need {
    case .some: return state.count > 0
    case .line: return hasLine(&state) || state.count > waiter.limit
    case .all: return state.count > waiter.limit
    }
  }

  private static func hasLine(_ state: inout State) -> Bool {
    let from = max(state.start, state.searched)
    guard let end = lineEnd(state.bytes, from: from) else {
      state.searched = state.bytes.count
      return false
    }
    state.searched = end - 1
    return true
  }

  /// Behind the next line feed.
  private static func lineEnd(_ bytes: [UInt8], from start: Int) -> Int? {
    bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, start < bytes.count,
        let found = memchr(base + start, 0x0A, bytes.count - start)
      else { return nil }
      return UnsafeRawPointer(found) - base + 1
    }
  }

  // MARK: - The script

  /// Tells once, when a reader has what it needs; nothing else is read for it than that takes.
  func wait(for need: Need, limit: Int?) -> AsyncStream<Bool> {
    let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
    let number = tell { state in
      state.last += 1
      let waiter = Waiter(need: need, limit: limit ?? Self.longestLine, continuation: continuation)
      state.waiters[state.last] = waiter
      return state.last
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.waiters.removeValue(forKey: number) }
    }
    wake()
    return stream
  }

  /// Takes what is there, so many bytes at the most; none and `isEnd` behind the last.
  ///
  /// - Parameter used: how many of the lines that were handed out a reader took; the others are given back.
  func take(atMost most: Int, used: Int) throws -> TakenBytes {
    defer { wake() }
    return try state.withLock { state in
      Self.giveBack(&state, used: used)
      if state.count == 0 { return TakenBytes(bytes: nil, isEnd: try Self.isAtEnd(state)) }
      let end = min(state.bytes.count, state.start + most)
      defer { state.start = end }
      return TakenBytes(bytes: Self.slice(&state, to: end), isEnd: false)
    }
  }

  private static func slice(_ state: inout State, to end: Int) -> Bytes {
    state.bytes.withUnsafeBytes { bytes in Bytes(UnsafeRawBufferPointer(rebasing: bytes[state.start..<end])) }
  }

  /// Takes all up to the end, which was waited for.
  func takeAll(_ options: TakeOptions) throws -> TakenWhole {
    let bytes = try takeAll(used: options.used, limit: options.limit ?? .max)
    guard options.text == true else { return TakenWhole(bytes: bytes) }
    guard let text = bytes.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else { throw notText }
    return TakenWhole(text: text)
  }

  /// The same as bytes.
  func takeAll(used: Int, limit: Int) throws -> Bytes {
    defer { wake() }
    return try state.withLock { state in
      Self.giveBack(&state, used: used)
      guard state.count <= limit else {
        throw BridgeError(
          .tooLarge,
          """
          \(name) has more than \(limit) bytes; give a higher option.limit, or take it piece by piece, with \
          lines() or chunks()
          """
        )
      }
      guard try Self.isAtEnd(state) else {
        throw BridgeError(.cancelled, "\(name) was no longer read")
      }
      defer { (state.bytes, state.start, state.searched) = ([], 0, 0) }
      return Self.slice(&state, to: state.bytes.count)
    }
  }

  private static func isAtEnd(_ state: State) throws -> Bool {
    if let failure = state.failure { throw failure }
    return state.isEnded
  }

  /// Hands out the next lines, without their ends (LF or CR LF). They stay here until the next call says how
  /// many of them were taken.
  func lines(used: Int) throws -> TakenLines {
    defer { wake() }
    return try state.withLock { state in
      Self.giveBack(&state, used: used)
      var lines: [String] = []
      var start = state.start
      while start - state.start < Self.batch, let end = nextLine(&state, from: start) {
        guard let line = Self.text(state.bytes[start..<end]) else {
          if lines.isEmpty { throw notText }
          break
        }
        lines.append(line)
        state.handedOut.append(end)
        start = end
      }
      guard lines.isEmpty else { return TakenLines(lines: lines, isEnd: false) }
      guard state.count <= Self.longestLine else {
        throw BridgeError(.tooLarge, "a line of \(name) has more than \(Self.longestLine) bytes")
      }
      return TakenLines(lines: [], isEnd: state.count == 0 ? try Self.isAtEnd(state) : false)
    }
  }

  private var notText: BridgeError {
    BridgeError(.invalidData, "\(name) is not text in UTF-8; take it as bytes, with chunks() or bytes()")
  }

  /// The last line needs no end.
  private func nextLine(_ state: inout State, from start: Int) -> Int? {
    if let end = Self.lineEnd(state.bytes, from: max(start, state.searched)) { return end }
    state.searched = state.bytes.count
    return state.isEnded && start < state.bytes.count ? state.bytes.count : nil
  }

  private static func text(_ line: ArraySlice<UInt8>) -> String? {
    var line = line
    if line.last == 0x0A {
      line.removeLast()
      if line.last == 0x0D { line.removeLast() }
    }
    return String(validating: line, as: UTF8.self)
  }

  private static func giveBack(_ state: inout State, used: Int) {
    if used > 0, used <= state.handedOut.count { state.start = state.handedOut[used - 1] }
    state.searched = state.start
    state.handedOut = []
  }
}

extension BridgeError.Code {
  static let invalidData: Self = "invalid_data"
}

/// What was taken of a stream.
struct TakenBytes: Codable, Sendable {
  var bytes: Bytes?
  /// Whether no more will come.
  var isEnd: Bool
}

/// A whole stream, in one of its forms.
struct TakenWhole: Codable, Sendable {
  var bytes: Bytes?
  var text: String?
}

/// Lines that were handed out.
struct TakenLines: Codable, Equatable, Sendable {
  var lines: [String]
  var isEnd: Bool
}
