// SPDX-License-Identifier: MIT

/// A part of a message between a page and its session: what `js/remote.js` writes and reads, too.
///
/// A message is two numbers, its own (0 for one that says nothing but the second) and the last that came from
/// the other side, and frames behind each other. All numbers are little-endian, of 32 bits where nothing else
/// is said:
///
/// | at | what |
/// | --- | --- |
/// | 0 | the kind, 8 bits |
/// | 1 | what of it, 8 bits |
/// | 2 | how many byte values come with it, 16 bits |
/// | 4 | the call's slot, which the page chose |
/// | 8, 12 | two numbers |
/// | 16 | the length of its text in bytes |
/// | 20 | the length of each byte value |
/// | … | the text, then the bytes |
struct PageFrame {
  /// What a page says.
  enum Kind: UInt8 {
    /// A call: its action's place in the catalogue, and its timeout in milliseconds, 0 for none.
    case call = 1
    /// A call's caller waits no more.
    case cancel = 2
    /// So many events of a watch were taken.
    case grant = 3
    /// Something of a stream or function of a call: the inlet, and the number of what the plugin asked.
    case feed = 4
    /// An object of a plugin is lost: its number in two halves, its service and type as text.
    case letGo = 5
    /// A line of the page's console.
    case say = 6
    /// The page goes: what it called last is awaited, then its session ends.
    case leave = 8
    /// A call of something that the catalogue does not have.
    case unknown = 7
    /// Whether anybody can see the page: 0 or 1.
    case seen = 10
    /// What came of a question (``PageReplyKind/asked``), whose number is the slot; or where the page is.
    /// Where the program asks nothing, no page of ours says it.
    case told = 9
  }

  /// What stands in the place of a length where the value is a stream or function, or one that hears of
  /// progress.
  static let stream: UInt32 = 0xFFFF_FFFF
  static let progress: UInt32 = 0xFFFF_FFFE
  /// The same where the bytes are not in the message: they came, or go, before it in a file of their own
  /// (``PageLink/takesFiles``).
  static let file: UInt32 = 0xFFFF_FFFD
  static let head = 20
  /// Where a message's frames begin.
  static let start = 8

  let kind: Kind
  let what: UInt8
  let slot: UInt32
  let first: UInt32
  let second: UInt32
  let text: UnsafeBufferPointer<UInt8>
  let parts: [Part]

  enum Part {
    case bytes(UnsafeRawBufferPointer)
    /// Which of the message's files.
    case file(Int)
    case stream
    case progress
  }
}

/// What a page hears.
enum PageReplyKind: UInt8 {
  /// An answer, events, or what a plugin asks: its ``ReplyKind`` and, for a value, its form.
  case reply = 1
  /// A call that was cancelled: its slot is free.
  case over = 2
  /// The process of an isolated plugin has ended: its service as text.
  case ended = 3
  /// Files have changed: 0 for the page, 1 for its styles.
  case changed = 4
  /// The program ends.
  case ending = 5
  /// The person at the program's prompt has entered something, which the page runs: its number is the slot.
  /// Only pages whose script was made for it do.
  case asked = 6
}
