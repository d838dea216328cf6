// SPDX-License-Identifier: MIT

import Glibc
import NBridgePlugin
import NBridgeTesting
import Testing

@testable import NBridgeHost
@testable import NBridgeScript

/// A folder with files, thrown away with the test.
final class FilesFolder {
  let path: String

  init(_ files: [String: String] = [:]) throws {
    path = RealPath(TemporaryFolder.make())?.text ?? "/"
    for (name, text) in files { try write(name, text) }
  }

  deinit { TemporaryFolder.remove(path) }

  func write(_ name: String, _ text: String) throws {
    let file = "\(path)/\(name)"
    var at = path
    for part in name.split(separator: "/").dropLast() {
      at += "/\(part)"
      mkdir(at, 0o700)
    }
    try SmallFile.replace(file, with: Array(text.utf8))
  }

  static func / (folder: FilesFolder, name: String) -> String { "\(folder.path)/\(name)" }
}

private func sealed(_ paths: [String] = []) -> SealedPaths {
  SealedPaths(
    paths,
    own: Container(path: "/nonexistent"))
}

/// What a program that stands for esbuild may do wrong.
@Suite struct EsbuildProcessTests {
  /// Starts a shell script as esbuild; what went wrong, and within which time.
  static func failure(_ script: String) throws -> (message: String?, seconds: Double) {
    signal(SIGPIPE, SIG_IGN)
    let folder = try FilesFolder(["esbuild": "#!/bin/sh\n\(script)\n"])
    chmod(folder / "esbuild", 0o700)
    let start = ContinuousClock.now
    var message: String?
    do {
      let process = try EsbuildProcess.start(folder / "esbuild")
      try process.send(EsbuildPacket(id: 0, isRequest: true, value: .null))
      _ = try process.receive()
    } catch { message = error.description }
    return (message, (ContinuousClock.now - start) / .seconds(1))
  }

  private static let ended = "esbuild ended before it was done"
  private static let version = #"[ "$1" = --version ] && { echo 0.17.0; exit; }"#

  /// It may be dead, say nothing of use, or go on for ever: a start comes back.
  @Test(arguments: [
    ("exit 1", BundleError.missing.description), ("echo no number", BundleError.missing.description),
    ("kill -9 $$", BundleError.missing.description),
    // It says its version, and does not end; it says far too much, and nobody reads on.
    ("exec 2>/dev/null; echo 0.17.0; [ \"$1\" = --version ] && exec sleep 1000; exit 1", ended),
    ("while :; do echo 0123456789012345678901234567890123456789; done", "esbuild said something unknown"),
    ("\(version); exit 3", ended), ("\(version); kill -9 $$", ended),
    // It closes its pipes and stays.
    ("\(version); exec <&- >&-; exec sleep 1000", ended),
    ("\(version); printf '\\377\\377\\377\\377'; exec sleep 1000", "esbuild said something unknown"),
    ("\(version); printf '\\001\\000\\000\\000x'; exit", ended),
    (
      "\(version); printf '\\001\\000\\000\\000x\\001\\000\\000\\000x'; cat > /dev/null",
      "esbuild said something unknown"
    ),
  ])
  func aChildThatFailsIsTold(_ script: String, _ message: String) throws {
    let (found, seconds) = try Self.failure(script)
    #expect(found == message && seconds < 30, "\(script)")
  }

  @Test func oneThatIsNotThereIsTold() {
    let error = #expect(throws: BundleError.self) {
      _ = try EsbuildProcess.start(
        "nbridge-no-such-program"
      ).send(EsbuildPacket(id: 0, isRequest: true, value: .null))
    }
    #expect(error?.description == BundleError.missing.description)
    let folder = #expect(throws: BundleError.self) {
      _ = try EsbuildProcess.start("/tmp").send(
        EsbuildPacket(id: 0, isRequest: true, value: .null))
    }
    #expect(folder?.description == "can't start esbuild: Permission denied")
  }
}

/// Which files a program's modules may be.
@Suite struct ModuleScopeTests {
  static func scope(
    _ folder: FilesFolder, _ list: [String]?, entry: String? = nil,
    sealedPaths: [String] = []
  ) -> ModuleScope {
    ModuleScope(
      bundle: folder / "app", list.map { PermissionSet($0) } ?? .everything,
      sealed: sealed(sealedPaths), entry: entry.map { .file($0) })
  }

  static func folder() throws -> FilesFolder {
    try FilesFolder([
      "app/a.js": "a", "app/sub/b.js": "b", "node_modules/p/i.js": "p", "app/node_modules/q/i.js": "q",
      "other/c.js": "c", "apple/d.js": "d", "kept/k.js": "k",
    ])
  }

  @Test(arguments: [
    ("app/a.js", true), ("app/sub/b.js", true), ("node_modules/p/i.js", true),
    ("app/node_modules/q/i.js", true), ("other/c.js", false), ("apple/d.js", false),
    ("app/../other/c.js", false), ("app/link.js", false),
  ])
  func withAListOnlyTheAppsOwn(_ name: String, _ isAllowed: Bool) throws {
    let folder = try Self.folder()
    symlink(folder / "other/c.js", folder / "app/link.js")
    let scope = Self.scope(folder, [])
    let bytes = try? scope.read(folder / name)
    #expect((bytes != nil) == isAllowed)
    #expect(throws: Never.self) { try Self.scope(folder, nil).read(folder / name) }
    #expect(throws: Never.self) { try Self.scope(folder, ["import:" + folder.path]).read(folder / name) }
  }

