// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import Synchronization

/// An open file, folder or socket, which is closed once: by ``close()``, or with its last owner. Closed on
/// exec.
///
/// Any thread may use it. A thread that asks for its ``number`` keeps it for as long as the number is used.
public final class Descriptor: Sendable {
  private let held: Atomic<Int32>

  /// Takes over what is open; a negative number is none.
  public init(taking number: Int32) { held = Atomic(number) }

  deinit { close() }

  /// What the system's calls take; -1 when it is closed.
  public var number: Int32 { held.load(ordering: .relaxed) }

  /// Whether there is one.
  public var isOpen: Bool { number >= 0 }

  /// Closes it now, however many owners it has. A thread that uses it meanwhile must be told not to.
  public func close() {
    let number = held.exchange(-1, ordering: .acquiringAndReleasing)
    if number >= 0 { _ = Glibc.close(number) }
  }

  /// Gives it to a function that closes it, as `fdopendir` does; here it is closed from now on.
  public func handedOver() -> Int32 { held.exchange(-1, ordering: .acquiringAndReleasing) }

  /// Another descriptor of the same open file.
  public func duplicated() throws(SystemError) -> Descriptor {
    let number = fcntl(number, F_DUPFD_CLOEXEC, 0)
    guard number >= 0 else { throw .last("duplicate a descriptor") }
    return Descriptor(taking: number)
  }
}

// MARK: - Opening

extension Descriptor {
  /// Opens what a path leads to (open(2)).
  ///
  /// - Parameters:
  ///   - flags: `O_RDONLY | O_NOFOLLOW` and such; `O_CLOEXEC` is always among them.
  ///   - mode: which users may do what with a file that is made.
  public static func open(
    _ path: String, _ flags: Int32, mode: UInt32 = 0o600
  ) throws(SystemError) -> Descriptor {
    let number = nb_openat(AT_FDCWD, path, flags | O_CLOEXEC, mode)
    guard number >= 0 else { throw .last("open", path) }
    return Descriptor(taking: number)
  }

  /// Opens what a name in an open folder stands for (openat(2)).
  ///
  /// - Parameters:
  ///   - name: as the kernel has it; need not be UTF-8.
  ///   - folder: of the number that its ``number`` tells.
  public static func open(
    _ name: [UInt8], in folder: Int32, _ flags: Int32, mode: UInt32 = 0o600
  ) throws(SystemError) -> Descriptor {
    let number = name.withCString { nb_openat(folder, $0, flags | O_CLOEXEC, mode) }
    guard number >= 0 else { throw .last("open", PathText.decode(name)) }
    return Descriptor(taking: number)
  }

  /// Opens what a path below an open folder leads to, and nothing outside of that folder, whatever links
  /// are on the way (openat2(2), `RESOLVE_BENEATH`).
  ///
  /// - Throws: `EXDEV` for what leads out.
  public static func open(
    _ path: [UInt8], beneath folder: Int32, _ flags: Int32, mode: UInt32 = 0
  ) throws(SystemError) -> Descriptor {
    try open(path, in: folder, flags, mode, UInt64(RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS))
  }

  /// Opens what a path leads to that has no link in it.
  ///
  /// - Throws: `ELOOP` for one with a link, wherever that leads.
  public static func open(linkless path: [UInt8], _ flags: Int32) throws(SystemError) -> Descriptor {
    try open(path, in: AT_FDCWD, flags, 0, UInt64(RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS))
  }

  private static func open(
    _ path: [UInt8], in folder: Int32, _ flags: Int32, _ mode: UInt32, _ resolve: UInt64
  ) throws(SystemError) -> Descriptor {
    var how = open_how()
    how.flags = UInt64(UInt32(bitPattern: flags | O_CLOEXEC))
    how.mode = UInt64(mode)
    how.resolve = resolve
    var tries = 0
    while true {
      let number = path.withCString { nb_openat2(folder, $0, &how) }
      if number >= 0 { return Descriptor(taking: number) }
      // Another process renamed something on the way: the kernel asks for another try. Or it has a lease on
      // the file, and gives that up soon, or never.
      guard errno == EAGAIN || errno == EINTR, tries < mostTries else {
        throw .last("open", PathText.decode(path))
      }
      if tries >= triesAtOnce { usleep(10_000) }
      tries += 1
    }
  }

