// SPDX-License-Identifier: MIT

internal import NBridge

/// `nbridge run`: runs a script, a program of modules or a page against the plugins.
enum RunCommand: Command {
  static let name = "run"
  static let summary = "Runs a script, modules, TypeScript or a page's scripts against the native plugins."
  static let operands = "FILE [ARGUMENT…]"
  static let operandsEndOptions = true

  static let options =
    [
      OptionSpec("classic", "Runs one plain script in the global scope, untouched."),
      OptionSpec("watch", "Runs again when a file of the program changes."),
      OptionSpec(
        "call", value: "NAME",
        "With a page: runs this function; may be given again. Without it, each onclick."),
    ] + ProgramOptions.specs

  static let examples: [(line: String, does: String)] = [
    ("nbridge run sample.js", "runs a script"),
    ("nbridge run --watch main.ts", "runs TypeScript modules, and again after each change"),
    ("nbridge run --trace sample.js --fast", "prints each call; the script gets --fast in nbridge.args"),
    ("nbridge run --call appInfo sample.html", "loads a page's scripts and calls one function"),
    ("echo 'console.log(1)' | nbridge run -", "runs what stdin gives"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    guard let file = arguments.operands.first else {
      throw UsageError("run needs a script: nbridge run FILE")
    }
    var options = try ProgramOptions.read(arguments, script: file)
    options.arguments = Array(arguments.operands.dropFirst())
    options.isClassic = arguments.has("classic")
    if arguments.has("watch") { return try FileWatcher.runAgain(file, options) }
    return try ProgramOptions.run(program(file, arguments), options, arguments)
  }

  private static func program(_ file: String, _ arguments: ParsedArguments) throws -> Program {
    if file == "-" { return .text(try StandardInput.read(), url: "stdin") }
    return ProgramFiles.isPage(file) ? .page(file, calls: arguments.all("call")) : .file(file)
  }
}
