// SPDX-License-Identifier: MIT

import Glibc
import NBridgePlugin
import NBridgeTesting
import Testing

@testable import NBridgeHost
@testable import NBridgeScript
@testable import NBridgeSystem

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

func sealed(_ paths: [String] = []) -> SealedPaths {
  SealedPaths(
    paths,
    own: Container(path: "/nonexistent"))
}

/// Mistakes that a program which stands for esbuild may make.
@Suite struct EsbuildProcessTests {
  /// Starts a shell script as esbuild; what went wrong, and within which time.
  static func failure(_ script: String) throws -> (message: String?, seconds: Double) {
    signal(SIGPIPE, SIG_IGN)
    let folder = try FilesFolder(["esbuild": "#!/bin/sh\n\(script)\n"])
    chmod(folder / "esbuild", 0o700)
    let start = ContinuousClock.now
    var message: String?
    repeat {
      message = nil
      do {
        let process = try EsbuildProcess.start(folder / "esbuild")
        try process.send(EsbuildPacket(id: 0, isRequest: true, value: .null))
        _ = try process.receive()
      } catch { message = error.description }
      // A child of another test holds the file for a moment, between its beginning and its own program.
    } while message?.hasSuffix("Text file busy") == true
    return (message, (ContinuousClock.now - start) / .seconds(1))
  }

  private static let ended = "esbuild ended before it was done"
  private static let unknown = "esbuild said something unknown"
  private static let version = #"[ "$1" = --version ] && { echo 0.17.0; exit; }"#

  /// The program may be dead, say nothing of use, or go on for ever: a start comes back.
  @Test(arguments: [
    ("exit 1", BundleError.missing.description), ("echo no number", BundleError.missing.description),
    ("kill -9 $$", BundleError.missing.description),
    // The program says its version, and does not end; it says far too much, and its reader stops.
    ("exec 2>/dev/null; echo 0.17.0; [ \"$1\" = --version ] && exec sleep 1000; exit 1", unknown),
    ("while :; do echo 0123456789012345678901234567890123456789; done", "esbuild said something unknown"),
    ("\(version); exit 3", ended), ("\(version); kill -9 $$", ended),
    // The program closes its pipes and stays.
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
        == "'\(folder / "other/c.js")' lies outside of the app's folder '\(folder / "app")'; "
        + "to allow it, add \"import:\(folder / "other/c.js")\" to \"permissions\" in app.json "
        + "(or to --permissions)")
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
        == #"{"name":"SyntaxError","message":"Unexpected \"x\"","unhandled":false,"file":"src/a.js","#
        + #""line":2,"column":4,"source":"a é b","stack":[],"causes":[]}"# + "\n")
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
