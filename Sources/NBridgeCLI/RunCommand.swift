// SPDX-License-Identifier: MIT

internal import NBridge

/// `nbridge run`: runs a script or a page against the plugins.
enum RunCommand: Command {
  static let name = "run"
  static let summary = "Runs a script, or the scripts of a page, against the native plugins."
  static let operands = "FILE [ARGUMENT…]"
  static let operandsEndOptions = true

  static let options = [
    OptionSpec(
      "call", value: "NAME", "With a page: runs this function; may be given again. Without it, each onclick."),
    OptionSpec("container", value: "DIR", "Keeps the app's files here."),
    OptionSpec("app", value: "FILE", "Reads this instead of the app.json beside the script."),
    OptionSpec("yes", "Answers yes to confirm(), and prompt() with its default."),
    OptionSpec("answers", value: "FILE", "Answers confirm() and prompt() with the lines of a file."),
    OptionSpec(
      "patience", value: "SECONDS",
      "Ends a script that has run when its open calls don't move for so long. Default 60; 0 waits for ever."),
    OptionSpec("trace", "Prints each call on stderr: its kind, time and outcome, never its values."),
    OptionSpec("trace-file", value: "FILE", "Appends each call to a file, as JSON lines."),
    OptionSpec("audit", "Prints the smallest \"permissions\" that the run needed."),
    OptionSpec("leak-check", "Fails when calls or watches are open at the end."),
  ]

  static let examples: [(line: String, does: String)] = [
    ("nbridge run sample.js", "runs a script"),
    ("nbridge run --trace sample.js --fast", "prints each call; the script gets --fast in nbridge.args"),
    ("nbridge run --call appInfo sample.html", "loads a page's scripts and calls one function"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    guard let file = arguments.operands.first else {
      throw UsageError("run needs a script: nbridge run FILE")
    }
    var options = RuntimeOptions()
    options.endProcess = { status in Process.exit(status) }
    options.arguments = Array(arguments.operands.dropFirst())
    options.container = arguments.last("container")
    if let seconds = try arguments.number("patience") { options.patience = seconds > 0 ? seconds : nil }
    options.checksLeaks = arguments.has("leak-check")
    options.tracing.toStandardError = arguments.has("trace")
    options.tracing.file = arguments.last("trace-file")
    options.tracing.audits = arguments.has("audit")
    options.dialogs = try dialogs(arguments)
    try AppManifest.find(forScript: file, explicit: arguments.last("app")).apply(
      to: &options, services: BuiltInPlugins.services)
    Process.blockSignals()
    Allocator.keepLargeBlocks()
    let runtime = try Runtime(options, plugins: BuiltInPlugins.all)
    Process.onInterrupt(runtime.controller, output: options.output)
    return runtime.run(file.hasSuffix(".html") ? .page(file, calls: arguments.all("call")) : .file(file))
  }

  private static func dialogs(_ arguments: ParsedArguments) throws -> any DialogAnswerer {
    if let file = arguments.last("answers") { return try FileAnswers(path: file) }
    return arguments.has("yes") ? YesAnswers() : TerminalAnswers.ifInteractive()
  }
}
