// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The commands, scripts and Swift that pages show work. Whether their links lead anywhere is tested in
/// `Tests/LayeringTests`.
@Suite struct PagesTests {
  struct Page: Sendable, CustomTestStringConvertible {
    /// From the package's folder on.
    let path: String
    let text: String
    var testDescription: String { path }

    init(_ path: String) throws {
      self.path = path
      text = try String(contentsOfFile: "\(CommandRunner.root)/\(path)", encoding: .utf8)
    }

    /// The blocks of code in a language.
    func blocks(_ language: String) -> [String] {
      text.components(separatedBy: "\n```\(language)\n").dropFirst().map {
        $0.components(
          separatedBy: "\n```")[0] + "\n"
      }
    }

    /// The commands that the page shows to be typed at a shell, in its order.
    var commands: [String] {
      blocks("console").joined().split(separator: "\n").filter { $0.hasPrefix("$ ") }.map {
        String($0.dropFirst(2))
      }
    }
  }

  /// Every page that is no output of a tool.
  static let pages: [Page] = {
    let files = FileManager.default.enumerator(atPath: CommandRunner.root)
    var found: [Page] = []
    while let file = files?.nextObject() as? String {
      if file.hasPrefix(".") || file.contains("/.") { files?.skipDescendants() }
      if file.hasSuffix(".md"), !file.hasSuffix("/RESULTS.md"), let page = try? Page(file) {
        found.append(page)
      }
    }
    return found
  }()

  static let guides = "Sources/NBridge/NBridge.docc/"
  static let authorsGuides = "Sources/NBridgePlugin/NBridgePlugin.docc/"

  // MARK: - Commands

