// SPDX-License-Identifier: MIT

import JSEngine
import NBridgePlugin
import TestSupport
import Testing

@testable import NBridgeHost
@testable import NBridgeScript

/// The faces of plugins, in JavaScript and in TypeScript.
@Suite struct FacadeTests {
  struct Options: Codable, Sendable {
    var name: String
    var delete: Int?
    var far: [String: Bool]?
  }

  struct Faced: Plugin {
    static let manifest = PluginManifest(service: "faced", version: "1.2.3", help: "Faces.")
    var body: PluginBody {
      Immediate("plain", "Plain.") { call in 1 }
      Immediate("all", "All in one object.") { (options: Options, call) in options.name }
      Immediate("some", "One, then the rest.") { (options: Options, call) in options.name }.positional("name")
      Immediate("words", "Words of the language.") { (options: Options, call) in options.name }
        .positional("name", "delete", "far").errors(.conflict, "own_code").permission("all")
      Watch("many", "Many.") { (options: Options, call) in
        Numbers(
          asked: Numbers.Mutexed(),
          end: 1)
      }.positional("name")
    }
  }

  static let members = Faced().body.members

  @Test(arguments: [
    ("plain", ["control"], "undefined"), ("all", ["option", "control"], "option"),
    ("some", ["name", "option", "control"], "{ ...option, name }"),
    (
      "words", ["name", "delete", "far", "control"],
      "{ name, ...(delete_ === undefined ? undefined : { [\"delete\"]: delete_ }), ...(far === undefined ? "
        + "undefined : { far }) }"
    ),
    ("many", ["name", "option", "callback", "control"], "{ ...option, name }"),
  ])
  func signatures(_ name: String, _ names: [String], _ option: String) throws {
    let signature = try FacadeSignature(#require(Self.members.first { $0.name == name }))
    #expect(signature.names == names && signature.optionExpression == option)
  }

  /// Calls the facade with arguments; what reaches the bridge, as JSON.
  static func call(_ text: String, _ script: PluginScript? = nil) async throws -> String {
    let expression = try FacadeGenerator.expression(members, script)
    return try await withEngine { context in
      context.setGlobal("make", try context.evaluate(expression, url: "facade"))
      try context.evaluate(
        """
        const said = (kind) => (...given) => 
          JSON.stringify([kind, ...given.map((value) => value === undefined ? "-" : value)]);
        globalThis.faced = make({
          action: (name) => name, call: said("call"), watch: said("watch"), BridgeError: Error, program: {},
        });
        """, url: "nbridge:t")
      return try context.evaluate(text, url: "t").displayString ?? "?"
    }
  }

  @Test(arguments: [
    ("faced.plain()", #"["call","plain","-","-"]"#),
    ("faced.plain({ timeout: 1 })", #"["call","plain","-",{"timeout":1}]"#),
    ("faced.all({ name: 1 }, 2)", #"["call","all",{"name":1},2]"#),
    ("faced.some('n')", #"["call","some",{"name":"n"},"-"]"#),
    ("faced.some('n', { delete: 2 }, 3)", #"["call","some",{"delete":2,"name":"n"},3]"#),
    ("faced.some('n', { name: 'other' })", #"["call","some",{"name":"n"},"-"]"#),
    ("faced.words('n')", #"["call","words",{"name":"n"},"-"]"#),
    ("faced.words('n', undefined, { a: true })", #"["call","words",{"name":"n","far":{"a":true}},"-"]"#),
    ("faced.words('n', 5)", #"["call","words",{"name":"n","delete":5},"-"]"#),
    ("faced.many('n', undefined, 'f', 'c')", #"["watch","many",{"name":"n"},"f","c"]"#),
    ("Object.keys(faced).join()", "plain,all,some,words,many"), ("faced.some.length", "3"),
    ("faced.some('n', null)", #"["call","some",{"name":"n"},"-"]"#),
  ])
  func whatReachesTheBridge(_ text: String, _ expected: String) async throws {
    #expect(
      try await Self.call(text) == expected)
  }

  @Test func aGetterThatThrowsRejectsTheCallOnly() async throws {
    let expression = try FacadeGenerator.expression(Self.members, nil)
    let result = try await withEngine { context in
      context.setGlobal("make", try context.evaluate(expression, url: "facade"))
      return try context.evaluate(
        "make({ action: (n) => n, call: (a, given) => { try { given.option; return 'no' } catch (e) { "
          + "return `rejects ${e}` } } }).some('n', { get x() { throw 'own' } })",
        url: "t"
      ).string
    }
    #expect(result == "rejects own")
  }

  @Test(arguments: [
    (Schema.undefined, "void"), (.any, "NBridgeValue"), (.null, "null"), (.integer, "number"),
    (.number, "number"), (.bigint, "bigint"), (.date, "Date"), (.bytes, "Uint8Array"),
    (.oneOf(["a", "b"]), "\"a\" | \"b\""),
    (.array(.string), "Array<string>"), (.array(.oneOf(["a", "b"])), "Array<\"a\" | \"b\">"),
    (.dictionary(.boolean), "{ [key: string]: boolean }"), (.optional(.string), "string | null"),
    (.object([]), "{}"),
    (
      .object([
        .init(name: "a", schema: .string),
        .init(
          name: "b", schema: .optional(.number),
          isOptional: true),
      ]), "{ a: string; b?: number | null }"
    ),
    (.union([.string, .object([])]), "string | {}"),
  ])
  func shapesInTypeScript(_ schema: Schema, _ type: String) { #expect(TypeScriptType.of(schema) == type) }

  @Test func declarations() throws {
    let text = try PluginContract.typeScript([PluginContract(Faced())])
    for line in [
      "/** Faces. (version 1.2.3) */", "interface NBridgeFaced {",
      "  plain(control?: NBridgeControl): Promise<number>;",
      "  some(name: string, option?: { delete?: number; far?: { [key: string]: boolean } }, control?: "
        + "NBridgeControl): Promise<string>;",
      "   * Permission: `faced.all`.", "   * Errors: `conflict`, `own_code`.",
      "  \"faced.words\": \"conflict\" | \"own_code\";", "  readonly faced: NBridgeFaced;",
      "declare const nbridge: NBridge;",
    ] { #expect(text.contains(line + "\n"), "\(line) in \(text.suffix(3000))") }
  }

  @Test func tablesAndFacades() throws {
    let contract = PluginContract(Faced())
    let table = try contract.table()
    #expect(
      table.contains(
        "| `words(name, delete, far)` | immediate | Words of the language. | `faced.all` | `conflict`, "
          + "`own_code` |\n"))
    #expect(
      try PluginContract.facades([contract]).contains(
        "// Faces.\nnbridge.define(\"faced\", (({ action, call, watch }) => {\n"))
    #expect(contract.service == "faced" && contract.version == "1.2.3" && contract.help == "Faces.")
  }

  /// A declaration that was told as JSON is the same declaration again.
  @Test func aDescriptionTellsAll() throws {
    let descriptor = try PluginDescriptor(Faced.manifest, Self.members)
    let again = try Value(encoding: descriptor).decode(PluginDescriptor.self)
    #expect(throws: Never.self) { try again.check() }
    let members = again.members.map { $0.declaration(.placeholder($0.kind)) }
    #expect(try FacadeGenerator.expression(members, nil) == FacadeGenerator.expression(Self.members, nil))
    #expect(try PluginContract(again.manifest, members).table() == PluginContract(Faced()).table())
  }

  @Test(arguments: [Declaration.Kind.immediate, .async, .detached, .watch])
  func whatIsOnlyLookedAtRunsNothing(_ kind: Declaration.Kind) {
    let declaration = Declaration(
      name: "a", help: "", options: .none, result: .none,
      runner: .placeholder(kind))
    #expect(declaration.kind == kind)
    if case .immediate(let body) = declaration.runner {
      #expect(
        throws: BridgeError.self
      ) { try body(.none, Call(app: testApp()), WireSink()) }
    }
  }

  @Test(arguments: [
    ("[]", "[]\n"), ("{}", "{}\n"), ("1", "1\n"), ("[1,2]", "[\n  1,\n  2\n]\n"),
    (#"{"a":{},"b":[]}"#, "{\n  \"a\": {},\n  \"b\": []\n}\n"),
    (#"{"a":[{"b":1}]}"#, "{\n  \"a\": [\n    {\n      \"b\": 1\n    }\n  ]\n}\n"),
    (#""a\"b{[,:\\""#, "\"a\\\"b{[,:\\\\\"\n"), (#"["\\",1]"#, "[\n  \"\\\\\",\n  1\n]\n"),
    (#"{"é":"😀"}"#, "{\n  \"é\": \"😀\"\n}\n"),
  ])
  func jsonForPeople(_ text: String, _ expected: String) throws {
    #expect(
      try JSONText.pretty(Value(text: Array(text.utf8))) == expected)
  }

  @Test(arguments: 0..<10)
  func indentedJSONIsTheSameJSON(_ seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let text = SecretFilterTests.json(&random)
      let pretty = try JSONText.pretty(Value(text: Array(text.utf8)))
      #expect(Value(text: Array(pretty.utf8)).syntaxProblem == nil, "\(pretty)")
      #expect(Self.plain(pretty) == Self.plain(text))
    }
  }

  /// Without white space, that of strings as well.
  private static func plain(_ text: String) -> String { text.filter { !$0.isWhitespace } }
}
