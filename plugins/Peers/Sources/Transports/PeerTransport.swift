// SPDX-License-Identifier: MIT

/// What a peer tells of itself to the peers that look for it.
struct Advertisement: Codable, Equatable, Sendable {
  var id: String
  var name: String
  var info: [String: String]
  /// The address of its transport; only that transport understands it.
  var address: String
  /// The key that its id is made from, and its signature of all this, in hexadecimal. Any process may have
  /// written an announcement: one that is not signed is not told.
  var key: String
  var signature: String
}

/// How peers find and reach each other: finds the peers that are announced, and makes links that carry
/// frames. What frames mean, which peers are members and what has to be sent again is none of its business.
///
/// The protocol above bears links that lose frames, change their order, deliver late and end without a word,
/// so a transport need not hide what its network is like: it says whether a link is reliable. Which peer is
/// at the other end the protocol finds out itself. To see to it that no third party changes, adds or reads
/// frames on the way is the transport's part: it gives each link what ties it to its ends (`LinkBinding`), or
/// none. A broker's topic belongs into an address. All functions return at once and may be called on any
/// thread; the delegate is told what happens, never from within a call and with no lock held.
protocol PeerTransport: AnyObject, Sendable {
  /// A clock that no user or program sets.
  var now: Microseconds { get }
  /// The address of a peer of this transport, by its id.
  func address(of id: PeerID) -> String
  /// Begins to take links.
  func start(_ id: PeerID, _ delegate: any TransportDelegate) throws
  /// Announces the peer; nil ends that.
  func advertise(_ advertisement: Advertisement?) throws
  /// Begins to look for others, if it does not already.
  func browse() throws
  /// Makes a link; `linkUp` or `connectFailed` tells what became of it.
  func connect(attempt: Int, to address: String)
  /// Puts a frame behind the frames that wait for the link.
  func send(_ frame: OutFrame, over link: LinkID)
  /// All has been put that belongs together.
  func flush()
  func close(_ link: LinkID)
  /// Has `tick` called at a time, or earlier.
  func wake(at time: Microseconds?)
  /// Ends everything, after what waits was written or a short time.
  func stop()
}

/// The session, as its transport sees it.
protocol TransportDelegate: AnyObject, Sendable {
  func linkUp(_ link: LinkID, attempt: Int?, isReliable: Bool, binding: LinkBinding)
  func linkDown(_ link: LinkID)
  /// - Parameter isGone: whether it is certain that no peer will be there again.
  func connectFailed(attempt: Int, isGone: Bool)
  /// Frames that came, as parts of one memory.
  func received(_ memory: UnsafeRawBufferPointer, frames: [Range<Int>], over link: LinkID)
  /// The other side does not keep to the protocol, so that there are no frames to hand over.
  func broken(_ link: LinkID, _ problem: String)
  func tick()
  func found(_ advertisement: Advertisement)
  func lost(_ id: PeerID)
}