  private static let triesAtOnce = 100
  /// Two seconds of tries more.
  private static let mostTries = 300
}

// MARK: - Reading and writing

extension Descriptor {
  /// What comes next, so many bytes at the most; none at the end. Waits for it where the descriptor does.
  public func read(atMost count: Int) throws(SystemError) -> [UInt8] {
    try Self.bytes(count) { Glibc.read(number, $0.baseAddress, $0.count) }
  }

  /// What stands at an offset, fewer bytes than asked for only where the file ends.
  public func read(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let place = off_t(offset + bytes.count)
      let more = try Self.bytes(count - bytes.count) { pread(number, $0.baseAddress, $0.count, place) }
      if more.isEmpty { break }
      if bytes.isEmpty { bytes = more } else { bytes += more }
    }
    return bytes
  }

  /// All up to the end; nil when there is more than a limit of bytes.
  public func readToEnd(atMost limit: Int = .max) throws(SystemError) -> [UInt8]? {
    var bytes: [UInt8] = []
    while true {
      let more = try read(atMost: 1 << 16)
      if more.isEmpty { return bytes }
      if bytes.count > limit - more.count { return nil }
      bytes += more
    }
  }

  /// Writes all of some bytes behind what was written last. Half of them may be there when it throws.
  public func write(_ bytes: some Collection<UInt8>) throws(SystemError) {
    try Self.all(Array(bytes)) { Glibc.write(number, $0.baseAddress, $0.count) }
  }

  /// Writes all of some bytes at an offset.
  public func write(_ bytes: some Collection<UInt8>, at offset: Int) throws(SystemError) {
    var place = off_t(offset)
    try Self.all(Array(bytes)) {
      let count = pwrite(number, $0.baseAddress, $0.count, place)
      place += off_t(max(0, count))
      return count
    }
  }

  /// Cuts the file off, or fills it up with zeros, at so many bytes.
  public func truncate(to size: Int) throws(SystemError) {
    guard ftruncate(number, off_t(size)) == 0 else { throw .last("cut off") }
  }

  /// Returns when what was written outlives a power cut, and where the file lies in its folder with it.
  public func sync() throws(SystemError) {
    guard fsync(number) == 0 else { throw .last("sync") }
  }

  /// Returns when what was written outlives a power cut.
  public func syncData() throws(SystemError) {
    guard fdatasync(number) == 0 else { throw .last("sync") }
  }

  // A closure with a typed error of its own is not what the buffers' functions take: they answer a number.
  private static func bytes(
    _ room: Int, _ call: (UnsafeMutableRawBufferPointer) -> Int
  ) throws(SystemError) -> [UInt8] {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: max(0, room)) { buffer, count in
      var got = -1
      repeat { got = call(UnsafeMutableRawBufferPointer(buffer)) } while got < 0 && errno == EINTR
      if got < 0 { code = errno }
      count = max(0, got)
    }
    guard code == 0 else { throw SystemError("read", code: code) }
    return bytes
  }

  private static func all(
    _ bytes: [UInt8], _ call: (UnsafeRawBufferPointer) -> Int
  ) throws(SystemError) {
    let code: Int32 = bytes.withUnsafeBytes { memory in
      var rest = memory[...]
      while !rest.isEmpty {
        let count = call(UnsafeRawBufferPointer(rebasing: rest))
        if count < 0, errno == EINTR { continue }
        if count < 0 { return errno }
        rest = rest.dropFirst(count)
      }
      return 0
    }
    guard code == 0 else { throw SystemError("write", code: code) }
  }
}
