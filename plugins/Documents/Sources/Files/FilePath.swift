// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// A path as a script gives it, relative to one of the app's folders.
///
/// Every name on the disk can be shown and used, UTF-8 or not: see ``PathText``.
struct FilePath: Sendable, Equatable {
  /// As the script gave it; nil for what was found on the disk.
  private let given: String?
  /// The path for the kernel; "." for the folder itself.
  let bytes: [UInt8]

  /// The kernel's own limit, its closing NUL counted (PATH_MAX).
  static let limit = 4096

  init(_ text: String) throws {
    try self.init(text, PathText.encode(text))
  }

  /// A path that names a place outside, for messages only.
  init(outside text: String) {
    given = text
    bytes = PathText.encode(text)
  }

  private init(_ text: String, _ bytes: [UInt8]) throws {
    given = text
    self.bytes = bytes.isEmpty ? [UInt8(ascii: ".")] : bytes
    if bytes.contains(0) {
      throw BridgeError(
        .invalidParameter, "the path '\(shown)' holds a NUL character, which no file's name can")
    }
    if bytes.first == UInt8(ascii: "/") {
      throw BridgeError(
        .permissionDenied,
        "the path '\(shown)' is absolute; paths are inside the app's folders, so leave the first '/' out "
          + "(import and export reach other places, and { directory: \"arguments\" } what the command line "
          + "names)")
    }
    if bytes.count >= Self.limit {
      throw BridgeError(
        .invalidParameter,
        "the path '\(shown)' has \(bytes.count) bytes; a path has at most \(Self.limit - 1)",
        details: try? Value(encoding: ["path": text, "system": "ENAMETOOLONG"]))
    }
  }

  /// The path as scripts know it.
  var text: String { given ?? PathText.decode(bytes) }

  static func == (one: FilePath, other: FilePath) -> Bool { one.bytes == other.bytes }

  /// The path in messages: cut when it is very long.
  var shown: String {
    let text = text
    return text.count > 200 ? "\(text.prefix(200))…" : text
  }

  /// A path below this one, for messages: what is found on the disk may lie deeper than a path can tell.
  func below(_ name: [UInt8]) -> FilePath {
    let below = isFolderItself ? name : bytes + [UInt8(ascii: "/")] + name
    return FilePath(found: below.count < Self.limit ? below : bytes)
  }

  private init(found bytes: [UInt8]) { (given, self.bytes) = (nil, bytes) }

  var isFolderItself: Bool { bytes == [UInt8(ascii: ".")] }

  /// The folder that the last name stands in, and that name. Throws for a path that ends in no name.
  func split() throws -> (parent: FilePath, name: [UInt8]) {
    var (parent, name) = try splitAsSystem()
    while name.count > 1, name.last == UInt8(ascii: "/") { name.removeLast() }
    if name == [UInt8(ascii: ".")] || name == Array("..".utf8) {
      throw BridgeError(
        .invalidParameter, "the path '\(shown)' must end with the name of what is meant, not with '.' or '..'"
      )
    }
    return (parent, name)
  }

  /// The same with slashes behind the name, which may also be `.` or `..`: for calls of the system's that
  /// have rules of their own for these, and follow no link that stands there.
  func splitAsSystem() throws -> (parent: FilePath, name: [UInt8]) {
    var end = bytes.count
    while end > 1, bytes[end - 1] == UInt8(ascii: "/") { end -= 1 }
    let slash = bytes[..<end].lastIndex(of: UInt8(ascii: "/"))
    let parent = Array(bytes[..<(slash ?? 0)])
    return (try FilePath(PathText.decode(parent), parent), Array(bytes[(slash.map { $0 + 1 } ?? 0)...]))
  }
}
