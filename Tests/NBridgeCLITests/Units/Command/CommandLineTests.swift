// SPDX-License-Identifier: MIT

import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

@testable import NBridgeCLI

/// The command line's reading of its words.
@Suite struct CommandLineUnitTests {
  private func run(_ line: String) throws -> (status: NBridge.ExitStatus, output: String, errors: String) {
    let output = CapturedOutput()
    let status = try NBridgeCommandLine.dispatch(line.split(separator: " ").map(String.init), output)
    return (status, output.text, output.errorText)
  }

  static let wrong: [(String, String)] = [
    ("rnu x.js", "unknown command 'rnu'; did you mean 'run'?"),
    ("evla", "unknown command 'evla'; did you mean 'eval'?"),
    ("frobnicate", "unknown command 'frobnicate'"),
    ("help frobnicate", "unknown command 'frobnicate'"),
    ("help rnu", "unknown command 'rnu'; did you mean 'run'?"),
    ("--help plugin nwe", "unknown command 'plugin nwe'; did you mean 'plugin new'?"),
    ("completions bash zsh", "'zsh' is too much; completions takes bash|zsh|fish"),
    ("app list x", "'x' is too much; app list takes nothing"),
    ("plugin build a b", "'b' is too much; plugin build takes [FOLDER]"),
    ("peers send chess a b", "'b' is too much; peers send takes TYPE [TEXT]"),
    ("peers simulate --scale 0", "--scale takes numbers from 2 to 20000, not '0'"),
    ("peers simulate --scale 2,x", "--scale takes numbers from 2 to 20000, not 'x'"),
    ("run --call x main.js", "--call is for the functions of a page; 'main.js' is none (.html, .htm)"),
    ("plugin new Swift", "'Swift' can't be a plugin's name: Swift has another use for it"),
    ("plugin new self", "'Self' can't be a plugin's name: Swift has another use for it"),
    ("plugin new type", "'Type' can't be a plugin's name: Swift has another use for it"),
    ("plugin new class", "'class' can't be a plugin's name: JavaScript has another use for it"),
    ("plugin new NBridge", "'NBridge' can't be a plugin's name: the SDK has a module of that name"),
    ("plugin new CNBridge", "'CNBridge' can't be a plugin's name: the SDK has a module CNBridgePlugin"),
    (
      "plugin new NBridgePlugin",
      "'NBridgePlugin' can't be a plugin's name: the SDK has a module of that name"
    ),
    ("plugin new testing", "'Testing' can't be a plugin's name: the SDK has a module of that name"),
    ("plugin nwe x", "unknown command 'plugin nwe'; did you mean 'plugin new'?"),
    ("peers brwse", "unknown command 'peers brwse'; did you mean 'peers browse'?"),
    ("plugin frobnicate", "unknown command 'plugin frobnicate'"),
    ("--frobnicate", "unknown option '--frobnicate'"),
    ("auth lgo x", "unknown command 'auth lgo'; did you mean 'auth log'?"),
    ("run", "run needs a script: nbridge run FILE"),
    ("eval", "eval needs code: nbridge eval CODE"), ("eval -p", "eval needs code: nbridge eval CODE"),
    ("run --wacth x.js", "unknown option '--wacth'; did you mean '--watch'?"),
    ("open", "open needs one URL: nbridge open 'notes://new'"),
    ("open a:b c:d", "open needs one URL: nbridge open 'notes://new'"),
    ("run --timeout x y.js", "--timeout must be a number of 0 or more, not 'x'"),
    ("logs nonsense", "unknown command 'logs nonsense'; there are logs, logs query and logs export"),
    ("logs --port 65536", "--port must be 0 to 65535"), ("logs --port 1.5", "--port must be 0 to 65535"),
    (
      "logs --since yesterday",
      "--since must be a time as 10m, 2h, 3d, 14:30 or 2026-11-22T14:30:00Z, not 'yesterday'"
    ),
    ("completions", "completions for which shell? nbridge completions bash"),
    ("completions tcsh", "there are completions for bash, zsh and fish, not for 'tcsh'"),
    ("test --reporter xml", "--reporter must be lines, dots, tap or junit, not 'xml'"),
    ("test --results x", "--results needs a file of tests"),
    ("peers browse", "which service type? As in: nbridge peers browse chess"),
    ("peers send chess", "send what? As in: nbridge peers send chess \"hello\", or --file FILE"),
    ("peers send chess --file /no/such", "there is no file '/no/such'"),
    ("peers advertise chess --info level", "--info must be KEY=VALUE, not 'level'"),
    ("peers browse chess --time soon", "--time must be a number of 0 or more, not 'soon'"),
    ("peers bench chess --count many", "--count must be a number of 0 or more, not 'many'"),
    ("peers simulate --seed x", "--seed must be a number of 0 or more, not 'x'"),
    ("plugin remove", "plugin remove needs a name: nbridge plugin remove weather"),
    ("plugin describe", "plugin describe needs a plugin: nbridge plugin describe preference"),
    ("app unregister", "unregister which app? nbridge app list shows them"),
  ]

  @Test(arguments: wrong)
  func whatCannotBeUnderstoodIsTold(_ line: String, _ text: String) {
    let error = #expect(throws: UsageError.self) { try run(line) }
    #expect(error?.description == text)
  }

