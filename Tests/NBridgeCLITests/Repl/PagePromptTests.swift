// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `nbridge repl --serve`: a prompt on a real terminal, with Chromium at the other end.
@Suite(.serialized) struct PagePromptTests {
  private static let browsers = CommandRunner.root + "/Tests/NBridgeCLITests/Browsers"
  private static let page = """
    <!doctype html><meta charset="utf-8"><title>Page</title>
    <ul id="list"><li class="done">Tea</li></ul>
    <script>const own = 5; var _ = "the page's own";
    function fail() { throw new TypeError("not so"); }</script>
    """

  /// Starts the browser that the page is opened in, and the person before it.
  private func openBrowser(_ prompt: PromptDriver) throws -> Int32 {
    let link = try #require(
      prompt.expect("?token=").split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .first { $0.hasPrefix("http://") })
    let started = try prompt.runner.shell(
      """
      timeout 150 chromedriver --port=0 > driver.log 2>&1 & echo $! > driver.pid
      n=0; until grep -qE 'on port [1-9]' driver.log || [ $n = 1200 ]; do sleep 0.05; n=$((n+1)); done
      port=$(sed -nE 's/.*successfully on port ([0-9]+).*/\\1/p' driver.log)
      timeout 100 "$NBRIDGE" run --app '\(Self.browsers)/app.json' --container own \
        '\(Self.browsers)/prompt.mjs' "http://127.0.0.1:$port" '\(link)' > person.log 2>&1 &
      echo $!
      """)
    return try #require(Int32(started.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(started)")
  }

  private func closeBrowser(_ prompt: PromptDriver) throws -> String {
    try prompt.runner.shell("kill $(cat driver.pid); cat person.log").output
  }

  @Test func whatIsEnteredRunsInTheTabThatWasChosen() throws {
    let prompt = try PromptDriver(
      "--serve page --container box", columns: 160, rows: 60, files: ["page/index.html": Self.page])
    try prompt.enter(".page")
    prompt.expect("no tab is connected yet: open the link above in a browser")
    _ = try openBrowser(prompt)
    prompt.expect("a browser is in")
    // Its place comes a moment later.
    prompt.wait("the tab") { _ in
      try? prompt.enter(".page")
      return prompt.screen().contains("* 1  /index.html  Page")
    }
    prompt.expectEnd("page 1>")
    try prompt.press("C-l")
    for (entry, shown) in [
      ("own + 1", "6"), ("_", "\"the page's own\""), ("const kept = 7; kept * 2", "14"), ("kept", "7"),
      ("await Promise.resolve([1, { a: 2 }])", "[ 1, { a: 2 } ]"),
      ("document.querySelector('li')", "<li class=\"done\">Tea</li>"),
      ("document.querySelectorAll('ul')", "[ <ul id=\"list\"> ... </ul> ]"),
      ("(await nbridge.app.appInfo()).version", "'0.0.0'"), ("let typed: number = 3; typed", "3"),
      ("{ using held = { [Symbol.dispose]() { globalThis.letGo = true } } } letGo", "true"),
      ("(await import('./module.js').catch(({ name }) => name))", "'TypeError'"),
      ("document.head.querySelectorAll('script').length > 3", "false"),
      ("try { eval('1') } catch ({ name }) { name }; 0", "0"),
      ("(() => { try { return eval('1') } catch ({ name }) { return name } })()", "'EvalError'"),
    ] {
      try prompt.enter(entry)
      prompt.expectEnd("\(shown)\npage 1>")
    }
    try prompt.press("C-l")
    try prompt.enter("fail()")
    prompt.wait("the error") { $0.contains("TypeError: not so") && $0.contains("at fail (index.html:4:") }
    try prompt.enter("throw { code: 3 }")
    prompt.expect("Uncaught { code: 3 }")
    try prompt.enter("nbridge.documents.read('none.txt')")
    prompt.expect("[not_found, documents.read]")
    try prompt.enter("kept = 8")
    prompt.expect("TypeError: Attempted to assign to readonly property.")
    try prompt.enter("console.log('said', 1)")
    prompt.expect("page: said 1")
    try prompt.enter(".call preference.set key=a value=teal")
    try prompt.enter("await nbridge.preference.get('a')")
    prompt.expectEnd("'teal'\npage 1>")
    try prompt.enter("console.log('waits'); await new Promise(() => {})")
    prompt.expect("page: waits")
    try prompt.press("C-c")
    prompt.expect("the page goes on with it")
    prompt.expectEnd("page 1>")
    try prompt.press("C-l")
    try prompt.enter("document.title = 'open another'")
    prompt.expect("'open another'")
    prompt.wait("the other tab") { _ in
      try? prompt.enter(".page")
      return prompt.screen().contains("  2  /index.html  Page")
    }
    try prompt.enter(".page 2")
    prompt.expectEnd("page 2>")
    try prompt.enter("typeof kept")
    prompt.expectEnd("'undefined'\npage 2>")
    try prompt.enter("document.title = 'close it'")
    prompt.expect("nbridge: page 2 has gone")
    prompt.expectEnd("\n>")
    try prompt.enter("typeof document")
    prompt.expectEnd("'undefined'\n>")
    try prompt.enter(".page 2")
    prompt.expect("'2' is no tab of the page: there is 1")
    try prompt.enter(".page 1")
    prompt.expectEnd("page 1>")
    try prompt.enter(".page off")
    prompt.expect("runs in the prompt itself again, and no more in page 1")
    try prompt.enter("typeof kept")
    prompt.expectEnd("'undefined'\n>")
    try prompt.enter(".page")
    prompt.expectEnd("page 1>")
    try prompt.enter("document.title = 'reload'; 0")
    prompt.expect("nbridge: page 1 has gone")
    prompt.wait("the tab again") { _ in
      try? prompt.enter(".page")
      return prompt.screen().contains("* 3  /index.html")
    }
    try prompt.enter("document.title = 'end'; 0")
    prompt.expect("nbridge: page 3 has gone")
    try prompt.press("C-d")
    prompt.expect("left with 0")
    #expect(try closeBrowser(prompt) == "")
  }

  @Test(arguments: [
    ("--serve none", "there is no 'none' to serve"), ("--serve x.js", "serve is for pages; 'x.js' is none"),
    ("--port 80", "--port is for a page that the prompt serves: --serve PAGE names it"),
    ("--serve page --port 70000", "--port takes a number from 1 to 65535"),
  ])
  func whatCanNotBeServedIsTold(_ options: String, _ problem: String) throws {
    let prompt = try PromptDriver(
      options, files: ["page/index.html": Self.page, "x.js": ""], waits: false)
    prompt.expect("left with 2")
    let errors = try String(contentsOfFile: prompt.runner.folder + "/errors", encoding: .utf8)
    #expect(errors.contains(problem), "\(errors)")
  }

  @Test func withoutATerminalItSaysWhatServes() throws {
    let result = try CommandRunner.run(
      ["page/index.html": Self.page], "echo 1 | nbridge repl --serve page")
    #expect(result.status == 2 && result.errors.contains("nbridge serve serves a page without one"))
  }

  @Test func aPromptThatServesNothingSaysSo() throws {
    let prompt = try PromptDriver()
    try prompt.enter(".page 1")
    prompt.expect("this prompt serves no page: nbridge repl --serve PAGE does")
  }
}
