// SPDX-License-Identifier: MIT

import Glibc
import NBridgePlugin
import Testing

@testable import NBridgeHost
@testable import NBridgeScript

/// The sources that bundles were made of, and whether making them again would give the same.
@Suite struct FingerprintTests {
  static func fingerprint(_ folder: FilesFolder, _ names: [String] = ["src/a.js"]) throws -> Fingerprint {
    var fingerprint = Fingerprint()
    for name in names { fingerprint.add(folder / name, try SmallFile.read(folder / name) ?? []) }
    return fingerprint
  }

  static func isSame(_ old: Fingerprint) -> Bool {
    Fingerprint(
      digests: old.digests,
      files: Array(old.files)) != nil
  }

  static let files = [
    "src/a.js": "a", "package.json": "{}", "src/notes.md": "n",
    "node_modules/p/package.json": "{}", "node_modules/p/i.js": "i",
  ]

  @Test(arguments: [
    ("src/a.js", "other", false), ("src/b.ts", "new", false), ("src/notes.md", "other", true),
    ("src/new.md", "x", true), ("package.json", "{} ", false), ("tsconfig.json", "{}", false),
    ("src/tsconfig.json", "{}", false), ("src/package.json", "{}", false),
    ("node_modules/q/x", "x", false), ("src/node_modules/q/x", "x", false),
    ("unrelated/z.js", "z", true), ("src/a.js", "a", true),
  ])
  func aChangeIsSeenWhereItCounts(_ name: String, _ text: String, _ isSame: Bool) throws {
    let folder = try FilesFolder(Self.files)
    let old = try Self.fingerprint(folder)
    #expect(Self.isSame(old))
    try folder.write(name, text)
    #expect(Self.isSame(old) == isSame)
  }

  @Test func whatIsGoneIsSeen() throws {
    let folder = try FilesFolder(Self.files)
    let old = try Self.fingerprint(folder)
    unlink(folder / "src/a.js")
    #expect(!Self.isSame(old))
  }

  @Test func aLinkThatLeadsElsewhereIsSeen() throws {
    let folder = try FilesFolder([
      "one/a.js": "same", "two/a.js": "same", "one/package.json": "{}",
      "two/package.json": "{}",
    ])
    symlink(folder / "one", folder / "now")
    let old = try Self.fingerprint(folder, ["now/a.js"])
    #expect(Self.isSame(old))
    unlink(folder / "now")
    symlink(folder / "two", folder / "now")
    #expect(!Self.isSame(old))
  }

