// SPDX-License-Identifier: MIT

/// A stream of events: an async iterable in JavaScript, any `AsyncSequence` here.
///
/// The sequence is read on the engine's thread and only as fast as the script takes events, unless
/// ``Buffering`` says otherwise. When the script stops, the task that reads it is cancelled.
public struct Watch: PluginMember {
  /// The declaration as data.
  public var declaration: Declaration

  /// Declares a watch with options.
  public init<O: Codable & Sendable, Events: AsyncSequence & Sendable>(
    _ name: String, _ help: String, _ start: @escaping @Sendable (O, Call) throws -> Events
  ) where Events.Element: Codable & Sendable {
    let names = OptionNames(O.self)
    declaration = Declaration(
      name: name, help: help, options: TypeReference(O.self), result: TypeReference(Events.Element.self),
      runner: .watch { input, call in SequenceSource(try start(input.decode(O.self, names), call)) })
  }

  /// Declares a watch without options.
  public init<Events: AsyncSequence & Sendable>(
    _ name: String, _ help: String, _ start: @escaping @Sendable (Call) throws -> Events
  ) where Events.Element: Codable & Sendable {
    declaration = Declaration(
      name: name, help: help, options: .none, result: TypeReference(Events.Element.self),
      runner: .watch { _, call in SequenceSource(try start(call)) })
  }
}

/// What happens to events that the script has not taken yet.
public enum Buffering: Sendable, Equatable {
  /// Up to so many wait; then the sequence is not asked for more until the script catches up. The default,
  /// 128.
  case wait(Int)
  /// Up to so many wait; then the oldest go, and the next event that arrives is preceded by nothing.
  case dropOldest(Int)
  /// Up to so many wait; then new ones are dropped.
  case dropNewest(Int)

  package var limit: Int {
    switch self {
    case .wait(let limit), .dropOldest(let limit), .dropNewest(let limit): max(1, limit)
    }
  }

  package var policy: String {
    switch self {
    case .wait: "wait"
    case .dropOldest: "dropOldest"
    case .dropNewest: "dropNewest"
    }
  }
}

/// A sequence of events with its type erased.
package protocol EventSource: AnyObject {
  /// Writes up to `room` events to the sink, a comma behind each, and goes on while `took` leaves it room:
  /// that is called with the number of events just written and answers the new room. Answers whether there
  /// may be more; false at the end of the sequence.
  ///
  /// The loop stands here and not with the caller: each call through the erased type would cost two checks of
  /// the executor, as much as the event itself.
  func read(into sink: WireSink, room: Int, on actor: isolated any Actor, took: (Int) -> Int) async throws
    -> Bool

  /// The script took so many events. A watch that reads ahead reads on.
  func taken(_ events: Int)
}

extension EventSource {
  package func taken(_ events: Int) {}
}

final class SequenceSource<Events: AsyncSequence>: EventSource where Events.Element: Encodable {
  // Read by one task, one event after the other.
  @exclusivity(unchecked) private var iterator: Events.AsyncIterator

  private let kept: AnyObject?

  /// - Parameter kept: what is kept as long as the sequence is read.
  init(_ events: Events, keeping kept: AnyObject? = nil) {
    iterator = events.makeAsyncIterator()
    self.kept = kept
  }

  func read(into sink: WireSink, room: Int, on actor: isolated any Actor, took: (Int) -> Int) async throws
    -> Bool
  {
    while let event = try await iterator.next(isolation: actor) {
      try WireEncoder.encode(event, into: sink)
      sink.put(",")
      if took(1) <= 0 { return true }
    }
    return false
  }
}
