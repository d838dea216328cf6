// SPDX-License-Identifier: MIT

import NBridgePlugin
import NBridgeTesting
import TestSupport
import Testing

@testable import JSEngine
@testable import NBridge
@testable import NBridgeScript

/// The parts of a page that are for us.
@Suite struct HTMLPageTests {
  static func page(_ text: String) -> HTMLPage { HTMLPage(text: text, path: "p/a.html") }

  @Test(arguments: [
    ("<script>a()</script>", ["a()"]), ("<SCRIPT>a()</SCRIPT>", ["a()"]),
    ("<script>a</script><script>b</script>", ["a", "b"]),
    ("<script>'<b>'</script>", ["'<b>'"]), ("<!-- <script>a</script> --><script>b</script>", ["b"]),
    ("<script>a", ["a"]), ("<script>", [""]),
    ("<script type=module>a</script>", ["a"]), ("<script type=\"text/javascript\">a</script>", ["a"]),
    ("<script type='TEXT/JavaScript'>a</script>", ["a"]),
    ("<script type=application/json>{}</script>", []), ("<script type=importmap>{}</script>", []),
    ("<script type=' text/javascript\n'>a</script>", ["a"]), ("<script type=' '>a</script>", []),
    ("<script type=text/ecmascript>a</script>", ["a"]), ("<script type=''>a</script>", ["a"]),
    ("<script type=application/x-javascript>a</script>", ["a"]), ("<script nomodule>a</script>", []),
    ("<script type=module nomodule>a</script>", ["a"]), ("<script language=VBScript>a</script>", []),
    ("<script language=JavaScript1.2>a</script>", ["a"]), ("<script type=text/javascript;x>a</script>", []),
    ("<style><script>a</script></style>", []),
    ("<textarea><script>a</script></textarea>", []), ("<title><script>a</script></title>x", []),
    ("< script>a</script>", []), ("<scripty>a</scripty>", []),
    ("<p title='<script>'>x</p>", []), ("<script>a // </scr\n</script>", ["a // </scr\n"]),
    ("<script>a</scripty></script>", ["a</scripty>"]),
    ("<script><!-- <script> </script> --></script>x", ["<!-- <script> </script> -->"]),
    ("<script><!-- a</script>x", ["<!-- a"]), ("<script><!--> <script></script>x", ["<!--> <script>"]),
    ("<!--><script>a</script>", ["a"]), ("<!-- open <script>a</script>", []),
    ("", []), ("<", []), ("<script", [""]), ("<script src", [""]), ("<!\r\r<script>a</script>", ["a"]),
  ])
  func scripts(_ text: String, _ expected: [String]) {
    #expect(
      Self.page(text).scripts.map(\.text)
        == expected)
  }

  @Test(arguments: [
    ("<script src=a.js></script>", "a.js"), ("<script src='a b.js'></script>", "a b.js"),
    ("<script src=\"a.js\" async>", "a.js"), ("<script async src = a.js >", "a.js"),
    ("<script SRC=a.js src=b.js>", "a.js"), ("<script src=a.js/>", "a.js/"),
    ("<script data-src=a.js>", nil), ("<script src>", ""), ("<script src=''>", ""),
    ("<script src=\"a&amp;b.js\">", "a&b.js"), ("<script\nsrc\n=\na.js\n>", "a.js"),
    ("<script =src=a.js>", nil),
  ])
  func files(_ text: String, _ file: String?) { #expect(Self.page(text).scripts.first?.file == file) }

  @Test func modulesAreTold() {
    #expect(
      Self.page(
        "<script type=module></script><script></script><script type=MODULE></script>"
      ).scripts.map(\.isModule) == [true, false, true]
    )
  }

  @Test(arguments: [("\n", 1), ("\r\n", 1), ("\n\n", 2)])
  func inlineScriptsKeepThePagesLines(_ end: String, _ lines: Int) throws {
    let page = Self.page("<p>\(end)<script>\(end)a()\(end)</script>")
    let source = try #require(page.scripts.first).source()
    #expect(source.url == "p/a.html" && source.line(2 * lines + 1) == "a()")
  }

  @Test func handlersAreNamedByTheirLine() {
    let page = Self.page(
      "<b id=x onclick=\"go('a')\">\n<i id=\"y\" ONCLICK='stop()'></i><u id=\"\"></u><s id=x>")
    #expect(page.clickHandlers.map(\.text) == ["go('a')", "stop()"])
    #expect(page.clickHandlers.map(\.url) == ["p/a.html#onclick:1", "p/a.html#onclick:2"])
  }

  @Test(arguments: [
    ("http://x/a.js", "line 1: the script 'http://x/a.js' is not a local file; only those are run"),
    ("//x/a.js", "line 1: the script '//x/a.js' is not a local file; only those are run"),
    ("none.js", "line 1: can't open 'p/none.js': No such file or directory"),
  ])
  func filesThatAreNotThere(_ file: String, _ message: String) throws {
    let script = try #require(Self.page("<script src='\(file)'>").scripts.first)
    let error = #expect(throws: ScriptFileError.self) { try script.source() }
    #expect(error?.description == "'p/a.html' \(message)")
  }

  @Test(arguments: ["a.js", "a.js?v=1"])
  func filesBesideThePage(_ file: String) throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    try SmallFile.replace(folder + "/a.js", with: Array("go()".utf8))
    let source = try #require(
      HTMLPage(
        text: "<script src=\(file)>",
        path: folder
          + "/p.html"
      ).scripts.first
    ).source()
    #expect(source.text == "go()" && source.url == folder + "/a.js")
  }

  /// HTML standard, 13.2.5.72 and on: each reference is looked at once.
  @Test(arguments: [
    ("", ""), ("a", "a"), ("&amp;", "&"), ("&lt;&gt;&quot;&apos;&nbsp;", "<>\"'\u{A0}"),
    ("&amp;lt;", "&lt;"), ("&amp;amp;", "&amp;"), ("&#39;", "'"), ("&#34;", "\""),
    ("&#x27;", "'"), ("&#X27;", "'"), ("&#x1F600;", "😀"), ("&#128512;", "😀"), ("&#0;", "\u{FFFD}"),
    ("&#xD800;", "\u{FFFD}"), ("&#x110000;", "\u{FFFD}"), ("&#;", "&#;"),
    ("&#x;", "&#x;"), ("&#+5;", "&#+5;"), ("&#xg;", "&#xg;"), ("&#-5;", "&#-5;"), ("&", "&"),
    ("&;", "&;"), ("& amp;", "& amp;"), ("a && b", "a && b"), ("&unknown;", "&unknown;"),
    ("&lt", "&lt"), ("&&lt;", "&<"), ("&quot;\u{301}", "\"\u{301}"),
    ("&#99999999999;", "\u{FFFD}"), ("&#128;&#x9f;&#x81;", "\u{20AC}\u{178}\u{81}"), ("&#65x&#x42", "AxB"),
    ("&#65&#66;;", "AB;"), ("&#xAg", "\ng"), ("x&amp;y&amp;z", "x&y&z"),
  ])
  func references(_ text: String, _ expected: String) {
    #expect(HTMLReferences.resolved(in: text).unicodeScalars.elementsEqual(expected.unicodeScalars))
  }

  /// Names of HTML 4 beside those that code is written with.
  @Test(arguments: [
    ("&copy;&euro;&ouml;&mdash;&thetasym;&yuml;", "©€ö—ϑÿ"), ("&Copy;&euro", "&Copy;&euro"),
  ])
  func namedReferences(_ text: String, _ expected: String) {
    #expect(HTMLReferences.resolved(in: text) == expected)
  }

  @Test func manyAmpersandsTakeNoTime() {
    let text = String(repeating: "&", count: 200_000) + ";"
    #expect(HTMLReferences.resolved(in: text).utf8.count == text.utf8.count)
  }

  /// Fields, with a bar for the NUL behind each.
  @Test(arguments: [
    ("a<b>c", "t|a|<|b|1||0|t|c|"), ("</b>", ">|b|"), ("<BR/>", "/|br|1||0|"), ("<!-- c -->", "!| c |"),
    ("<!--a--!>b", "!|a|t|b|"), ("<!--!>b-->c", "!|!>b|t|c|"), ("<!----!>b", "!||t|b|"),
    ("<!--->b", "!||t|b|"), ("<!---!>b-->", "!|-!>b|"),
    ("<!-->x", "!||t|x|"), ("<!--x", "!|x|"), ("<!DOCTYPE HTML>", "d|html|"), ("<!doctype>", "d||"),
    ("<?php x>", "!|?php x|"), ("</></>", ""), ("</ b>", "!| b|"), ("<!x>", "!|x|"), ("a<", "t|a|t|<|"),
    ("<", "t|<|"), ("</", "t|</|"), ("1 < 2", "t|1 |t|< 2|"), ("\r\n\ra", "t|\n\na|"),
    ("<i a=1 B='&lt;' a=2 c>", "<|i|1||3|a|1|b|<|c||"), ("&lt;&copy;&nope;", "t|<©&nope;|"),
    ("<title>&amp;<b></title>", "<|title|1||0|t|&<b>|>|title|"),
    ("<style>&amp;</style>", "<|style|1||0|t|&amp;|>|style|"),
    ("<script>a</scripty></script>", "<|script|1|0|0|t|a</scripty>|>|script|"),
    (
      "\n<script></script><script type=x></script>\n<script src=a>",
      "t|\n|<|script|2|0|0|>|script|<|script|2||1|type|x|>|script|t|\n|<|script|3|1|1|src|a|"
    ),
    ("a\0<b\0>", "t|a|<|b\u{FFFD}|1||0|"), ("\0", ""), ("", ""), ("a<b c=", "t|a|"),
  ])
  func pieces(_ markup: String, _ fields: String) {
    #expect(Self.page(markup).pieces.replacing("\0", with: "|") == fields)
  }

  @Test func piecesOfOtherMarkupHaveNoScripts() {
    #expect(HTMLPieces(of: "<script>a</script>").text == "<\0script\01\0\00\0t\0a\0>\0script\0")
  }

  @Test(arguments: [
    ("<script src=a defer>", true), ("<script defer>a</script>", false), ("<script type=module>", true),
    ("<script src=a defer async>", false), ("<script src=a>", false),
  ])
  func deferredScriptsAreTold(_ markup: String, _ isDeferred: Bool) {
    #expect(Self.page(markup).scripts.map(\.isDeferred) == [isDeferred])
  }

  @Test(arguments: 0..<10)
  func anyTextIsAPage(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    let parts = [
      "<", ">", "script", "</", "<!--", "-->", "=", "'", "\"", " ", "\n", "/", "src", "id",
      "a", "style", "&", "&amp;", "\u{0}", "é", "<script>", "</script>", "onclick=",
    ]
    for _ in 0..<300 {
      let text = random.text(of: parts, count: 0...30)
      let page = Self.page(text)
      let lines = text.utf8.count { $0 == 0x0A } + 1
      for script in page.scripts { #expect((1...lines).contains(script.line)) }
    }
  }
}

