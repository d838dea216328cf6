// SPDX-License-Identifier: MIT

internal import Glibc

/// A path as the kernel knows it: absolute, without links, and made of bytes that need not be UTF-8.
///
/// What decides about access compares paths of this type and of no other. Strings compare by characters: to
/// them "é" is one thing however it is written, and what is not UTF-8 has no name at all; to the kernel
/// those are different names.
public struct RealPath: Hashable, Sendable {
  /// As the kernel has it.
  public let bytes: [UInt8]

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// `/`.
  public static let root = RealPath(bytes: [slash])

  private static let slash = UInt8(ascii: "/")
  private static let dot = UInt8(ascii: ".")

  /// Of what stands at a path now; nil when nothing does.
  public init?(_ path: String) { self.init(resolving: Array(path.utf8)) }

  /// The same for a path in bytes.
  public init?(resolving path: [UInt8]) {
    guard !path.contains(0), let real = path.withCString({ realpath($0, nil) }) else { return nil }
    defer { free(real) }
    bytes = Array(UnsafeRawBufferPointer(start: real, count: strlen(real)))
  }

  /// Of what a descriptor is open on; of what was removed since, the one that it had. Nil for what has
  /// none, and for what lies deeper than the kernel can tell (PATH_MAX).
  public init?(descriptor: Int32) {
    var room = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink("/proc/self/fd/\(descriptor)", &room, Int(PATH_MAX))
    guard count > 0, count < Int(PATH_MAX) else { return nil }
    let path = room.prefix(count).map { UInt8(bitPattern: $0) }
    guard path.first == Self.slash else { return nil }
    let mark = Array(" (deleted)".utf8)
    var status = stat()
    let isGone =
      path.suffix(mark.count) == mark[...] && fstat(descriptor, &status) == 0 && status.st_nlink == 0
    bytes = isGone ? Array(path.dropLast(mark.count)) : path
  }

  /// The folder that the file at a path lies in, as a string that leads there; nil when there is none.
  public static func folder(of path: String) -> String? {
    guard let folder = RealPath(path)?.parent else { return nil }
    if let name = folder.string { return name }
    let given = path.lastSlash == path.startIndex ? "/" : path.lastSlash.map { String(path[..<$0]) } ?? "."
    return RealPath(given) == folder ? given : nil
  }

  /// A whole path whose last name may not be there, or be a link, without the links of its folder.
  public static func inRealFolder(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return path }
    let folder = RealPath(planned: slash == path.startIndex ? "/" : String(path[..<slash])).text
    return (folder == "/" ? "" : folder) + path[slash...]
  }

  /// Of a path whose end may not be there yet: without the links of what leads to it.
  public init(planned path: String) { self.init(planned: Array(path.utf8)) }

  /// The same for a path in bytes.
  public init(planned path: [UInt8]) {
    var there = path[...]
    var missing: [ArraySlice<UInt8>] = []
    while true {
      if let real = RealPath(resolving: there.isEmpty ? [Self.dot] : Array(there)) {
        self = missing.reversed().reduce(real) { $0.appending($1) }
        return
      }
      while there.count > 1, there.last == Self.slash { there = there.dropLast() }
      // Nothing leads to it, as to a current folder that is gone.
      if there.isEmpty || there == [Self.slash] {
        self = missing.reversed().reduce(.root) { $0.appending($1) }
        return
      }
      let name = Self.lastName(there)
      if name != [Self.dot] { missing.append(name) }
      there = there.dropLast(name.count)
    }
  }

  /// One that was told as text, by ``text``.
  public init(text: String) { self.init(textBytes: PathText.encode(text)) }

  private init(textBytes bytes: [UInt8]) {
    let end = bytes.lastIndex { $0 != Self.slash }.map { $0 + 1 } ?? min(bytes.count, 1)
    self.init(bytes: Array(bytes[..<end]))
  }

  /// For permissions, scripts and messages; nothing is lost.
  public var text: String { PathText.decode(bytes) }

  /// As a string that means the same to the kernel; nil when none does.
  public var string: String? { String(whole: bytes) }

  /// The folder that it stands in; nil for the root.
  public var parent: RealPath? {
    guard bytes.count > 1, let end = bytes.lastIndex(of: Self.slash) else { return nil }
    return end == 0 ? .root : RealPath(bytes: Array(bytes[..<end]))
  }

  /// The last name; empty for the root.
  public var name: ArraySlice<UInt8> { Self.lastName(bytes[...]) }

  /// What a name stands for in this folder.
  public func appending(_ name: some Collection<UInt8>) -> RealPath {
    RealPath(bytes: (self == .root ? [] : bytes) + [Self.slash] + name)
  }

  /// Whether it is that folder, or below it.
  public func lies(in folder: RealPath) -> Bool {
    let length = folder.bytes.count
    // What is empty or relative, as a text may be, is no place.
    guard bytes.first == Self.slash, length > 0 else { return false }
    if folder == .root || self == folder { return true }
    return bytes.count > length && bytes[length] == Self.slash && bytes.starts(with: folder.bytes)
  }

  private static func lastName(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    path[(path.lastIndex(of: slash).map { $0 + 1 } ?? path.startIndex)...]
  }
}
