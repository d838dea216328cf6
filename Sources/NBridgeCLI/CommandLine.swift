// SPDX-License-Identifier: MIT

internal import NBridge

/// The `nbridge` command line.
public enum NBridgeCommandLine {
  static let commands: [any Command.Type] = [
    RunCommand.self, EvalCommand.self, CheckCommand.self, ReplCommand.self, TestCommand.self,
    TypesCommand.self, CompletionsCommand.self,
  ]

  /// Runs the command that `arguments` (without the program's name) ask for, and ends the process.
  public static func main(_ arguments: [String]) -> Never {
    Process.exit(run(arguments))
  }

  static func run(_ arguments: [String]) -> ExitStatus {
    let output = StandardOutput()
    defer { output.flush() }
    do {
      return try dispatch(arguments, output)
    } catch let error as UsageError {
      output.writeError("nbridge: \(error) (nbridge --help shows how)\n")
      return .usage
    } catch {
      output.writeError("nbridge: \(error)\n")
      return .failure
    }
  }

  private static func dispatch(_ arguments: [String], _ output: StandardOutput) throws -> ExitStatus {
    guard let name = arguments.first else {
      output.writeError(help)
      return .usage
    }
    switch name {
    case "--help", "-h", "help":
      output.write(arguments.dropFirst().first.flatMap(command(named:))?.help ?? help)
      return .success
    case "--version", "-V":
      output.write("nbridge \(NBridgeVersion.current)\n")
      return .success
    default: break
    }
    guard let command = command(named: name) else {
      let near = NearestName.of(name, among: commands.map { $0.name })
      throw UsageError("unknown command '\(name)'" + (near.map { "; did you mean '\($0)'?" } ?? ""))
    }
    let rest = Array(arguments.dropFirst())
    let all = command.options + [OptionSpec("help", short: "h", "Shows this help.")]
    let parsed = try ParsedArguments(rest, options: all, operandsEndOptions: command.operandsEndOptions)
    if parsed.has("help") {
      output.write(command.help)
      return .success
    }
    return try command.run(parsed)
  }

  private static func command(named name: String) -> (any Command.Type)? {
    commands.first { $0.name == name }
  }

  static var help: String {
    """
    nbridge: JavaScript calls native Swift plugins; every call is a promise.

    Usage: nbridge COMMAND [options] …

    Commands:
    \(HelpTable.rows(commands.map { ($0.name, $0.summary) }))
      --help, --version

    Examples:
      nbridge run sample.js         runs a script
      nbridge help run              shows a command's options

    """
  }
}