  @Test func aRefusalNamesTheLineToAdd() throws {
    let folder = try Self.folder()
    let error = #expect(throws: ScriptFileError.self) {
      try Self.scope(folder, []).read(
        folder / "other/c.js")
    }
    #expect(
      error?.description
        == "'\(folder / "other/c.js")' lies outside of the app's folder '\(folder / "app")'; to allow it, add \"import:\(folder / "other/c.js")\" to \"permissions\" in app.json (or to --permissions)")
  }

  @Test func whatIsSealedIsNeverOne() throws {
    let folder = try Self.folder()
    for list in [nil, ["import:/"]] as [[String]?] {
      let error = #expect(throws: ScriptFileError.self) {
        try Self.scope(
          folder, list,
          sealedPaths: [folder / "kept"]
        ).read(folder / "kept/k.js")
      }
      #expect(error?.description.contains("is closed to scripts") == true)
    }
  }

  @Test func theFileThatWasNamedIsOne() throws {
    let folder = try Self.folder()
    let scope = Self.scope(folder, [], entry: folder / "other/c.js")
    #expect(throws: Never.self) { try scope.read(folder / "other/c.js") }
    // Its folder is the program's, too.
    try folder.write("other/e.js", "e")
    #expect(throws: Never.self) { try scope.read(folder / "other/e.js") }
    #expect(throws: ScriptFileError.self) { try scope.read(folder / "apple/d.js") }
  }

  @Test func otherRulesHaveAnotherKey() throws {
    let folder = try Self.folder()
    let keys = [
      nil, [], ["a.b"], ["a.c"], ["b", "a"],
      ["a", "b"],
    ].map { (list: [String]?) in Self.scope(folder, list).key }
    #expect(Set(keys).count == 5 && keys[4] == keys[5] && keys[0] == "all")
  }
}

