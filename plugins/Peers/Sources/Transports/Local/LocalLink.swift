// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import Synchronization

/// A connected socket that carries frames: a length of four bytes, then the frame.
final class LocalLink: Reactor.Source {
  /// The largest frame.
  static let largestFrame = 1 << 20
  /// When so much waits, frames that may be dropped are.
  private static let crowded = 4 << 20
  private static let maximum = 64 << 20
  /// A burst of frames is written together: the first at once, those that follow within so long by the
  /// reactor.
  private static let burst: Microseconds = 30
  private static let smallest = 64 << 10

  let id: LinkID
  let descriptor: Int32
  private let reactor: Reactor
  /// Told on the reactor's thread.
  private let transport: LocalTransport

  private struct Output {
    var chunks: [[UInt8]] = []
    /// How much of the first chunk is written.
    var offset = 0
    var queued = 0
    var wroteAt: Microseconds = 0
    var isWriting = false
    /// The other side does not read as fast.
    var isBlocked = false
    var isScheduled = false
    var isClosing = false
    var isOver = false

    /// Takes the chunks that wait, for the only thread that writes them.
    mutating func take() -> Batch? {
      guard !isWriting, !chunks.isEmpty else { return nil }
      isWriting = true
      defer { (chunks, offset) = ([], 0) }
      return Batch(chunks: chunks, offset: offset)
    }
  }

  /// Chunks that are written together.
  private struct Batch {
    let chunks: [[UInt8]]
    var head = 0
    var offset: Int

    init(chunks: [[UInt8]], offset: Int) { (self.chunks, self.offset) = (chunks, offset) }
    var isEmpty: Bool { head == chunks.count }
    var rest: ArraySlice<[UInt8]> { chunks[head...] }
    /// In bytes.
    var count: Int { rest.reduce(-offset) { $0 + $1.count } }

    mutating func drop(_ written: Int) {
      var left = written
      while left > 0 {
        let size = chunks[head].count - offset
        guard left >= size else {
          offset += left
          return
        }
        left -= size
        head += 1
        offset = 0
      }
    }
  }

  private let output = Mutex(Output())
  /// As the reactor knows it; 0 before and after.
  private let number = Atomic<UInt64>(0)
  private nonisolated(unsafe) var input = InputBuffer()  // the reactor's thread only

  init(_ id: LinkID, _ descriptor: Int32, _ reactor: Reactor, _ transport: LocalTransport) {
    (self.id, self.descriptor, self.reactor, self.transport) = (id, descriptor, reactor, transport)
  }

  deinit { close(descriptor) }

  /// Begins to read. On the reactor's thread.
  func start() { number.store(reactor.add(self, EPOLLIN.rawValue | EPOLLRDHUP.rawValue), ordering: .relaxed) }

  // MARK: - Out

  func put(_ frame: OutFrame) {
    output.withLock { output in
      guard !output.isClosing, !(frame.mayBeDropped && output.queued > Self.crowded) else { return }
      // More than all windows together: a peer that asks for so much and does not read it is cut off.
      guard output.queued < Self.maximum else {
        output.isClosing = true
        reactor.submit { [self] in finish() }
        return
      }
      let length = frame.head.count + frame.body.count
      output.queued += length + 4
      let isSmall = frame.head.count < 8192
      if isSmall, output.chunks.count > 1, output.chunks[output.chunks.count - 1].count < Self.smallest {
        let last = output.chunks.count - 1
        withUnsafeBytes(of: UInt32(length).littleEndian) { output.chunks[last].append(contentsOf: $0) }
        output.chunks[last] += frame.head
      } else {
        var chunk: [UInt8] = []
        chunk.reserveCapacity(frame.head.count + 4)
        withUnsafeBytes(of: UInt32(length).littleEndian) { chunk.append(contentsOf: $0) }
        chunk += frame.head
        output.chunks.append(chunk)
      }
      if !frame.body.isEmpty { output.chunks.append(frame.body) }
    }
  }

