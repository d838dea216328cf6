// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost

/// `nbridge eval`: runs code from the command line.
enum EvalCommand: Command {
  static let name = "eval"
  static let summary = "Runs code from the command line."
  static let operands = "CODE [ARGUMENT…]"
  static let operandsEndOptions = true
  static let options = [OptionSpec("print", short: "p", "Prints the value, awaited.")] + ProgramOptions.specs
  static let examples: [(line: String, does: String)] = [
    ("nbridge eval -p 'nbridge.app.deviceInfo()'", "prints what a call answers"),
    ("nbridge eval 'for (const key of await nbridge.preference.keys()) console.log(key)'", "runs statements"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    guard let code = arguments.operands.first else { throw UsageError("eval needs code: nbridge eval CODE") }
    var options = try ProgramOptions.read(arguments, script: "eval")
    options.arguments = Array(arguments.operands.dropFirst())
    return try ProgramOptions.run(
      arguments.has("print") ? .printed(code, url: "eval") : .text(code, url: "eval"), options, arguments)
  }
}
