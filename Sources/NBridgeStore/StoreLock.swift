// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// Only one writes to a store or mends it: a row that is written while the store is copied would be lost, and
/// a change has two ends. flock(2) on a file beside the database, which a kill lets go.
package struct StoreLock: ~Copyable {
  private let file: Int32

  /// How long one waits for another process, in microseconds.
  private static let limit: UInt32 = 5_000_000
  private static let longestPause: UInt32 = 2000

  /// Opens the file `lock` in a store's folder. Throws `io_error`.
  package init(_ folder: String) throws {
    file = open(folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else {
      throw BridgeError(.ioError, "can't open '\(folder)/lock': \(String(cString: strerror(errno)))")
    }
  }

  /// Whether somebody has taken the file away.
  var isUnlinked: Bool { FileIdentity(descriptor: file).isUnlinked }

  /// Takes it; answers whether it has. One that waits does so for 5 s at the most: whoever has it may be
  /// stopped.
  ///
  /// - Parameter isShared: whether others who share it may have it, too.
  package func take(waits: Bool, isShared: Bool = false) -> Bool {
    var waited: UInt32 = 0
    var pause: UInt32 = 50
    while flock(file, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
      guard errno == EINTR || (errno == EWOULDBLOCK && waits && waited < Self.limit) else { return false }
      usleep(pause)
      waited += pause
      pause = min(2 * pause, Self.longestPause)
    }
    return true
  }

  package func letGo() { flock(file, LOCK_UN) }

  deinit { close(file) }
}
