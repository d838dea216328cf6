// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem

/// `nbridge check`: looks whether programs can run, without running them.
enum CheckCommand: Command {
  static let name = "check"
  static let summary = "Looks for syntax errors and missing modules, without running anything."
  static let operands = "FILE|FOLDER…"
  static let options = [
    OptionSpec("classic", "Reads each file as one plain script."),
    OptionSpec("json-errors", "Reports each error as one JSON line on stderr."),
    OptionSpec("app", value: "FILE", "Reads this instead of the app.json beside or above each script."),
    OptionSpec("plugin", value: "PATH", "Counts in a plugin's folder or library; may be given again."),
    OptionSpec("container", value: "DIR", "Keeps the app's files here."),
  ]
  static let notes = """
    Of a folder every script below it is looked at: .js, .mjs, .cjs, .jsx, .ts, .mts, .cts, .tsx. Left out are
    node_modules, names that begin with a dot, and declarations (.d.ts).
    What only a call of import() asks for is a warning when it is missing or wrong: the call may never be
    made, or catch it. What require() asks for must be there, unless the call stands in try.
    Status 0: nothing is wrong. 1: something is. 2: a wrong command line, or no script.
    """
  static let examples: [(line: String, does: String)] = [
    ("nbridge check main.ts", "status 1 and a report when it can't run"),
    ("nbridge check .", "looks at every script below this folder, and counts what is wrong"),
    ("nbridge check src tests tools/make.mjs", "looks at two folders and a file"),
    ("cat made.js | nbridge check -", "looks at what comes"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let operands = arguments.operands.map { $0 == "-" ? "/dev/stdin" : $0 }
    guard let first = operands.first else {
      throw UsageError("check needs a script or a folder: nbridge check .")
    }
    let found = ScriptFolder.files(operands, where: ScriptFolder.isScript)
    let files = found.files
    let output = StandardOutput()
    defer { output.flush() }
    for problem in found.problems { output.writeError("nbridge: \(problem)\n") }
    guard !files.isEmpty else {
      throw UsageError("there is no script below '\(first)' (\(ScriptFolder.endingsText))")
    }
    var check = try ScriptCheck(arguments, CheckProgress(of: files.count, output))
    let named = Set(operands)
    for file in files { check.look(at: file, isFound: !named.contains(file)) }
    let status = check.finish(
      of: files.count, countsAlways: operands.contains(where: Path.isFolder))
    return found.problems.isEmpty ? status : .failure
  }
}

/// Looks at one script after the other, and tells each problem once, also where several scripts import what
/// has it.
private struct ScriptCheck {
  private let arguments: ParsedArguments
  private let progress: CheckProgress
  private let output: any ScriptOutput
  private let plugins: [String]
  private var looked = 0
  /// By the place, of which engine and esbuild may say different things.
  private var told: Set<String> = []
  private var warned: Set<String> = []
  private var faulty = 0
  private var warnings = 0

  init(_ arguments: ParsedArguments, _ progress: CheckProgress) throws {
    (self.arguments, self.progress, output) = (arguments, progress, progress.output)
    plugins = try arguments.all("plugin").map { try PluginPlace.open($0).service }
  }

  /// - Parameter isFound: whether it is one of a folder's, which no person named.
  mutating func look(at file: String, isFound: Bool) {
    progress.show(looked)
    looked += 1
    defer { progress.clear() }
    if isFound, Path.isSpecial(file) {
      // A pipe would wait for its writer, and a device may have no end.
      tell("nbridge: '\(file)' is no plain file, but a pipe, a socket or a device\n", at: nil)
      return faulty += 1
    }
    do { return try check(file) } catch let problem as ScriptProblem {
      tell(problem.description, at: problem.place)
    } catch let error as BundleError {
      for problem in error.problems {
        let one = BundleError([problem])
        tell(
          one.report(asJSON: arguments.has("json-errors"), colours: output.errorColours), at: problem.place)
      }
    } catch { tell("nbridge: \((error as? BridgeError)?.message ?? "\(error)")\n", at: nil) }
    faulty += 1
  }

  private mutating func tell(_ report: String, at place: String?) {
    guard told.insert(place ?? report).inserted else { return }
    progress.clear()
    output.writeError(report)
  }

  private mutating func check(_ file: String) throws {
    var options = RuntimeOptions()
    options.output = output
    options.container = arguments.last("container")
    options.bundle = RealPath.folder(of: file)
    options.isClassic = arguments.has("classic")
    options.reportsAsJSON = arguments.has("json-errors")
    options.pluginFolders = PluginPaths.folders
    try AppManifest.find(forScript: file, explicit: arguments.last("app")).apply(
      to: &options, services: { [options] in try ProgramOptions.services(options) + plugins },
      actions: { [options] in try? PermissionName.known($0, options) }, isScoped: PermissionName.isScoped)
    options.warnings = options.warnings.filter { warned.insert($0).inserted }
    if !options.warnings.isEmpty { progress.clear() }
    ProgramOptions.warn(options)
    for warning in try ProgramFiles.check(file, options) { warn(warning) }
  }

  /// Tells what a program may run without.
  private mutating func warn(_ warning: BundleError) {
    let place = warning.places.first ?? ""
    guard !told.contains(place), warned.insert(place).inserted else { return }
    warnings += 1
    progress.clear()
    let isJSON = arguments.has("json-errors")
    let report = warning.asWarning.report(asJSON: isJSON, colours: output.errorColours)
    output.writeError(report)
  }

  /// Tells how many problems there are where a person looks at more than one file.
  func finish(of count: Int, countsAlways: Bool) -> ExitStatus {
    if countsAlways || count > 1, !arguments.has("json-errors") {
      let files = "\(count) \(count == 1 ? "script" : "scripts")"
      let problems = "\(told.count) \(told.count == 1 ? "problem" : "problems")"
      let rest = warnings == 0 ? "" : ", \(warnings) \(warnings == 1 ? "warning" : "warnings")"
      output.writeError(
        faulty == 0
          ? "\(files) checked, no problem\(rest)\n"
          : "\(files) checked, \(problems): \(faulty) can't run\(rest)\n")
    }
    return faulty == 0 ? .success : .failure
  }
}

/// How far a check is, on a terminal only.
private struct CheckProgress {
  private let count: Int
  let output: any ScriptOutput
  private let isShown: Bool

  init(of count: Int, _ output: any ScriptOutput) {
    (self.count, self.output) = (count, output)
    isShown = count > 1 && isatty(2) == 1 && !TerminalLook.isDumb
  }

  func show(_ index: Int) { if isShown { output.writeError("\rchecking \(index + 1) of \(count)") } }

  func clear() { if isShown { output.writeError("\r\u{1B}[K") } }
}
