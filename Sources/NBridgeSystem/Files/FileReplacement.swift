// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc

/// A file below an open folder that is replaced whole, and only as long as it holds what was read of it.
/// No link is followed out of the folder, and none that stands in the file's place.
public final class FileReplacement {
  private let folder: Descriptor
  private let name: [UInt8]
  private let file: Descriptor
  private let status: stat
  /// The file itself, without the links that lead to its folder; nil where the kernel can't tell.
  public let path: RealPath?

  /// Opens the file.
  ///
  /// - Parameters:
  ///   - path: from the folder on.
  ///   - folder: of the number that a ``Descriptor`` tells.
  /// - Throws: `EXDEV` for what leads out of the folder, `ELOOP` for a link, `EINVAL` for what is no file.
  public init(_ path: [UInt8], beneath folder: Int32) throws(SystemError) {
    let slash = path.lastIndex(of: UInt8(ascii: "/"))
    let parent = slash.map { Array(path[..<$0]) } ?? [UInt8(ascii: ".")]
    name = slash.map { Array(path[($0 + 1)...]) } ?? path
    self.folder = try Descriptor.open(parent, beneath: folder, O_RDONLY | O_DIRECTORY)
    file = try Descriptor.open(name, in: self.folder.number, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw .last("look at", PathText.decode(path)) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SystemError("replace", PathText.decode(path), code: EINVAL)
    }
    self.status = status
    self.path = RealPath(descriptor: file.number)
  }

  /// All that it holds; nil for more than so many bytes.
  public func read(atMost limit: Int) throws(SystemError) -> [UInt8]? {
    guard Int(status.st_size) <= limit else { return nil }
    return try file.read(Int(status.st_size), at: 0)
  }

  /// Puts a file of the same owner and mode in its place, on the disk when this returns. Readers see the old
  /// or the new one.
  ///
  /// - Parameter old: what the file must still hold.
  /// - Returns: false where it holds something else by now, which stays.
  public func replace(with bytes: [UInt8], ifStill old: [UInt8]) throws(SystemError) -> Bool {
    let temporary = Array(".nbridge-\(RandomName.make())".utf8)
    let made = try Descriptor.open(
      temporary, in: folder.number, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    var isOurs = true
    defer { if isOurs { remove(temporary) } }
    try made.write(bytes)
    if status.st_uid != geteuid() || status.st_gid != getegid() {
      guard fchown(made.number, status.st_uid, status.st_gid) == 0 else { throw .last("give its owner") }
    }
    guard fchmod(made.number, status.st_mode & 0o7777) == 0 else { throw .last("set the mode") }
    try made.sync()
    guard exchange(temporary) == 0 else {
      if errno == ENOENT { return false }
      guard errno == EINVAL || errno == ENOSYS else { throw .last("replace") }
      // A file system without an exchange: a writer that comes in this moment is not seen.
      guard try holds(name, old) else { return false }
      guard put(temporary) == 0 else { throw .last("replace") }
      return true
    }
    // What came out is looked at only now: no writer comes between.
    if try holds(temporary, old) { return true }
    isOurs = exchange(temporary) == 0
    return false
  }

  private func exchange(_ other: [UInt8]) -> Int32 {
    other.withCString { other in
      name.withCString { renameat2(folder.number, other, folder.number, $0, UInt32(NB_RENAME_EXCHANGE)) }
    }
  }

  private func put(_ other: [UInt8]) -> Int32 {
    other.withCString { other in
      name.withCString { renameat2(folder.number, other, folder.number, $0, 0) }
    }
  }

  private func holds(_ name: [UInt8], _ bytes: [UInt8]) throws(SystemError) -> Bool {
    guard let now = try? Descriptor.open(name, in: folder.number, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else {
      return false
    }
    var status = stat()
    guard fstat(now.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    return try now.read(bytes.count + 1, at: 0) == bytes
  }

  private func remove(_ name: [UInt8]) { _ = name.withCString { unlinkat(folder.number, $0, 0) } }
}
