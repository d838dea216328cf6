// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeSystem

extension Container {
  /// Makes the container's folders with mode 0700; those that exist stay as they are.
  public func create() throws {
    try Folders.make(path, as: "the app's folder")
    for folder in folders.dropFirst() where mkdir(folder, 0o700) != 0 && errno != EEXIST {
      throw BridgeError.system("make", folder)
    }
  }

  /// Whether the app has a container yet.
  public var exists: Bool { access(path, F_OK) == 0 }
}

/// Folders, with those that lead to them.
package enum Folders {
  /// Where files are put when the environment names no place for them: nothing can be made there, by root
  /// neither.
  package static let nowhere = "/proc/nowhere"

  /// So often it is tried while another process removes them.
  private static let attempts = 100

  /// Makes what is missing of a path, with mode 0700; what is there stays as it is.
  ///
  /// - Throws: ``BridgeError/Code/ioError``, with what it is for people.
  package static func make(_ path: String, as name: String = "the folder") throws {
    if path.hasPrefix(nowhere) {
      throw BridgeError(.unavailable, SharedFolders.missing("the app's files"))
    }
    for attempt in 1...attempts {
      guard let failed = makeMissing(path) else { return }
      guard errno == ENOENT, attempt < attempts else {
        throw BridgeError.system("make \(name)", failed)
      }
    }
  }

  /// Answers the folder that could not be made, with `errno`.
  private static func makeMissing(_ path: String) -> String? {
    var made = ""
    for part in path.pathNames {
      made += path.utf8.first == UInt8(ascii: "/") || !made.isEmpty ? "/\(part)" : String(part)
      if mkdir(made, 0o700) != 0, errno != EEXIST { return made }
    }
    return nil
  }
}

/// Small files of a plugin: read whole, replaced whole, so that after a crash there is the old or the new.
public enum SmallFile {
  /// The file's bytes; nil when there is none. A link is refused unless `followsLinks`.
  ///
  /// - Parameters:
  ///   - path: the file's path.
  ///   - followsLinks: whether a symbolic link is read as what it leads to.
  ///   - limit: a larger file is refused: it may be one that takes no place on the disk and more than there
  ///     is in memory.
  public static func read(_ path: String, followsLinks: Bool = false, atMost limit: Int = 1 << 30) throws
    -> [UInt8]?
  {
    // A pipe must not make the caller wait: what is no file is refused below.
    let file: Descriptor
    do { file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)) } catch {
      if error.code == ENOENT { return nil }
      throw failure("read", path, error)
    }
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw BridgeError.system("read", path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw BridgeError(.ioError, "can't read '\(path)': it is not a regular file")
    }
    guard status.st_size <= limit else {
      throw BridgeError(.ioError, "can't read '\(path)': it has more than \(limit) bytes")
    }
    do { return try file.read(Int(status.st_size), at: 0) } catch { throw failure("read", path, error) }
  }

  /// Replaces the file by `bytes`, for its owner only unless `mode` says more; on the disk when this returns.
  public static func replace(_ path: String, with bytes: [UInt8], mode: UInt32 = 0o600) throws {
    let temporary = "\(path).\(getpid()).new"
    let file: Descriptor
    do { file = try Descriptor.open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: mode) } catch
    {
      throw failure("write", path, error)
    }
    do throws(SystemError) {
      try file.write(bytes)
      try file.sync()
      guard rename(temporary, path) == 0 else { throw .last("rename") }
    } catch {
      unlink(temporary)
      throw failure("write", path, error)
    }
  }

  /// What the caller wanted, whichever call it was that failed.
  private static func failure(_ verb: String, _ path: String, _ error: SystemError) -> BridgeError {
    BridgeError(SystemError(verb, path, code: error.code))
  }
}
