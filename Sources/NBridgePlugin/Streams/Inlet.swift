// SPDX-License-Identifier: MIT

internal import NBridgeSystem
internal import Synchronization

/// What a plugin asks of a stream or function of the script's.
package enum InletRequest: Sendable {
  /// So many values more.
  case more(Int)
  /// No value more: the script's iterator is told that its reader left.
  case leave
  /// The answer of the script's function to a value, under a number that comes back with it.
  case call(UInt64, Value)
}

/// What comes of it from the script.
package enum InletEvent: Sendable {
  case value(Value)
  /// The stream is at its end, or failed.
  case end(BridgeError?)
  case answer(UInt64, Result<Value, BridgeError>)
  /// The call is over, which was given it.
  case over(BridgeError)
}

/// The way from a plugin to the script that gave it a stream or function. Used on any thread.
package protocol InletLink: AnyObject, Sendable {
  /// Whether the caller is on the engine's thread, which must not wait.
  var isOnEngine: Bool { get }
  /// Asks soon; nothing comes of it once the call is over.
  func ask(_ inlet: UInt32, _ request: InletRequest)
  /// What comes goes to `take`, on the engine's thread, and not to the inlets of this side.
  func divert(_ take: @escaping @Sendable (UInt32, InletEvent) -> Void)
}

extension InletLink {
  package func divert(_ take: @escaping @Sendable (UInt32, InletEvent) -> Void) {}
}

extension Bytes {
  /// The stream or function that stands in the place of bytes.
  package var inlet: Inlet? { storage.companion as? Inlet }
}

extension [Bytes] {
  /// Who hears of the call's progress; nil when nobody does.
  package var progress: (any ProgressListener)? {
    for bytes in self.reversed() { if let inlet = bytes.inlet, inlet.isProgress { return inlet } }
    return nil
  }

  /// The way to the script of the streams and functions among an option's bytes; nil without any.
  package var inletLink: (any InletLink)? {
    for bytes in self { if let inlet = bytes.inlet { return inlet.link } }
    return nil
  }
}

