// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import FoundationEssentials
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// The kind of thing that a name stands for.
enum FileKind: String, Codable, CaseIterable, Sendable {
  case file, folder, link, other

  /// Its letter in lists.
  var letter: UInt8 {
    switch self {
    case .file: UInt8(ascii: "f")
    case .folder: UInt8(ascii: "d")
    case .link: UInt8(ascii: "l")
    case .other: UInt8(ascii: "o")
    }
  }

  init(mode: mode_t) {
    switch mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFDIR: self = .folder
    case S_IFLNK: self = .link
    default: self = .other
    }
  }
}

/// The answer of `stat`.
struct FileMetadata: Codable, Sendable {
  /// The last name of the path.
  var name: String
  var path: String
  var kind: FileKind
  /// Bytes.
  var size: Double
  var modified: Date
  var accessed: Date
  /// Permission bits, as 0o644.
  var mode: Int
  /// Changes whenever the content is replaced or written: for `write(…, {identity})`.
  var identity: String

  init(_ status: stat, _ path: FilePath) {
    name = path.isFolderItself ? "" : path.text.pathNames.last.map(String.init) ?? path.text
    self.path = path.text
    kind = FileKind(mode: status.st_mode)
    size = Double(status.st_size)
    modified = Self.date(status.st_mtim)
    accessed = Self.date(status.st_atim)
    mode = Int(status.st_mode & 0o7777)
    identity = Self.identity(status)
  }

  static func identity(_ status: stat) -> String {
    "\(status.st_ino)-\(status.st_size)-\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
  }

  private static func date(_ time: timespec) -> Date {
    Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
  }
}

extension OpenFile {
  /// The facts about the thing under a name of this folder, links not followed; nil when there is none.
  func facts(of name: [UInt8], _ path: FilePath) throws -> stat? {
    var status = stat()
    let found = name.withCString { fstatat(number, $0, &status, AT_SYMLINK_NOFOLLOW) }
    if found == 0 {
      try seal?.check(name, of: self, path, to: "look at")
      return status
    }
    if errno == ENOENT { return nil }
    throw FileFailure.last("look at", path)
  }
}
