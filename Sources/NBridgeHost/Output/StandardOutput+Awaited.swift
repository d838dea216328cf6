// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeSystem
internal import Synchronization

/// Bytes that a writer waits for: they are written when all that was put before them is.
struct AwaitedBytes: Sendable {
  /// How many bytes were put up to their end.
  let end: Int
  let count: Int
  let file: Int32
  let done: @Sendable (Int32?) -> Void
}

extension StandardOutput.Waiting {
  /// Tells the writers whose bytes are out.
  mutating func settle() {
    guard !awaited.isEmpty else { return }
    let written = queued - size
    while let first = awaited.first, first.end <= written {
      awaited.removeFirst()
      first.done(nil)
    }
  }

  /// Tells the writers to a stream that takes no more. Answers whether there were any.
  @discardableResult
  mutating func fail(_ file: Int32, _ error: Int32) -> Bool {
    let failed = awaited.filter { $0.file == file }
    awaited.removeAll { $0.file == file }
    for writer in failed { writer.done(error) }
    return !failed.isEmpty
  }

  /// Drops what is held for stdout.
  mutating func dropHeldOutput() {
    held.removeAll { $0.file == STDOUT_FILENO }
    heldSize = held.reduce(0) { $0 + $1.bytes.count }
  }

  /// What waits and nobody waits for, as text of `console`.
  var unawaitedSize: Int { size - min(size, awaited.reduce(0) { $0 + $1.count }) }
}

/// Bytes of scripts that wait until they are written. A reader that takes its time holds up that script, not
/// the engine's thread: a thread of its own, while there is something, waits for the reader.
extension StandardOutput {
  /// So much text waits behind such bytes before its writer waits for the reader, too.
  private static let maxBehind = 1 << 20

  /// Writes bytes behind all that waits, and tells when they are out.
  public func write(_ bytes: [UInt8], toErrors: Bool, _ done: @escaping @Sendable (Int32?) -> Void) {
    let file = toErrors ? STDERR_FILENO : STDOUT_FILENO
    let needsThread = buffer.withLock { waiting in
      if waiting.isBroken, !toErrors {
        done(EPIPE)
        return false
      }
      waiting.put(bytes, file)
      waiting.awaited.append(AwaitedBytes(end: waiting.queued, count: bytes.count, file: file, done: done))
      advance(&waiting)
      return claimPump(&waiting)
    }
    if needsThread { startPump() }
  }

  /// Before the loop sleeps: what a thread of its own writes is not waited for.
  public func flushBeforeSleep() { buffer.withLock { drainOrLeave(&$0) } }

  /// Writes what waits, or leaves it to the thread that writes what is awaited.
  func drainOrLeave(_ waiting: inout Waiting) {
    if waiting.awaited.isEmpty || !waiting.isPumped || waiting.unawaitedSize > Self.maxBehind {
      drain(&waiting)
    } else {
      advance(&waiting)
    }
  }

  private func claimPump(_ waiting: inout Waiting) -> Bool {
    if waiting.awaited.isEmpty || waiting.isPumped { return false }
    waiting.isPumped = true
    return true
  }

  private func startPump() {
    guard !PlainThread.start("nb-output", { [self] in pump() }) else { return }
    // The system gives no thread: better late than never.
    buffer.withLock { waiting in
      waiting.isPumped = false
      drain(&waiting)
    }
  }

  /// Writes as readers take it, until no writer waits.
  private func pump() {
    while let file = buffer.withLock({ waiting -> Int32? in
      let file = advance(&waiting)
      if waiting.awaited.isEmpty { waiting.isPumped = false }
      return waiting.awaited.isEmpty ? nil : file ?? -1
    }) {
      guard file >= 0 else {
        OutputGate.process.wait { !isStopping.load(ordering: .acquiring) }
        usleep(1000)
        continue
      }
      _ = Self.isReady(file, within: 1000)
    }
  }

  /// Writes what readers take at once. Answers the stream whose reader has to be waited for.
  @discardableResult
  private func advance(_ waiting: inout Waiting) -> Int32? {
    var blocked: Int32?
    if !OutputGate.process.pass({ blocked = writeReady(&waiting) }) { hold(&waiting) }
    waiting.settle()
    return blocked
  }

  private func writeReady(_ waiting: inout Waiting) -> Int32? {
    while true {
      if !waiting.isBroken, !waiting.bytes.isEmpty {
        let error = Self.write(&waiting.bytes, to: STDOUT_FILENO) { Self.isReady(STDOUT_FILENO, within: 0) }
        if error == ETIMEDOUT { return STDOUT_FILENO }
        if let error { breakOff(&waiting, error) }
      }
      guard var piece = waiting.held.first else { return nil }
      waiting.heldSize -= piece.bytes.count
      waiting.held.removeFirst()
      guard piece.file == STDERR_FILENO else {
        waiting.bytes = waiting.isBroken ? [] : piece.bytes
        continue
      }
      let error = Self.write(&piece.bytes, to: STDERR_FILENO) { Self.isReady(STDERR_FILENO, within: 0) }
      if error == ETIMEDOUT {
        waiting.held.insert(piece, at: 0)
        waiting.heldSize += piece.bytes.count
        return STDERR_FILENO
      }
      if let error { waiting.fail(STDERR_FILENO, error) }
    }
  }
}
