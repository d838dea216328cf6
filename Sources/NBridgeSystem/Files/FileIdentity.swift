// SPDX-License-Identifier: MIT

internal import Glibc

/// Which file a path leads to.
public struct FileIdentity: Equatable, Sendable {
  private var device: UInt64 = 0
  private var inode: UInt64 = 0
  /// Whether no path leads to it any more, or none did.
  public private(set) var isUnlinked = true

  /// None.
  public init() {}

  /// The file at a path; none when there is none.
  public init(_ path: String) {
    var status = stat()
    if stat(path, &status) == 0 { take(status) }
  }

  /// The file that is open.
  public init(descriptor: Int32) {
    var status = stat()
    if fstat(descriptor, &status) == 0 { take(status) }
  }

  private mutating func take(_ status: stat) {
    (device, inode, isUnlinked) = (UInt64(status.st_dev), UInt64(status.st_ino), status.st_nlink == 0)
  }
}
