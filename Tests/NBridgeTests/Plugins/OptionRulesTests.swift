// SPDX-License-Identifier: MIT

import BothWays
import NBridge
import NBridgePlugin
import NBridgeTesting
import Synchronization
import Testing

/// Options that have to keep to more than their types, and such as may be left out.
@Suite(.bothWays) struct OptionRulesTests {
  let harness = ScriptHarness(plugins: [RuledPlugin()])

  private func failure(_ call: String) async -> String {
    let result = await harness.run(
      """
      const r = nbridge.ruled;
      try { console.log("answered", await \(call)) } catch (e) { console.log(e.code, e.message) }
      """)
    return result.output + result.errors
  }

  @Test(
    arguments: ["now", "soon", "later"],
    [
      ("{ count: 0 }", "option.count must be from 1 to 100, not 0"),
      ("{ count: 101 }", "option.count must be from 1 to 100, not 101"),
      ("{ share: NaN }", "option.share must be at least 0.5, not NaN"),
      ("{ share: -Infinity }", "option.share must be at least 0.5, not -Infinity"),
      ("{ big: 8n }", "option.big must be at most 7, not 8"),
      ("{ name: 'Ada' }", "option.name must match [a-z]+, which its 3 characters do not"),
      ("{ name: 'ada\\n' }", "option.name must match [a-z]+, which its 4 characters do not"),
      ("{ name: '' }", "option.name must match [a-z]+, which its 0 characters do not"),
      ("{ count: 'x' }", "option.count must be an integer, not a string"),
      ("{ name: 7 }", "option.name must be a string, not a number"),
    ])
  func whatBreaksARuleIsRefusedBeforeTheHandler(_ action: String, _ call: (String, String)) async {
    #expect(await failure("r.\(action)(\(call.0))") == "invalid_parameter \(call.1)\n")
    #expect(await failure("r.begun()") == "answered 0\n")
  }

  @Test(
    arguments: ["now", "soon", "later"],
    [
      ("", "20 0.5 ada"), ("{ count: 1 }", "1 0.5 ada"), ("{ count: 100, name: 'z' }", "100 0.5 z"),
      ("{ count: undefined, share: null, big: null }", "20 0.5 ada"), ("{ share: Infinity }", "20 inf ada"),
    ])
  func whatKeepsThemIsAnsweredAndTheRestHasItsDefault(_ action: String, _ call: (String, String)) async {
    #expect(await failure("r.\(action)(\(call.0))") == "answered \(call.1)\n")
  }

