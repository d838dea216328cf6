// SPDX-License-Identifier: MIT

import NBridgeScript
import Testing

/// What is made of the engine's samples.
@Suite struct ScriptProfileTests {
  /// A trace: names with their lines, the innermost first; a line of 0 for what no author wrote.
  private static func trace(_ frames: [(String, Int)]) -> String {
    let list = frames.map { name, line in
      """
      {"sourceID": \(line > 0 ? 2 : 4294967295), "name": "\(name)", "location": "#\(name):LLInt:bc#1",
      "line": \(line > 0 ? line : 4294967295), "column": 1, "category": "LLInt", "flags": 0}
      """
    }
    return "{\"timestamp\": 1.5, \"frames\": [\(list.joined(separator: ","))]}"
  }

  private func profile(_ traces: [[(String, Int)]], url: String = "a.js") -> ScriptProfile {
    var profile = ScriptProfile()
    let list = traces.map(Self.trace).joined(separator: ",")
    profile.add(
      """
      {"interval": 0.001, "traces": [\(list)], "sources": [{"sourceID": 2, "url": "\(url)"}]}
      """, authored: { $0 })
    return profile
  }

  @Test func aRecursionIsCountedOnce() {
    let profile = profile([[("f", 1), ("f", 2), ("g", 5)], [("g", 6)], [("f", 1), ("g", 5)]])
    let longest = profile.longest(5)
    #expect(longest.map { profile.label($0.function) } == ["f a.js:1", "g a.js:5"])
    #expect(longest.map(\.own) == [2, 1])
    #expect(longest.map(\.total) == [2, 3])
  }

  @Test func whatNoAuthorWroteIsOneBarBelowItsCaller() {
    let profile = profile([
      [("inner", 0), ("write", 0), ("f", 3), ("main", 0)], [("f", 3), ("sort", 0), ("g", 9)], [("gc", 0)],
    ])
    let chains = profile.nodes.indices.filter { profile.nodes[$0].own > 0 }.map { index in
      var chain: [String] = []
      var at: Int? = index
      while let node = at {
        chain.insert(profile.label(profile.nodes[node].function), at: 0)
        at = profile.nodes[node].parent
      }
      return chain.joined(separator: " > ")
    }
    #expect(
      chains == [
        "(program) > f a.js:3 > write", "(program) > g a.js:9 > sort > f a.js:3", "(program) > (nbridge)",
      ])
  }

  @Test func codeThatDoesNotKnowItsLineIsTheFunctionThatItWas() {
    var profile = profile([[("f", 7)]])
    profile.add(
      """
      {"interval": 0.001, "sources": [{"sourceID": 2, "url": "a.js"}], "traces": [{"timestamp": 2,
      "frames": [{"sourceID": 2, "name": "f", "location": "#f:FTL:bc#1", "line": 4294967295, "column": 1}]}]}
      """, authored: { $0 })
    #expect(profile.longest(5).map(\.own) == [2])
    #expect(profile.samples.map(\.microseconds) == [0, 500_000])
  }

  @Test(arguments: ["", "[]", "{}", "{\"traces\": 5, \"sources\": []}", "\u{0}"])
  func garbageAddsNothing(_ text: String) {
    var profile = ScriptProfile()
    profile.add(text, authored: { $0 })
    #expect(profile.count == 0 && FlameGraph(profile).svg.hasSuffix("</svg>\n"))
    #expect(ProfileTable(profile, file: "x.svg").text.contains("nothing was seen"))
    #expect(profile.isCut == !text.isEmpty)
  }

  @Test func halfACharacterInANameLosesNoOtherSample() {
    let profile = profile([[("\\ud800", 1)], [("f\\\\ud8", 2)], [("g", 3)]])
    #expect(profile.count == 3 && !profile.isCut)
    #expect(profile.functions.map(\.name).dropFirst() == ["\u{FFFD}", "f\\ud8", "g"])
  }

  @Test func aNameIsNothingThatATerminalObeys() {
    let profile = profile([[("\\u001b[31mred\\nnbridge: no\\u202e" + String(repeating: "x", count: 500), 1)]])
    let label = profile.label(1)
    #expect(label.hasPrefix("\u{FFFD}[31mred\u{FFFD}nbridge: no\u{FFFD}x") && label.hasSuffix("x… a.js:1"))
    #expect(label.count < 220)
  }

  @Test func namesCanNotBreakThePicture() {
    let profile = profile([[("</g><script>", 1)]], url: "a&\\\"b\\u0007.js")
    let svg = FlameGraph(profile).svg
    #expect(svg.contains("&lt;/g&gt;&lt;script&gt; a&amp;&quot;b\u{FFFD}.js:1"), "\(svg)")
    #expect(!svg.contains("<script"))
  }
}
