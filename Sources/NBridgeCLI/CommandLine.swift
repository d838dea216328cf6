// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem
internal import NBridgeTerminal

/// The `nbridge` command line.
public enum NBridgeCommandLine {
  static let commands: [any Command.Type] = [
    RunCommand.self, ServeCommand.self, WindowCommand.self,
    ReplayShowCommand.self, EvalCommand.self, CheckCommand.self,
    ReplCommand.self,
    TestCommand.self, InitCommand.self,
    PluginNewCommand.self, PluginBuildCommand.self, PluginTestCommand.self, PluginInstallCommand.self,
    PluginRestoreCommand.self,
    PluginListCommand.self, PluginDescribeCommand.self, PluginRemoveCommand.self, OpenCommand.self,
    AppRegisterCommand.self, AppUnregisterCommand.self, AppListCommand.self, PeersBrowseCommand.self,
    PeersAdvertiseCommand.self, PeersSendCommand.self, PeersBenchCommand.self, PeersSimulateCommand.self,
    LogsQueryCommand.self, LogsExportCommand.self, LogsCommand.self,
    AuthLogCommand.self, AuthStatusCommand.self, AuthUnlockCommand.self,
    TypesCommand.self,
    CompletionsCommand.self,
  ]

  /// Runs the command that `arguments` (without the program's name) ask for, and ends the process.
  public static func main(_ arguments: [String]) -> Never {
    StandardStreams.fillClosed()
    Process.ignoreFileLimit()
    if let problem = unreadableArgument {
      StandardOutput().writeError("nbridge: \(TextWidth.visible("\(problem)"))\n")
      Process.exit(.usage)
    }
    Process.exit(run(arguments))
  }

  /// What is said of an argument that is not UTF-8: as text it would be another one, and a name of another
  /// file.
  private static var unreadableArgument: String? {
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = CommandLine.unsafeArgv[index] else { continue }
      if String(validatingCString: argument) == nil {
        return "the argument '\(String(cString: argument))' is not UTF-8"
      }
    }
    return nil
  }

  static func run(_ arguments: [String]) -> ExitStatus {
    let output = StandardOutput()
    defer { output.flush() }
    do {
      return try dispatch(arguments, output)
    } catch let error as UsageError {
      output.writeError("nbridge: \(TextWidth.visible("\(error)")) (nbridge --help shows how)\n")
      return .usage
    } catch let error as BridgeError {
      output.writeError("nbridge: \(TextWidth.visible(error.message))\n")
      return .failure
    } catch {
      output.writeError("nbridge: \(TextWidth.visible("\(error)"))\n")
      return .failure
    }
  }

  static func dispatch(_ arguments: [String], _ output: any ScriptOutput) throws -> ExitStatus {
    guard let name = arguments.first else {
      output.writeError(help)
      return .usage
    }
    switch name {
    case "--help", "-h", "help":
      let about = Array(arguments.dropFirst())
      guard about.isEmpty || find(about) != nil || !group(about[0]).isEmpty && about.count == 1 else {
        return try unknown(about, output)
      }
      output.write(help(for: about))
      return .success
    case "--version", "-V":
      output.write("nbridge \(NBridgeVersion.current)\n")
      return .success
    default: break
    }
    if let (command, words) = find(arguments) {
      return try run(command, parse(Array(arguments.dropFirst(words)), for: command), output)
    }
    if ScriptAsCommand.beginsWithOptions(arguments) { return try runFile(arguments, output) }
    guard group(name).isEmpty, ScriptAsCommand.names(name) else { return try unknown(arguments, output) }
    return try run(RunCommand.self, parse(arguments, for: RunCommand.self), output)
  }

  /// What begins with options is a line of `run`.
  private static func runFile(_ arguments: [String], _ output: any ScriptOutput) throws -> ExitStatus {
    let parsed: ParsedArguments
    do { parsed = try parse(arguments, for: RunCommand.self) } catch {
      throw ScriptAsCommand.hint(for: error, arguments)
    }
    if !parsed.has("help") {
      try ScriptAsCommand.check(arguments, parsed) { find([$0]) != nil || !group($0).isEmpty }
    }
    return try run(RunCommand.self, parsed, output)
  }

  private static func parse(
    _ arguments: [String], for command: any Command.Type
  ) throws(UsageError) -> ParsedArguments {
    try ParsedArguments(
      arguments, options: command.options + [OptionSpec("help", short: "h", "Shows this help.")],
      optionsEndBehind: command.optionsEndBehind)
  }

  private static func run(
    _ command: any Command.Type, _ parsed: ParsedArguments, _ output: any ScriptOutput
  ) throws -> ExitStatus {
    if parsed.has("help") {
      output.write(command.help)
      return .success
    }
    if let most = command.mostOperands, parsed.operands.count > most {
      let usage = command.operands.isEmpty ? "nothing" : command.operands
      throw UsageError("'\(parsed.operands[most])' is too much; \(command.name) takes \(usage)")
    }
    return try command.run(parsed)
  }

  /// The command that a command line begins with, of one word or two, and how many.
  private static func find(_ arguments: [String]) -> (command: any Command.Type, words: Int)? {
    for words in [2, 1] where arguments.count >= words {
      // Said plainly: `joined` looks for conformances, which takes longer than all else that is read here.
      let name = words == 2 ? arguments[0] + " " + arguments[1] : arguments[0]
      if let found = commands.first(where: { $0.name == name }) { return (found, words) }
    }
    return nil
  }

  /// The commands whose first word is `word` and that have a second.
  private static func group(_ word: String) -> [any Command.Type] {
    commands.filter { $0.name.hasPrefix(word + " ") }
  }

  private static func unknown(_ arguments: [String], _ output: any ScriptOutput) throws -> ExitStatus {
    let group = group(arguments[0])
    let isHelp = arguments.count > 1 && ["--help", "-h", "help"].contains(arguments[1])
    if !group.isEmpty, arguments.count == 1 || isHelp {
      if isHelp { output.write(help(for: arguments)) } else { output.writeError(help(for: arguments)) }
      return isHelp ? .success : .usage
    }
    let name = group.isEmpty ? arguments[0] : arguments.prefix(2).joined(separator: " ")
    let near = NearestName.of(name, among: (group.isEmpty ? commands : group).map { $0.name })
    throw UsageError("unknown command '\(name)'" + (near.map { "; did you mean '\($0)'?" } ?? ""))
  }

  private static func help(for arguments: [String]) -> String {
    if let found = find(arguments) { return found.command.help }
    guard let first = arguments.first, !group(first).isEmpty else { return help }
    return "Usage: nbridge \(first) COMMAND …\n\nCommands:\n"
      + HelpTable.rows(group(first).map { ($0.name, $0.summary) })
      + "\n  nbridge \(first) COMMAND --help shows each one's options and examples.\n"
  }

  static var help: String {
    """
    nbridge: JavaScript calls native Swift plugins; every call is a promise.

    Usage: nbridge COMMAND [options] …
           nbridge [options] FILE [ARGUMENT…]      the same as nbridge run

    Commands:
    \(HelpTable.rows(commands.map { ($0.name, $0.summary) }))
      --help, --version

    Examples:
      nbridge init notes            makes a project in notes/
      nbridge sample.js             runs a script, as nbridge run does
      nbridge help run              shows a command's options

    """
  }
}
