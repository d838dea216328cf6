// SPDX-License-Identifier: MIT

internal import Synchronization

/// A dictionary that several threads use.
final class LockedMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let map = Mutex<[Key: Value]>([:])

  subscript(key: Key) -> Value? {
    get { map.withLock { $0[key] } }
    set { map.withLock { $0[key] = newValue } }
  }
}