/// The report of an uncaught error.
@Suite struct ErrorReportTests {
  static let script = "const a = 1;\nfunction f() {\n  throw new Error('x');\n}\nf();\n"

  static func sourceRegistry(_ text: String, url: String = "a.js") -> SourceRegistry {
    let sourceRegistry = SourceRegistry()
    let source = ScriptSource(url: url, text: text)
    sourceRegistry.add(source, PreparedScript(untouched: source))
    return sourceRegistry
  }

  static func report(
    _ exception: JSException, _ text: String = script, unhandled: Bool = false,
    colours: Bool = false
  ) -> String {
    ErrorReport(exception, sourceRegistry: sourceRegistry(text), colours: colours).text(unhandled: unhandled)
  }

  static func error(_ stack: String, _ message: String = "x") -> JSException {
    .init(
      message: message,
      stack: stack)
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func aReportShowsTheLineWhateverLinesEndWith(_ end: String) {
    let text = Self.script.replacing("\n", with: end)
    let report = Self.report(Self.error("f@a.js:3:18\nglobal code@a.js:5:2"), text)
    #expect(
      report
        == "a.js:3:3\n  throw new Error('x');\n  ^\nError: x\n    at f (a.js:3:3)\n    at "
        + "a.js:5:1\n"
    )
  }

