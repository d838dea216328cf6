// SPDX-License-Identifier: MIT

import Testing

/// Pages without a window: their buttons, and where they go.
@Suite struct PageTests {
  @Test func aButtonThatThrowsIsToldAndTheNextOneHasItsTurn() throws {
    let result = try run(
      """
      <button onclick="one()">1</button><button onclick="two()">2</button><button onclick="three()">3</button>
      <script>
      function one() { throw new Error("first"); }
      async function two() { await null; throw new Error("second"); }
      function three() { console.log("third ran"); }
      </script>
      """)
    #expect(result.status == 1)
    #expect(result.output == "third ran\n")
    #expect(result.errors.contains("\nError: first\n"))
    #expect(result.errors.contains("\nUnhandled rejection: Error: second\n"))
  }

  @Test func buttonsOfOneLineAreToldApart() throws {
    let result = try run(
      """
      <b onclick="setTimeout(() => { throw new Error('late') })"></b><b onclick="console.log('last')"></b>
      """)
    #expect(result.output == "last\n")
    #expect(result.errors.contains("\nsetTimeout(() => { throw new Error('late') })\n"), "\(result.errors)")
  }

  @Test func scriptsOfAPageAreToldApart() throws {
    let result = try run(
      """
      <b onclick="one()"></b>
      <script>function one() { throw new Error("first"); }</script><script>function two() { null.x; }</script>
      <b onclick="two()"></b><p>€</p><script>function three() { throw new Error("third"); }</script>
      <b onclick="three()"></b>
      """)
    let start = "<script>function one() { throw new Error(\"first\"); }</script><script>function two"
    #expect(result.errors.contains("page.html:2:26\n\(start)"), "\(result.errors)")
    #expect(result.errors.contains("\n\(spaces(25))^\nError: first\n"), "\(result.errors)")
    #expect(result.errors.contains("page.html:3:59\n"), "\(result.errors)")
    #expect(result.errors.contains("    at two (page.html:2:"), "\(result.errors)")
  }

