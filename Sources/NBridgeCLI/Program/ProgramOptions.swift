// SPDX-License-Identifier: MIT

internal import LoggerPlugin
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem
internal import NBridgeTerminal
internal import WindowPlugin

/// The options of every command that runs a program.
enum ProgramOptions {
  static let specs = [
    OptionSpec("container", value: "DIR", "Keeps the app's files here."),
    OptionSpec("app", value: "FILE", "Reads this instead of the app.json beside or above the script."),
    OptionSpec(
      "resources", value: "PATH",
      "Lets the script read this beside it, as what its app brings along; may be given again."),
    OptionSpec(
      "permissions", value: "LIST", "Allows only these calls, as 'app.*,!app.exit'; instead of app.json's."
    ),
    OptionSpec("plugin", value: "PATH", "Loads a plugin's folder or library; may be given again."),
    OptionSpec(
      "isolate", value: "NAME",
      "Runs a plugin in a process of its own, 'all' all that are in libraries; may be given again."),
    OptionSpec(
      "grant", value: "NAME[:ACCESS]",
      "Gives an isolated plugin what its plugin.json asks for, or this, as 'weather:network'; may be given "
        + "again."
    ),
    OptionSpec(
      "mock", value: "FILE", "Answers the calls that a file names, JSON or JavaScript, without native code."),
    OptionSpec("yes", "Answers yes to confirm(), and prompt() with its default."),
    OptionSpec("answers", value: "FILE", "Answers confirm() and prompt() with the lines of a file."),
    OptionSpec("timeout", value: "SECONDS", "Ends the program after so long, status 124."),
    OptionSpec("memory-limit", value: "MB", "Ends the program when it uses more memory."),
    OptionSpec(
      "patience", value: "SECONDS",
      "Ends a script that has run when its open calls don't move for so long. Default 60; 0 waits for ever."),
    OptionSpec("seed", value: "N", "Makes Math.random and random ids repeat from run to run."),
    OptionSpec(
      "json-errors", "Reports an error as one JSON line on stderr, and a warning as {\"warning\":TEXT}."),
    OptionSpec("trace", "Prints each call on stderr: its kind, time and outcome, never its values."),
    OptionSpec("trace-file", value: "FILE", "Appends each call to a file, as JSON lines."),
    OptionSpec(
      "log-level", value: "LEVEL",
      "Records nothing that matters less: trace, debug, info, notice, warning, error, critical."),
    OptionSpec("console-to-logger", "Puts what console prints into the program's log."),
    AuthChoice.outcome, AuthChoice.policy,
    OptionSpec("audit", "Prints the smallest \"permissions\" that the run needed."),
    OptionSpec("leak-check", "Fails when calls or watches are open at the end."),
  ]

  /// Reads them. `script` finds the app.json.
  ///
  /// - Parameter isFile: whether it is a file, and no text that stands in the current folder.
  static func read(
    _ arguments: ParsedArguments, script: String, isFile: Bool = true
  ) throws -> RuntimeOptions {
    var options = RuntimeOptions()
    options.endProcess = { status in Process.exit(status) }
    options.container = arguments.last("container")
    options.dialogs = try dialogs(arguments)
    if let seconds = try arguments.number("patience") { options.patience = seconds > 0 ? seconds : nil }
    if let seed = try arguments.number("seed") { options.seed = UInt64(min(seed, 0x1p53)) }
    options.reportsAsJSON = arguments.has("json-errors")
    options.tracing.toStandardError = arguments.has("trace")
    options.tracing.file = arguments.last("trace-file")
    options.tracing.audits = arguments.has("audit")
    options.checksLeaks = arguments.has("leak-check")
    // Which plugins there are, its folder says, too.
    let manifest = try findManifest(arguments, script: script, isFile: isFile, &options)
    try readPlugins(arguments, &options)
    options.bundle = RealPath.folder(of: script)
    try apply(manifest, to: &options)
    try readResources(arguments, &options)
    try readLogging(arguments, &options)
    if let list = arguments.last("permissions") {
      // As they were typed: a set makes the best of what looks odd.
      let patterns = list.split(separator: ",").map(\.trimmed)
      let known = try services(options)
      for pattern in patterns {
        try PermissionName.check(pattern, services: known) { try? PermissionName.known($0, options) }
      }
      if let problem = KnownPermissions.problem(of: patterns) {
        throw UsageError("--permissions names \(problem)")
      }
      options.permissions = PermissionSet(patterns)
    }
    return options
  }

