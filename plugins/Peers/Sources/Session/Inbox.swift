// SPDX-License-Identifier: MIT

internal import Synchronization

/// What came and was not taken, in order, for one reader. What waits here counts against its sender's window, so nobody
/// can fill it beyond that.
final class Inbox<Element: Sendable>: Sendable {
  private struct State {
    var waiting: [Element] = []
    var head = 0
    var reader: UnsafeContinuation<Void, Never>?
    var hasReader = false
    var isOver = false
  }

  private let state = Mutex(State())
  /// Told what was taken.
  private let taken: @Sendable ([Element]) -> Void

  /// So many are taken at once.
  private static var batch: Int { 64 }

  init(taken: @escaping @Sendable ([Element]) -> Void) { self.taken = taken }

  func put(_ element: Element) {
    let reader = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      guard !state.isOver else { return nil }
      state.waiting.append(element)
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }

  /// No more comes; what waits can still be taken.
  func finish() {
    let reader = state.withLock { state in
      defer { state.reader = nil }
      state.isOver = true
      return state.reader
    }
    reader?.resume()
  }

  /// Nobody else reads from now on; false when somebody does.
  func claim() -> Bool {
    state.withLock { state in
      defer { state.hasReader = true }
      return !state.hasReader
    }
  }

  func release() {
    let reader = state.withLock { state in
      state.hasReader = false
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }

  /// What waits, or nothing at the end.
  func next(isolation: isolated (any Actor)?) async -> ArraySlice<Element> {
    while true {
      let (elements, isOver) = take()
      if !elements.isEmpty {
        taken(Array(elements))
        return elements
      }
      if isOver || Task.isCancelled { return [] }
      await withTaskCancellationHandler {
        await withUnsafeContinuation(isolation: isolation) { continuation in
          let mustWait = state.withLock { state in
            guard state.head == state.waiting.count, !state.isOver, state.reader == nil, !Task.isCancelled else { return false }
            state.reader = continuation
            return true
          }
          if !mustWait { continuation.resume() }
        }
      } onCancel: {
        wake()
      }
    }
  }

  /// Takes all that waits.
  func takeAll() -> [Element] {
    var all: [Element] = []
    while case let (elements, _) = take(), !elements.isEmpty { all += elements }
    if !all.isEmpty { taken(all) }
    return all
  }

  private func wake() {
    let reader = state.withLock { state in
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }

  private func take() -> (ArraySlice<Element>, Bool) {
    state.withLock { state in
      let end = min(state.waiting.count, state.head + Self.batch)
      let elements = state.waiting[state.head..<end]
      state.head = end
      if state.head == state.waiting.count {
        state.waiting = []
        state.head = 0
      } else if state.head > 4096 {
        state.waiting.removeFirst(state.head)
        state.head = 0
      }
      return (elements, state.isOver)
    }
  }
}

/// An inbox as a sequence, for its only reader.
struct InboxEvents<Element: Sendable, Output: Sendable>: AsyncSequence, Sendable {
  let inbox: Inbox<Element>
  /// Nil for what nobody shall see.
  let map: @Sendable (Element) -> Output?

  /// - Throws: nothing; nil when somebody else reads it.
  init?(_ inbox: Inbox<Element>, _ map: @escaping @Sendable (Element) -> Output?) {
    guard inbox.claim() else { return nil }
    (self.inbox, self.map) = (inbox, map)
  }

  func makeAsyncIterator() -> Iterator { Iterator(inbox: inbox, map: map, claim: Claim(inbox: inbox)) }

  /// Lets the inbox go when its reader ends.
  final class Claim: Sendable {
    let inbox: Inbox<Element>
    init(inbox: Inbox<Element>) { self.inbox = inbox }
    deinit { inbox.release() }
  }

  struct Iterator: AsyncIteratorProtocol {
    let inbox: Inbox<Element>
    /// Nil for what nobody shall see.
  let map: @Sendable (Element) -> Output?
    let claim: Claim
    private var waiting: ArraySlice<Element> = []

    init(inbox: Inbox<Element>, map: @escaping @Sendable (Element) -> Output?, claim: Claim) {
      (self.inbox, self.map, self.claim) = (inbox, map, claim)
    }

    mutating func next() async -> Output? { await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async -> Output? {
      while true {
        if waiting.isEmpty { waiting = await inbox.next(isolation: actor) }
        guard let element = waiting.popFirst() else { return nil }
        if let output = map(element) { return output }
      }
    }
  }
}
