// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// What a frame says: each is one call of the C table's, or one answer to it.
package enum FrameKind: UInt16, Sendable, CaseIterable {
  // To the plugin.
  /// Its text is the program's environment, its first word the kinds of the actions, a letter each.
  case start = 1
  case stop = 2
  /// `id`: the call; `first`: the action; `second`: the session; `number`: the deadline; `third`: the credit.
  case call = 3
  case cancel = 4
  /// `first`: how many events more.
  case grant = 5
  /// `first`: the phase.
  case lifecycle = 6
  /// `first`: what it is; `second`: of which stream or function; `number`: the call of that.
  case feed = 7
  /// The answer to `invoke`, whose number is `id`.
  case invoked = 8
  /// The answer to `allows`, whose number is `id`; `first`: 1 or 0.
  case allowed = 9
  case describe = 10
  /// Asks for `idle`, with the same `number`.
  case ask = 11
  /// Asks for `alive`, with the same `number`.
  case ping = 12

  // From the plugin.
  case started = 33
  case failed = 34
  case settle = 35
  /// An event, or a run of them.
  case emit = 36
  /// `first`: the level.
  case log = 37
  /// Its text are the fields, its words the message and the place; `first`: the level.
  case record = 38
  /// Its words are the service and the action; `id`: its number; `number`: the deadline.
  case invoke = 39
  case cancelInvocation = 40
  /// `first`: the status.
  case exit = 41
  /// Its text is the permission; `id`: a number for the answer.
  case allows = 42
  /// `first`: which stream; `second`: how many.
  case pull = 43
  /// `first`: which function; `number`: of this call of it.
  case callBack = 44
  case description = 45
  case stopped = 46
  /// All that came before `ask` has been looked at, and nothing is being done.
  case idle = 47
  /// The plugin's thread has come back to its loop.
  case alive = 48
}

/// What stands before a frame's texts and bytes: ``size`` bytes, in this machine's order.
///
/// Behind it: a word of 8 bytes for each part (its size, and what it is), the value's text, two words, and
/// the parts' bytes.
package struct FrameHead: Sendable {
  package var kind: FrameKind
  package var parts: UInt16 = 0
  package var id: UInt64 = 0
  package var number: UInt64 = 0
  package var first: UInt32 = 0
  package var second: UInt32 = 0
  package var third: UInt32 = 0
  /// The value's kind and number, as the table has them.
  package var valueKind: UInt32 = 0
  package var valueNumber: Double = 0
  /// The processor that ran the sender; -1 where it is not told. Only a hint: whoever has the same one does
  /// not keep it busy by looking around.
  package private(set) var processor: Int32 = -1
  var text: UInt32 = 0
  var words: (UInt32, UInt32) = (0, 0)

  package init(_ kind: FrameKind, id: UInt64 = 0) { (self.kind, self.id) = (kind, id) }

  package static let size = 64
  /// "nBF1"
  private static let mark: UInt32 = 0x3146_426E
  /// No text of one message is longer, nor are all of its bytes together.
  package static let largest = 1 << 30

  /// How many bytes stand between the head and the parts' bytes.
  var middle: Int { Int(parts) * 8 + Int(text) + Int(words.0) + Int(words.1) }

  func write(to memory: UnsafeMutableRawBufferPointer) {
    memory.storeBytes(of: Self.mark, toByteOffset: 0, as: UInt32.self)
    memory.storeBytes(of: kind.rawValue, toByteOffset: 4, as: UInt16.self)
    memory.storeBytes(of: parts, toByteOffset: 6, as: UInt16.self)
    memory.storeBytes(of: id, toByteOffset: 8, as: UInt64.self)
    memory.storeBytes(of: number, toByteOffset: 16, as: UInt64.self)
    memory.storeBytes(of: valueNumber, toByteOffset: 24, as: Double.self)
    memory.storeBytes(of: first, toByteOffset: 32, as: UInt32.self)
    memory.storeBytes(of: second, toByteOffset: 36, as: UInt32.self)
    memory.storeBytes(of: third, toByteOffset: 40, as: UInt32.self)
    memory.storeBytes(of: valueKind, toByteOffset: 44, as: UInt32.self)
    memory.storeBytes(of: text, toByteOffset: 48, as: UInt32.self)
    memory.storeBytes(of: words.0, toByteOffset: 52, as: UInt32.self)
    memory.storeBytes(of: words.1, toByteOffset: 56, as: UInt32.self)
    memory.storeBytes(of: Processor.current, toByteOffset: 60, as: Int32.self)
  }

  /// Reads one. Throws for what is none, and for sizes that no message has.
  init(_ memory: UnsafeRawBufferPointer) throws(FrameError) {
    guard memory.loadUnaligned(fromByteOffset: 0, as: UInt32.self) == Self.mark,
      let kind = FrameKind(rawValue: memory.loadUnaligned(fromByteOffset: 4, as: UInt16.self))
    else { throw .noMessage }
    self.kind = kind
    parts = memory.loadUnaligned(fromByteOffset: 6, as: UInt16.self)
    id = memory.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    number = memory.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    valueNumber = memory.loadUnaligned(fromByteOffset: 24, as: Double.self)
    first = memory.loadUnaligned(fromByteOffset: 32, as: UInt32.self)
    second = memory.loadUnaligned(fromByteOffset: 36, as: UInt32.self)
    third = memory.loadUnaligned(fromByteOffset: 40, as: UInt32.self)
    valueKind = memory.loadUnaligned(fromByteOffset: 44, as: UInt32.self)
    text = memory.loadUnaligned(fromByteOffset: 48, as: UInt32.self)
    words.0 = memory.loadUnaligned(fromByteOffset: 52, as: UInt32.self)
    words.1 = memory.loadUnaligned(fromByteOffset: 56, as: UInt32.self)
    processor = memory.loadUnaligned(fromByteOffset: 60, as: Int32.self)
    guard middle <= Self.largest else { throw .tooLarge(middle) }
  }
}

/// Why what came over a channel is no message.
package enum FrameError: Error, Equatable {
  case noMessage
  /// It says that it has so many bytes.
  case tooLarge(Int)
}