  /// The services that permissions may name.
  static func services(_ options: RuntimeOptions) throws -> [String] {
    try BuiltInPlugins.services + options.openings.map { try $0.library().service }
      + options.installedPlugins.map(\.service) + options.mocks.flatMap(\.services)
  }

  /// Reads which plugins there are, beside those that are part of the program.
  static func readPlugins(_ arguments: ParsedArguments, _ options: inout RuntimeOptions) throws {
    let isolated = Set(arguments.all("isolate").map { $0 == "all" ? "*" : $0 })
    options.openings = arguments.all("plugin").map { path in
      LibraryOpening { try PluginPlace.open(path, isolated: isolated) }
    }
    options.pluginFolders = PluginPaths.folders
    options.isolatedPlugins = isolated
    if !isolated.isEmpty { try check(isolated, options) }
    options.grants = try grants(arguments.all("grant"), options)
    options.mocks = try arguments.all("mock").map { try MockFile(path: $0) }
  }

  private static func grants(_ texts: [String], _ options: RuntimeOptions) throws -> PluginGrants {
    var grants = PluginGrants()
    for text in texts {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      guard let service = parts.first, !service.isEmpty else {
        throw UsageError("--grant needs a plugin's name, as weather or weather:network, not '\(text)'")
      }
      do {
        if parts.count == 1 {
          grants.grantWhatIsAsked(by: service)
        } else {
          grants.grant(try PluginAccess(parts[1]), to: service)
        }
      } catch { throw UsageError("--grant \(text): \(error)") }
    }
    if texts.isEmpty { return grants }
    let known = try libraries(options)
    for service in grants.services.sorted() where !known.contains(service) {
      if BuiltInPlugins.services.contains(service) {
        throw UsageError("--grant \(service): this plugin is a part of nbridge, and does what nbridge does")
      }
      let near = NearestName.of(service, among: known).map { "; did you mean '\($0)'?" } ?? ""
      throw UsageError("--grant \(service): there is no such plugin\(near)")
    }
    for service in grants.services.sorted() where try !isIsolated(service, options) {
      throw UsageError("--grant \(service): \(confinesNothing); isolate it with --isolate \(service)")
    }
    return grants
  }

  /// Why a grant is none.
  private static let confinesNothing = "this plugin runs in the program, and may do all that the program may"

  /// Whether a plugin of a library runs in a process of its own.
  private static func isIsolated(_ service: String, _ options: RuntimeOptions) throws -> Bool {
    if !options.isolatedPlugins.isDisjoint(with: [service, "*"]) { return true }
    for opening in options.openings {
      let library = try opening.library()
      if library.service == service { return library.isIsolated }
    }
    return try options.installedPlugins.first { $0.service == service }?.record().isolation != nil
  }

  /// A grant that app.json gives to a plugin that nothing confines.
  private static func warnOfGrants(_ place: String, _ options: inout RuntimeOptions) throws {
    if options.grants.services.isEmpty { return }
    for service in try libraries(options) where options.grants.services.contains(service) {
      guard try !isIsolated(service, options) else { continue }
      options.warnings.append("\(place): grants.\(service): \(confinesNothing)")
    }
  }

  /// The plugins that are in libraries.
  private static func libraries(_ options: RuntimeOptions) throws -> [String] {
    try options.openings.map { try $0.library().service }
      + options.installedPlugins.map(\.service)
  }

  /// What runs isolated must be in a library.
  private static func check(_ isolated: Set<String>, _ options: RuntimeOptions) throws {
    let known = try libraries(options)
    for name in isolated.sorted() where name != "*" && !known.contains(name) {
      if BuiltInPlugins.services.contains(name) {
        throw UsageError(
          "--isolate \(name): this plugin is a part of nbridge; only those in libraries can be isolated")
      }
      let near = NearestName.of(name, among: known).map { "; did you mean '\($0)'?" } ?? ""
      throw UsageError("--isolate \(name): there is no such plugin\(near)")
    }
  }