  /// Writes what waits, now or, in a burst, a little later.
  func flush(mayWait: Bool) {
    let (batch, isLater) = output.withLock { output -> (Batch?, Bool) in
      guard !output.isBlocked, !output.isScheduled, !output.isOver else { return (nil, false) }
      if mayWait, Reactor.now - output.wroteAt < Self.burst {
        output.isScheduled = true
        return (nil, true)
      }
      return (output.take(), false)
    }
    if let batch { write(batch) }
    if isLater {
      reactor.submit { [self] in
        let batch = output.withLock { output in
          output.isScheduled = false
          return output.isBlocked ? nil : output.take()
        }
        if let batch { write(batch) }
      }
    }
  }

  /// Writes without the lock, so that frames can be put meanwhile; only one thread does at a time, and what
  /// was put is its next batch.
  private func write(_ batch: consuming Batch) {
    var next: Batch? = consume batch
    while let batch = next {
      let (rest, failure) = writeAll(batch)
      next = output.withLock { output in
        output.wroteAt = Reactor.now
        output.queued -= batch.count - rest.count
        output.isWriting = false
        if !rest.isEmpty { output.chunks.insert(contentsOf: rest.rest, at: 0) }
        output.offset = rest.offset
        if failure != 0 { output.isOver = true }  // the reactor reads the end
        setBlocked(&output, !rest.isEmpty && failure == 0)
        if output.chunks.isEmpty, output.isClosing { shutdown(descriptor, Int32(SHUT_WR)) }
        return output.isBlocked || output.isOver ? nil : output.take()
      }
    }
  }

  /// Sets whether the reactor says when there is room again.
  private func setBlocked(_ output: inout Output, _ isBlocked: Bool) {
    guard isBlocked != output.isBlocked else { return }
    output.isBlocked = isBlocked
    reactor.change(
      number.load(ordering: .relaxed), descriptor,
      EPOLLIN.rawValue | EPOLLRDHUP.rawValue | (isBlocked ? EPOLLOUT.rawValue : 0))
  }

  /// Writes as much as there is room for; answers what is left, and why it can't go on at all.
  private func writeAll(_ batch: Batch) -> (Batch, Int32) {
    var batch = batch
    while !batch.isEmpty {
      let count = writeSome(batch)
      if count < 0 {
        if errno == EINTR { continue }
        return (batch, errno == EAGAIN ? 0 : errno)
      }
      batch.drop(count)
    }
    return (batch, 0)
  }

  /// One system call for as many chunks as it takes.
  private func writeSome(_ batch: Batch) -> Int {
    let maximum = 32
    return withUnsafeTemporaryAllocation(of: iovec.self, capacity: maximum) { parts in
      var used = 0
      for chunk in batch.chunks[batch.head...].prefix(maximum) {
        // The chunks are kept by the batch until they are written.
        chunk.withUnsafeBytes { memory in
          let skip = used == 0 ? batch.offset : 0
          parts[used] = iovec(
            iov_base: UnsafeMutableRawPointer(mutating: memory.baseAddress.map { $0 + skip }),
            iov_len: memory.count - skip)
        }
        used += 1
      }
      var message = msghdr()
      message.msg_iov = parts.baseAddress
      message.msg_iovlen = used
      return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }
  }

  /// Closes it when what waits was written.
  func end() {
    output.withLock { output in
      output.isClosing = true
      if output.chunks.isEmpty, !output.isWriting { shutdown(descriptor, Int32(SHUT_WR)) }
    }
    flush(mayWait: false)
    // A peer that doesn't read must not keep the link open for ever.
    reactor.submit { [self] in
      let isWaiting = output.withLock { $0.isBlocked || $0.isWriting }
      if isWaiting { reactor.call(-id, at: Reactor.now + 2_000_000) { [self] in finish() } } else { finish() }
    }
  }

  // MARK: - In

