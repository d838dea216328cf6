// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost

/// `nbridge eval`: runs code from the command line.
enum EvalCommand: Command {
  static let name = "eval"
  static let summary = "Runs code from the command line."
  static let operands = "CODE [ARGUMENT…]"
  static let optionsEndBehind: Int? = 2
  static let options =
    [OptionSpec("print", short: "p", "Prints the value, awaited."), ProfileOption.spec] + ProgramOptions.specs
  static let notes = """
    CODE may be TypeScript: what is no JavaScript loses its types first. Options may stand before and behind
    it; what follows the first argument, or --, is the code's own: nbridge.args.
    """
  static let examples: [(line: String, does: String)] = [
    ("nbridge eval -p 'nbridge.app.deviceInfo()'", "prints what a call answers"),
    ("nbridge eval 'for (const key of await nbridge.preference.keys()) console.log(key)'", "runs statements"),
    ("nbridge eval 'await nbridge.app.appInfo()' --audit", "options may stand behind the code"),
    ("nbridge eval -p 'nbridge.args' -- --fast", "--fast is the code's own"),
    (
      "echo hi | nbridge eval 'for await (const line of nbridge.process.stdin.lines()) console.log(line)'",
      "reads what a pipeline gives"
    ),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    guard let code = arguments.operands.first else { throw UsageError("eval needs code: nbridge eval CODE") }
    var options = try ProgramOptions.read(arguments, script: "eval", isFile: false)
    options.takesTypes = true
    try ProfileOption.read(arguments, &options)
    options.arguments = Array(arguments.operands.dropFirst())
    return try ProgramOptions.run(
      arguments.has("print") ? .printed(code, url: "eval") : .text(code, url: "eval"), options, arguments)
  }
}
