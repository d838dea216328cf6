// SPDX-License-Identifier: MIT

/// The way between a page and its session: messages that come whole, and in their order. Confined to the
/// engine's thread.
protocol PageLink: AnyObject {
  var listener: (any PageLinkListener)? { get set }
  func send(_ message: [UInt8])
  func send(_ text: String)
  /// Ends it in order: what was sent goes out first.
  ///
  /// - Parameter code: of RFC 6455, 7.4.1, which other ways than a WebSocket have no use for.
  func close(_ code: UInt16)
}

/// What a link tells of.
protocol PageLinkListener: AnyObject {
  func link(_ link: any PageLink, said text: String)
  /// The bytes are lent for as long as this runs.
  func link(_ link: any PageLink, brought bytes: UnsafeRawBufferPointer)
  func linkEnded(_ link: any PageLink)
}

enum PageLinks {
  /// Messages of a page are as long at the most, in bytes.
  static let longest: UInt64 = 256 << 20
  /// What a page is told when it said what it can't have said, and when the program goes.
  static let violation: UInt16 = 1008
  static let goingAway: UInt16 = 1001
}