/// A stream or function of the script's in the option of one call, on the plugin's side. Used on any thread.
///
/// Nothing comes that was not asked for. A reader asks for one value, then for twice as many each time, up to
/// ``window``: one that stops after the first has taken no more, and one that goes on crosses seldom.
package final class Inlet: Sendable {
  package typealias Waiting = @Sendable (Result<Value?, any Error>) -> Void

  private struct State {
    /// What has come, and nobody has read.
    var values = FIFO<Value>()
    /// How many values have been asked for and have not come.
    var asked = 0
    /// How many are asked for the next time.
    var step = 1
    /// How it ended; the failure is told once.
    var end: Result<Void, BridgeError>?
    /// The call is over: nothing may be read any more.
    var over: BridgeError?
    /// Those that wait: for a value in their order, for an answer by its number.
    var readers: [(number: UInt64, done: Waiting)] = []
    var callers: [UInt64: Waiting] = [:]
    var last: UInt64 = 0
    /// Whether the script is busy with a value that it was told, and the newest one since.
    var isTelling = false
    var news: Value?

    var waiting: Int { values.count }
  }

  /// How many values are under way at most.
  package static let window = 16

  package let number: UInt32
  package let link: any InletLink
  /// Whether it is what the script hears of the call's progress by, and no option.
  package let isProgress: Bool
  private let state = Mutex<State>(State())

  package init(_ number: UInt32, _ link: any InletLink, isProgress: Bool = false) {
    (self.number, self.link, self.isProgress) = (number, link, isProgress)
  }

  // MARK: - The plugin's side

  /// A number for one that is going to wait.
  func reserve() -> UInt64 {
    state.withLock { state in
      state.last += 1
      return state.last
    }
  }

  /// Calls `done` with the next value; nil at the end.
  func read(_ number: UInt64, _ done: @escaping Waiting) {
    let (now, more) = state.withLock { state -> (Result<Value?, any Error>?, Int) in
      if let now = Self.next(&state) { return (now, Self.wanted(&state)) }
      state.readers.append((number, done))
      return (nil, Self.wanted(&state))
    }
    if more > 0 { link.ask(self.number, .more(more)) }
    if let now { done(now) }
  }

  /// What a reader gets at once; nil when it has to wait.
  private static func next(_ state: inout State) -> Result<Value?, any Error>? {
    if let over = state.over { return .failure(over) }
    if let value = state.values.popFirst() { return .success(value) }
    guard let end = state.end else { return nil }
    state.end = .success(())
    return end.map { nil }.mapError { $0 }
  }

  /// How many more to ask for now: what readers wait for, and what they are likely to want next.
  private static func wanted(_ state: inout State) -> Int {
    guard state.end == nil, state.over == nil else { return 0 }
    let left = state.asked + state.waiting - state.readers.count
    guard left < state.step / 2 else { return 0 }
    let more = state.step - 1 - left
    guard more > 0 else { return 0 }
    state.asked += more
    state.step = min(window, state.step * 2)
    return more
  }

  /// Calls the script's function; `done` gets its answer.
  func call(_ number: UInt64, _ value: Value, _ done: @escaping Waiting) {
    let over = state.withLock { state in
      if state.over == nil { state.callers[number] = done }
      return state.over
    }
    if let over { return done(.failure(over)) }
    link.ask(self.number, .call(number, value))
  }

  /// One that waits does not any more.
  func forget(_ number: UInt64) {
    let found = state.withLock { state -> Waiting? in
      if let caller = state.callers.removeValue(forKey: number) { return caller }
      guard let index = state.readers.firstIndex(where: { $0.number == number }) else { return nil }
      return state.readers.remove(at: index).done
    }
    found?(.failure(BridgeError(.cancelled, "the call was cancelled")))
  }

  /// Reads no more: the script's iterator is told, and readers are at the end.
  func leave() {
    let readers = state.withLock { state -> [Waiting]? in
      guard state.end == nil, state.over == nil else { return nil }
      state.end = .success(())
      state.values = FIFO()
      defer { state.readers = [] }
      return state.readers.map(\.done)
    }
    guard let readers else { return }
    link.ask(number, .leave)
    for done in readers { done(.success(nil)) }
  }

  // MARK: - The script's side

  /// Takes what comes from the script.
  package func take(_ event: InletEvent) {
    switch event {
    case .value(let value): take(value)
    case .end(let failure):
      let readers = state.withLock { state -> [Waiting] in
        guard state.end == nil else { return [] }
        state.end = failure.map { .failure($0) } ?? .success(())
        defer { state.readers = [] }
        // One of those that wait is told of a failure.
        if failure != nil, !state.readers.isEmpty { state.end = .success(()) }
        return state.readers.map(\.done)
      }
      for (index, done) in readers.enumerated() {
        if index == 0, let failure { done(.failure(failure)) } else { done(.success(nil)) }
      }
    case .answer(let number, let result):
      state.withLock { $0.callers.removeValue(forKey: number) }?(result.map { $0 }.mapError { $0 })
    case .over(let error): close(error)
    }
  }

  private func take(_ value: Value) {
    let reader = state.withLock { state -> Waiting? in
      state.asked = max(0, state.asked - 1)
      guard state.end == nil, state.over == nil else { return nil }
      if !state.readers.isEmpty { return state.readers.removeFirst().done }
      state.values.append(value)
      return nil
    }
    reader?(.success(value))
  }

  private func close(_ error: BridgeError) {
    let waiting = state.withLock { state -> [Waiting] in
      guard state.over == nil else { return [] }
      let waiting = state.readers.map(\.done) + state.callers.values
      state.over = error
      (state.values, state.readers, state.callers) = (FIFO(), [], [:])
      return waiting
    }
    for done in waiting { done(.failure(error)) }
  }
}

extension Inlet: ProgressListener {
  /// Tells a value without waiting; one that comes while the script is busy waits, and gives way to newer
  /// ones.
  package func tell(_ value: Value) {
    let isFree = state.withLock { state in
      defer { state.isTelling = true }
      if state.isTelling { state.news = value }
      return !state.isTelling
    }
    if isFree { give(value) }
  }

  private func give(_ value: Value) {
    call(reserve(), value) { [self] result in
      let next = state.withLock { state in
        defer { state.news = nil }
        state.isTelling = state.news != nil && state.over == nil
        return state.isTelling ? state.news : nil
      }
      if let next { give(next) }
    }
  }
}

extension BridgeError {
  /// What is used after its call has been answered.
  package static var callIsOver: BridgeError {
    BridgeError(.closed, "the call is over: what the script gave it can't be used any more")
  }
}