  @Test func aWatchAMethodAndAPositionalOptionHaveThemToo() async {
    #expect(
      await failure("(async () => { for await (const n of r.ticks({ count: 500 })) return n })()")
        == "invalid_parameter option.count must be from 1 to 100, not 500\n")
    #expect(
      await failure("(await r.thing()).turn({ count: -1 })")
        == "invalid_parameter option.count must be from 1 to 100, not -1\n")
    #expect(await failure("(await r.thing()).turn()") == "answered 20\n")
    #expect(
      await failure("r.named('Ada')")
        == "invalid_parameter name must match [a-z]+, which its 3 characters do not\n")
  }

  @Test func aSecretIsNotTold() async {
    #expect(
      await failure("r.secret({ count: 777 })") == "invalid_parameter option.count must be from 1 to 100\n")
  }

  @Test func thePromptTellsThem() throws {
    let text = try PluginContract.typeScript([PluginContract(RuledPlugin())])
    #expect(text.contains("   * @param count How many. (default: 20; must be from 1 to 100)\n"))
    #expect(text.contains("   * @param name (must match [a-z]+)\n"))
    #expect(text.contains("count?: number;"))
  }

  @Test(arguments: [
    "[a-", "a)|(?:b", String(repeating: "(", count: 2000) + String(repeating: ")", count: 2000),
    String(repeating: "[", count: 3000), String(repeating: "a", count: 5000),
  ])
  func aPatternThatIsNoneIsToldWhereTypesAreMade(_ pattern: String) {
    #expect { try PluginContract.typeScript([PluginContract(PatternPlugin(pattern: pattern))]) } throws: {
      "\($0)".contains("'patterns.a': the pattern '\(pattern.prefix(200))' of the option 'name' is no")
    }
  }

  /// By the rules of JavaScript, as far as they go; what would look for ever comes to an end.
  @Test(arguments: [
    (#"[a-z]+\d"#, "ab1", true), (#"[a-z]+\d"#, "ab1\n", false), (#"\d"#, "\u{665}", false),
    ("a|b", "ab", false), (#"[\w-]+\D"#, "a-1_!", true), (#"[^\d]"#, "5", false), (#"\w"#, "\u{e4}", false),
    (#"\u00e4\u{f6}"#, "\u{e4}\u{f6}", true), (#"\\u"#, #"\u"#, true), ("", "", true),
    (".", "\u{1F600}", true),
    ("(?<x>a)\\k<x>", "aa", true), ("(a+)+b", String(repeating: "a", count: 200), false),
  ])
  func aPatternIsMatchedWhole(_ pattern: String, _ text: String, _ isRight: Bool) async {
    let harness = ScriptHarness(plugins: [PatternPlugin(pattern: pattern)])
    let result = await harness.run(
      "console.log(await nbridge.patterns.a(\(Self.quoted(text))).then(() => true, () => false))")
    #expect(result.output == "\(isRight)\n", "\(result.errors)")
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n") + "\""
  }
}

private struct PatternPlugin: Plugin {
  static let manifest = PluginManifest(service: "patterns", version: "1.0.0", help: "Has a pattern.")
  struct Options: Codable, Sendable { var name: String }
  let pattern: String

  var body: PluginBody {
    Immediate("a", "A.") { (options: Options, _) in options.name }.positional("name").pattern("name", pattern)
  }
}

/// Says what it was given.
private final class RuledPlugin: Plugin {
  static let manifest = PluginManifest(service: "ruled", version: "1.0.0", help: "Has rules.")
  private let runs = Runs()

  struct Options: Codable, Sendable {
    @Default var count = 20
    @Default var share = 0.5
    @Default var name = "ada"
    var big: Int64?
  }
  struct Turn: Codable, Sendable { @Default var count = 20 }
  struct Name: Codable, Sendable { var name: String }

  final class Thing: HandleObject {
    static let handle = HandleType("thing", "A thing.")
  }

  @Sendable private func told(_ options: Options) -> String {
    runs.add()
    return "\(options.count) \(options.share) \(options.name)"
  }

  private func ruled<Member: PluginMember>(_ member: Member) -> Member {
    member.range("count", 1...100).range("share", 0.5...).range("big", ...7).pattern("name", "[a-z]+")
      .parameter("count", "How many.")
  }

  var body: PluginBody {
    ruled(Immediate("now", "At once.") { [self] (options: Options, _) in told(options) })
    ruled(Action("soon", "Awaits.") { [self] (options: Options, _) async in told(options) })
    ruled(Detached("later", "On a thread.") { [self] (options: Options, _) in told(options) })
    Immediate("begun", "How many ran.") { [runs] _ in runs.value }
    Immediate("named", "By its place.") { (options: Name, _) in options.name }
      .positional("name").pattern("name", "[a-z]+")
    Immediate("secret", "Keeps it.") { (options: Turn, _) in options.count }
      .range("count", 1...100).confidential()
    Watch("ticks", "Ticks.") { (options: Turn, _) in
      AsyncStream<Int> { $0.yield(options.count) }
    }
    .range("count", 1...100)
    Immediate("thing", "A thing.") { call in call.hold(Thing()) }
    Handles(Thing.self) {
      Immediate("turn", "Turns.") { (_: Thing, options: Turn, _) in options.count }.range("count", 1...100)
    }
  }
}

/// How often a handler ran.
private final class Runs: Sendable {
  private let count = Atomic<Int>(0)
  func add() { count.add(1, ordering: .relaxed) }
  var value: Int { count.load(ordering: .relaxed) }
}
