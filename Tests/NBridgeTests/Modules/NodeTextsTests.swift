// SPDX-License-Identifier: MIT

import NBridgeBuiltins
import Testing

/// The texts of Node's modules.
@Suite struct NodeTextsTests {
  static let texts = NodeTexts(script: "/a/main.js", workingFolder: "/a", appFolder: "/a")

  /// What a text names in `require("node:…")`.
  static func needs(_ text: String) -> [String] {
    text.matches(of: /require\("([^"]*)"\)/).map { String($0.1) }
  }

  @Test func everyModuleThatIsNamedIsThere() throws {
    let list = try #require(Self.texts.text("node:module")?.firstMatch(of: /NAMES = \[([^\]]*)\]/)?.1)
    let names = list.matches(of: /"([^"]*)"/).map { String($0.1) }
    #expect(names.count >= 30)
    for name in names { #expect(Self.texts.text(name) == Self.texts.text("node:" + name), "\(name)") }
    // From each to all that it requires.
    var open = names.map { "node:" + $0 }
    var seen = Set(open)
    while let name = open.popLast() {
      let text = try #require(Self.texts.text(name), "\(name) is required, and is not there")
      for other in Self.needs(text) where seen.insert(other).inserted { open.append(other) }
    }
    #expect(seen.allSatisfy { $0.hasPrefix("node:") } && seen.contains("node:internal/errors"))
  }

  @Test(arguments: [
    "https", "node:https", "test", "internal/errors", "node:", "", "events/", "node:events/", "Path",
    "node:node:path",
  ])
  func othersAreNone(_ name: String) { #expect(Self.texts.text(name) == nil) }

  /// A folder's name may hold anything.
  @Test func theProgramsPlacesAreQuoted() {
    let texts = NodeTexts(script: "/a\"b", workingFolder: "/c\\\n", appFolder: "/\u{D55C}\u{2028}\u{1F600}")
    #expect(
      texts.text("node:internal/start") == #"""
        module.exports = { script: "/a\u0022b", cwd: "/c\u005c\u000a", \#
        appFolder: "/\ud55c\u2028\ud83d\ude00" };
        """#)
  }
}