  /// A script may set the stack of its error to anything.
  @Test(arguments: [
    "f@a.js:0:0", "f@a.js:-1:-1", "f@a.js:\(Int.min):\(Int.min)", "f@a.js:\(Int.max):\(Int.max)",
    "f@a.js:1:\(Int.max)", "f@a.js:1:\(Int.min)", "f@a.js:99:1", ":::", "@", "a@b@c:1:1",
    "f@:1:1",
  ])
  func madeUpStacksDoNoHarm(_ stack: String) {
    let report = Self.report(Self.error(stack))
    #expect(report.contains("Error: x\n"), "\(report)")
    _ = ErrorReport(
      Self.error(stack), sourceRegistry: Self.sourceRegistry(Self.script), colours: true
    ).json(unhandled: true)
  }

  @Test func whatSteersTheTerminalIsShownAsNumbers() {
    let report = Self.report(Self.error("f\u{1B}]0;@a.js:1:1", "a\u{1B}[31m\u{9B}b\u{7}\u{0}"), "x\u{1B}[2J")
    #expect(
      !report.unicodeScalars.contains {
        $0 == "\u{1B}" || $0 == "\u{9B}" || $0 == "\u{7}"
          || $0
            == "\u{0}"
      })
    #expect(report.contains("Error: a\\x1B[31m\\x9Bb\\x07\\x00") && report.contains("x\\x1B[2J"))
  }

  @Test func aSyntaxErrorStandsInItsLine() {
    var exception = Self.error("", "Unexpected token")
    (exception.name, exception.url, exception.line, exception.column) = ("SyntaxError", "a.js", 2, 3)
    #expect(Self.report(exception) == "a.js:2:3\nfunction f() {\n  ^\nSyntaxError: Unexpected token\n")
    exception.column = nil
    #expect(Self.report(exception) == "a.js:2\nfunction f() {\nSyntaxError: Unexpected token\n")
  }

  @Test func codesDetailsAndCauses() {
    var exception = Self.error("", "no")
    exception.name = "BridgeError"
    exception.attributes = [
      .init(name: "code", value: "timeout"), .init(name: "service", value: "s"),
      .init(name: "action", value: "a"),
    ]
    exception.details = #"{"x":1}"#
    exception.causes = ["TypeError: b", "c"]
    #expect(
      Self.report(exception, unhandled: true)
        == "Unhandled rejection: BridgeError: no [timeout, s.a]\n  details: {\"x\":1}\n  caused by: "
        + "TypeError: b\n  caused by: c\n")
    exception.name = "Error"
    #expect(Self.report(exception).hasPrefix("Error: no [timeout]\n"))
    #expect(
      Self.report(exception, colours: true).hasPrefix(
        "\u{1B}[31mError: no\u{1B}[0m\u{1B}[2m [timeout]\u{1B}[0m\n"))
  }

  @Test func aFrameThatComesTwiceIsShownOnce() {
    let report = Self.report(Self.error("f@a.js:3:1\nf@a.js:3:1\ng@a.js:3:1\nf@a.js:3:1"))
    #expect(report.ranges(of: "    at ").count == 3)
  }

  @Test func oneLineOfJSON() {
    var exception = Self.error("f@a.js:3:18\nglobal code@a.js:5:2", "a \"b\"\n")
    exception.attributes = [.init(name: "code", value: "c")]
    let json = ErrorReport(
      exception, sourceRegistry: Self.sourceRegistry(Self.script), colours: false
    ).json(unhandled: true)
    #expect(
      json
        == #"{"name":"Error","message":"a \"b\"\n","code":"c","unhandled":true,"file":"a.js","line":3,"#
        + #""column":3,"#
        + #""source":"  throw new Error('x');","stack":[{"function":"f","file":"a.js","line":3,"column":3},"#
        + #"{"function":"global code","file":"a.js","line":5,"column":1}],"causes":[]}"# + "\n")
  }
}

