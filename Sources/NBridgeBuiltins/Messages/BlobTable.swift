// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// The `blob:` URLs that the engines of one program have made (File API, 8): each finds those of all, as long
/// as they were not revoked and the engine that made them lives. Any thread.
final class BlobTable: Sendable {
  /// What a URL stands for.
  struct Entry: Sendable {
    let bytes: Bytes
    let type: String
    fileprivate let owner: ObjectIdentifier
  }

  private let entries = Mutex<[String: Entry]>([:])

  func add(_ url: String, _ bytes: Bytes, _ type: String, of owner: AnyObject) {
    entries.withLock { $0[url] = Entry(bytes: bytes, type: type, owner: ObjectIdentifier(owner)) }
  }

  func find(_ url: String) -> Entry? { entries.withLock { $0[url] } }

  func remove(_ url: String) {
    // Outside of the lock: the last of some bytes may have an engine told.
    _ = entries.withLock { $0.removeValue(forKey: url) }
  }

  /// An engine ends.
  func removeAll(of owner: AnyObject) {
    _ = entries.withLock { entries in
      let gone = entries.filter { $0.value.owner == ObjectIdentifier(owner) }
      for url in gone.keys { entries[url] = nil }
      return gone
    }
  }
}
