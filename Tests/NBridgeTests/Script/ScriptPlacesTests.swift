// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgeScript

/// The way between the author's places and the engine's, for debuggers.
@Suite struct ScriptPlacesTests {
  private func places(
    _ plan: PreparedScript, _ text: String, map: String? = nil, authored: String? = nil
  ) throws -> ScriptPlaces {
    var told: ScriptPlaces?
    let registry = SourceRegistry()
    registry.willRun = { told = $0 }
    registry.add(ScriptSource(url: "x.js", text: text), plan, map: map, authored: authored)
    return try #require(told)
  }

  @Test func whatWasPutIntoALineIsPassed() throws {
    let insertions = [
      AwaitMarker.Insertion(line: 1, column: 1, length: 10),
      AwaitMarker.Insertion(line: 2, column: 5, length: 3),
    ]
    let script = try places(PreparedScript(text: "", isAsync: true, insertions: insertions), "a\nbcdefgh")
    for (line, column, running) in [(0, 0, 10), (0, 4, 14), (1, 3, 3), (1, 4, 7), (1, 6, 9), (2, 0, 0)] {
      let place = ScriptPlaces.Place(line: line, column: column)
      #expect(script.running(place) == ScriptPlaces.Place(line: line, column: running))
      #expect(script.authored(ScriptPlaces.Place(line: line, column: running)) == place)
    }
    #expect(script.isHead(.init(line: 0, column: 3)) && !script.isHead(.init(line: 0, column: 10)))
    #expect(script.end == ScriptPlaces.Place(line: 1, column: 7))
  }

  @Test func aLineThatNothingWasMadeOfLeadsToTheNext() throws {
    // Line 3 of the author's is line 1, line 5 is line 2: `AAEA;AAEA`.
    let map = #"{"version":3,"sources":["x.ts"],"names":[],"mappings":"AAEA;AAEA"}"#
    let authored = "type A = 1\n\na()\n\nb()"
    let script = try places(
      PreparedScript(untouched: ScriptSource(url: "x.js", text: "a();\nb();")), "a();\nb();",
      map: map, authored: authored)
    #expect(script.text == authored)
    #expect(script.authored(.init(line: 1, column: 2)) == .init(line: 4, column: 0))
    #expect(script.running(.init(line: 0, column: 0)) == .init(line: 0, column: 0))
    #expect(script.running(.init(line: 3, column: 0)) == .init(line: 1, column: 0))
    #expect(script.running(.init(line: 5, column: 0)) == nil)
  }

  @Test(arguments: [
    ("a()", "debugger;a()"), ("'use strict'\na()", "\"use strict\";debugger;'use strict'\na()"),
    ("/* x */ \"use strict\"; a", "\"use strict\";debugger;/* x */ \"use strict\"; a"), ("", "debugger;"),
  ])
  func aScriptCanStopWhereItBegins(_ text: String, _ made: String) {
    let source = ScriptSource(url: "x.js", text: text)
    let plan = PreparedScript(untouched: source).stoppingAtBegin(source)
    #expect(plan.text == made)
    #expect(plan.column(line: 1, column: made.count - text.count + 1) == 1)
  }

  @Test func namesOfOtherModulesAreMembers() {
    #expect(DebuggedNames.importing("f", in: "f(x.f, 'f', f?.y)") == "\u{1C3}i.f(x.f, 'f', \u{1C3}i.f?.y)")
    #expect(DebuggedNames.importing("f", in: "g(x.f)") == nil)
  }
}
