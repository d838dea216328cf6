// SPDX-License-Identifier: MIT

internal import CGLib
internal import CLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// The names in one folder.
enum DirectoryNames {
  struct Name: Sendable {
    var bytes: [UInt8]
    /// nil when the disk does not tell it with the name.
    var kind: FileKind?
  }

  /// Reads the names that scripts hear of, in the disk's order.
  static func read(_ folder: OpenFile) throws -> [Name] {
    let names = try all(folder)
    guard let shows = folder.seal?.filter(folder) else { return names }
    return names.filter { shows($0.bytes) }
  }

  /// The folder is opened anew for the stream, whose position is then shared with no other reader.
  private static func all(_ folder: OpenFile) throws -> [Name] {
    let own: Descriptor
    do {
      own = try Descriptor.open(Array(".".utf8), in: folder.number, O_RDONLY | Int32(NB_O_DIRECTORY))
    } catch { throw FileFailure.from(error.code, "list", folder.path) }
    guard let stream = fdopendir(own.number) else { throw FileFailure.last("list", folder.path) }
    _ = own.handedOver()
    defer { closedir(stream) }
    var names: [Name] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw FileFailure.last("list", folder.path) }
        return names
      }
      let length = Int(entry.pointee.d_reclen) - nameOffset
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { room in
        Array(room.prefix(min(length, room.count)).prefix { $0 != 0 })
      }
      if bytes == [46] || bytes == [46, 46] { continue }
      names.append(Name(bytes: bytes, kind: kind(Int(entry.pointee.d_type))))
    }
  }

  private static let nameOffset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 19

  private static func kind(_ type: Int) -> FileKind? {
    switch type {
    case DT_REG: .file
    case DT_DIR: .folder
    case DT_LNK: .link
    case DT_UNKNOWN: nil
    default: .other
    }
  }
}
