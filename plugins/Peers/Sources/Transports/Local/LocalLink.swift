// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc
internal import Synchronization

/// A connected socket that carries frames: a length of four bytes, then the frame.
final class LocalLink: Reactor.Source {
  /// The largest frame.
  static let largestFrame = 1 << 20
  /// What may be dropped is, when so much waits.
  private static let crowded = 4 << 20
  /// A burst of frames is written together: the first at once, those that follow within so long by the reactor.
  private static let burst: Microseconds = 30
  private static let smallest = 64 << 10

  let id: LinkID
  let descriptor: Int32
  private let reactor: Reactor
  /// Told on the reactor's thread.
  private let transport: LocalTransport

  private struct Output {
    var chunks: [[UInt8]] = []
    var head = 0
    /// How much of the first chunk is written.
    var offset = 0
    var queued = 0
    var wroteAt: Microseconds = 0
    var isWaiting = false
    var isScheduled = false
    var isClosing = false
    var isOver = false
  }

  private let output = Mutex(Output())
  private nonisolated(unsafe) var number: UInt64 = 0  // set once, before the reactor knows of it
  private nonisolated(unsafe) var input = InputBuffer()  // the reactor's thread only

  init(_ id: LinkID, _ descriptor: Int32, _ reactor: Reactor, _ transport: LocalTransport) {
    (self.id, self.descriptor, self.reactor, self.transport) = (id, descriptor, reactor, transport)
  }

  deinit { close(descriptor) }

  /// Begins to read. On the reactor's thread.
  func start() { number = reactor.add(self, EPOLLIN.rawValue | EPOLLRDHUP.rawValue) }

  // MARK: - Out

  func put(_ frame: OutFrame) {
    output.withLock { output in
      guard !output.isClosing, !(frame.mayBeDropped && output.queued > Self.crowded) else { return }
      let length = frame.head.count + frame.body.count
      output.queued += length + 4
      let isSmall = frame.head.count < 8192
      if isSmall, output.chunks.count > output.head + 1, output.chunks[output.chunks.count - 1].count < Self.smallest {
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
    let isLater = output.withLock { output -> Bool in
      guard !output.isWaiting, !output.isScheduled, !output.isOver else { return false }
      if mayWait, Reactor.now - output.wroteAt < Self.burst {
        output.isScheduled = true
        return true
      }
      write(&output)
      return false
    }
    if isLater {
      reactor.submit { [self] in
        output.withLock { output in
          output.isScheduled = false
          if !output.isWaiting { write(&output) }
        }
      }
    }
  }

  private func write(_ output: inout Output) {
    while output.head < output.chunks.count, !output.isOver {
      let count = writeSome(output)
      if count < 0 {
        if errno == EINTR { continue }
        if errno != EAGAIN {
          output.isOver = true
          return  // the reactor reads the end
        }
        break
      }
      advance(&output, count)
    }
    output.wroteAt = Reactor.now
    let isWaiting = output.head < output.chunks.count
    if isWaiting != output.isWaiting {
      output.isWaiting = isWaiting
      let events = EPOLLIN.rawValue | EPOLLRDHUP.rawValue | (isWaiting ? EPOLLOUT.rawValue : 0)
      reactor.change(number, descriptor, events)
    }
    if !isWaiting, output.isClosing { shutdown(descriptor, Int32(SHUT_WR)) }
  }

  /// One system call for as many chunks as it takes.
  private func writeSome(_ output: Output) -> Int {
    let most = 32
    return withUnsafeTemporaryAllocation(of: iovec.self, capacity: most) { parts in
      var used = 0
      for chunk in output.chunks[output.head...].prefix(most) {
        // The chunks are kept by the output until they are written.
        chunk.withUnsafeBytes { memory in
          let skip = used == 0 ? output.offset : 0
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

  private func advance(_ output: inout Output, _ count: Int) {
    var left = count
    output.queued -= count
    while left > 0 {
      let rest = output.chunks[output.head].count - output.offset
      guard left >= rest else {
        output.offset += left
        return
      }
      left -= rest
      output.chunks[output.head] = []
      output.head += 1
      output.offset = 0
    }
    if output.head == output.chunks.count {
      output.chunks.removeAll(keepingCapacity: output.chunks.count < 256)
      output.head = 0
    } else if output.head > 256 {
      output.chunks.removeFirst(output.head)
      output.head = 0
    }
  }

  /// Closes it when what waits was written.
  func end() {
    output.withLock { output in
      output.isClosing = true
      if !output.isWaiting { write(&output) }
    }
    // Whoever doesn't read must not keep it open for ever.
    reactor.submit { [self] in
      let isWaiting = output.withLock { $0.isWaiting }
      if isWaiting { reactor.call(-id, at: Reactor.now + 2_000_000) { [self] in finish() } } else { finish() }
    }
  }

  // MARK: - In

  func ready(_ events: UInt32) {
    if events & EPOLLOUT.rawValue != 0 {
      output.withLock { output in
        output.isWaiting = true
        write(&output)
      }
    }
    if events & ~EPOLLOUT.rawValue != 0 { readAll() }
    let isDone = output.withLock { $0.isClosing && !$0.isWaiting }
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
    let isFirst = output.withLock { output in
      defer { (output.isOver, output.isClosing) = (true, true) }
      return number != 0
    }
    guard isFirst else { return }
    reactor.remove(number, descriptor)
    number = 0
    shutdown(descriptor, Int32(SHUT_RDWR))
    transport.ended(self)
  }
}

/// What was read and not used.
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
