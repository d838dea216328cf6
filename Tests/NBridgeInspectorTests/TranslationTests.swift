// SPDX-License-Identifier: MIT

import NBridgeScript
import Testing

@testable import NBridgeInspector

/// What the engine says, in the words of debuggers.
@Suite struct TranslationTests {
  private func read(_ text: String) throws -> JSON { try #require(JSONReader.read(Array(text.utf8))) }

  @Test(arguments: [
    (#"{"type":"number","description":"NaN"}"#, "NaN"), (#"{"type":"number","description":"-0"}"#, "-0"),
    (#"{"type":"number","description":"-Infinity"}"#, "-Infinity"),
    (#"{"type":"bigint","description":"10n"}"#, "10n"),
  ])
  func whatJSONLacksIsWritten(_ object: String, _ text: String) throws {
    let translated = RemoteObjects.translated(try read(object))
    #expect(translated["unserializableValue"]?.string == text)
    #expect(translated["value"] == nil)
  }

  @Test func listsSayTheirLength() throws {
    let list = try read(#"{"type":"object","subtype":"array","description":"Array","size":3}"#)
    #expect(RemoteObjects.translated(list)["description"] == "Array(3)")
    let typed = try read(#"{"type":"object","description":"Uint8Array","size":3}"#)
    #expect(RemoteObjects.translated(typed)["description"] == "Uint8Array")
  }

  @Test func aThrownValueIsAnException() throws {
    let answer = try read(
      """
      {"wasThrown":true,"result":
       {"type":"object","subtype":"error","className":"TypeError","description":"no"}}
      """)
    let details = RemoteObjects.evaluated(answer)["exceptionDetails"]
    #expect(details?["exception"]?["description"] == "TypeError: no")
    #expect(RemoteObjects.evaluated(.of(["result": .of(["type": "string"])]))["exceptionDetails"] == nil)
  }

  @Test func theInnermostScopeThatIsNoBlocksIsTheFunctions() throws {
    let table = ScriptTable(folder: "/")
    table.add(ScriptTable.Script(id: "1", url: "x.js", end: .init(line: 9, column: 0), isModule: false))
    let frame = try read(
      """
      {"callFrameId":"f","functionName":"f","location":{"scriptId":"1","lineNumber":2,"columnNumber":0},
       "this":{"type":"undefined"},"scopeChain":[
       {"type":"nestedLexical","object":{"type":"object"}},
       {"type":"closure","name":"f","object":{"type":"object"}},
       {"type":"closure","name":"f","object":{"type":"object"}},
       {"type":"closure","name":"outer","object":{"type":"object"}},
       {"type":"closure","empty":true,"object":{"type":"object"}},
       {"type":"globalLexicalEnvironment","object":{"type":"object"}},
       {"type":"global","object":{"type":"object"}}]}
      """)
    let chain = CallFrames(scripts: table).translated([frame])[0]["scopeChain"]?.array ?? []
    let types = chain.compactMap { $0["type"]?.string }
    #expect(types == ["block", "local", "local", "closure", "script", "global"])
  }

  @Test func framesOfOursAreLeftOut() throws {
    let table = ScriptTable(folder: "/")
    let end = ScriptPlaces.Place(line: 9, column: 0)
    table.add(ScriptTable.Script(id: "1", url: "nbridge:timers.js", end: end, isModule: false))
    let frames = ["1", "unknown"].map { id in
      JSON.of(["location": .of(["scriptId": .string(id), "lineNumber": .int(1), "columnNumber": .int(0)])])
    }
    #expect(CallFrames(scripts: table).translated(frames).isEmpty)
  }

  @Test func breakpointsAreMeantByNameOrPattern() {
    let name = Breakpoint.Scripts.url("file:///a.js")
    #expect(name.mean("file:///a.js") && !name.mean("file:///a.jsx"))
    let pattern = Breakpoint.Scripts.pattern(#"/[aA]\.ts$"#)
    #expect(pattern.mean("file:///x/A.ts") && !pattern.mean("file:///x/a.tsx") && pattern.isValid)
    #expect(!Breakpoint.Scripts.pattern("(").isValid && !Breakpoint.Scripts.pattern("(").mean("("))
  }

  @Test(arguments: [
    ("9230", "127.0.0.1:9230"), ("127.0.0.1", "127.0.0.1:9229"), ("0.0.0.0:0", "0.0.0.0:0"),
    ("[::1]:5", "[::1]:5"), ("localhost:80", "127.0.0.1:80"),
  ])
  func addressesAreNumbers(_ text: String, _ shown: String) { #expect(InspectorAddress(text)?.text == shown) }

  @Test(arguments: [
    "", ":", "example.org", "example.org:1", "127.0.0.1:", "127.0.0.1:99999", "[::1", "1.2.3.4:-1", "99999",
  ])
  func whatIsNoAddressIsRefused(_ text: String) { #expect(InspectorAddress(text) == nil, "\(text)") }
}