  private func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }

  @Test func anElementsHandlerThatThrowsIsToldAndTheNextOneHasItsTurn() throws {
    let result = try run(
      """
      <b id=one></b><b id=two></b>
      <script>
      document.getElementById("one").onclick = () => { null.x; };
      document.getElementById("two").onclick = () => { console.log("two ran"); };
      </script>
      """)
    #expect(result.status == 1)
    #expect(result.output == "two ran\n")
    #expect(result.errors.contains("TypeError: null is not an object"))
  }

  @Test func functionsThatAreCalledByNameGoOnToo() throws {
    let result = try run(
      "<script>function one() { throw 1; } function two() { console.log('two ran'); }</script>",
      "nbridge run --call one --call two page.html")
    #expect(result.status == 1)
    #expect(result.output == "two ran\n")
    #expect(result.errors.contains("Uncaught 1"))
  }

  @Test func exitInAHandlerEndsThePage() throws {
    let result = try run(
      "<b onclick='exit(4)'></b><b onclick='console.log(2)'></b><script>function f() {}</script>")
    #expect(result.status == 4)
    #expect(result.output.isEmpty)
  }

  @Test func locationTellsWhereThePageIs() throws {
    let result = try run(
      """
      <script>
      const { href, protocol, pathname } = location;
      console.log(href.endsWith("/page.html"), protocol, href === "file://" + pathname);
      console.log(`${location}` === href);
      location.hash = "part";
      console.log(location.href === href + "#part", window.location === location);
      </script>
      """)
    #expect(result.output == "true file: true\ntrue\ntrue true\n")
    #expect(result.status == 0)
  }

  @Test(arguments: [
    ("location.href = 'shop:cart'", "app.openURL"), ("location = 'shop:cart'", "app.openURL"),
    ("location.assign('https://example.org/')", "app.openBrowser"),
    ("window.location.replace('http://example.org/')", "app.openBrowser"),
  ])
  func anotherLocationIsOpenedByTheApp(_ code: String, _ call: String) throws {
    let page = "<script>\(code)</script>"
    let mock = #"{"app.openURL": {"handled": true}, "app.openBrowser": null}"#
    let opened = try run(page, "nbridge run --mock mock.json page.html", files: ["mock.json": mock])
    #expect(opened.status == 0)
    #expect(opened.errors.isEmpty, "\(opened.errors)")
    // What is not allowed is named.
    let denied = try run(page, "nbridge run --permissions app.appInfo page.html")
    #expect(denied.errors.contains("location can't go to '"))
    #expect(denied.errors.contains(call), "\(denied.errors)")
  }

  @Test(arguments: [
    ("location.href = 'other.html'", "a page without a window does not change to another; run that one"),
    ("location.href = 'javascript:alert(1)'", "code in a URL is not run"),
    ("location.href = 'nobody-handles-this:x'", "nobody-handles-this"),
  ])
  func whatCannotBeOpenedIsSaid(_ code: String, _ reason: String) throws {
    let result = try run("<script>\(code); console.log('goes on')</script>")
    #expect(result.output == "goes on\n")
    #expect(result.errors.contains("nbridge: location can't go to '"))
    #expect(result.errors.contains(reason))
  }

  @Test func aPageThatReplacesThenIsToldAllTheSame() throws {
    let result = try run(
      "<script>Promise.prototype.then = () => { throw 1 }; location.href = 'x:y'; console.log('on')</script>")
    #expect(result.output == "on\n", "\(result.errors)")
    #expect(result.errors.contains("location can't go to 'x:y'"))
  }

  @Test func aScriptThatThrowsIsToldAndTheNextOneHasItsTurn() throws {
    let result = try run(
      """
      <script>throw new Error("first")</script><script>console.log("second")</script>
      <script>let x = ;</script>
      <script type="module">import p from "node:path"; throw new Error(p.sep)</script>
      <script type="module">import "node:path"; const = 1;</script>
      <script>
      await null;
      function late() { null.x; }
      throw new Error("third");
      </script>
      <script>console.log("fourth")</script>
      <b onclick="console.log('button')"></b>
      <script>addEventListener("load", () => { console.log("loaded"); throw new Error("load"); });
      function after() { null.x; }</script><b onclick="after()"></b>
      """)
    #expect(result.status == 1)
    #expect(result.output == "second\nfourth\nloaded\nbutton\n")
    for report in ["page.html:1:9\n<script>throw new", "Error: first\n", "Error: third\n", "Error: load\n"] {
      #expect(result.errors.contains(report), "\(report) in \(result.errors)")
    }
    #expect(result.errors.contains("page.html:2:17\n<script>let x = ;</script>\n"), "\(result.errors)")
    #expect(result.errors.contains("page.html:13:24\nfunction after() { null.x; }"), "\(result.errors)")
    #expect(result.errors.contains("page.html:3:50\n<script type=\"module\">"), "\(result.errors)")
    #expect(result.errors.contains("page.html:4:49\n<script type=\"module\">"), "\(result.errors)")
    #expect(result.errors.contains("    at after (page.html:13:"), "\(result.errors)")
  }

  @Test func aScriptWhoseFileIsMissingIsToldAndTheNextOneHasItsTurn() throws {
    let result = try run(
      """
      <script src="gone.js"></script><script>console.log("after")</script>
      <b onclick="console.log('button')"></b>
      """)
    #expect(result.status == 1 && result.output == "after\nbutton\n", "\(result)")
    #expect(result.errors.contains("gone.js"), "\(result)")
  }

  @Test func theCodeOfAButtonIsAFunctionOfItsEvent() throws {
    let result = try run(
      """
      <script>function f(what) { console.log(what); }</script>
      <b onclick="return f(1), false"></b>
      <b id=two onclick="if (this.id === 'two') return f(event.type); f('not here')"></b>
      <b onclick="f(await Promise.resolve(3))"></b>
      <b onclick="  null.x"></b>
      """)
    #expect(result.output == "1\nclick\n3\n", "\(result.errors)")
    #expect(result.errors.contains("page.html#onclick:5:1:7\n  null.x\n"), "\(result.errors)")
    #expect(result.status == 1)
  }

  /// One from a file of its own imports from there; each module is there once for all of the page.
  @Test func scriptsAndButtonsOfAPageImport() throws {
    let result = try run(
      """
      <script>
      const own = { import(a) { return a; } };
      console.log(own.import("kept"), Object.keys(globalThis).filter((key) => key > "~").length);
      import("./x.mjs").then((x) => console.log("inline", x.count()));
      </script>
      <script>{ const x = await import("./x" + ".mjs"); console.log("awaited", x.count()); }</script>
      <script src="sub/s.js"></script>
      <script type=module>import { count } from "./x.mjs"; console.log("module", count());</script>
      <script type=module>import { count } from "./x.mjs"; console.log("module", count());</script>
      <b onclick='const x = await import("./x.mjs"); console.log("clicked", x.count(), event.type)'></b>
      <b onclick='import("./none.mjs").catch((error) => console.log(error.code))'></b>
      <b onclick='
        import("./x.mjs").then(() => null.x)'></b>
      """, "mkdir other; cd other; nbridge run ../page.html",
      files: [
        "x.mjs": "let n = 0; export const count = () => ++n; console.log('x runs');",
        "sub/s.js": "import('./y.mjs').then((y) => console.log('beside', y.first));",
        "sub/y.mjs": "import { count } from '../x.mjs'; export const first = count();",
      ])
    #expect(
      result.output == """
        kept 0
        x runs
        inline 1
        awaited 2
        beside 3
        module 4
        module 5
        clicked 6 click
        ERR_MODULE_NOT_FOUND

        """, "\(result.errors)")
    #expect(result.errors.contains("\n  import(\"./x.mjs\").then(() => null.x)\n"), "\(result.errors)")
    #expect(result.errors.contains("page.html#onclick:12:2:"), "\(result.errors)")
  }

  /// It runs nothing, neither inside of its function nor outside of it.
  @Test(arguments: [
    "}; console.log(1); {", "}, console.log(1), {", "}, console.log(1), function () {",
    "}); console.log(1); (function () {", "}), console.log(1), (async () => { await 0", "} ; console.log(1)",
    "}), console.log(1), class { x() { await 0 }", "let event; console.log(1)",
  ])
  func aButtonWhoseCodeClosesItsFunctionIsASyntaxError(_ code: String) throws {
    let page = "<b onclick='\(code)'></b><b onclick='console.log(2)'></b>"
    let result = try run(page)
    #expect(result.output == "2\n" && result.status == 1, "\(result)")
    #expect(result.errors.contains("SyntaxError") && result.errors.contains("onclick:1"), "\(result.errors)")
    let checked = try run(page, "nbridge check page.html")
    #expect(checked.status == 1 && checked.errors.contains("SyntaxError"), "\(checked)")
  }

  /// The same of a script that awaits, and of an expression.
  @Test(arguments: [
    "nbridge eval 'await 1 }); console.log(1); (async () => { await 0'",
    "nbridge eval '/* await */ }); console.log(1)'",
    "nbridge eval -p '1)), console.log(1), ((2'", "nbridge eval -p '1), (await 2'",
  ])
  func aScriptThatClosesWhatIsPutAroundItIsASyntaxError(_ line: String) throws {
    let result = try run("", line)
    #expect(result.output == "" && result.status == 1, "\(result)")
    #expect(result.errors.contains("SyntaxError"), "\(result.errors)")
  }

  @Test func aButtonsCodeMayHoldAnyStatements() throws {
    let page = """
      <b onclick='"use strict"; function f() { return `}${1}` } let a = f(); console.log(a);
        if (a) { return }'></b>
      <b onclick='for (const b of [await 2]) { console.log(b) } // }'></b>
      <b onclick='let
      let_ = /}/; console.log(let_.source); { }'></b>
      """
    let result = try run(page)
    #expect(result.output == "}1\n2\n}\n" && result.errors == "", "\(result)")
  }

  @Test func aPageWhoseButtonReturnsIsRight() throws {
    let right = try run("<b onclick='return 1'></b>", "nbridge check page.html")
    #expect(right.status == 0 && right.errors.isEmpty, "\(right.errors)")
    let wrong = try run("<p></p><script>let x = ;</script>", "nbridge check page.html")
    #expect(
      wrong.errors.contains("page.html:1:24\n<p></p><script>let x = ;</script>\n"), "\(wrong.errors)")
  }

  private func run(
    _ page: String, _ line: String = "nbridge run page.html", files: [String: String] = [:]
  ) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(files.merging(["page.html": page]) { $1 })
    return try runner.shell(line)
  }
}
