// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// The way between a page and its session: messages that come whole, and in their order. Confined to the
/// engine's thread.
protocol PageLink: AnyObject {
  var listener: (any PageLinkListener)? { get set }
  /// Whether bytes may go in files of their own, before the message that names them.
  var takesFiles: Bool { get }
  /// - Parameter message: without files where the link takes none.
  func send(_ message: PageParcel)
  func send(_ text: String)
  /// Ends it in order: what was sent goes out first.
  ///
  /// - Parameter code: of RFC 6455, 7.4.1, which other ways than a WebSocket have no use for.
  func close(_ code: UInt16)
}

/// What a link tells of.
protocol PageLinkListener: AnyObject {
  func link(_ link: any PageLink, said text: String)
  func link(_ link: any PageLink, brought message: ComingMessage)
  func linkEnded(_ link: any PageLink)
}

/// A message that has come.
struct ComingMessage {
  /// Lent for as long as its listener runs.
  let bytes: UnsafeRawBufferPointer
  /// What keeps them longer; nil where nothing does.
  var owner: Bytes.Storage?
  /// What came before it in files of its own.
  var files: [Bytes] = []

  /// A byte value that lies in it: without a copy where that is worth keeping all of it.
  func part(_ part: UnsafeRawBufferPointer) -> Bytes {
    guard let owner, part.count > PageWriter.longPart, part.count > bytes.count / 2 else {
      return Bytes(capacity: part.count) { room in
        room.copyMemory(from: part)
        return part.count
      }
    }
    return Bytes(storage: Bytes.Storage(part, isLent: true) { withExtendedLifetime(owner) {} })
  }
}

enum PageLinks {
  /// Messages of a page are as long at the most, in bytes.
  static let longest: UInt64 = 256 << 20
  /// What a page is told when it said what it can't have said, and when the program goes.
  static let violation: UInt16 = 1008
  static let goingAway: UInt16 = 1001
}
