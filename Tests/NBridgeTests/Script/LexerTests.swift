// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import NBridgeScript

/// Which parts of a text are code, and which are a string, a template, a comment or a regular expression.
@Suite struct LexerTests {
  static func tokens(_ text: String) -> [JSLexer.Token] {
    var lexer = JSLexer(text)
    var found: [JSLexer.Token] = []
    while true {
      let token = lexer.next()
      if token.kind == .end { return found }
      found.append(token)
    }
  }

  /// Each as its kind's first letter and its text.
  static func list(_ text: String) -> [String] {
    let lexer = JSLexer(text)
    return tokens(text).map { "\("\($0.kind)".prefix(1)):\(lexer.text($0))" }
  }

  @Test(arguments: [
    ("", []), (" \t\u{B}\u{C}\n\r", []), ("a", ["w:a"]), ("a.b", ["w:a", "p:.", "w:b"]),
    ("$_1", ["w:$_1"]), ("#field", ["w:#field"]), ("größe", ["w:größe"]), ("a=>b", ["w:a", "p:=>", "w:b"]),
    ("i++", ["w:i", "p:++"]), ("--i", ["p:--", "w:i"]), ("1.5e3", ["n:1.5e3"]), ("0x1F", ["n:0x1F"]),
    ("1_000n", ["n:1_000n"]), ("'a'+\"b\"", ["s:'a'", "p:+", "s:\"b\""]), ("'a\\'b'", ["s:'a\\'b'"]),
    ("'\\\\'", ["s:'\\\\'"]), ("{}", ["p:{", "p:}"]), ("a?.b", ["w:a", "p:?", "p:.", "w:b"]),
  ])
  func plainTokens(_ text: String, _ expected: [String]) { #expect(Self.list(text) == expected) }

  /// A slash divides what is a value, and begins an expression elsewhere (ECMA-262, 12.9.5).
  @Test(arguments: [
    ("a/b/c", ["w:a", "p:/", "w:b", "p:/", "w:c"]),
    ("(a)/b/c", ["p:(", "w:a", "p:)", "p:/", "w:b", "p:/", "w:c"]),
    ("[1]/2/3", ["p:[", "n:1", "p:]", "p:/", "n:2", "p:/", "n:3"]),
    ("i++/2/3", ["w:i", "p:++", "p:/", "n:2", "p:/", "n:3"]),
    ("'a'/b/c", ["s:'a'", "p:/", "w:b", "p:/", "w:c"]), ("x=/b/g", ["w:x", "p:=", "r:/b/g"]),
    ("/a/", ["r:/a/"]),
    ("(/a/)", ["p:(", "r:/a/", "p:)"]), ("return/a/", ["w:return", "r:/a/"]),
    ("typeof/a/", ["w:typeof", "r:/a/"]),
    ("x=>/a/", ["w:x", "p:=>", "r:/a/"]), ("/[/]/u", ["r:/[/]/u"]), ("/\\//", ["r:/\\//"]),
    ("/[\\]/]/", ["r:/[\\]/]/"]),
    ("a;/'/.b", ["w:a", "p:;", "r:/'/", "p:.", "w:b"]), ("`a`/b/c", ["t:`a`", "p:/", "w:b", "p:/", "w:c"]),
    ("await/a/", ["w:await", "r:/a/"]),
  ])
  func slashes(_ text: String, _ expected: [String]) { #expect(Self.list(text) == expected) }

  /// Behind the brace of a value it divides, behind a statement's it does not.
  @Test(arguments: [
    "let h = function () {} /x/ 2", "let h = class {} /x/ 2", "let h = async function () {} /x/ 2",
    "let h = function* () {}\n/x/ 2", "[function () {} /x/ 2]", "(class extends D {} /x/ 2)",
    "f(function g() {} /x/ 2)", "x => function () {} /x/ 2", "({ y: {} /x/ 2 })", "`${{} /x/ 2}`",
    "a ? 0 : {} /x/ 2", "a ? b ? 1 : {} /x/ 2 : 3", "a ? {} /x/ 2 : 3", "6 / {} /x/ 2", "({ ...{} /x/ 2 })",
    "new class { f() { a: {} } } /x/ 2", "typeof function () {} /x/ 2", "return function () {} /x/ 2",
    "let h = class extends class {} {} /x/ 2", "let h = class extends {} {} /x/ 2",
    "let h = function (a = {}, { b } = c) { if (a) {} } /x/ 2", "a ?.5 : {} /x/ 2",
    "case a ? b : {} /x/ 2:", "export default {} /x/ 2", "`${function () {} /x/ 2}`",
  ])
  func aBraceOfAValueIsDivided(_ text: String) {
    #expect(!Self.tokens(text).contains { $0.kind == .regex })
  }

  @Test(arguments: [
    "function f() {} /x/g", "class A {} /x/g", "async function f() {} /x/g", "a: {} /x/g",
    "export default function () {} /x/g", "export default async function () {} /x/g",
    "export default class {} /x/g", "case a: {} /x/g", "default: {} /x/g", "case a?.b: {} /x/g",
    "case a ?? b: {} /x/g", "return\n{} /x/g", "return\nfunction f() {} /x/g", "async\nfunction f() {} /x/g",
    "class A extends class {} {} /x/g", "class A { function() {} }\n/x/g", "if (a) {} else {} /x/g",
    "let h = function () { a: {} /x/g }", "let h = function () { function g() {} /x/g }",
    "let h = { a() { b: {} /x/g } }", "`${() => { a: {} /x/g }}`", "a ? b : c; d: {} /x/g",
    "let { a: b } = c; d: {} /x/g", "o.function; {} /x/g", "x => {}\n/x/g",
  ])
  func aBraceOfAStatementIsNot(_ text: String) {
    #expect(Self.tokens(text).contains { $0.kind == .regex })
  }

  @Test(arguments: [
    ("`a`", ["t:`a`"]), ("`a${b}c`", ["t:`a${", "w:b", "t:}c`"]),
    ("`${a}${b}`", ["t:`${", "w:a", "t:}${", "w:b", "t:}`"]),
    ("`${`${a}`}`", ["t:`${", "t:`${", "w:a", "t:}`", "t:}`"]),
    ("`${{a:1}}`", ["t:`${", "p:{", "w:a", "p::", "n:1", "p:}", "t:}`"]), ("`\\``", ["t:`\\``"]),
    ("`\\${`", ["t:`\\${`"]),
    ("`$a`", ["t:`$a`"]), ("`a\nb`", ["t:`a\nb`"]), ("`'`", ["t:`'`"]), ("`//`", ["t:`//`"]),
    ("`${/}/}`", ["t:`${", "r:/}/", "t:}`"]),
    ("`open", ["t:`open"]), ("`${", ["t:`${"]), ("`${a", ["t:`${", "w:a"]),
  ])
  func templates(_ text: String, _ expected: [String]) { #expect(Self.list(text) == expected) }

  /// A part that does not end leaves the rest of the text to the lines behind it.
  @Test(arguments: [
    ("\"a\nb", ["s:\"a", "w:b"]), ("'a\rb", ["s:'a", "w:b"]), ("'a\r\nb'", ["s:'a", "w:b", "s:'"]),
    ("'a\\\nb'c", ["s:'a\\\nb'", "w:c"]),
    ("'a\\\r\nb'c", ["s:'a\\\r\nb'", "w:c"]), ("'a\\", ["s:'a\\"]), ("'", ["s:'"]),
    ("/a\nb", ["r:/a", "w:b"]), ("/a\rb", ["r:/a", "w:b"]),
    ("/* a", []), ("/*", []), ("//", []), ("/*/", []), ("a}", ["w:a", "p:}"]),
  ])
  func whatDoesNotEnd(_ text: String, _ expected: [String]) { #expect(Self.list(text) == expected) }

  @Test(arguments: [
    ("a/* 'x */b", ["w:a", "w:b"]), ("a// 'x\nb", ["w:a", "w:b"]), ("a// 'x\rb", ["w:a", "w:b"]),
    ("a// 'x\r\nb", ["w:a", "w:b"]),
    ("a// x\u{2028}b", ["w:a", "w:b"]), ("a// x\u{2029}b", ["w:a", "w:b"]), ("/**/a/***/", ["w:a"]),
    ("a/*/b*/c", ["w:a", "w:c"]),
    ("x/**//re/", ["w:x", "p:/", "w:re", "p:/"]),
  ])
  func comments(_ text: String, _ expected: [String]) { #expect(Self.list(text) == expected) }

  /// White space is more than ASCII's (ECMA-262, 12.2 and 12.3).
  @Test(arguments: [
    "\u{A0}", "\u{FEFF}", "\u{2028}", "\u{2029}", "\u{1680}", "\u{2000}", "\u{200A}", "\u{202F}",
    "\u{205F}", "\u{3000}",
  ])
  func whiteSpaceBeyondASCII(_ space: String) {
    #expect(Self.list("await\(space)a\(space)+\(space)1") == ["w:await", "w:a", "p:+", "n:1"])
  }

  /// U+200B and its like are no white space, and letters are none either.
  @Test(arguments: ["\u{200B}", "\u{2010}", "é", "\u{3001}", "😀"])
  func whatIsNoWhiteSpaceBelongsToTheWord(_ letter: String) {
    #expect(
      Self.list("a\(letter)b")
        == ["w:a\(letter)b"])
  }

  @Test(arguments: [
    ("a b", ["a"]), ("a\nb", ["a", "b"]), ("a\rb", ["a", "b"]), ("a\r\nb", ["a", "b"]),
    ("a\u{2028}b", ["a", "b"]),
    ("a/*\n*/b", ["a", "b"]), ("a/*\r*/b", ["a", "b"]), ("a/*\u{2029}*/b", ["a", "b"]),
    ("a/* */b", ["a"]), ("a// x\r\nb c", ["a", "b"]),
    ("a\n/* */ b", ["a", "b"]), ("`\n`b", ["`\n`"]),
  ])
  func whatStandsFirstOnItsLine(_ text: String, _ expected: [String]) {
    let lexer = JSLexer(text)
    #expect(Self.tokens(text).filter(\.startsLine).map(lexer.text) == expected)
  }

  static let fragments = [
    "a", "await ", "if", "(", ")", "{", "}", "[", "]", "/", "*", "//", "/*", "*/", "'", "\"", "`",
    "${", "\\", "\n", "\r", "\r\n", "=>", "=",
    "+", "++", ".", ";", ",", " ", "1", "\u{A0}", "\u{2028}", "é", "😀", "#", "!", "=", "return ",
    "\u{0}", "let ", "var ", "const ", "class ",
    "function ", "import ", "export ", "from ", "async ", "of ", "for ", "x:", "...", "as ", "type ",
    "default ", "\u{E2}\u{80}",
  ]

  /// Whatever the text is: the tokens come in order, none overlaps another, and between them are only spaces
  /// and comments.
  @Test(arguments: 0..<20)
  func anyTextIsCoveredByTokensSpacesAndComments(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let text = random.text(of: Self.fragments, count: 0...25)
      let bytes = Array(text.utf8)
      var end = 0
      for token in ScriptTokens(text) {
        #expect(
          token.range.lowerBound >= end && token.range.upperBound <= bytes.count
            && !token.range.isEmpty, "\(text)")
        let between = String(decoding: bytes[end..<token.range.lowerBound], as: UTF8.self)
        #expect(
          between.unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0 == "\u{FEFF}" },
          "\(text.debugDescription)")
        #expect(token.text == String(decoding: bytes[token.range], as: UTF8.self))
        end = token.range.upperBound
      }
      let rest = String(decoding: bytes[end...], as: UTF8.self)
      #expect(
        rest.unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0 == "\u{FEFF}" },
        "\(text.debugDescription)")
    }
  }

  @Test func theEndComesAgainAndAgain() {
    var lexer = JSLexer("a")
    _ = lexer.next()
    for _ in 0..<5 {
      let end = lexer.next()
      #expect(end.kind == .end && end.range == 1..<1)
    }
  }

  // MARK: - With comments

  static func all(_ text: String) -> [String] {
    ScriptTokens(
      text
    ).map { "\("\($0.kind)".prefix(1)):\($0.text)" }
  }

  /// Each comment is a token of its own that ends where it ends: behind one that is closed, code may be
  /// completed.
  @Test(arguments: [
    ("a /* x */ b", ["w:a", "c:/* x */", "w:b"]), ("// x\na", ["c:// x", "w:a"]),
    ("// x\r\na", ["c:// x", "w:a"]), ("// x\n", ["c:// x"]),
    ("/* a */ /* b */", ["c:/* a */", "c:/* b */"]), ("/* a *//* b */c", ["c:/* a */", "c:/* b */", "w:c"]),
    ("// a\n// b\n", ["c:// a", "c:// b"]), ("/* open", ["c:/* open"]),
    ("/* a */ // b", ["c:/* a */", "c:// b"]), ("a/b", ["w:a", "p:/", "w:b"]),
    ("'// no'", ["s:'// no'"]), ("x // /* no\ny", ["w:x", "c:// /* no", "w:y"]),
    ("/* // */ x", ["c:/* // */", "w:x"]), ("/*/", ["c:/*/"]),
    ("/**/", ["c:/**/"]), ("/***/ nbridge.", ["c:/***/", "w:nbridge", "p:."]),
  ])
  func commentsAreTokens(_ text: String, _ expected: [String]) { #expect(Self.all(text) == expected) }

  @Test(arguments: [
    ("/* a */", 7), ("/* a */ ", 7), ("// a\n", 4), ("// a", 4), ("/* a", 4),
    ("x // a\r\n", 6),
  ])
  func aCommentEndsWhereItEnds(_ text: String, _ end: Int) {
    #expect(Array(ScriptTokens(text)).last?.range.upperBound == end)
  }
}
