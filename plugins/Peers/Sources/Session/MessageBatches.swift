// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// A session's messages for its reader. Short messages of one sender that wait together make one event:
/// bringing an event to a script costs more than a short message. One loop reads at a time; a later one takes
/// over where the script stopped.
struct MessageBatches: AsyncSequence, Sendable {
  let session: PeerSession
  let turn: Int

  /// So many bytes make an event at the most, unless one message has more.
  fileprivate static let maximum = 64 << 10

  /// - Parameter after: the number of the last event that the script got.
  init(_ session: PeerSession, after: Int) {
    self.session = session
    turn = session.reading.begin(after: after)
    session.messages.wake()
  }

  func makeAsyncIterator() -> Iterator { Iterator(session: session, turn: turn) }

  struct Iterator: AsyncIteratorProtocol {
    let session: PeerSession
    let turn: Int

    mutating func next() async -> MessageEvent? { await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async -> MessageEvent? {
      let (reading, turn) = (session.reading, turn)
      while true {
        switch reading.next(turn, session) {
        case .event(let event): return event
        case .over: return nil
        case .needsMore: break
        }
        let more = await session.messages.next(isolation: actor) { reading.isTurn(turn) }
        guard !more.isEmpty else { return nil }
        reading.add(more)
      }
    }
  }
}

/// The messages that were taken from the inbox and may not have reached the script: it outlives the loop that
/// took them.
final class MessageReading: Sendable {
  fileprivate struct State {
    var waiting: ArraySlice<PeerSession.InboxMessage> = []
    /// The last events that were made, and which of them have to be told again.
    var recent: [MessageEvent] = []
    var again: ArraySlice<MessageEvent> = []
    var number = 0
    var turn = 0
  }

  private let state = Mutex(State())

  /// More events than can be on their way to the script.
  private static let maxRecent = 6

  func begin(after: Int) -> Int {
    state.withLock { state in
      state.turn += 1
      state.again = state.recent.filter { $0.number > after }[...]
      return state.turn
    }
  }

  func isTurn(_ turn: Int) -> Bool { state.withLock { $0.turn == turn } }

  func add(_ messages: ArraySlice<PeerSession.InboxMessage>) { state.withLock { $0.waiting += messages } }

  /// What a reader does next.
  enum Step {
    case event(MessageEvent)
    case needsMore
    /// Another loop has taken over.
    case over
  }

  func next(_ turn: Int, _ session: PeerSession) -> Step {
    state.withLock { state in
      guard state.turn == turn else { return .over }
      if let event = state.again.popFirst() { return .event(event) }
      while let first = state.waiting.first {
        guard var event = state.event(first, session) else { continue }
        state.number += 1
        event.number = state.number
        state.recent = state.recent.suffix(Self.maxRecent - 1) + [event]
        return .event(event)
      }
      return .needsMore
    }
  }
}

extension MessageReading.State {
  /// Takes the first message, and the ones behind it that go with it.
  fileprivate mutating func event(_ first: PeerSession.InboxMessage, _ session: PeerSession) -> MessageEvent?
  {
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

  /// The messages at the beginning that are of the same sender and kind, as many as make an event.
  private mutating func takeAlike(_ first: PeerSession.InboxMessage) -> ArraySlice<PeerSession.InboxMessage> {
    var size = 0
    let alike = waiting.prefix { message in
      size += message.body.count
      return message.from == first.from && message.isReliable == first.isReliable
        && message.body.first == first.body.first
        && (size <= MessageBatches.maximum || size == message.body.count)
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