/// The way from the engine's places to the author's.
@Suite struct SourceRegistryTests {
  static func frame(_ line: Int, _ column: Int, url: String = "out.js") -> StackFrame {
    guard let frame = StackFrame("f@\(url):\(line):\(column)") else { preconditionFailure("it is a frame") }
    return frame
  }

  static let map = SourceMapTests.json(
    SourceMapTests.mappings(
      [
        [
          .init(column: 0, place: [0, 0, 0]), .init(column: 4, place: [0, 1, 2]),
          .init(column: 9, place: nil),
        ], [],
      ]), sources: 1)

  static func base64(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var result = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = Array(bytes[start..<min(start + 3, bytes.count)])
      let number = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
      for digit in 0..<4 {
        result.append(digit > part.count ? "=" : SourceMapTests.digits[number >> (18 - 6 * digit) & 63])
      }
    }
    return result
  }

  static func sourceRegistry(_ text: String, url: String = "out.js") -> SourceRegistry {
    ErrorReportTests.sourceRegistry(
      text, url: url)
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func aMapInTheScriptIsFollowed(_ end: String) {
    let comment = "//# sourceMappingURL=data:application/json;base64,\(Self.base64(Self.map))"
    let sourceRegistry = Self.sourceRegistry("aaaabbbbbcc\(end)\(comment)\(end)")
    #expect(sourceRegistry.authored(Self.frame(1, 1))?.place == "s0.ts:1:1")
    #expect(sourceRegistry.authored(Self.frame(1, 6))?.place == "s0.ts:2:3")
    // A script's own words, where the map knows no better.
    #expect(sourceRegistry.authored(Self.frame(1, 11))?.place == "out.js:1:11")
  }

  @Test func aMapBesideTheScriptIsFollowed() throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    try SmallFile.replace(folder + "/out.js.map", with: Array(Self.map.utf8))
    let url = folder + "/out.js"
    let sourceRegistry = Self.sourceRegistry("aaaabbbbb\n//# sourceMappingURL=out.js.map", url: url)
    #expect(sourceRegistry.authored(Self.frame(1, 6, url: url))?.place == "s0.ts:2:3")
  }

  @Test(arguments: [
    "//# sourceMappingURL=", "//# sourceMappingURL=none.map", "//# sourceMappingURL=http://x/y.map",
    "//# sourceMappingURL=data:,x", "//# sourceMappingURL=data:application/json;base64,!!",
    "//# sourceMappingURL=/dev/zero", "//# sourceMappingURL=/proc", "x //# sourceMappingURL=y",
  ])
  func aMapThatIsNoneChangesNothing(_ comment: String) {
    #expect(Self.sourceRegistry("aaaa\n\(comment)").authored(Self.frame(1, 3))?.place == "out.js:1:3")
  }

  /// Code that was put in around a script has no author; neither have the runtime's own scripts.
  @Test func whatHasNoAuthor() {
    let sourceRegistry = Self.sourceRegistry("a\r\nb")
    #expect(
      sourceRegistry.authored(Self.frame(2, 1))?.place == "out.js:2:1"
        && sourceRegistry.authored(Self.frame(3, 1))
          == nil
    )
    #expect(sourceRegistry.authored(Self.frame(1, 1, url: "nbridge:console")) == nil)
    #expect(sourceRegistry.authored(Self.frame(7, 7, url: "other.js"))?.place == "other.js:7:7")
  }

  @Test func aGeneratedScriptsPlacesAreItsAuthorsOrNobodys() {
    let mappings = SourceMapTests.mappings([
      [.init(column: 0, place: [0, 1, 1]), .init(column: 5, place: nil), .init(column: 9, place: [0, 70, 0])]
    ])
    let json =
      #"{"version":3,"sources":["s0.ts"],"sourcesContent":["one\ntwo"],"mappings":"\#(mappings)"}"#
    let sourceRegistry = SourceRegistry()
    let source = ScriptSource(url: "made", text: "aaaaabbbbccc")
    sourceRegistry.add(source, PreparedScript(untouched: source), map: json)
    #expect(sourceRegistry.authored(Self.frame(1, 2, url: "made"))?.place == "s0.ts:2:2")
    #expect(sourceRegistry.line("s0.ts", 2) == "two" && sourceRegistry.line("s0.ts", 3) == nil)
    #expect(sourceRegistry.authored(Self.frame(1, 7, url: "made")) == nil)
    // A map that points behind the text that it brings is not believed.
    #expect(sourceRegistry.authored(Self.frame(1, 10, url: "made"))?.place == "made:1:10")
  }

  @Test func whatAPlanPutInIsSubtracted() {
    let sourceRegistry = SourceRegistry()
    let source = ScriptSource(url: "a.js", text: "await x")
    sourceRegistry.add(
      source,
      PreparedScript(
        text: "", isAsync: true,
        insertions: [.init(line: 1, column: 1, length: 10)]))
    #expect(sourceRegistry.authored(Self.frame(1, 17, url: "a.js"))?.column == 7)
    #expect(sourceRegistry.authored(Self.frame(1, 0, url: "a.js"))?.column == 0)
  }
}
