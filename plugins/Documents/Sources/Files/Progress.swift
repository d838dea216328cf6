// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// The progress of a long operation, in bytes.
struct ProgressEvent: Codable, Sendable {
  var done: Double
  var total: Double
}

/// Counts what an operation has done, and tells it now and then: never for less than a mebibyte in all, and
/// the whole at the end. Usable from any thread.
final class Progress: Sendable {
  private struct State {
    var done = 0
    var total = 0
    var told = ContinuousClock.now
  }
  private let state = Mutex<State>(State())
  private let events: AsyncStream<ProgressEvent>.Continuation

  private static let least = 1 << 20
  private static let interval = Duration.milliseconds(50)

  init(_ events: AsyncStream<ProgressEvent>.Continuation) { self.events = events }

  /// As much as this is done between two looks.
  static let step = 4 << 20

  func expect(_ bytes: Int) { state.withLock { $0.total += bytes } }

  func add(_ bytes: Int) {
    let event = state.withLock { state -> ProgressEvent? in
      state.done += bytes
      let isOver = state.done >= state.total
      guard state.total > Self.least, isOver || ContinuousClock.now - state.told >= Self.interval else {
        return nil
      }
      state.told = .now
      return ProgressEvent(done: Double(state.done), total: Double(max(state.total, state.done)))
    }
    if let event { events.yield(event) }
  }

  func end() { events.finish() }
}

/// The operations that a script watches, by the number that it gave them.
final class ProgressTable: Sendable {
  /// A type of its own: a lock on a dictionary looks for the key's conformances at every start.
  private struct Watched {
    var byNumber: [Int: Progress] = [:]
  }
  private let watched = Mutex(Watched())

  func watch(_ number: Int) -> AsyncStream<ProgressEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ProgressEvent.self, bufferingPolicy: .bufferingNewest(16))
    watched.withLock { $0.byNumber[number] = Progress(continuation) }
    continuation.onTermination = { [weak self] _ in self?.forget(number) }
    return stream
  }

  /// The script does not listen any more: its operation never began.
  private func forget(_ number: Int) { watched.withLock { _ = $0.byNumber.removeValue(forKey: number) } }

  /// Runs an operation that tells its progress, if the script wants to know.
  func run<R>(_ number: Int?, _ body: (Progress?) throws -> R) rethrows -> R {
    let progress = number.flatMap { number in watched.withLock { $0.byNumber.removeValue(forKey: number) } }
    defer { progress?.end() }
    return try body(progress)
  }

  func clear() {
    for progress in watched.withLock({ Array($0.byNumber.values) }) { progress.end() }
    watched.withLock { $0.byNumber = [:] }
  }
}