  func ready(_ events: UInt32) {
    if events & EPOLLOUT.rawValue != 0 {
      let batch = output.withLock { output in
        setBlocked(&output, false)
        return output.take()
      }
      if let batch { write(batch) }
    }
    if events & ~EPOLLOUT.rawValue != 0 { readAll() }
    let isDone = output.withLock { $0.isClosing && $0.chunks.isEmpty && !$0.isWriting }
    if isDone { finish() }
  }

  private func readAll() {
    // A busy link lets others have their turn.
    for _ in 0..<16 {
      let count = input.read(descriptor)
      if count > 0 {
        if !deliver() { return }
        if !input.wasFull { return }
      } else if count < 0, errno == EAGAIN {
        return
      } else if count < 0, errno == EINTR {
        continue
      } else {
        finish()
        return
      }
    }
  }

  /// False when there is nothing more to read.
  private func deliver() -> Bool {
    do throws(FrameProblem) {
      let frames = try input.frames()
      guard !frames.isEmpty else { return true }
      input.withMemory { transport.received($0, frames, self) }
      input.drop(through: frames[frames.count - 1].upperBound)
      return true
    } catch {
      transport.broken(self, "\(error)")
      finish()
      return false
    }
  }

  /// On the reactor's thread, any number of times.
  private func finish() {
    output.withLock { ($0.isOver, $0.isClosing) = (true, true) }
    let known = number.exchange(0, ordering: .relaxed)
    guard known != 0 else { return }
    reactor.remove(known, descriptor)
    shutdown(descriptor, Int32(SHUT_RDWR))
    transport.ended(self)
  }
}

/// Bytes that were read and not used yet.
struct InputBuffer: ~Copyable {
  private var memory: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  /// Whether the last read filled all the room there was.
  private(set) var wasFull = false

  private static let first = 64 << 10

  init() { memory = .allocate(byteCount: Self.first, alignment: 16) }
  deinit { memory.deallocate() }

  mutating func read(_ descriptor: Int32) -> Int {
    makeRoom()
    let room = memory.count - end
    let count = recv(descriptor, memory.baseAddress.map { $0 + end }, room, Int32(MSG_DONTWAIT))
    if count > 0 { end += count }
    wasFull = count == room
    return count
  }

  /// Moves what is left to the front, or makes the memory larger for a frame that does not fit.
  private mutating func makeRoom() {
    if start == end { (start, end) = (0, 0) }
    let wanted = nextLength.map { $0 + 4 } ?? 0
    if memory.count - start >= max(wanted, end - start + 4096) { return }
    if wanted > memory.count || end - start + 4096 > memory.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: min(2 * LocalLink.largestFrame, max(2 * memory.count, wanted + 4096)), alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[start..<end]))
      memory.deallocate()
      memory = larger
    } else {
      memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[start..<end]))
    }
    (start, end) = (0, end - start)
  }

  /// The length that the first frame says to have.
  private var nextLength: Int? {
    guard end - start >= 4 else { return nil }
    let length = Int(UInt32(littleEndian: memory.loadUnaligned(fromByteOffset: start, as: UInt32.self)))
    return length <= LocalLink.largestFrame ? length : nil
  }

  /// The whole frames that are there.
  func frames() throws(FrameProblem) -> [Range<Int>] {
    var frames: [Range<Int>] = []
    var at = start
    while end - at >= 4 {
      let length = Int(UInt32(littleEndian: memory.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
      guard (1...LocalLink.largestFrame).contains(length) else {
        throw FrameProblem("a frame of \(length) bytes; it may have 1 to \(LocalLink.largestFrame)")
      }
      guard end - at - 4 >= length else { break }
      frames.append((at + 4)..<(at + 4 + length))
      at += 4 + length
    }
    return frames
  }

  func withMemory(_ body: (UnsafeRawBufferPointer) -> Void) { body(UnsafeRawBufferPointer(memory)) }

  mutating func drop(through place: Int) { start = place }
}
