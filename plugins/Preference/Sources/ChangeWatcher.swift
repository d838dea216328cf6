// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeStore
internal import NBridgeSystem
internal import Synchronization

/// Tells watchers of every change of the database, made by this process or another.
final class ChangeWatcher: Sendable {
  private typealias Reader = (key: String?, continuation: AsyncStream<PreferenceChange>.Continuation)

  private let readers = Mutex<[Int: Reader]>([:])
  private let nextID = Atomic<Int>(0)
  private let watcher: FolderWatcher

  /// - Parameters:
  ///   - folder: a change of the database writes to a file in it.
  ///   - known: the last change that has been seen.
  ///   - fetch: the changes since what is known, which it brings up to date; nil when they can't be read now.
  ///   - remake: makes the folder when another program took it away.
  init(
    folder: String, known: PreferenceKnowledge,
    fetch: @escaping @Sendable (inout PreferenceKnowledge) -> [PreferenceChange]?,
    remake: @escaping @Sendable () -> Void
  ) throws {
    watcher = try FolderWatcher([(folder, IN_MODIFY | IN_CREATE | IN_MOVED_TO)], remake: remake)
    let known = Mutex(known)
    watcher.start("nb-preference") { [weak self] _ in
      let changes = known.withLock { fetch(&$0) }
      if let changes, !changes.isEmpty { self?.tell(changes) }
      return nil
    }
  }

  func add(key: String?, _ continuation: AsyncStream<PreferenceChange>.Continuation) {
    let id = nextID.add(1, ordering: .relaxed).newValue
    readers.withLock { $0[id] = (key, continuation) }
    continuation.onTermination = { [weak self] _ in _ = self?.readers.withLock { $0.removeValue(forKey: id) }
    }
  }

  /// Ends the thread and every reader's stream.
  func stop() {
    watcher.stop()
    let all = readers.withLock { readers in
      defer { readers = [:] }
      return Array(readers.values)
    }
    for reader in all { reader.continuation.finish() }
  }

  private func tell(_ changes: [PreferenceChange]) {
    let all = readers.withLock { Array($0.values) }
    for reader in all {
      for change in changes where reader.key.map({ ExactKey($0) == ExactKey(change.key) }) ?? true {
        reader.continuation.yield(change)
      }
    }
  }
}
