// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeStore
internal import NBridgeSystem

/// Representations that have a file of their own, written once and never changed: the ones that are too large
/// for the database, and the ones that are to leave no trace when they go, which are **apart**.
struct BlobFolder: Sendable {
  let path: String
  /// Up to so many bytes stand in the database.
  static let inlineLimit = 8 << 10

  // MARK: - Names

  private static let apartMark = "apart-"
  /// The mark of a file that is being overwritten, so that no reader takes what is left of it for the
  /// content.
  private static let goneMark = "gone-"

  /// Whether a file's content is to leave no trace.
  static func isApart(_ name: String) -> Bool { name.hasPrefix(apartMark) }

  private static func newName(isApart: Bool) -> String { (isApart ? apartMark : "") + RandomName.make() }

  private func file(_ name: String) -> String { path + "/" + name }

  // MARK: - Writing

  /// Keeps the folder from being swept: for a writer of files that no row names yet.
  func hold() throws -> StoreLock {
    let lock = try StoreLock(path)
    guard lock.take(waits: true, isShared: true) else {
      throw BridgeError(.conflict, "another process kept '\(path)' locked for 5 s")
    }
    return lock
  }

  /// Writes bytes to a new file and answers its name.
  func write(_ bytes: Bytes, isApart: Bool) throws -> String {
    let name = Self.newName(isApart: isApart)
    let made: Descriptor
    do { made = try Descriptor.open(file(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) } catch {
      throw failure("write", error.code)
    }
    do {
      try bytes.withUnsafeBytes { try fill(made.number, with: $0) }
    } catch {
      discard([name])
      throw error
    }
    return name
  }

  /// Gives a file a second name, which is apart.
  func link(_ name: String) throws -> String {
    let new = Self.newName(isApart: true)
    guard Glibc.link(file(name), file(new)) == 0 else { throw failure("link") }
    return new
  }

  private func fill(_ file: Int32, with memory: UnsafeRawBufferPointer) throws {
    var done = 0
    while done < memory.count {
      let count = Glibc.write(file, memory.baseAddress.map { $0 + done }, memory.count - done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("write") }
      done += count
    }
  }

  // MARK: - Reading

  /// The file's bytes; nil when it is not there, or not as long as it was made.
  func read(_ name: String, size: Int) throws -> Bytes? {
    let opened: Descriptor
    do { opened = try Descriptor.open(file(name), O_RDONLY | O_NOFOLLOW) } catch {
      if error.code == ENOENT { return nil }
      throw failure("read", error.code)
    }
    var status = stat()
    guard fstat(opened.number, &status) == 0, Int(status.st_size) == size else { return nil }
    if size >= Self.mappedFrom, !Self.isApart(name) { return map(opened.number, size) }
    let bytes = try copy(opened.number, size)
    // A process that overwrites a file that is apart has taken the file's name off before.
    return FileIdentity(descriptor: opened.number) == FileIdentity(file(name)) ? bytes : nil
  }

  /// The file's own pages, nothing copied: a script that writes to them gets copies of its own. That they
  /// can't be read shows here and not later, because all of them are asked for at once; files are never
  /// shortened.
  private func map(_ file: Int32, _ size: Int) -> Bytes? {
    guard let memory = (try? MemoryMap(file, count: size, .own))?.handedOver().baseAddress else { return nil }
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

  // MARK: - Ends

  /// Takes files away that no row names any more. Files that are apart are left for ``eraseGone()``, which
  /// may wait for the disk.
  func remove(_ names: [String]) {
    for name in names {
      if Self.isApart(name) {
        rename(file(name), file(Self.goneMark + name.dropFirst(Self.apartMark.count)))
      } else {
        unlink(file(name))
      }
    }
  }

  /// Takes files away that no row ever named.
  func discard(_ names: [String]) { for name in names { erase(name) } }

  /// Takes away what no row names: of processes that were killed between writing and committing, or between
  /// committing and taking away. Only while no row is written. Answers whether nothing is left to do but
  /// ``eraseGone()``.
  ///
  /// - Parameter second: what is no younger than that may be named by a store that was set aside; nil when
  ///   there is none. What is apart goes all the same.
  func sweep(keeping named: Set<String>, since second: Int64?) throws -> Bool {
    let names = FolderNames.of(path).filter { name in
      !named.contains(name) && name != "lock" && !name.hasPrefix(Self.goneMark)
    }
    if names.isEmpty { return true }
    let lock = try StoreLock(path)
    guard lock.take(waits: false) else { return false }
    remove(names.filter { !mayBeNamedAside($0, second) })
    return true
  }

  /// Overwrites and removes files that are apart and have gone.
  func eraseGone() {
    for name in FolderNames.of(path) where name.hasPrefix(Self.goneMark) { erase(name) }
  }

  private func mayBeNamedAside(_ name: String, _ second: Int64?) -> Bool {
    guard let second, !Self.isApart(name) else { return false }
    var status = stat()
    return stat(file(name), &status) == 0 && status.st_mtim.tv_sec <= second
  }

  /// Overwrites a file and removes it. On a disk that writes in place that reaches what was there: a file
  /// that is older than what the kernel keeps to itself is synced. One that is younger mostly never got
  /// there.
  private func erase(_ name: String) {
    if let opened = try? Descriptor.open(file(name), O_WRONLY | O_NOFOLLOW) { overwrite(opened.number) }
    unlink(file(name))
  }

  private func overwrite(_ descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return }
    let zeros = [UInt8](repeating: 0, count: min(Int(status.st_size), 1 << 16))
    var left = Int(status.st_size)
    while left > 0 {
      let count = zeros.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, min(left, $0.count)) }
      guard count > 0 else { break }
      left -= count
    }
    if time(nil) - status.st_mtim.tv_sec > 1 { fdatasync(descriptor) }
  }

  private func failure(_ verb: String, _ reason: Int32 = errno) -> BridgeError {
    let code: BridgeError.Code = reason == ENOSPC || reason == EDQUOT ? "quota_exceeded" : .ioError
    return BridgeError(
      code, "can't \(verb) the pasteboard's file in '\(path)': \(SystemError.reason(of: reason))")
  }
}
