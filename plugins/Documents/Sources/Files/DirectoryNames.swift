// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import CNBridgeLinux
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
    var names: [Name] = []
    try each(of: folder) { names.append(Name(bytes: Array($0), kind: $1)) }
    return names
  }

  /// What is called with each name, whose bytes are there only meanwhile.
  typealias Reader = (UnsafeRawBufferPointer, FileKind?) throws -> Void

  /// Calls `body` with each of these names.
  static func each(of folder: OpenFile, _ body: Reader) throws {
    guard let shows = folder.seal?.filter(folder) else { return try all(folder, body) }
    try all(folder) { name, kind in if shows(Array(name)) { try body(name, kind) } }
  }

  /// The folder is opened anew for the stream, whose position is then shared with no other reader.
  private static func all(_ folder: OpenFile, _ body: Reader) throws {
    let own: Descriptor
    do {
      own = try Descriptor.open(Array(".".utf8), in: folder.number, O_RDONLY | Int32(NB_O_DIRECTORY))
    } catch { throw FileFailure.from(error.code, "list", folder.path) }
    guard let stream = fdopendir(own.number) else { throw FileFailure.last("list", folder.path) }
    _ = own.handedOver()
    defer { closedir(stream) }
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw FileFailure.last("list", folder.path) }
        return
      }
      let name = name(of: entry)
      if isItself(name) { continue }
      try body(name, kind(Int(entry.pointee.d_type)))
    }
  }

  private static func name(of entry: UnsafeMutablePointer<dirent>) -> UnsafeRawBufferPointer {
    let start = UnsafeRawPointer(entry) + nameOffset
    let longest = Int(entry.pointee.d_reclen) - nameOffset
    return UnsafeRawBufferPointer(
      start: start, count: strnlen(start.assumingMemoryBound(to: CChar.self), longest))
  }

  /// Whether it stands for the folder, or for the one above.
  private static func isItself(_ name: UnsafeRawBufferPointer) -> Bool {
    name.count <= 2 && name.allSatisfy { $0 == UInt8(ascii: ".") }
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
