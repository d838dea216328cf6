// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem

/// `nbridge check`: looks whether programs can run, without running them.
enum CheckCommand: Command {
  static let name = "check"
  static let summary = "Looks for syntax errors and missing modules, without running anything."
  static let operands = "FILE…"
  static let options = [
    OptionSpec("classic", "Reads each file as one plain script."),
    OptionSpec("json-errors", "Reports each error as one JSON line on stderr."),
    OptionSpec("app", value: "FILE", "Reads this instead of the app.json beside the script."),
    OptionSpec("plugin", value: "PATH", "Counts in a plugin's folder or library; may be given again."),
    OptionSpec("container", value: "DIR", "Keeps the app's files here."),
  ]
  static let examples: [(line: String, does: String)] = [
    ("nbridge check main.ts", "status 1 and a report when it can't run")
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    guard !arguments.operands.isEmpty else { throw UsageError("check needs a script: nbridge check FILE") }
    var status = ExitStatus.success
    for file in arguments.operands {
      var options = RuntimeOptions()
      options.container = arguments.last("container")
      options.bundle = RealPath.folder(of: file)
      options.isClassic = arguments.has("classic")
      options.reportsAsJSON = arguments.has("json-errors")
      options.pluginFolders = PluginPaths.folders
      try AppManifest.find(forScript: file, explicit: arguments.last("app")).apply(
        to: &options,
        services: { [options] in
          try ProgramOptions.services(options)
            + arguments.all("plugin").map { try PluginPlace.open($0).service }
        })
      do { try ProgramFiles.check(file, options) } catch let problem as ScriptProblem {
        options.output.writeError(problem.description)
        status = .failure
      } catch let error as BundleError {
        options.output.writeError(
          error.report(asJSON: options.reportsAsJSON, colours: options.output.errorColours))
        status = .failure
      }
    }
    return status
  }
}
