// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// A path as a script gives it, relative to one of the app's folders.
///
/// Names on the disk are bytes. Those that are not UTF-8 are shown with a character of the last private plane for each byte
/// that does not fit: U+10FF80 + (byte - 0x80). Given back, it means that byte; so every name can be shown and used.
struct FilePath: Sendable, Equatable {
  /// As the script gave it.
  let text: String
  /// What the kernel gets; "." for the folder itself.
  let bytes: [UInt8]

  /// The kernel's own limit, its closing NUL counted (PATH_MAX).
  static let limit = 4096

  init(_ text: String) throws {
    try self.init(text, Self.encode(text))
  }

  /// One that names a place outside, for messages only.
  init(outside text: String) {
    self.text = text
    bytes = Self.encode(text)
  }

  private init(_ text: String, _ bytes: [UInt8]) throws {
    self.text = text
    self.bytes = bytes.isEmpty ? [UInt8(ascii: ".")] : bytes
    if bytes.contains(0) {
      throw BridgeError(
        .invalidParameter, "the path '\(shown)' holds a NUL character, which no file's name can")
    }
    if bytes.first == UInt8(ascii: "/") {
      throw BridgeError(
        .permissionDenied,
        "the path '\(shown)' is absolute; paths are inside the app's folders, so leave the first '/' out (import and "
          + "export reach other places)")
    }
    if bytes.count >= Self.limit {
      throw BridgeError(
        .invalidParameter,
        "the path '\(shown)' has \(bytes.count) bytes; a path has at most \(Self.limit - 1)")
    }
  }

  /// The path in messages: cut when it is very long.
  var shown: String { text.count > 200 ? "\(text.prefix(200))…" : text }

  /// A path below this one.
  func appending(_ name: [UInt8]) throws -> FilePath {
    let below = isFolderItself ? name : bytes + [UInt8(ascii: "/")] + name
    // Below a place outside everything is outside, and only named in messages.
    if bytes.first == UInt8(ascii: "/") { return FilePath(outside: Self.decode(below)) }
    return try FilePath(Self.decode(below), below)
  }

  var isFolderItself: Bool { bytes == [UInt8(ascii: ".")] }

  /// The folder that the last name stands in, and that name. Throws for a path that ends in no name.
  func split() throws -> (parent: FilePath, name: [UInt8]) {
    var end = bytes.count
    while end > 1, bytes[end - 1] == UInt8(ascii: "/") { end -= 1 }
    let slash = bytes[..<end].lastIndex(of: UInt8(ascii: "/"))
    let name = Array(bytes[(slash.map { $0 + 1 } ?? 0)..<end])
    if name == [UInt8(ascii: ".")] || name == Array("..".utf8) {
      throw BridgeError(
        .invalidParameter, "the path '\(shown)' must end with the name of what is meant, not with '.' or '..'"
      )
    }
    let parent = Array(bytes[..<(slash ?? 0)])
    return (try FilePath(Self.decode(parent), parent), name)
  }

  // MARK: - Names that are not UTF-8

  private static let escapes: ClosedRange<UInt32> = 0x10FF80...0x10FFFF

  /// What those characters begin with in UTF-8.
  private static let lead: UInt8 = 0xF4

  static func encode(_ text: String) -> [UInt8] {
    guard text.utf8.contains(lead) else { return Array(text.utf8) }
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      if escapes.contains(scalar.value) {
        bytes.append(UInt8(scalar.value - 0x10FF00))
      } else {
        bytes += Array(String(scalar).utf8)
      }
    }
    return bytes
  }

  static func decode(_ bytes: [UInt8]) -> String {
    if !bytes.contains(lead), let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = String.UnicodeScalarView()
    var rest = bytes[...]
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
      let head = rest.prefix(length)
      if let scalar = String(validating: head, as: UTF8.self)?.unicodeScalars.first,
        !escapes.contains(scalar.value)
      {
        text.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        if let scalar = Unicode.Scalar(0x10FF00 + UInt32(first)) { text.append(scalar) }
        rest = rest.dropFirst()
      }
    }
    return String(text)
  }
}
