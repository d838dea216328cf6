// SPDX-License-Identifier: MIT

import JSEngine
import NBridgePlugin
import NBridgeTesting
import Testing

@testable import NBridge
@testable import NBridgeScript

/// `app.json`, and what is wrong with one.
@Suite struct ManifestTests {
  static func problem(_ text: String) -> String? {
    do {
      _ = try AppManifest.parse(text, path: "app.json")
      return nil
    } catch { return error.description }
  }

  @Test(arguments: [
    "{}", #"{"id":"a.b-c_D9"}"#, #"{"permissions":[]}"#,
    #"{"permissions":["a.b"],"preferences":{"x":[1]},"imports":{"a":"./a.js"},"main":"m.js"}"#,
    #"{"resources":["a","b/c",".hidden","a..b"]}"#,
    #"{"plugins":{"p":{}},"schemes":["x"],"name":"N","version":"1","build":"2"}"#, #"{"entirelyOwnKey":1}"#,
    #"{"preferences":{"a":1,"a":2},"version":null}"#,
  ])
  func whatIsOne(_ text: String) { #expect(Self.problem(text) == nil) }

  @Test(arguments: [
    ("", "'app.json' is not JSON: "), ("{", "'app.json' is not JSON: "),
    ("[]", "'app.json' must be a JSON object, not an array"),
    ("5", "'app.json' must be a JSON object, not a number"),
    (#"{"permission":[]}"#, "'app.json' has no key 'permission'; did you mean 'permissions'?"),
    (#"{"idd":"x"}"#, "'app.json' has no key 'idd'; did you mean 'id'?"), (#"{"id":5}"#, "'app.json': "),
    (#"{"permissions":"all"}"#, "'app.json': "),
    (#"{"permissions":null}"#, "'app.json': permissions is null; leave it out for all, or give a list"),
    (#"{"resources":null}"#, "'app.json': resources is null"),
    (#"{"permissions":[],"permissions":["*"]}"#, "'app.json' has the key 'permissions' twice"),
    (#"{"permissions":[],"\u0070ermissions":["*"]}"#, "'app.json' has the key 'permissions' twice"),
    (#"{"id":""}"#, "'app.json': id '' must be 1 to 128"),
    (#"{"id":".a"}"#, "'app.json': id '.a' must be"),
    (#"{"id":"a/b"}"#, "'app.json': id 'a/b' must be"), (#"{"id":"é"}"#, "'app.json': id 'é' must be"),
    (
      #"{"resources":["../x"]}"#,
      "'app.json': resources names '../x', which must be a path from the file's folder on, without '..'"
    ), (#"{"resources":["a","/x"]}"#, "'app.json': resources names '/x'"),
    (#"{"resources":[""]}"#, "'app.json': resources names ''"),
    (#"{"resources":["a/../b"]}"#, "'app.json': resources names 'a/../b'"),
    (#"{"resources":["a\u0000"]}"#, "'app.json': resources names 'a"),
  ])
  func whatIsNone(_ text: String, _ message: String) {
    #expect(Self.problem(text)?.hasPrefix(message) == true, "\(Self.problem(text) ?? "nothing")")
  }

  @Test(arguments: [128, 129])
  func idsHaveALength(_ count: Int) {
    #expect((Self.problem(#"{"id":"\#(String(repeating: "a", count: count))"}"#) == nil) == (count == 128))
  }

  @Test(arguments: [
    (#"{"permissions":["probe.a","*","import:/x"]}"#, nil),
    (#"{"permissions":["prob.a"]}"#, nil),
    (#"{"plugins":{"x":{}}}"#, "plugins names the unknown plugin 'x'"),
    (#"{"plugins":{"probe":5}}"#, "plugins.probe must be an object"),
    (#"{"plugins":{"probe":{"a":1}}}"#, nil), (#"{"permissions":[]}"#, nil),
  ])
  func whatNamesPlugins(_ text: String, _ message: String?) throws {
    let manifest = try AppManifest.parse(text, path: "app.json")
    var options = RuntimeOptions()
    do {
      try manifest.apply(to: &options) { ["probe", "other"] }
      #expect(message == nil)
    } catch {
      #expect(
        (error as? AppManifestError)?.description.contains(message ?? "nothing is wrong")
          == true)
    }
  }

  @Test func aRuntimeIsSetUpByIt() throws {
    let folder = try FilesFolder([
      "app.json": #"{"id":"i","permissions":["probe.a"],"imports":{"x":"./x.js"},"schemes":["s"],"#
        + #""preferences":{"p":1},"resources":["r"],"main":"m.js"}"#,
      "a.js": "",
    ])
    let manifest = try AppManifest.find(forScript: folder / "a.js", explicit: nil)
    var options = RuntimeOptions()
    try manifest.apply(to: &options) { ["probe"] }
    #expect(
      options.app == AppInfo(id: "i", name: "a", version: "0.0.0", build: "0")
        && options.imports
          == ["x": "./x.js"]
        && options.schemes == ["s"])
    #expect(
      options.importsFolder == folder.path && options.bundle == folder.path
        && options.resources
          == ["r"]
        && options.permissions.list == ["probe.a"])
    #expect(manifest.main == "m.js" && manifest.hasID && manifest.permissionList == ["probe.a"])
  }

  /// Without an `app.json` a script is an app by its place.
  @Test func aScriptAloneIsAnApp() throws {
    let folder = try FilesFolder(["a b.js": "", "c.js": ""])
    func info(_ name: String) throws -> AppInfo {
      var options = RuntimeOptions()
      try AppManifest.find(forScript: folder / name, explicit: nil).apply(to: &options) { [] }
      #expect(options.resources == [] && options.permissions.list == nil)
      return options.app
    }
    let (one, two) = (try info("a b.js"), try info("c.js"))
    #expect(
      one.id.hasPrefix("a-b-") && one.name == "a b" && two.id.hasPrefix("c-")
        && one.id.dropFirst(4) != two.id.dropFirst(2))
    #expect(try info("c.js") == two)
    #expect(try info("./c.js").id == two.id)
  }

  @Test func aManifestThatWasNamedMustBeThere() throws {
    let folder = try FilesFolder(["a.js": ""])
    let error = #expect(throws: AppManifestError.self) {
      try AppManifest.find(
        forScript: folder / "a.js", explicit: folder / "x.json")
    }
    #expect(error?.description == "can't open '\(folder / "x.json")': No such file or directory")
  }

  @Test(arguments: [
    ("a", false), ("a/b", false), ("..", true), ("a/..", true), ("a..b", false),
    ("...", false), ("/a", true), ("", true), ("a\u{0}", true), (".", false), ("a//b", false),
  ])
  func pathsThatLeadOut(_ path: String, _ leadsOut: Bool) { #expect(ResourcePath.leadsOut(path) == leadsOut) }

  /// The names are stable: a container is found by them (FNV-1a of the path).
  @Test(arguments: [
    ("nowhere/x.js", "x", "x-"), ("nowhere/ä.js", "ä", "--"),
    ("nowhere/a.b.js", "a.b", "a-b-"),
  ])
  func namesOfScripts(_ path: String, _ stem: String, _ prefix: String) {
    let hash = Array(path.utf8).reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    #expect(ScriptIdentity.id(of: path, stem: stem) == prefix + String(hash, radix: 16))
  }

  // MARK: - Mocks

  static func mock(_ name: String, _ text: String) throws -> (
    mock: MockFile?, problem: String?,
    folder: FilesFolder
  ) {
    let folder = try FilesFolder([name: text])
    do { return (try MockFile(path: folder / name), nil, folder) } catch {
      return (
        nil,
        "\(error)".replacing(folder.path, with: "F"), folder
      )
    }
  }

  @Test(arguments: [
    (#"{"a.b":1,"a.c":2,"d.e":{"$error":{}}}"#, ["a", "d"]), ("{}", []),
  ])
  func mocksOfServices(_ text: String, _ services: [String]) throws {
    #expect(try Self.mock("m.json", text).mock?.services == services)
    #expect(try Self.mock("m.js", "anything").mock?.services == [])
  }

  @Test(arguments: [
    ("[]", "'F/m.json' must be an object whose keys are \"service.action\", not an array"),
    (#"{"a":1}"#, "'F/m.json': the key 'a' must be \"service.action\""),
    (#"{"a.b.c":1}"#, "'F/m.json': the key 'a.b.c' must be \"service.action\""),
    (#"{".a":1}"#, "'F/m.json': the key '.a' must be \"service.action\""),
    (#"{"a.":1}"#, "'F/m.json': the key 'a.' must be \"service.action\""),
  ])
  func mocksThatAreNone(_ text: String, _ message: String) throws {
    #expect(
      try Self.mock("m.json", text).problem == message)
  }

  @Test func whatIsNoJSONIsTold() throws {
    #expect(try Self.mock("m.json", "{").problem?.hasPrefix("'F/m.json' is not JSON: ") == true)
    #expect(throws: ScriptFileError.self) { try MockFile(path: "/nonexistent/m.json") }
  }

  @Test(arguments: [
    ("m.json", #"{"a.b":5}"#), ("m.js", "const x = 5; ({ 'a.b': x })"),
    ("m.json", "{\"a.b\":5}\n"),
  ])
  func aMocksValueIsTheObject(_ name: String, _ text: String) async throws {
    let made = try Self.mock(name, text)
    let mock = try #require(made.mock)
    let value = try await withEngine { try mock.value(in: $0)["a.b"].number }
    #expect(value == 5 && !made.folder.path.isEmpty)
  }
}
