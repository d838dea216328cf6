// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// An open file descriptor, closed with the last reference.
final class OpenFile: Sendable {
  private let file: Descriptor
  var number: Int32 { file.number }
  /// The path by which the script calls the file.
  let path: FilePath
  /// The mount that it lies on, where that is asked for often.
  private let knownMount: UInt64?

  /// The seal on what is below it that scripts don't get; nil for none.
  let seal: (any Seal)?

  init(_ file: Descriptor, _ path: FilePath, isRoot: Bool = false, seal: (any Seal)? = nil) {
    self.seal = seal
    self.file = file
    self.path = path
    knownMount = isRoot ? nb_mount_id(file.number) : nil
  }

  /// Opens the file with `open`; its failure names the path and the action that the script asked for.
  convenience init(
    _ path: FilePath, to verb: String, isRoot: Bool = false, seal: (any Seal)? = nil,
    _ open: () throws(SystemError) -> Descriptor
  ) throws {
    let file: Descriptor
    do { file = try open() } catch { throw FileFailure.from(error.code, verb, path) }
    self.init(file, path, isRoot: isRoot, seal: seal)
  }

  var mount: UInt64 { knownMount ?? nb_mount_id(number) }

  func facts() throws -> stat {
    var status = stat()
    guard fstat(number, &status) == 0 else { throw FileFailure.last("look at", path) }
    return status
  }

  /// Whether no name leads to it any more.
  var isUnlinked: Bool { (try? facts().st_nlink) == 0 }

  /// Takes the lock on it, which goes with this descriptor's end, a kill included. False when another has it.
  func lock() -> Bool { FileLock(file).tryTake() }

  /// Throws when this is no regular file: a pipe would hold its reader up for ever.
  func demandRegular(_ verb: String) throws -> stat {
    let status = try facts()
    if status.st_mode & S_IFMT == S_IFREG { return status }
    if status.st_mode & S_IFMT == S_IFDIR { throw FileFailure.from(EISDIR, verb, path) }
    throw FileFailure.from(ENXIO, verb, path)
  }

  // MARK: - Bytes

  /// Reads up to `room.count` bytes at `offset`; fewer only at the file's end.
  func read(into room: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    var done = 0
    while done < room.count, let base = room.baseAddress {
      let count = pread(number, base + done, room.count - done, off_t(offset + done))
      if count < 0 {
        if errno == EINTR { continue }
        throw FileFailure.last("read", path)
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// So much is copied in a tenth of a millisecond.
  private static let mostAtOnce = 1 << 20

  /// The same bytes when the kernel has them in memory: no disk is waited for. Nil when one would be, or
  /// when there is more to copy than the engine's thread has time for.
  func readAtOnce(_ size: Int, at offset: Int) -> Bytes? {
    guard size <= Self.mostAtOnce else { return nil }
    var isWhole = true
    let bytes = Bytes(capacity: size) { room in
      var done = 0
      while done < room.count, let base = room.baseAddress {
        let count = nb_read_cached(number, base + done, room.count - done, Int64(offset + done))
        if count > 0 { done += count }
        if count == 0 { break }
        // Whoever waits for the disk is told what is wrong with it.
        if count < 0, errno != EINTR {
          isWhole = false
          break
        }
      }
      return done
    }
    return isWhole ? bytes : nil
  }

  /// Writes all of `bytes` at `offset`.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, to verb: String = "write") throws {
    var done = 0
    while done < bytes.count, let base = bytes.baseAddress {
      let count = pwrite(number, base + done, bytes.count - done, off_t(offset + done))
      if count < 0 {
        if errno == EINTR { continue }
        throw FileFailure.last(verb, path)
      }
      done += count
    }
  }

  /// Waits until what was written is on the disk.
  func sync(to verb: String = "write") throws {
    if fsync(number) != 0 { throw FileFailure.last(verb, path) }
  }
}
