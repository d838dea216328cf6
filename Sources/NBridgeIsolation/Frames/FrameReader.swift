// SPDX-License-Identifier: MIT

internal import Glibc

/// Makes messages of what comes over a channel, bit by bit. What a message says of its sizes is believed only
/// as far as bytes come. Confined to one thread.
package final class FrameReader {
  /// How a look at the channel ended.
  package enum Look: Equatable, Sendable {
    /// There is nothing more for now.
    case empty
    /// There may be more.
    case more
    /// The other side has closed it.
    case ended
    case failed(Int32)
  }

  private var memory: UnsafeMutableRawBufferPointer
  /// What of the memory holds bytes that no message was made of.
  private var filled = 0..<0
  /// A message whose parts still come.
  private var waiting: Waiting?

  private struct Waiting {
    let head: FrameHead
    let parts: [FramePart]
    /// The part that comes, and how much of it is there.
    var part = 0
    var offset = 0
    /// The texts, moved out of the memory that is read into.
    let texts: FramePart
  }

  /// The processor that ran the sender of the last message; -1 where it is not told.
  package private(set) var processor: Int32 = -1

  private static let room = 64 << 10
  /// The texts of the message that was taken last, when they did not stay where they came.
  private var texts: FramePart?

  package init() { memory = .allocate(byteCount: Self.room, alignment: 16) }
  deinit { memory.deallocate() }

  // MARK: - Bytes in

  /// Takes what has come, once.
  package func look(at channel: Int32) -> Look {
    if let part = large { return lookForPart(part, channel) }
    makeRoom()
    let free = UnsafeMutableRawBufferPointer(rebasing: memory[filled.upperBound...])
    let count = Self.read(channel, free)
    guard count > 0 else { return Self.look(count) }
    filled = filled.lowerBound..<filled.upperBound + count
    return count == free.count ? .more : .empty
  }

  /// Takes bytes from memory, as if they had come: what tests and fuzzers do.
  package func take(_ bytes: UnsafeRawBufferPointer) {
    while memory.count - filled.upperBound < bytes.count { grow(to: memory.count * 2) }
    UnsafeMutableRawBufferPointer(rebasing: memory[filled.upperBound...]).copyMemory(from: bytes)
    filled = filled.lowerBound..<filled.upperBound + bytes.count
  }

  /// A part whose bytes are read where they stay.
  private var large: FramePart? {
    guard filled.isEmpty, let waiting, waiting.part < waiting.parts.count else { return nil }
    return waiting.parts[waiting.part]
  }

  private func lookForPart(_ part: FramePart, _ channel: Int32) -> Look {
    guard let offset = waiting?.offset else { return .empty }
    let free = UnsafeMutableRawBufferPointer(rebasing: part.room[offset...])
    if free.isEmpty { return .more }
    let count = Self.read(channel, free)
    guard count > 0 else { return Self.look(count) }
    waiting?.offset = offset + count
    return .more
  }

  private static func read(_ channel: Int32, _ room: UnsafeMutableRawBufferPointer) -> Int {
    var count = 0
    repeat { count = Glibc.read(channel, room.baseAddress, room.count) } while count < 0 && errno == EINTR
    return count
  }

  private static func look(_ count: Int) -> Look {
    if count == 0 { return .ended }
    return errno == EAGAIN ? .empty : .failed(errno)
  }

  private func makeRoom() {
    if filled.isEmpty { filled = 0..<0 }
    guard memory.count - filled.upperBound < 4 << 10 else { return }
    if filled.lowerBound > 0 {
      memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[filled]))
      filled = 0..<filled.count
    }
    // Twice as large only when what it has is full: a size that was told brings no memory.
    if memory.count - filled.upperBound < 4 << 10 { grow(to: memory.count * 2) }
  }

  private func grow(to count: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[filled]))
    memory.deallocate()
    memory = larger
    filled = 0..<filled.count
  }

  // MARK: - Messages out

  /// The next message that is there as a whole; nil when none is.
  package func next() throws(FrameError) -> Frame? {
    if waiting != nil { return nextOfParts() }
    guard filled.count >= FrameHead.size else { return nil }
    let head = try FrameHead(UnsafeRawBufferPointer(rebasing: memory[filled]))
    guard filled.count >= FrameHead.size + head.middle else { return nil }
    processor = head.processor
    let start = filled.lowerBound + FrameHead.size
    filled = start + head.middle..<filled.upperBound
    if head.parts == 0 { return frame(head, UnsafeRawBufferPointer(memory)[start...], []) }
    let parts = try parts(head, at: start)
    let text = UnsafeRawBufferPointer(rebasing: memory[start + Int(head.parts) * 8..<start + head.middle])
    let texts = try FramePart(.bytes, count: text.count)
    texts.room.copyMemory(from: text)
    waiting = Waiting(head: head, parts: parts, texts: texts)
    return nextOfParts()
  }

  private func parts(_ head: FrameHead, at start: Int) throws(FrameError) -> [FramePart] {
    var sum = 0
    var parts: [FramePart] = []
    for index in 0..<Int(head.parts) {
      let word = memory.loadUnaligned(fromByteOffset: start + index * 8, as: UInt64.self)
      guard let kind = FramePart.Kind(rawValue: word & 3) else { throw .noMessage }
      let count = word >> 2
      guard count <= FrameHead.largest, sum + Int(count) <= FrameHead.largest else {
        throw .tooLarge(Int(clamping: count))
      }
      sum += Int(count)
      parts.append(try FramePart(kind, count: Int(count)))
    }
    return parts
  }

  /// Moves what has come into the parts; the message once all of them are there.
  private func nextOfParts() -> Frame? {
    guard var rest = waiting else { return nil }
    while rest.part < rest.parts.count {
      let room = rest.parts[rest.part].room
      let count = min(room.count - rest.offset, filled.count)
      if count > 0 {
        UnsafeMutableRawBufferPointer(rebasing: room[rest.offset...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[filled.prefix(count)]))
        filled = filled.dropFirst(count)
        rest.offset += count
      }
      guard rest.offset == room.count else {
        waiting = rest
        return nil
      }
      rest.part += 1
      rest.offset = 0
    }
    waiting = nil
    texts = rest.texts
    return frame(rest.head, UnsafeRawBufferPointer(rest.texts.room)[...], rest.parts)
  }

  private func frame(
    _ head: FrameHead, _ memory: Slice<UnsafeRawBufferPointer>, _ parts: [FramePart]
  ) -> Frame {
    let bytes = UnsafeRawBufferPointer(rebasing: memory).assumingMemoryBound(to: UInt8.self)
    let text = Int(head.text), first = text + Int(head.words.0), second = first + Int(head.words.1)
    return Frame(
      head: head, text: .init(rebasing: bytes[..<text]),
      words: (.init(rebasing: bytes[text..<first]), .init(rebasing: bytes[first..<second])), parts: parts)
  }
}
