// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridgePlugin

/// Representations that are too large for the database: a file each, written once and never changed.
struct BlobFolder: Sendable {
  let path: String
  /// Up to so many bytes stand in the database.
  static let inlineLimit = 64 << 10
  /// Files younger than this, in seconds, may be of a change that is not committed yet.
  private static let grace = 60

  /// Writes bytes to a new file and answers its name.
  func write(_ bytes: Bytes) throws -> String {
    let name = RandomName.make()
    let file = open(path + "/" + name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure("write") }
    defer { close(file) }
    do {
      try bytes.withUnsafeBytes { memory in
        var done = 0
        while done < memory.count {
          let count = Glibc.write(file, memory.baseAddress.map { $0 + done }, memory.count - done)
          if count < 0, errno == EINTR { continue }
          guard count > 0 else { throw failure("write") }
          done += count
        }
      }
    } catch {
      unlink(path + "/" + name)
      throw error
    }
    return name
  }

  /// The file's bytes; nil when it is not there, or not as long as it was made.
  func read(_ name: String, size: Int) throws -> Bytes? {
    let file = open(path + "/" + name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("read")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, Int(status.st_size) == size else { return nil }
    return size >= Self.mappedFrom ? map(file, size) : try copy(file, size)
  }

  /// The file's own pages, nothing copied: a script that writes to them gets copies of its own. That they can't be read
  /// shows here and not later, because all of them are asked for at once; files are never shortened.
  private func map(_ file: Int32, _ size: Int) -> Bytes? {
    guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0), memory != MAP_FAILED
    else {
      return nil
    }
    let address = UInt(bitPattern: memory)
    let bytes = Bytes(
      storage: .init(UnsafeRawBufferPointer(start: memory, count: size)) {
        munmap(UnsafeMutableRawPointer(bitPattern: address), size)
      })
    // Kernels before 5.14 don't know it.
    guard madvise(memory, size, Self.populateRead) == 0 || errno == EINVAL else { return nil }
    return bytes
  }

  /// From here on a map costs less than a copy.
  private static let mappedFrom = 1 << 20
  /// MADV_POPULATE_READ (linux/mman.h).
  private static let populateRead: Int32 = 22

  private func copy(_ file: Int32, _ size: Int) throws -> Bytes {
    try Bytes(capacity: size) { target in
      var done = 0
      while done < size {
        let count = Glibc.read(file, target.baseAddress.map { $0 + done }, size - done)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw failure("read") }
        done += count
      }
      return done
    }
  }

  func remove(_ names: [String]) { for name in names { unlink(path + "/" + name) } }

  /// Removes files that no row names: of processes that were killed between writing and committing.
  func sweep(keeping named: Set<String>) {
    let now = time(nil)
    for name in FolderNames.of(path) where !named.contains(name) {
      var status = stat()
      guard stat(path + "/" + name, &status) == 0, now - status.st_mtim.tv_sec > Self.grace else { continue }
      unlink(path + "/" + name)
    }
  }

  private func failure(_ verb: String) -> BridgeError {
    let reason = errno
    let code: BridgeError.Code = reason == ENOSPC || reason == EDQUOT ? "quota_exceeded" : .ioError
    return BridgeError(
      code, "can't \(verb) the pasteboard's file in '\(path)': \(String(cString: strerror(reason)))")
  }
}
