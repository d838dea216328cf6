// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// Only one writes to a store or mends it: a row that is written while the store is copied would be lost,
/// and a change has two ends. A lock on a file beside the database, which a kill lets go.
package struct StoreLock: ~Copyable {
  private let lock: FileLock

  /// Opens the file `lock` in a store's folder. Throws `io_error`.
  package init(_ folder: String) throws {
    do { lock = try FileLock(at: folder + "/lock") } catch { throw BridgeError(error) }
  }

  /// Whether a process has taken the file away.
  var isUnlinked: Bool { FileIdentity(descriptor: lock.file.number).isUnlinked }

  /// Takes it; answers whether it has. One that waits does so for 5 s at the most: the holder may be stopped.
  ///
  /// - Parameter isShared: whether other holders that share it may have it, too.
  package func take(waits: Bool, isShared: Bool = false) -> Bool {
    lock.take(isShared ? .shared : .exclusive, within: waits ? FileLock.patience : 0)
  }

  package func letGo() { lock.release() }
}
