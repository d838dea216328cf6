// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// Whether a file may be loaded as code: it is a library for this machine that no other user can change.
enum LibraryFile {
  /// Throws ``PluginError`` for a file that is not.
  static func check(_ path: String) throws {
    try checkOwners(path)
    try checkHeader(path)
  }

  // MARK: - Which users can change it

  /// The file and each folder above it: a user who can write to one of them decides what runs.
  static func checkOwners(_ path: String) throws {
    guard let real = RealPath(path) else {
      throw PluginError("can't be read: \(SystemError.lastReason)")
    }
    for place in sequence(first: real, next: \.parent) { try check(place, isFile: place == real) }
  }

  private static func check(_ place: RealPath, isFile: Bool) throws {
    var status = stat()
    guard place.bytes.withCString({ stat($0, &status) }) == 0 else {
      throw PluginError("can't be looked at: \(SystemError.lastReason)")
    }
    if isFile, status.st_mode & S_IFMT != S_IFREG { throw PluginError("is not a file") }
    let what = isFile ? "it" : "the folder '\(place.text)'"
    if status.st_uid != 0, status.st_uid != geteuid() {
      throw PluginError(
        "is refused: \(what) belongs to another user (\(status.st_uid)), who could change what runs")
    }
    // A sticky folder, as /tmp, lets no other user replace what is in it; but its own file needs a folder of
    // its own.
    let isSticky = !isFile && status.st_mode & S_ISVTX != 0
    let others = status.st_mode & S_IWOTH != 0
    let group = status.st_mode & S_IWGRP != 0 && status.st_gid != getegid() && status.st_gid != 0
    if (others || group) && !isSticky {
      throw PluginError(
        "is refused: others can write to \(what), and so decide what runs; run: chmod go-w '\(place.text)'")
    }
  }

  // MARK: - What it is

  /// The start of an ELF file (System V ABI, "Object Files").
  private static func checkHeader(_ path: String) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw PluginError("can't be read: \(SystemError.lastReason)") }
    defer { close(file) }
    var header = [UInt8](repeating: 0, count: 20)
    guard read(file, &header, 20) == 20, header.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else {
      throw PluginError("is no shared library (not an ELF file)")
    }
    let machine = Int(header[18]) | Int(header[19]) << 8
    guard header[4] == 2, machine == Self.machine else {
      throw PluginError(
        "is for another kind of machine (\(name(machine))\(header[4] == 2 ? "" : ", 32 bits")); this one is "
          + "\(name(Self.machine)). "
          + "Build it here with: nbridge plugin build")
    }
    guard header[16] == 3 else { throw PluginError("is no shared library (an ELF file of another type)") }
  }

  #if arch(arm64)
    private static let machine = 183
  #else
    private static let machine = 62
  #endif

  private static func name(_ machine: Int) -> String {
    switch machine {
    case 3: "x86"
    case 40: "ARM"
    case 62: "x86-64"
    case 183: "AArch64"
    case 243: "RISC-V"
    default: "ELF machine \(machine)"
    }
  }
}