  /// Finds the app.json of a script, and with it the plugins in the app's folder.
  static func findManifest(
    _ arguments: ParsedArguments, script: String, isFile: Bool = true, _ options: inout RuntimeOptions
  ) throws -> AppManifest {
    let manifest = try AppManifest.find(forScript: script, isFile: isFile, explicit: arguments.last("app"))
    options.appPluginFolder = manifest.folder.map { $0 + "/plugins" }
    return manifest
  }

  /// Sets up what an app.json says.
  static func apply(_ manifest: AppManifest, to options: inout RuntimeOptions) throws {
    try manifest.apply(
      to: &options, services: { [options] in try services(options) },
      actions: { [options] in try? PermissionName.known($0, options) }, isScoped: PermissionName.isScoped)
    try warnOfGrants("'\(manifest.folder.map { $0 + "/" } ?? "")app.json'", &options)
  }

  /// Tells what is wrong with the app.json of a program that runs all the same.
  static func warn(_ options: RuntimeOptions) {
    for warning in options.warnings {
      guard options.reportsAsJSON, let line = try? Value(encoding: ["warning": warning]) else {
        options.output.writeError("nbridge: warning: \(TextWidth.visible(warning))\n")
        continue
      }
      options.output.writeError(String(decoding: line.text, as: UTF8.self) + "\n")
    }
  }

  /// Runs a program in this process, which ends with it.
  static func run(_ program: Program, _ options: RuntimeOptions, _ arguments: ParsedArguments) throws
    -> ExitStatus
  {
    if case .file(let path) = program { ProgramFiles.prepare(path, options) }
    return try run(options, arguments) { $0.run(program) }
  }

  /// Makes a runtime for a program in this process, which ends with it, and gives it to `body`.
  static func run(
    _ options: RuntimeOptions, _ arguments: ParsedArguments, window: WindowSeat = WindowSeat(),
    _ body: (Runtime) throws -> ExitStatus
  ) throws -> ExitStatus {
    var limits = Process.Limits(
      seconds: try arguments.number("timeout"), megabytes: try arguments.number("memory-limit"))
    limits.stopsLoops = options.interruptsLoops
    var options = options
    let prompter = TerminalAuthPrompter(flush: { [output = options.output] in output.flush() })
    let auth = try AuthChoice.read(arguments, &options, prompter: prompter)
    if options.testing == nil { warn(options) }
    Process.blockSignals()
    Allocator.keepLargeBlocks()
    options.workerPlugins = BuiltInPlugins.ofWorkers(auth: auth)
    let runtime = try Runtime(options, plugins: BuiltInPlugins.all(auth: auth, window: window))
    Process.watch(runtime.controller, limits, output: options.output)
    defer { runtime.closeForGood() }
    return try body(runtime)
  }

  private static func readResources(_ arguments: ParsedArguments, _ options: inout RuntimeOptions) throws {
    let names = arguments.all("resources")
    if let name = names.first(where: ResourcePath.leadsOut) {
      throw UsageError("--resources must be a path from the script's folder on, without '..', not '\(name)'")
    }
    for name in names {
      let path = options.bundle.map { $0 + "/" + name } ?? name
      guard (try? NamePresence.isTaken(path)) != false else {
        throw UsageError("--resources names '\(name)', and there is no such file or folder beside the script")
      }
    }
    if !names.isEmpty { options.resources = names }
  }

  private static func readLogging(_ arguments: ParsedArguments, _ options: inout RuntimeOptions) throws {
    options.logsConsole = arguments.has("console-to-logger")
    guard let name = arguments.last("log-level") else { return }
    guard let level = LogLevel(named: name) else {
      let names = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("--log-level must be one of \(names), not '\(name)'")
    }
    var settings = try options.settings["logger"].map { try $0.decode([String: Value].self) } ?? [:]
    settings["level"] = try Value(encoding: level)
    options.settings["logger"] = try Value(encoding: settings)
  }

  private static func dialogs(_ arguments: ParsedArguments) throws -> any DialogAnswerer {
    if let file = arguments.last("answers") { return try FileAnswers(path: file) }
    return arguments.has("yes") ? YesAnswers() : TerminalAnswers.ifInteractive()
  }
}