/// What bundles were made of, and whether making them again would give the same.
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
    ("src/new.md", "x", true), ("package.json", "{} ", false), ("tsconfig.json", "{}", true),
    ("src/tsconfig.json", "{}", false), ("src/package.json", "{}", false),
    ("node_modules/q/x", "x", true), ("src/node_modules/q/x", "x", false),
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

  // MARK: - The cache

  static func request(
    _ folder: FilesFolder,
    _ change: (
      inout BundleRequest
    ) -> Void = { _ in }
  ) -> BundleRequest {
    let entry = BundleRequest.Entry.file(folder / "src/a.js")
    var request = BundleRequest(
      entry: entry,
      scope: ModuleScope(
        bundle: folder / "src", .everything, sealed: sealed(),
        entry: entry), workingFolder: folder.path)
    change(&request)
    return request
  }

  static func keep(_ folder: FilesFolder) throws -> BundleCache {
    let cache = BundleCache(folder: folder / "cache")
    cache.keep(Bundle(text: "text é", map: "{}", fingerprint: try fingerprint(folder)), for: request(folder))
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
    #expect(found.text == "text é" && found.map == "{}" && found.inputs == [folder / "src/a.js"])
    try folder.write("src/a.js", "changed")
    #expect(cache.find(Self.request(folder)) == nil)
  }

  @Test func anotherRequestIsAnotherBundle() throws {
    let folder = try FilesFolder(Self.files)
    let cache = try Self.keep(folder)
    let others: [(inout BundleRequest) -> Void] = [
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

  @Test(arguments: [-1, Int.max, 1000])
  func lengthsThatLieAreNone(_ length: Int) throws {
    let folder = try FilesFolder(Self.files)
    let cache = try Self.keep(folder)
    let file = try Self.file(folder)
    let text = String(decoding: try SmallFile.read(file) ?? [], as: UTF8.self)
    try SmallFile.replace(file, with: Array(text.replacing(#""map":2"#, with: #""map":\#(length)"#).utf8))
    #expect(cache.find(Self.request(folder)) == nil)
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

/// The settings that esbuild reads by itself.
@Suite struct ProjectSettingsTests {
  static func problem(
    _ files: [String: String], list: [String]? = [], around: String = "app",
    _ prepare: (FilesFolder) -> Void = { _ in }
  ) throws -> String? {
    let folder = try FilesFolder(files)
    mkdir(folder / "app", 0o700)
    prepare(folder)
    let scope = ModuleScope(
      bundle: folder / "app", list.map { PermissionSet($0) } ?? .everything,
      sealed: sealed())
    var settings = ProjectSettings(scope)
    var fingerprint = Fingerprint()
    do {
      try settings.demand(around: folder / around, &fingerprint)
      return nil
    } catch { return error.description.replacing(folder.path, with: "F") }
  }

  @Test(arguments: [
    ["app/package.json": "{}"], ["tsconfig.json": #"{"extends":"./base"}"#, "base.json": "{}"],
    ["app/tsconfig.json": #"{"extends":["./a.json","pkg"]}"#, "app/a.json": "{}"],
    ["app/tsconfig.json": #"{"extends":"./tsconfig.json"}"#],
    ["app/tsconfig.json": #"{"extends":"./a"}"#, "app/a.json": #"{"extends":"./tsconfig"}"#],
    ["app/tsconfig.json": #"{ // "extends"#], [:],
    ["app/tsconfig.json": #"{"extends":"/etc/passwd.json"}"#],
  ])
  func settingsThatAreFiles(_ files: [String: String]) throws { #expect(try Self.problem(files) == nil) }

  @Test(arguments: ["package.json", "app/tsconfig.json", "app/jsconfig.json"])
  func aPipeIsRefusedAtOnce(_ name: String) throws {
    #expect(
      try Self.problem([:]) { mkfifo($0 / name, 0o600) }
        == "'F/\(name)' is no plain file, but a pipe or a device")
  }

  @Test func aLinkToWhatIsNoJSONIsRefusedWithAList() throws {
    let link = { (folder: FilesFolder) in _ = symlink(folder / "secret.txt", folder / "app/package.json") }
    #expect(
      try Self.problem(["secret.txt": "s"], link)
        == "'F/app/package.json' leads to 'F/secret.txt', which is no JSON file; settings of a project are")
    #expect(try Self.problem(["secret.txt": "s"], list: nil, link) == nil)
  }

  @Test func whatIsExtendedIsJSON() throws {
    let files = ["app/tsconfig.json": #"{"extends":"../secret.txt"}"#, "secret.txt": "s"]
    #expect(try Self.problem(files) == "'F/app/tsconfig.json' extends '../secret.txt', which is no JSON file")
    #expect(try Self.problem(files, list: nil) == nil)
  }
}

/// Why a program can't be put together.
@Suite struct BundleErrorTests {
  static func message(
    _ text: String, line: Int = 2, column: Int = 3, lineText: String = "a é b",
    file: String = "src/a.js", notes: [String] = []
  ) -> EsbuildValue {
    .object([
      "text": .string(text), "notes": .array(notes.map { .object(["text": .string($0)]) }),
      "location": .object([
        "file": .string(file), "line": .int(Int32(line)),
        "column": .int(Int32(column)), "lineText": .string(lineText),
      ]),
    ])
  }

  static func problem(_ text: String) -> BundleError.Problem {
    BundleError.Problem(
      message(text),
      DisplayPath(folder: "/w"))
  }

  @Test func columnsAreUTF16From1() {
    let columns = [0, 2, 4, 5, 99].map {
      BundleError.Problem(
        Self.message("x", column: $0),
        DisplayPath(folder: "/w")
      ).column
    }
    #expect(columns == [1, 3, 4, 5, 6])
  }

  @Test(arguments: [
    ("Unexpected \"x\"", "Unexpected \"x\"", true),
    (
      "Could not resolve \"fs\"",
      "'fs' is a part of Node, which nbridge does not have; the module that imports it can't run here", false
    ),
    ("Could not resolve \"./none\"", "there is no './none' here", false),
    ("Could not resolve \"/\"", "'/' is a folder without an index file; name a file in it", false),
    (
      "Could not resolve \"left-pad\"",
      "there is no package 'left-pad' in a node_modules folder or in the \"imports\" of app.json",
      false
    ), ("Could not resolve \"./a?as=json\"", "there is no './a' here", false),
  ])
  func problemsAreExplained(_ text: String, _ explained: String, _ isSyntax: Bool) {
    let problem = Self.problem(text)
    #expect(problem.message == explained && problem.isSyntax == isSyntax)
  }

  @Test func aReport() {
    let error = BundleError([Self.problem("Unexpected \"x\"")])
    #expect(error.description == "src/a.js:2:4\na é b\n   ^\nSyntaxError: Unexpected \"x\"")
    #expect(
      error.report(asJSON: true, colours: true)
        == #"{"name":"SyntaxError","message":"Unexpected \"x\"","unhandled":false,"file":"src/a.js","line":2,"column":4,"source":"a é b","stack":[],"causes":[]}"# + "\n")
    #expect(BundleError("plain").description == "plain" && BundleError("plain").files.isEmpty)
  }

  @Test func manyProblemsAreCounted() {
    let error = BundleError((1...13).map { BundleError.Problem(message: "p\($0)") })
    #expect(error.description == (1...10).map { "p\($0)" }.joined(separator: "\n") + "\nand 3 more")
  }

  @Test(arguments: [
    ("file:///a", "file:///a"), ("text-entry:/w/input", "input"),
    ("text:/w/a.txt", "a.txt"), ("json:/x/a.json", "/x/a.json"), ("src/a.js", "src/a.js"),
    ("../b.js", "/b.js"),
  ])
  func filesAreNamedAsPeopleDo(_ file: String, _ shown: String) {
    #expect(BundleError.Problem(Self.message("x", file: file), DisplayPath(folder: "/w")).file == shown)
  }
}
