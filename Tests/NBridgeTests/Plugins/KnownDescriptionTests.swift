// SPDX-License-Identifier: MIT

import Glibc
import NBridgePlugin
import Testing

@testable import NBridgeHost

/// A library's description of itself counts as long as the library is the same.
@Suite struct KnownDescriptionTests {
  static func folder() throws -> FilesFolder {
    let folder = try FilesFolder(["lib.so": "library"])
    try folder.write("description.json", description(of: folder / "lib.so"))
    return folder
  }

  static func description(of path: String, change: Int = 0) throws -> String {
    var status = stat()
    #expect(stat(path, &status) == 0)
    let modified = Int(status.st_mtim.tv_sec) * 1_000_000_000 + Int(status.st_mtim.tv_nsec)
    return #"{"size":\#(Int(status.st_size) + change),"modified":\#(modified),"description":{"service":"#
      + #""s","version":"1","members":[]}}"#
  }

  @Test func anUnchangedLibraryIsKnown() throws {
    let folder = try Self.folder()
    #expect(KnownDescription.of(folder / "lib.so")?.service == "s")
  }

  @Test func whatWasBuiltAnewIsNot() throws {
    let folder = try Self.folder()
    try folder.write("lib.so", "another one")
    #expect(KnownDescription.of(folder / "lib.so") == nil)
    try folder.write("description.json", try Self.description(of: folder / "lib.so", change: 1))
    #expect(KnownDescription.of(folder / "lib.so") == nil)
  }

  @Test(arguments: ["", "{}", "null", "{\"size\":7}", "\u{FFFD}", "[", "5"])
  func whatIsNoDescriptionIsNone(_ text: String) throws {
    let folder = try Self.folder()
    try folder.write("description.json", text)
    #expect(KnownDescription.of(folder / "lib.so") == nil)
  }

  @Test func whatIsNotThereIsNotKnown() throws {
    let folder = try Self.folder()
    try SmallFile.replace(
      folder / "description.json",
      with: Array(Self.description(of: folder / "lib.so").utf8) + [0xFF])
    #expect(KnownDescription.of(folder / "lib.so") == nil)
    unlink(folder / "description.json")
    #expect(
      KnownDescription.of(folder / "lib.so") == nil && KnownDescription.of("lib.so") == nil
        && KnownDescription.of(folder / "none/lib.so") == nil)
  }
}
