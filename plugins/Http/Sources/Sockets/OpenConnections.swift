// SPDX-License-Identifier: MIT

internal import Synchronization

/// What holds a connection, and lets go of it at once when its program ends.
protocol Abandonable: AnyObject, Sendable {
  /// On the engine's thread, whose loop does not turn again.
  func abandon()
}

/// The servers and sockets of a program that are open. A worker that is terminated leaves no loop behind on
/// which they could end, and a port that nobody serves. Any thread may use it.
final class OpenConnections: Sendable {
  private struct Entry {
    weak var connection: (any Abandonable)?
  }
  private struct State {
    var entries: [Entry] = []
    /// At so many it is looked which of them are there still.
    var limit = 64
  }
  private let state = Mutex(State())

  func add(_ connection: some Abandonable) {
    state.withLock { state in
      state.entries.append(Entry(connection: connection))
      guard state.entries.count > state.limit else { return }
      state.entries.removeAll { $0.connection == nil }
      state.limit = max(64, state.entries.count * 2)
    }
  }

  /// Ends all.
  func end() {
    let entries = state.withLock { state in
      defer { state.entries = [] }
      return state.entries
    }
    for entry in entries { entry.connection?.abandon() }
  }
}