  @Test(arguments: pages.filter { !$0.commands.isEmpty })
  func theCommandsOfAPageWorkInTheirOrder(_ page: Page) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let setUp = [
      // Real programs, not functions of the shell: what goes on in the background is ended at the end.
      "unset -f nbridge; mkdir bin; ln -s \"$NBRIDGE\" bin/nbridge; PATH=\"$PWD/bin:$PATH\"; pids=",
      "cp -r '\(CommandRunner.root)/www' .; head -c 100000 /dev/zero > photo.jpg",
      "nbridge types --facades > www/facades.js",  // as `make run` does
      "trap 'for p in $pids; do kill $p || true; done 2> /dev/null' EXIT",
      "set -ex",
    ]
    let lines = page.commands.map { $0.hasSuffix("&") ? "\($0) pids=\"$pids $!\"" : $0 }
    let result = try runner.shell((setUp + lines).joined(separator: "\n"))
    #expect(result.status == 0, "\(result.errors)")
    // An app that was opened goes on.
    _ = try runner.shell("pkill -f '^[^ ]*nbridge run .*\(HandOverTests.name(runner))/' || true")
  }

  /// A command outside of `console` is one that a test of its own runs.
  @Test func everyCommandIsRunByATest() throws {
    let shown = Self.pages.filter { !$0.blocks("sh").isEmpty || !$0.blocks("bash").isEmpty }.map(\.path)
    // Those are run by PluginCommandTests, ExamplePluginTests, IsolationTests and PluginSourceTests.
    let run = ["FirstPlugin.md", "Isolation.md", "Publishing.md"].map { Self.authorsGuides + $0 }
    #expect(shown.sorted() == ["README.md"] + run + ExamplePluginTests.pages)
    let commands = Self.pages.flatMap(\.commands)
    #expect(commands.count >= 30 && Self.pages.count >= 30)
    for page in Self.pages {
      for line in page.blocks("console").joined().split(separator: "\n") where line.contains("nbridge ") {
        #expect(line.hasPrefix("$ "), "\(page.path): no test runs '\(line)'")
      }
    }
  }

  @Test func everyTargetOfMakeIsThere() throws {
    let makefile = try String(contentsOfFile: CommandRunner.root + "/Makefile", encoding: .utf8)
    let phony = try #require(makefile.split(separator: "\n").first { $0.hasPrefix(".PHONY:") })
    let targets = Set(phony.split(separator: " ").map(String.init))
    for page in Self.pages {
      for match in page.text.matches(of: /(?m)(?:^ {4}|`)make ([a-z]+)/) {
        #expect(targets.contains(String(match.1)), "\(page.path): make \(match.1)")
      }
    }
  }

  // MARK: - Scripts

  /// Runs a page's first script and answers the lines that it prints.
  func tour(_ path: String, _ runner: CommandRunner) throws -> [String] {
    let tour = try #require(try Page(path).blocks("js").first)
    let result = try runner.shell("nbridge run '\(runner.write("tour.js", tour))'")
    #expect(result.status == 0, "\(result.errors)")
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test func theREADMEsTourRuns() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    #expect(try Page("README.md").blocks("js").first?.split(separator: "\n").count == 12)
    let lines = try tour("README.md", runner)
    try #require(lines.count == 4, "\(lines)")
    #expect(lines[0] == "I am tour")
    #expect(lines[1].hasPrefix("{ name: 'teal', since: 20") && lines[1].hasSuffix("Z } 12"))
    #expect(lines[2...] == ["file note.txt", "cancelled"])
  }

  @Test func theGuidesTourRuns() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let lines = try tour(Self.guides + "Scripts.md", runner)
    try #require(lines.count == 7, "\(lines)")
    #expect(lines[0] == "I am tour")
    #expect(lines[1].hasPrefix("{ name: 'teal', since: 20") && lines[1].hasSuffix("Z } 12"))
    #expect(lines[2...4] == ["file note.txt", "[ 'text/plain', 'text/html' ] tea", "no such method"])
    #expect(lines[5].hasPrefix("invalid_action_name - ") && lines[5].contains("did you mean 'get'"))
    #expect(lines[6] == "cancelled")
    #expect(try runner.shell("cat \"$NBRIDGE_HOME\"/*/Documents/letter.txt").output == "Dear Ada,\n")
  }

  /// The scripts that are whole: without `…`.
  @Test func everyScriptOfAPageIsOne() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    var names: [String] = []
    for page in Self.pages {
      for (index, script) in page.blocks("js").enumerated() where !script.contains("…") {
        names.append("\(page.path.replacingOccurrences(of: "/", with: "-"))-\(index).js")
        _ = try runner.write(names[names.count - 1], script)
      }
    }
    #expect(names.count >= 10)
    let result = try runner.shell("nbridge check \(names.map { "'\($0)'" }.joined(separator: " "))")
    #expect(result.status == 0, "\(result.errors)")
  }

  // MARK: - Swift

  /// What the guides for authors show is what `nbridge plugin new` makes, which `PluginCommandTests` builds,
  /// or what stands in the examples, which `ExamplePluginTests` builds.
  @Test(arguments: [
    "Options.md", "Watches.md", "Objects.md", "Streams.md", "Errors.md", "Testing.md", "System.md",
  ])
  func theGuidesSwiftIsTheTemplates(_ name: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    #expect(try runner.shell("nbridge plugin new Weather --with handle,stream,script,c").status == 0)
    let made =
      try [
        "Sources/WeatherPlugin/WeatherPlugin", "Sources/WeatherPlugin/Tally",
        "Sources/WeatherPlugin/Readings", "Sources/WeatherPlugin/Checked",
        "Tests/WeatherPluginTests/WeatherPluginTests", "Package",
      ].map {
        Self.flat(try String(contentsOfFile: "\(runner.folder)/Weather/\($0).swift", encoding: .utf8))
      }.joined() + ExamplePluginTests.sources().map(Self.flat).joined()
    let shown = try Page(Self.authorsGuides + name).blocks("swift")
    #expect(!shown.isEmpty)
    for block in shown {
      #expect(
        made.contains(Self.flat(block)), "\(name) shows what no plugin has:\n\(block)")
    }
  }

  /// Lines without what they are moved in by.
  static func flat(_ text: String) -> String {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) + "\n" }.joined()
  }
}