  @Test func whereANameWasLookedForIsWatched() throws {
    let folder = try FilesFolder(Self.files)
    var old = Fingerprint()
    old.look(for: folder / "src/later")
    #expect(Self.isSame(old))
    try folder.write("src/later/package.json", "{}")
    #expect(!Self.isSame(old))
    var noted = Fingerprint()
    noted.note(folder / "x.json")
    try folder.write("x.json", "1")
    #expect(!Self.isSame(noted) && noted.files.isEmpty)
  }

  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
  ])
  func digestsAreSHA256(_ text: String, _ digest: String) {
    #expect(
      Fingerprint.digest(Array(text.utf8)) == digest)
  }

  /// A new version of nbridge brings other texts.
  @Test(arguments: [("one", true), ("two", false), (nil, false)])
  func aModuleOfTheRuntimeCountsByItsText(_ text: String?, _ isSame: Bool) {
    var old = Fingerprint()
    old.add(builtin: "node:path", "one")
    let found = Fingerprint(digests: old.digests, files: []) { name in name == "node:path" ? text : nil }
    #expect((found != nil) == isSame && old.files.isEmpty)
  }

  // MARK: - The cache

  static func request(
    _ folder: FilesFolder,
    _ change: (
      inout ModuleRequest
    ) -> Void = { _ in }
  ) -> ModuleRequest {
    let entry = ModuleRequest.Entry.file(folder / "src/a.js")
    var request = ModuleRequest(
      entry: entry,
      scope: ModuleScope(
        bundle: folder / "src", .everything, sealed: sealed(),
        entry: entry), workingFolder: folder.path)
    change(&request)
    return request
  }

  static func keep(_ folder: FilesFolder) throws -> ModuleCache {
    let cache = ModuleCache(folder: folder / "cache")
    var module = ModuleGraph.Module(
      kind: .module, path: folder / "src/a.js", url: "a.js", source: "text é")
    (module.map, module.insertions, module.calls) = ("{}", [1, 2, 3], ["./b": 0])
    module.imports = [.init(local: "b", module: 0, name: nil), .init(local: "c", module: 0, name: "d")]
    var graph = ModuleGraph()
    graph.modules = [module]
    graph.fingerprint = try fingerprint(folder)
    cache.keep(graph, for: request(folder))
    return cache
  }

  static func file(_ folder: FilesFolder) throws -> String {
    folder / "cache/"
      + (ScriptFile.names(in: folder / "cache").first { $0.hasSuffix(".bundle") } ?? "none")
  }

  @Test func whatIsKeptIsFound() throws {
    let folder = try FilesFolder(Self.files)
    let cache = try Self.keep(folder)
    let found = try #require(cache.find(Self.request(folder)))
    let module = try #require(found.modules.first)
    #expect(module.source == "text é" && module.map == "{}" && found.inputs == [folder / "src/a.js"])
    #expect(module.insertions == [1, 2, 3] && module.calls == ["./b": 0])
    #expect(module.imports.map(\.name) == [nil, "d"])
    try folder.write("src/a.js", "changed")
    #expect(cache.find(Self.request(folder)) == nil)
  }

  @Test func anotherRequestIsAnotherBundle() throws {
    let folder = try FilesFolder(Self.files)
    let cache = try Self.keep(folder)
    let others: [(inout ModuleRequest) -> Void] = [
      { $0.imports = ["a": "b"] }, { $0.importsFolder = "/x" }, { $0.workingFolder = "/" },
      { $0.entry = .file("/x") }, { $0.entry = .text("a", folder: "/", name: "b") },
      { $0.scope = ModuleScope(bundle: nil, PermissionSet([]), sealed: sealed()) },
    ]
    for change in others { #expect(cache.find(Self.request(folder, change)) == nil) }
    #expect(cache.find(Self.request(folder)) != nil)
  }

  @Test func everyCutOfAKeptBundleIsNone() throws {
    let folder = try FilesFolder(Self.files)
    let cache = try Self.keep(folder)
    let file = try Self.file(folder)
    let bytes = try #require(try SmallFile.read(file))
    for length in stride(from: 0, to: bytes.count, by: 1) {
      try SmallFile.replace(file, with: Array(bytes.prefix(length)))
      #expect(cache.find(Self.request(folder)) == nil, "cut at \(length)")
    }
    for text in ["", "\n", "{}\n", "null\n", #"{"format":"x"}"# + "\n"] {
      try SmallFile.replace(file, with: Array(text.utf8))
      #expect(cache.find(Self.request(folder)) == nil)
    }
    try SmallFile.replace(file, with: bytes)
    #expect(cache.find(Self.request(folder)) != nil)
  }

  /// Wherever a length may stand, one that lies is no reason to read outside of the file, or to wait.
  @Test(arguments: [-1, Int.max, 1000])
  func lengthsThatLieAreNone(_ length: Int) throws {
    let folder = try FilesFolder(Self.files)
    let cache = try Self.keep(folder)
    let file = try Self.file(folder)
    let bytes = try #require(try SmallFile.read(file))
    let lie = withUnsafeBytes(of: Int64(length).littleEndian) { Array($0) }
    for place in 0...(bytes.count - lie.count) {
      try SmallFile.replace(file, with: bytes[..<place] + lie + bytes[(place + lie.count)...])
      let found = cache.find(Self.request(folder))
      // The first is the format's.
      if place == 0 { #expect(found == nil) }
    }
  }

  @Test func theOldestGo() throws {
    let folder = try FilesFolder(Self.files)
    for number in 0..<140 { try folder.write("cache/\(number).bundle", "x") }
    for number in 0..<140 {
      var times = [timespec(tv_sec: 1000 + number, tv_nsec: 0), timespec(tv_sec: 1000 + number, tv_nsec: 0)]
      utimensat(AT_FDCWD, folder / "cache/\(number).bundle", &times, 0)
    }
    _ = try Self.keep(folder)
    let left = Set(ScriptFile.names(in: folder / "cache").filter { !$0.hasPrefix(".") })
    #expect(
      left.count == 64 && left.contains("139.bundle") && !left.contains("76.bundle")
        && left.contains("77.bundle"))
  }

  @Test func aCacheThatCannotBeWrittenIsNone() throws {
    let folder = try FilesFolder(Self.files)
    try folder.write("cache", "a file")
    let cache = try Self.keep(folder)
    #expect(cache.find(Self.request(folder)) == nil)
  }
}
