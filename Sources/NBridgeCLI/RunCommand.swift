// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeRecording
internal import NBridgeScript
internal import NBridgeSystem

/// `nbridge run`: runs a script, a program of modules or a page against the plugins.
enum RunCommand: Command {
  static let name = "run"
  static let summary = "Runs a script, modules, TypeScript or a page's scripts against the native plugins."
  static let operands = "[FILE|FOLDER] [ARGUMENT…]"
  static let optionsEndBehind: Int? = 1

  static let options =
    [
      OptionSpec("classic", "Runs one plain script in the global scope, untouched."),
      OptionSpec("watch", "Runs again when a file of the program changes."),
      OptionSpec(
        "call", value: "NAME",
        "With a page: runs this function; may be given again. Without it, each onclick."),
      OptionSpec(
        "record", value: "FILE",
        "Writes all that crosses to a file, without secrets; --replay answers out of it."),
      OptionSpec(
        "replay", value: "FILE",
        "Answers out of a recording, without plugins; shows where the script does something else."),
      ProfileOption.spec,
    ] + InspectOption.specs + ProgramOptions.specs

  static let notes = """
    Without a file, and for a folder, it runs the "main" that the app.json there names.

    "run" may be left out: nbridge --audit sample.js. A command's name means the command, also where a file
    has it; nbridge ./check runs the file.
    """

  static let examples: [(line: String, does: String)] = [
    ("nbridge run sample.js", "runs a script"),
    ("nbridge --audit sample.js", "the same, and prints which permissions it needed"),
    ("nbridge run --watch main.ts", "runs TypeScript modules, and again after each change"),
    ("nbridge run --trace sample.js --fast", "prints each call; the script gets --fast in nbridge.args"),
    ("nbridge run --call appInfo sample.html", "loads a page's scripts and calls one function"),
    ("nbridge run --profile main.svg main.ts", "draws where the time goes, as a flame graph"),
    ("nbridge run --inspect-brk main.ts", "waits for a debugger: node inspect 127.0.0.1:9229, or Chrome's"),
    ("nbridge run --record run.rec sample.js", "records the run, for a bug report; see nbridge replay show"),
    ("echo 'console.log(1)' | nbridge run -", "runs what stdin gives"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let file = try script(arguments.operands.first)
    if arguments.has("call"), !ProgramFiles.isPage(file) {
      throw UsageError("--call is for the functions of a page; '\(file)' is none (.html, .htm)")
    }
    var options = try ProgramOptions.read(arguments, script: file, isFile: file != "-")
    options.arguments = Array(arguments.operands.dropFirst())
    options.isClassic = arguments.has("classic")
    options.takesTypes = file == "-" || file.hasPrefix("/dev/")
    try ProfileOption.read(arguments, &options)
    try InspectOption.read(arguments, &options, file)
    try readRecording(arguments, &options, file)
    if arguments.has("watch") {
      try checkCanBeReadAgain(file)
      let plugins = arguments.all("plugin").flatMap(PluginPlace.files)
      return try FileWatcher.runAgain(file, options, app: arguments.last("app"), and: plugins) {
        try ProgramOptions.read(arguments, script: file, isFile: file != "-")
      }
    }
    return try ProgramOptions.run(program(file, arguments), options, arguments)
  }

  /// A pipe gives what it has once: the program would be run once, and no change of it be seen.
  private static func checkCanBeReadAgain(_ file: String) throws {
    guard file == "-" || (Path.exists(file) && !Path.isFile(file)) else { return }
    let name = file == "-" ? "stdin" : "'\(file)'"
    throw UsageError("--watch runs a file again when it changes, and \(name) is no file; write it to one")
  }

  /// What is to run; without a word, and for a folder, the app that lies there.
  private static func script(_ operand: String?) throws -> String {
    if let operand {
      let isApp = try Path.isFolder(operand) && AppScript.hasApp(operand)
      return isApp ? try AppScript.named(by: operand) : operand
    }
    guard try AppScript.hasApp(".") else {
      throw UsageError("run needs a script: nbridge run FILE")
    }
    return try AppScript.named(by: ".")
  }

  private static func readRecording(
    _ arguments: ParsedArguments, _ options: inout RuntimeOptions, _ file: String
  ) throws {
    options.recording = arguments.last("record")
    guard let recording = arguments.last("replay") else {
      if let recording = options.recording, arguments.has("watch") || arguments.all("record").count > 1 {
        throw UsageError(
          arguments.has("watch")
            ? "--record and --watch can't go together: each run would write over the last one"
            : "there is one recording of a run; '\(recording)' is not the only one that --record names")
      }
      if let recording = options.recording, let real = RealPath(recording), real == RealPath(file) {
        throw UsageError("--record would write over '\(file)', the script; name another file")
      }
      return options.programName = file
    }
    for other in ["record", "watch"] where arguments.has(other) {
      throw UsageError("--replay and --\(other) can't go together")
    }
    let replay = try Recording(path: recording)
    if arguments.operands.count > 1 {
      throw UsageError(
        "a replay takes its arguments from the recording; leave out '\(arguments.operands[1])'")
    }
    let missing = Set(replay.mocks).subtracting(options.mocks.flatMap(\.services)).sorted()
    if !missing.isEmpty {
      throw UsageError(
        """
        '\(recording)' was recorded with --mock for \(missing.joined(separator: ", ")); \
        give the same to replay it
        """
      )
    }
    replay.restoreEnvironment()
    (options.replay, options.openings, options.pluginFolders) = (replay, [], [])
    options.appPluginFolder = nil
  }

  private static func program(_ file: String, _ arguments: ParsedArguments) throws -> Program {
    if file == "-" { return .text(try StandardInput.read(), url: "stdin") }
    return ProgramFiles.isPage(file) ? .page(file, calls: arguments.all("call")) : .file(file)
  }
}