  @Test(
    arguments: [
      "--record a --watch x.js", "--record a --record b x.js", "--replay a --record b x.js",
      "--replay a --watch x.js",
    ]
  )
  func recordingsGoTogetherWithLittle(_ line: String) {
    #expect(throws: UsageError.self) { try run("run " + line) }
  }

  @Test func aRecordingIsNotWrittenOverItsScript() throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let script = folder + "/x.js"
    try Path.write("1", to: script)
    let error = #expect(throws: UsageError.self) { try run("run --record \(folder)/./x.js \(script)") }
    #expect(error?.description == "--record would write over '\(script)', the script; name another file")
    #expect(try Path.text(of: script) == "1")
  }

  @Test(arguments: ["--help", "-h", "help"])
  func helpListsEveryCommandOnce(_ word: String) throws {
    let result = try run(word)
    #expect(result.status == .success && result.errors == "")
    let listed = result.output.split(separator: "\n").filter { $0.hasPrefix("  ") }
    for command in NBridgeCommandLine.commands {
      #expect(
        listed.count { $0.hasPrefix("  \(command.name)  ") || $0 == "  \(command.name)" } == 1,
        "\(command.name)"
      )
    }
  }

  @Test func nothingAtAllIsAUsageError() throws {
    let result = try run("")
    #expect(result.status == .usage && result.output == "" && result.errors == NBridgeCommandLine.help)
  }

  @Test(arguments: ["--version", "-V"])
  func theVersionIsTold(_ word: String) throws {
    #expect(try run(word).output == "nbridge \(NBridgeVersion.current)\n")
  }

  /// Each command's help is asked for in three ways, and tells its options and examples.
  @Test(arguments: NBridgeCommandLine.commands.map { $0.name })
  func commandsHaveHelp(_ name: String) throws {
    let command = try #require(NBridgeCommandLine.commands.first { $0.name == name })
    let help = try run(name + " --help")
    #expect(help.status == .success && help.output == command.help && help.errors == "")
    #expect(try run(name + " -h").output == command.help && run("help " + name).output == command.help)
    #expect(help.output.hasPrefix("Usage: nbridge \(name) [options] \(command.operands)"))
    for option in command.options {
      #expect(help.output.contains(option.shown) != option.isInternal, "\(option.name)")
    }
    for example in command.examples { #expect(help.output.contains(example.line)) }
    #expect(!command.examples.isEmpty && command.summary.hasSuffix("."))
  }

  @Test(arguments: ["plugin", "app", "peers", "auth"])
  func aGroupListsItsCommands(_ word: String) throws {
    let result = try run(word)
    #expect(result.status == .usage && result.output == "")
    let help = try run(word + " --help")
    #expect(help.status == .success && help.errors == "" && help.output == result.errors)
    #expect(try run("help " + word).output == help.output)
    for command in NBridgeCommandLine.commands where command.name.hasPrefix(word + " ") {
      #expect(help.output.contains("  \(command.name) "))
    }
    #expect(!help.output.contains("  run "))
  }

  /// Options that take values, or have the same letter, can't be taken for each other.
  @Test(arguments: NBridgeCommandLine.commands.map { $0.name })
  func optionsAreClear(_ name: String) throws {
    let options = try #require(NBridgeCommandLine.commands.first { $0.name == name }).options
    #expect(Set(options.map(\.name)).count == options.count && !options.contains { $0.name == "help" })
    let letters = options.compactMap(\.short)
    #expect(Set(letters).count == letters.count && !letters.contains("h"))
    for option in options {
      #expect(option.name == option.name.lowercased() && !option.name.contains(" ") && !option.help.isEmpty)
      #expect(option.value.map { $0 == $0.uppercased() } != false)
    }
  }

  @Test func everyExampleCanBeUnderstood() throws {
    for command in NBridgeCommandLine.commands {
      for (line, _) in command.examples {
        let words = line.split(separator: " ").map(String.init)
        guard let start = words.firstIndex(where: { $0.hasSuffix("nbridge") }) else {
          Issue.record("'\(line)' starts no nbridge")
          continue
        }
        let name = command.name.split(separator: " ").map(String.init)
        guard words[(start + 1)...].starts(with: name) else { continue }
        let rest = words[(start + 1 + name.count)...].prefix { !["|", ">"].contains($0) }
        #expect(throws: Never.self, "\(line)") {
          try ParsedArguments(
            Array(rest), options: command.options, optionsEndBehind: command.optionsEndBehind
          )
        }
      }
    }
  }

  // MARK: - Tables

  static let tables: [([(String, String)], String)] = [
    ([("a", "x"), ("bb", "y")], "  a   x\n  bb  y\n"), ([], ""), ([("a", "")], "  a  \n"),
    (
      [(String(repeating: "n", count: 31), "far"), ("a", "b")],
      "  \(String(repeating: "n", count: 31))\n\(String(repeating: " ", count: 34))far\n  "
        + "a\(String(repeating: " ", count: 31))b\n"
    ),
  ]

  @Test(arguments: tables)
  func tablesHaveTwoColumns(
    _ rows: [(String, String)], _ text: String
  ) { #expect(HelpTable.rows(rows) == text) }
}
