// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgePlugin

/// What options have to keep to, as part of a declaration.
@Suite struct SchemaRuleTests {
  struct Options: Codable, Sendable {
    var count: Int?
    var name: String
    @Default var share = 0.5
    var big: Int64?
    var flag: Bool?
  }

  private static let action = Immediate("a", "A.") { (options: Options, _) in options.name }

  private func rules(_ action: Immediate) throws -> [String: String] {
    guard case .object(let fields) = try action.declaration.options.schema() else { return [:] }
    return fields.reduce(into: [:]) { words, field in words[field.name] = field.rule?.words }
  }

  @Test func eachModifierSaysItsRule() throws {
    let action = Self.action.range("count", 1...100).range("share", 0.25...).range("big", ...7)
      .pattern("name", "[a-z]+")
    #expect(
      try rules(action) == [
        "count": "be from 1 to 100", "share": "be at least 0.25", "big": "be at most 7",
        "name": "match [a-z]+",
      ])
    #expect(action.declaration.hasRules && !Self.action.declaration.hasRules)
  }

  @Test func twoOfOneOptionCountBoth() throws {
    #expect(try rules(Self.action.range("count", 1...).range("count", ...5)) == ["count": "be from 1 to 5"])
  }

  @Test func theyComeBackFromADescription() throws {
    let action = Self.action.range("count", 1...100).pattern("name", "a|b")
    let described = try PluginDescriptor(PluginManifest(service: "x", version: "1"), [action.declaration])
    let text = String(decoding: try Value(encoding: described).text, as: UTF8.self)
    #expect(text.contains(#""minimum":1,"maximum":100"#) && text.contains(#""pattern":"^(?:a|b)$""#))
    let read = try Value(encoding: described).decode(PluginDescriptor.self).members[0].declaration(.foreign)
    #expect(read.hasRules)
    #expect(try read.options.schema() == action.declaration.options.schema())
    let plain = try PluginDescriptor(PluginManifest(service: "x", version: "1"), [Self.action.declaration])
    #expect(!plain.members[0].declaration(.foreign).hasRules)
  }

  /// Of schemas that others wrote: JSON Schema looks for a part of a text.
  @Test(arguments: [
    ("^[a-z]+$", "[a-z]+"), ("^(?:x|y)$", "x|y"), ("abc", #"[\s\S]*(?:abc)[\s\S]*"#),
    ("^a|b$", #"[\s\S]*(?:^a|b$)[\s\S]*"#), (#"^a\$"#, #"[\s\S]*(?:^a\$)[\s\S]*"#),
  ])
  func patternsOfOthersAreRead(_ given: String, _ whole: String) throws {
    let pattern = String(decoding: try Value(encoding: given).text, as: UTF8.self)
    let member = #"{"type":"string","pattern":\#(pattern)}"#
    let text = #"{"type":"object","properties":{"a":\#(member)},"required":["a"]}"#
    guard case .object(let fields) = try Value(text: Array(text.utf8)).decode(Schema.self) else {
      throw SchemaError("no object")
    }
    #expect(fields[0].rule == Schema.Rule(pattern: whole))
  }

  @Test(arguments: [
    (action.range("cuont", 1...2), "a rule is given for 'cuont', which is no option"),
    (action.range("flag", 1...2), "'flag' must be from 1 to 2 by its rule, but only numbers have a range"),
    (action.range("name", 1...2), "'name' must be from 1 to 2 by its rule, but only numbers have a range"),
    (action.pattern("count", "x"), "'count' must match x by its rule, but only a text matches a pattern"),
  ])
  func aRuleThatCanNotBeIsRefused(_ action: Immediate, _ message: String) {
    #expect {
      try PluginDescriptor(PluginManifest(service: "x", version: "1"), [action.declaration])
    } throws: { "\($0)" == "'x.a': \(message)" }
  }
}
