// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeSystem

/// Removes what is in a folder, whatever it is called, however deep it lies and whatever its modes say: names
/// are the kernel's bytes here, and no path is made of them. Of a link only the link goes.
struct FolderRemoval {
  private let top: Descriptor
  /// How many folders were moved up.
  private var moved = 0

  /// Empties a folder; what can't be removed stays.
  static func empty(_ folder: String) {
    guard let top = try? Descriptor.open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else { return }
    var removal = FolderRemoval(top)
    while removal.round() {}
  }

  private init(_ top: Descriptor) { self.top = top }

  /// Removes files and folders, and moves up what folders lie in those, for the next round. Answers whether
  /// anything changed.
  private mutating func round() -> Bool {
    var hasChanged = false
    for name in Self.names(in: top) {
      let code = Self.unlink(name, in: top)
      if code == 0 { hasChanged = true }
      guard code == EISDIR, let folder = Self.open(name, in: top) else { continue }
      for inner in Self.names(in: folder) {
        if take(inner, from: folder) { hasChanged = true }
      }
      let isGone = name.withCString { unlinkat(top.number, $0, AT_REMOVEDIR) == 0 }
      if isGone { hasChanged = true }
    }
    return hasChanged
  }

  /// Removes what is no folder, and moves up what is one.
  private mutating func take(_ name: [UInt8], from folder: Descriptor) -> Bool {
    let code = Self.unlink(name, in: folder)
    guard code == EISDIR else { return code == 0 }
    Self.allow(name, in: folder)
    moved += 1
    let place = Array(".gone.\(moved)".utf8)
    return name.withCString { name in
      place.withCString { renameat(folder.number, name, top.number, $0) == 0 }
    }
  }

  /// Answers 0, or why it failed: `EISDIR` for a folder, and for nothing else.
  private static func unlink(_ name: [UInt8], in folder: Descriptor) -> Int32 {
    name.withCString { unlinkat(folder.number, $0, 0) == 0 ? 0 : errno }
  }

  /// Lets its owner look into a folder, change and move it.
  private static func allow(_ name: [UInt8], in folder: Descriptor) {
    _ = name.withCString { fchmodat(folder.number, $0, 0o700, 0) }
  }

  private static func open(_ name: [UInt8], in folder: Descriptor) -> Descriptor? {
    allow(name, in: folder)
    return try? Descriptor.open(name, in: folder.number, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }

  private static func names(in folder: Descriptor) -> [[UInt8]] {
    // The stream closes what it reads.
    let again = try? Descriptor.open(Array(".".utf8), in: folder.number, O_RDONLY | O_DIRECTORY)
    guard let again, let stream = fdopendir(again.number) else { return [] }
    _ = again.handedOver()
    defer { closedir(stream) }
    return Path.names(of: stream)
  }
}
