// SPDX-License-Identifier: MIT

internal import CNBridgePassing
internal import Glibc
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// A stream socket from a page in a window: each message has its length and kind in front, 32 bits each, as
/// `Sources/nbridge-window/extension.c` writes them. Long ones are in a file in memory that comes with the
/// head (SCM_RIGHTS), and are read from it: who wrote it may change it, and gains nothing. Long byte values
/// are parts, in files of their own before the message that names them: ``MemoryFile``. Confined to the
/// engine's thread.
final class PipeLink: PageLink {
  weak var listener: (any PageLinkListener)?
  private let socket: Descriptor
  private let loop: EventLoop
  private var reading: DescriptorSource?
  private var writing: DescriptorSource?
  private var received: [UInt8] = []
  /// Files that came and whose heads have not been read, and those that go, each with the place of its head.
  private var passed: [Descriptor] = []
  private var passing: [(at: Int, file: Descriptor)] = []
  /// Parts of a message that has not come.
  private var parts: [Bytes] = []
  private var partBytes: UInt64 = 0
  /// What the socket has not taken: from `sent` on.
  private var waiting: [UInt8] = []
  private var sent = 0
  private var isClosing = false
  private var isResting = false
  /// Whether the other side takes nothing more.
  private var isDeaf = false
  /// In microseconds.
  private static let rest = 20_000

  private enum Kind {
    static let text: UInt32 = 1
    static let bytes: UInt32 = 2
    static let file: UInt32 = 3
    static let part: UInt32 = 4
    static let partFile: UInt32 = 5

    /// Which comes with a file.
    static func file(of kind: UInt32) -> UInt32 { kind == part ? partFile : file }
  }
  /// Longer messages, in bytes, go in a file.
  private static let long = 64 << 10
  /// More files do not wait for their heads: each comes with its own.
  private static let mostPassed = 4
  private static let head = 8
  /// A message has so many at the most.
  private static let mostParts = 4096
  /// So much is read at a time: others have their turns.
  private static let atOnce = 1 << 20
  private static let filesAtOnce = 64

  /// - Parameter socket: one that never waits.
  init(_ socket: Descriptor, _ loop: EventLoop) {
    (self.socket, self.loop) = (socket, loop)
    reading = loop.watch(socket.number) { [weak self] in self?.read() }
  }

  deinit { close() }

  private func close() {
    reading?.close()
    writing?.close()
    (reading, writing) = (nil, nil)
    (passed, passing, parts) = ([], [], [])
  }

  // MARK: - Out

  var takesFiles: Bool { true }

  func send(_ message: PageParcel) {
    for file in message.files { file.withUnsafeBytes { put(Kind.part, $0) } }
    message.bytes.withUnsafeBytes { put(Kind.bytes, $0) }
  }

  func send(_ text: String) {
    var text = text
    text.withUTF8 { put(Kind.text, UnsafeRawBufferPointer($0)) }
  }

  func close(_ code: UInt16) {
    isClosing = true
    if waiting.isEmpty { end() }
  }

  private func put(_ kind: UInt32, _ payload: UnsafeRawBufferPointer) {
    guard reading != nil, !isClosing, !isDeaf else { return }
    let file = kind != Kind.text && payload.count > Self.long ? MemoryFile.holding(payload) : nil
    if let file { passing.append((waiting.count, file)) }
    let told = file == nil ? kind : Kind.file(of: kind)
    withUnsafeBytes(of: UInt32(payload.count).littleEndian) { waiting.append(contentsOf: $0) }
    withUnsafeBytes(of: told.littleEndian) { waiting.append(contentsOf: $0) }
    if file == nil { waiting.append(contentsOf: payload) }
    if writing == nil, !isResting { write() }
  }

