// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import NBridgeCLI

/// The place of the cursor in an entry.
@Suite struct EntryContextUnitTests {
  static let paths: [(String, [String]?, String)] = [
    ("", [], ""), ("a", [], "a"), ("a.", ["a"], ""), ("a.b", ["a"], "b"), ("a.b.c", ["a", "b"], "c"),
    ("a?.b", ["a"], "b"),
    ("a . b", ["a"], "b"), ("a\n  .b", ["a"], "b"), ("x = a.b", ["a"], "b"), ("f(a.b", ["a"], "b"),
    ("a.b + ", [], ""),
    ("a.b c", [], "c"), ("await nbridge.app.de", ["nbridge", "app"], "de"), ("größe.l", ["größe"], "l"),
    ("$_.x", ["$_"], "x"),
    ("a.b(", [], ""), ("[1, a.b", ["a"], "b"), ("`${a.b", nil, ""), ("new Map", [], "Map"),
    ("a /* c */ .b", ["a"], "b"),
    ("a. /* c */ b", ["a"], "b"), ("a.b // c\n", [], ""), ("// c\na.b", ["a"], "b"),
  ]

  @Test(arguments: paths)
  func namesHaveTheirPath(_ text: String, _ path: [String]?, _ partial: String) {
    let context = EntryContext(text)
    #expect(context.path == path || path == nil, "\(context)")
    if path != nil { #expect(context.partial == partial && context.literal == nil) }
  }

  static let literals: [(String, String?, String)] = [
    ("\"x\".le", "string", "le"), ("'x'.", "string", ""), ("`x`.t", "string", "t"), ("5..to", "number", "to"),
    ("/a/g.te", "regex", "te"), ("[1].ma", "array", "ma"), ("x = [].", "array", ""),
    ("return [1].m", "array", "m"),
    ("f(2)[0].x", nil, "x"), ("a[0].x", nil, "x"), ("f().x", nil, "x"), ("({}).x", nil, "x"),
  ]

  @Test(arguments: literals)
  func literalsAreKnown(_ text: String, _ literal: String?, _ partial: String) {
    let context = EntryContext(text)
    #expect(context.literal == literal && context.partial == partial && context.path == nil, "\(context)")
  }

  static let comments: [(String, Bool)] = [
    ("// c", true), ("x // c", true), ("/* c", true), ("x /* c\nd", true), ("/* c *", true), ("/*/", true),
    ("/* // ", true),
    // Behind a comment names can stand again.
    ("/* c */", false), ("/* c */ ", false), ("/**/", false), ("x /* c */ /* d */", false), ("// c\n", false),
    ("// c\r\n", false),
    ("// c\n  ", false), ("/* // */", false), ("// /*\n", false), ("/* c */ // d", true),
    ("// c\n// d", true),
    ("// c\n/* d", true), ("/* a */ /* b */ c", false), ("a / b", false), ("\"// x\"", false),
    ("'/* x", false), ("/re/", false),
    ("x = /[/*]/ ", false), ("`/* ${1}", false), ("", false),
  ]

  @Test(arguments: comments)
  func commentsEnd(_ text: String, _ isInside: Bool) {
    #expect(EntryContext(text).isInComment == isInside)
  }

  @Test(arguments: [
    ("\"", true, ""), ("\"ab", true, "ab"), ("'a b", true, "a b"), ("f({ type: \"im", true, "im"),
    ("\"ab\"", false, ""),
    ("'a\"", true, "a\""), ("x", false, "x"), ("\"a\" + 'b", true, "b"),
  ])
  func stringsThatAreOpenAreKnown(_ text: String, _ isInside: Bool, _ partial: String) {
    let context = EntryContext(text)
    #expect(
      context.isInString == isInside && (!isInside || context.partial == partial && context.path == nil)
    )
  }

  @Test(arguments: [
    ("import \"./", true), ("import './a", true), ("import a from \"./", true),
    ("import { a, b } from './", true),
    ("export * from \"./", true), ("import(\"./", true), ("await import( './", true), ("require(\"./", true),
    ("const a = require('", true), ("import a, * as b from \"", true), ("x = 1\nimport \"./", true),
    ("o.import(\"./", false), ("o.require('./", false), ("Array.from(\"./", false), ("from(\"./", false),
    ("f(\"./", false), ("x = \"./", false), ("(\"./", false), ("\"./", false), ("import(a, \"./", false),
    ("require \"./", false), ("import \"./a\"", false),
  ])
  func namesOfModulesAreKnown(_ text: String, _ isOne: Bool) {
    #expect(EntryContext(text).isInModuleName == isOne)
  }

  private func call(
    _ path: String, _ argument: Int = 0, key: String? = nil, atKey: Bool = false
  ) -> EntryContext.Call {
    EntryContext.Call(
      path: path.split(separator: ".").map(String.init), argument: argument, key: key, isAtKey: atKey
    )
  }

  @Test func theInnermostOpenCallIsKnown() {
    let table: [(String, EntryContext.Call?)] = [
      ("f(", call("f")), ("a.b.c(", call("a.b.c")), ("f(1, ", call("f", 1)), ("f(1, 2, x", call("f", 2)),
      ("f()", nil),
      ("f(g(", call("g")), ("f(g(), ", call("f", 1)), ("f({", call("f", atKey: true)),
      ("f({ a", call("f", atKey: true)),
      ("f({ a: ", call("f", key: "a")), ("f({ a: 1, ", call("f", atKey: true)),
      ("f({ a: 1, b: \"x", call("f", key: "b")),
      ("f(1, { a: ", call("f", 1, key: "a")), ("f({ a: { ", nil), ("f([", nil), ("(", nil), ("{", nil),
      ("f({})", nil),
      ("f({}, ", call("f", 1)), ("f(\"(\", ", call("f", 1)), ("f(/* ( */ 1, ", call("f", 1)),
      (")))f(", call("f")),
      ("if (f(", call("f")), ("f(a ? b : ", call("f")), ("f({ \"a\": ", call("f", key: "\"a\"")),
      ("f(1)(", nil),
    ]
    for (text, expected) in table { #expect(EntryContext(text).call == expected, "\(text)") }
  }

  /// No entry that is being typed stops the prompt, and what is typed is always at the end of the text.
  @Test(arguments: 0..<60)
  func anythingMayBeTyped(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    let parts = [
      "a", ".", "?.", "(", ")", "{", "}", "[", "]", "\"", "'", "`", "${", "/", "/*", "*/", "//", "\n", "\r\n",
      " ", ",", ":", "5",
      "日", "\\", "await ", "nbridge.app.",
    ]
    let text = dice.text(of: parts, count: 20)
    for end in text.indices {
      let context = EntryContext(String(text[..<end]))
      #expect(text[..<end].hasSuffix(context.partial), "seed \(seed): \(text[..<end])")
    }
  }
}
