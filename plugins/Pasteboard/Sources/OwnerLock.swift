// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Tells other processes that the owner of a pasteboard still runs: a file that the owner keeps locked. The
/// kernel lets go of the lock however the process ends, and tells the watchers of the folder that the file
/// was closed.
final class OwnerLock: Sendable {
  private let held = Mutex<(id: String, file: Descriptor)?>(nil)

  /// This process's name in the folder, from now on locked.
  func hold(in folder: String) throws -> String {
    try held.withLock { held in
      if let held { return held.id }
      let id = RandomName.make()
      let path = folder + "/" + id
      do throws(SystemError) {
        let file = try Descriptor.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
        guard try FileLock(file).attempt() else { throw SystemError("write", path, code: EWOULDBLOCK) }
        held = (id, file)
      } catch {
        throw BridgeError(SystemError("write", path, code: error.code))
      }
      return id
    }
  }

  /// The name, when it was needed.
  var id: String? { held.withLock { $0?.id } }

  /// Lets go; what it owned is for others to take away.
  func release(in folder: String) {
    held.withLock { state in
      guard let current = state else { return }
      unlink(folder + "/" + current.id)
      state = nil
    }
  }

  /// Whether the process that made `id` still runs.
  ///
  /// Read-only, so that looking is no closing of a writer, which is what watchers are told of. An owner that
  /// can't be looked for is taken to run: only the owner's end may take something away.
  static func isAlive(_ id: String, in folder: String) -> Bool {
    do {
      return !FileLock(try Descriptor.open(folder + "/" + id, O_RDONLY | O_NOFOLLOW)).tryTake(.shared)
    } catch {
      return error.code != ENOENT
    }
  }

  /// Waits for the end of an owner whose file was just closed: its lock goes a moment later.
  static func waitForEnd(_ id: String, in folder: String) {
    for _ in 0..<looks where isAlive(id, in: folder) { usleep(lookMicroseconds) }
  }

  private static let looks = 50
  private static let lookMicroseconds: UInt32 = 500
}