  private func write() {
    while sent < waiting.count {
      // A file goes with its head alone, so that it comes with that.
      let next = passing.first
      let passes = next?.at == sent
      let end = passes ? sent + Self.head : next?.at ?? waiting.count
      let count = waiting[sent..<end].withUnsafeBytes { bytes in
        bytes.baseAddress.map {
          nb_send_passing(socket.number, $0, bytes.count, passes ? next?.file.number ?? -1 : -1)
        } ?? 0
      }
      if count > 0 {
        sent += count
        if passes { passing.removeFirst() }
      } else if errno == EAGAIN {
        writing = writing ?? loop.watch(socket.number, writes: true) { [weak self] in self?.write() }
        return
      } else if errno == ETOOMANYREFS {
        return writeLater()
      } else if errno != EINTR {
        // Who has gone may have said something before, as a page does: it is read up to its end.
        isDeaf = true
        passing = []
        break
      }
    }
    (waiting, sent) = ([], 0)
    writing?.close()
    writing = nil
    if isClosing { end() }
  }

  /// This user's files that are under way are as many as may be (RLIMIT_NOFILE), of whatever program.
  private func writeLater() {
    writing?.close()
    writing = nil
    guard !isResting else { return }
    isResting = true
    loop.schedule(at: loop.clock.now + Self.rest) { [weak self] in
      self?.isResting = false
      if self?.reading != nil { self?.write() }
    }
  }

  // MARK: - In

  private func read() {
    var room = [UInt8](repeating: 0, count: 256 << 10)
    var left = Self.atOnce
    var isAtEnd = false
    while left > 0, passed.count < Self.filesAtOnce {
      let (count, files) = PassedFiles.receive(from: socket, into: &room)
      passed += files
      if count < 0, errno == EAGAIN || errno == EINTR { break }
      isAtEnd = count <= 0
      if isAtEnd { break }
      received.append(contentsOf: room[..<count])
      left -= count
    }
    // What came with the end came before it.
    takeMessages()
    if isAtEnd { return end() }
    // Files that no head is for would use up the program's descriptors.
    if passed.count > Self.mostPassed { end() }
  }

  private func takeMessages() {
    var at = 0
    while reading != nil, received.count - at >= Self.head {
      let (count, kind) = received.withUnsafeBytes {
        (
          UInt64($0.loadUnaligned(fromByteOffset: at, as: UInt32.self).littleEndian),
          $0.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self).littleEndian
        )
      }
      guard count <= PageLinks.longest, (Kind.text...Kind.partFile).contains(kind) else { return end() }
      if kind == Kind.file || kind == Kind.partFile {
        at += Self.head
        guard kind == Kind.file ? takeFile(Int(count)) : takePart(count) else { return end() }
        continue
      }
      // A page's parts come in files.
      guard kind != Kind.part else { return end() }
      guard received.count - at - Self.head >= Int(count) else { break }
      let message = Array(received[at + Self.head..<at + Self.head + Int(count)])
      at += Self.head + Int(count)
      if kind == Kind.text {
        listener?.link(self, said: String(decoding: message, as: UTF8.self))
      } else {
        message.withUnsafeBytes { bring($0) }
      }
    }
    received.removeFirst(min(at, received.count))
  }

  private func bring(_ message: UnsafeRawBufferPointer) {
    let files = parts
    (parts, partBytes) = ([], 0)
    listener?.link(self, brought: ComingMessage(bytes: message, files: files))
  }

  /// The next file that came, as a part of the message that comes. False for what is none, and for more
  /// than a message may have.
  private func takePart(_ count: UInt64) -> Bool {
    guard !passed.isEmpty, let part = MemoryFile.bytes(of: passed.removeFirst(), Int(count)) else {
      return false
    }
    parts.append(part)
    partBytes += count
    return parts.count <= Self.mostParts && partBytes <= PageLinks.longest
  }

  /// The next file that came, as a message of so many bytes. False where there is none, or fewer are in it.
  private func takeFile(_ count: Int) -> Bool {
    guard !passed.isEmpty else { return false }
    let file = passed.removeFirst()
    return withUnsafeTemporaryAllocation(byteCount: max(1, count), alignment: 16) { memory in
      let room = UnsafeMutableRawBufferPointer(rebasing: memory[0..<count])
      guard MemoryFile.read(file, into: room) else { return false }
      bring(UnsafeRawBufferPointer(room))
      return true
    }
  }

  private func end() {
    guard reading != nil else { return }
    close()
    listener?.linkEnded(self)
  }
}
