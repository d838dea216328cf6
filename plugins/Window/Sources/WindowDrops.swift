// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// Files that a person drags over a window, or drops on it.
struct WindowDrop: Codable, Sendable, Equatable {
  enum Kind: String, Codable, Sendable, CaseIterable {
    /// They are over the window, at another place than before.
    case over
    /// They are no more.
    case leave
    /// They were dropped, and `paths` says which.
    case drop
  }

  let type: Kind
  /// Where, in the page's own pixels.
  let x: Int
  let y: Int
  /// In the order of the other program; none before they are dropped.
  let paths: [String]

  /// Nil for what is none.
  init?(_ message: [String: String]) {
    guard let kind = message["drag"].flatMap(Kind.init(rawValue:)) else { return nil }
    type = kind
    (x, y) = (message["x"].flatMap { Int($0) } ?? 0, message["y"].flatMap { Int($0) } ?? 0)
    paths = WindowPlugin.paths(message)
  }
}

/// Who waits for files that are dropped on windows. Usable from any thread.
final class DropReaders: Sendable {
  private struct Reader {
    let window: Int
    let events: AsyncStream<WindowDrop>.Continuation
    let choose: @Sendable (String) -> Void
  }

  private struct State {
    var last = 0
    var readers: [Int: Reader] = [:]
  }

  private let state = Mutex(State())
  /// So many events wait for a reader; then the oldest are dropped.
  private static let unreadLimit = 256

  /// Another one.
  ///
  /// - Parameters:
  ///   - choose: called for each path that was dropped, before anybody hears of it.
  ///   - isGone: called once, on any thread, when nobody reads any more.
  func add(
    window: Int, choose: @escaping @Sendable (String) -> Void, isGone: @escaping @Sendable () -> Void
  ) -> AsyncStream<WindowDrop> {
    let (stream, events) = AsyncStream.makeStream(
      of: WindowDrop.self, bufferingPolicy: .bufferingNewest(Self.unreadLimit))
    let number = state.withLock { state in
      state.last += 1
      state.readers[state.last] = Reader(window: window, events: events, choose: choose)
      return state.last
    }
    events.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
      isGone()
    }
    return stream
  }

  /// Takes what a window says. What is said when nobody waits any more gives nobody a file.
  func take(_ message: [String: String], of window: Int) {
    // Its page's process has ended, which its session knows later.
    if message["drag"] == "end" { return end(window) }
    guard let drop = WindowDrop(message) else { return }
    let readers = state.withLock { state in state.readers.values.filter { $0.window == window } }
    for reader in readers {
      // At once, before anything else can stand at that path.
      for path in drop.paths { reader.choose(path) }
      reader.events.yield(drop)
    }
  }

  /// A window has gone, or the page in it.
  func end(_ window: Int) {
    let readers = state.withLock { state in state.readers.values.filter { $0.window == window } }
    for reader in readers { reader.events.finish() }
  }
}

extension WindowSeat {
  /// Files that are dragged over a window, and dropped on it, from now on. While nobody asks, the window
  /// takes none.
  ///
  /// - Parameter choose: called for each path that was dropped, before anybody hears of it.
  /// - Throws: `unavailable` where there is no window, `closed` when it has gone.
  func drops(
    of window: Int, choose: @escaping @Sendable (String) -> Void
  ) throws -> AsyncStream<WindowDrop> {
    let stream = dropReaders.add(window: window, choose: choose) { [weak self] in
      self?.wait(in: window, by: -1)
    }
    wait(in: window, by: 1)
    do { try check(window) } catch {
      // It may have gone meanwhile, and has told its readers by then.
      dropReaders.end(window)
      throw error
    }
    return stream
  }

  /// How many readers come or go, and not whether there are any: the window counts, so that it does not
  /// matter which of two threads is first.
  private func wait(in window: Int, by count: Int) {
    say(["do": "drops", "window": "\(window)", "more": "\(count)"])
  }
}
