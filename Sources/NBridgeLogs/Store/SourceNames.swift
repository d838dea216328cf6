// SPDX-License-Identifier: MIT

internal import NBridgeStore
internal import Synchronization

/// The apps of sources by their numbers, looked up when they are asked for first. Any thread.
package final class SourceNames: Sendable {
  private struct State: @unchecked Sendable {
    var names: [Int: LogSource] = [:]
    // Sendable because it is used under the lock only.
    var store: LogStore?
  }
  private let state = Mutex(State())

  /// None is known yet.
  package init() {}

  package func app(_ id: Int) -> String? { source(id)?.app }

  func source(_ id: Int) -> LogSource? {
    state.withLock { state in
      if let known = state.names[id] { return known }
      if state.store == nil { state.store = try? LogStore.ofUser() }
      let found = try? state.store?.sources(where: "id = ?", [.integer(Int64(id))]).first
      state.names[id] = found
      return found
    }
  }
}
