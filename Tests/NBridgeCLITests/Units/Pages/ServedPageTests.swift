// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgeCLI

/// Which page `nbridge serve` and `nbridge window` show.
@Suite struct ServedPageUnitTests {
  private let folder = ScratchFolder()

  /// What it is, or why there is none.
  private func served(_ operand: String, _ options: [String] = []) -> String {
    read { try ServedPage(folder.path + operand, ParsedArguments(options, options: ServeCommand.options)) }
  }

  private func shown(_ operand: String) -> String {
    read {
      try WindowCommand.page(
        ParsedArguments([folder.path + operand], options: WindowCommand.options))
    }
  }

  private func read(_ page: () throws -> ServedPage) -> String {
    do { return String(try page().path.dropFirst(folder.path.count)) } catch {
      return "\(error)".replacing(folder.path, with: "")
    }
  }

  @Test func anAppIsShownByThePageThatStartsIt() throws {
    try folder.write([
      "index.html": "", "start.html": "", "below/two.htm": "", "app.json": #"{"main": "start.html"}"#,
    ])
    #expect(served("") == "/start.html" && shown("") == "/start.html")
    #expect(shown("/app.json") == "/start.html")
    #expect(served("/index.html") == "/index.html")
    // Another app.json is not about this folder.
    try folder.write(["other.json": "{}"])
    #expect(served("", ["--app", folder.path + "/other.json"]) == "/index.html")
    try folder.write(["app.json": #"{"main": "./below/two.htm"}"#])
    #expect(shown("/app.json") == "/below/two.htm")
  }

  @Test func oneThatAScriptStartsIsShownByThePageOfItsFolder() throws {
    try folder.write(["only.html": "", "main.js": "", "app.json": #"{"main": "main.js"}"#])
    #expect(served("") == "/only.html" && shown("/app.json") == "/only.html")
    try folder.write(["app.json": #"{"id": "only"}"#])
    #expect(served("") == "/only.html" && shown("/app.json") == "/only.html")
  }

  @Test(arguments: ["gone.html", "../outside.html", "/etc/page.html", "below/../start.html"])
  func aPageThatIsNotThereIsSaid(_ main: String) throws {
    try folder.write(["index.html": "", "start.html": "", "app.json": #"{"main": "\#(main)"}"#])
    let reason = "names '\(main)' as its \"main\", and there is no such page beside it or below"
    #expect(served("").hasSuffix(reason) && shown("/app.json").hasSuffix(reason), "\(served(""))")
  }

  @Test func anAppThatIsNotThereIsNotTheFolderOfTheShell() {
    #expect(shown("/app.json") == "there is no '/app.json' to serve")
  }
}
