// SPDX-License-Identifier: MIT

/// A message of a page, read. What it says of lengths is believed as far as the message goes; it is the one
/// parser of what comes from pages.
struct PageMessage {
  /// Counts up from 1; 0 for one without frames.
  let number: UInt32
  /// The last message that the page has got.
  let received: UInt32
  private let memory: UnsafeRawBufferPointer
  private var at = PageFrame.start
  /// How many files came with it, and how many of them a frame has named: in their order, each once.
  private let files: Int
  private var named = 0

  /// The most frames' worth of byte values: more would be no call of a script's.
  private static let mostParts = 4096

  /// - Parameter memory: lives as long as this.
  /// - Returns: nil for what is too short to be one.
  init?(_ memory: UnsafeRawBufferPointer, files: Int = 0) {
    guard memory.count >= PageFrame.start else { return nil }
    (self.memory, self.files) = (memory, files)
    number = Self.number(memory, 0)
    received = Self.number(memory, 4)
  }

  var isAtEnd: Bool { at == memory.count && named == files }

  /// The next frame; nil at the end, and for what is none: ``isAtEnd`` tells.
  mutating func next() -> PageFrame? {
    guard memory.count - at >= PageFrame.head, let kind = PageFrame.Kind(rawValue: memory[at]) else {
      return nil
    }
    let count = Int(memory.loadUnaligned(fromByteOffset: at + 2, as: UInt16.self).littleEndian)
    let textCount = Int(Self.number(memory, at + 16))
    var end = at + PageFrame.head + 4 * count
    guard count <= Self.mostParts, end <= memory.count, textCount <= memory.count - end else { return nil }
    let text = UnsafeRawBufferPointer(rebasing: memory[end..<end + textCount])
    end += textCount
    var parts: [PageFrame.Part] = []
    for index in 0..<count {
      let length = Self.number(memory, at + PageFrame.head + 4 * index)
      switch length {
      case PageFrame.stream: parts.append(.stream)
      case PageFrame.progress: parts.append(.progress)
      case PageFrame.file:
        guard named < files else { return nil }
        parts.append(.file(named))
        named += 1
      default:
        guard Int(length) <= memory.count - end else { return nil }
        parts.append(.bytes(UnsafeRawBufferPointer(rebasing: memory[end..<end + Int(length)])))
        end += Int(length)
      }
    }
    defer { at = end }
    return PageFrame(
      kind: kind, what: memory[at + 1], slot: Self.number(memory, at + 4), first: Self.number(memory, at + 8),
      second: Self.number(memory, at + 12), text: text.bindMemory(to: UInt8.self), parts: parts)
  }

  private static func number(_ memory: UnsafeRawBufferPointer, _ at: Int) -> UInt32 {
    memory.loadUnaligned(fromByteOffset: at, as: UInt32.self).littleEndian
  }
}
