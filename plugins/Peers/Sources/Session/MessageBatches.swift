// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// A session's messages for its only reader. Short ones of one sender that wait together make one event: to bring an event
/// to a script costs more than a short message.
struct MessageBatches: AsyncSequence, Sendable {
  let session: PeerSession

  /// So many bytes make an event at the most, unless one message has more.
  private static let most = 64 << 10

  func makeAsyncIterator() -> Iterator { Iterator(Claim(session: session)) }

  /// Lets the messages go when their reader ends.
  final class Claim: Sendable {
    let session: PeerSession
    init(session: PeerSession) { self.session = session }
    deinit { session.messages.release() }
  }

  struct Iterator: AsyncIteratorProtocol {
    private let claim: Claim
    private var waiting: ArraySlice<PeerSession.InboxMessage> = []

    init(_ claim: Claim) { self.claim = claim }

    mutating func next() async -> MessageEvent? { await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async -> MessageEvent? {
      while true {
        if waiting.isEmpty { waiting = await claim.session.messages.next(isolation: actor) }
        guard let first = waiting.first else { return nil }
        if let event = event(first) { return event }
      }
    }

    /// Takes the first message, and those behind it that go with it.
    private mutating func event(_ first: PeerSession.InboxMessage) -> MessageEvent? {
      let session = claim.session
      let (text, name) = session.names(first.from)
      var event = MessageEvent(from: text, name: name)
      if !first.isReliable { event.unreliable = true }
      switch Payload.decode(first.body) {
      case .value(let value):
        waiting.removeFirst()
        event.value = value
      case .bytes: addBytes(like: first, to: &event)
      case .string: addTexts(like: first, to: &event)
      case nil:
        waiting.removeFirst()
        session.problems.send(
          .init(kind: .protocolViolation, message: "'\(name)' sent a message that is no value"))
        return nil
      }
      return event
    }

    /// Those at the beginning that are of the same sender and kind, as many as make an event.
    private mutating func takeAlike(_ first: PeerSession.InboxMessage) -> ArraySlice<PeerSession.InboxMessage>
    {
      var size = 0
      let alike = waiting.prefix { message in
        size += message.body.count
        return message.from == first.from && message.isReliable == first.isReliable
          && message.body.first == first.body.first
          && (size <= MessageBatches.most || size == message.body.count)
      }
      waiting = waiting.dropFirst(alike.count)
      return alike
    }

    private mutating func addBytes(like first: PeerSession.InboxMessage, to event: inout MessageEvent) {
      let alike = takeAlike(first)
      event.lengths = alike.map { $0.body.count - 1 }
      event.bytes = Bytes(capacity: alike.reduce(0) { $0 + $1.body.count - 1 }) { room in
        var at = 0
        for message in alike {
          let part = UnsafeMutableRawBufferPointer(rebasing: room[at...])
          message.body.withUnsafeBytes { part.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[1...])) }
          at += message.body.count - 1
        }
        return at
      }
    }

    private mutating func addTexts(like first: PeerSession.InboxMessage, to event: inout MessageEvent) {
      event.texts = takeAlike(first).map { String(decoding: $0.body.dropFirst(), as: UTF8.self) }
    }
  }
}
