// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem
internal import NBridgeTerminal
internal import NBridgeTesting

/// `nbridge plugin new`: makes a package for a new plugin.
enum PluginNewCommand: Command {
  static let name = "plugin new"
  static let mostOperands: Int? = nil
  static let summary = "Makes a folder with a new Swift plugin that works, its tests and a demo."
  static let operands = "NAME"
  static let options = [
    OptionSpec(
      "with", value: "PARTS",
      "What it has besides actions and a watch: handle (an object that scripts hold), stream (streams and "
        + "functions of scripts), script (JavaScript of its own), c (a target in C).")
  ]
  static let examples: [(line: String, does: String)] = [
    (
      "nbridge plugin new Weather",
      "makes Weather/; cd Weather && nbridge plugin build && nbridge run --plugin . demo.js"
    ),
    ("nbridge plugin new Store --with handle", "makes one that answers objects with methods of their own"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    guard let path = arguments.operands.first, arguments.operands.count == 1 else {
      throw UsageError("plugin new needs one name: nbridge plugin new Weather")
    }
    let given = Path.name(path)
    let name = given.prefix(1).uppercased() + given.dropFirst()
    let service = given.prefix(1).lowercased() + given.dropFirst()
    do { try PluginNames.check(service: service) } catch { throw UsageError("\(error)") }
    if BuiltInPlugins.services.contains(service) {
      throw UsageError("'\(service)' is the name of a plugin that is part of nbridge; choose another")
    }
    if let use = PluginTemplate.otherUse(of: name, service) { throw UsageError(use) }
    let parts = try TemplatePart.parse(arguments.values["with"] ?? [])
    // Asked for first: what fails must leave nothing behind.
    let sdk = try PluginPaths.sdk()
    if Path.name(sdk).lowercased() == name.lowercased() {
      throw UsageError(
        "'\(name)' is the name of the SDK's folder (\(sdk)), which Swift's package manager would take for "
          + "the plugin; "
          + "choose another")
    }
    let folder = path.hasSuffix(given) ? String(path.dropLast(given.count)) + name : name
    if mkdir(folder, 0o755) != 0 {
      throw PluginProblem(
        errno == EEXIST
          ? "'\(folder)' is there already; nothing was changed. Choose another name, or remove it first"
          : "can't make '\(folder)': \(SystemError.lastReason)")
    }
    let template = PluginTemplate(name: name, service: service, sdk: sdk, parts: parts)
    for file in template.files {
      let target = "\(folder)/\(file.path)"
      try Path.makeFolders(Path.parent(target))
      try SmallFile.replace(target, with: Array(file.text.utf8))
    }
    let output = StandardOutput()
    output.write(
      """
      made \(folder)/ with the plugin nbridge.\(service)

        cd \(folder) && nbridge plugin build
        nbridge run --plugin . demo.js

      """)
    output.flush()
    return .success
  }
}

/// `nbridge plugin build`.
enum PluginBuildCommand: Command {
  static let name = "plugin build"
  static let summary = "Builds a plugin's package into a library that nbridge loads."
  static let operands = "[FOLDER]"
  static let options = [OptionSpec("debug", "Builds without optimisation and with what a debugger wants.")]
  static let examples: [(line: String, does: String)] = [
    ("nbridge plugin build", "builds the plugin in this folder, optimised, into .build/plugin")
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let folder = arguments.operands.first ?? "."
    let library = try PluginPackage(folder).build(debug: arguments.has("debug"))
    let output = StandardOutput()
    output.write(TextWidth.visible("built \(library.service) \(library.version): \(library.path)") + "\n")
    output.flush()
    return .success
  }
}

/// `nbridge plugin test`.
enum PluginTestCommand: Command {
  static let name = "plugin test"
  static let summary = "Runs a plugin's own Swift tests, then the conformance suite against its library."
  static let operands = "[FOLDER|LIBRARY]"
  static let options = [
    OptionSpec("conformance", "Runs the conformance suite only."),
    OptionSpec("debug", "Builds without optimisation, so that a crash's backtrace names lines."),
    OptionSpec("in-process", "Runs the suite in this very process, for a debugger."),
    OptionSpec("seed", value: "N", "Makes the suite's random calls repeat."),
    OptionSpec(
      "starts", value: "N",
      "How often the plugin is started and stopped. Default 10000, or 200 in a process of its own."),
    OptionSpec(
      "skip", value: "ACTION", "Leaves out an action that must not be called by a test; may be given again."),
  ]
  static let examples: [(line: String, does: String)] = [
    ("nbridge plugin test", "tests the plugin in this folder"),
    ("nbridge plugin test --conformance libweather.so", "tries a library, whatever it was written in"),
    ("nbridge plugin test --skip launch", "leaves the action 'launch' alone"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let path = arguments.operands.first ?? "."
    guard Path.exists(path + "/Package.swift") else {
      // The child of below: the library is given, and the parent process waits and can tell of a crash.
      if arguments.has("in-process") {
        if getenv(childMark) == nil { return try conform(PluginPlace.open(path), arguments) }
        return conformAsChild(path, arguments)
      }
      return try conformInChild(path, arguments)
    }
    let package = try PluginPackage(path)
    if !arguments.has("conformance") { try package.test() }
    return try conformInChild(try package.build(debug: arguments.has("debug")).path, arguments)
  }

  private static func conform(_ library: PluginLibrary, _ arguments: ParsedArguments) throws -> ExitStatus {
    var suite = PluginConformance(library)
    if let seed = try arguments.number("seed") { suite.seed = UInt64(min(seed, 0x1p53)) }
    if let starts = try arguments.number("starts") { suite.starts = Int(min(starts, 1e6)) }
    suite.skipped = arguments.all("skip")
    let isChild = getenv(childMark) != nil
    // Whoever looks by a debugger may take his time.
    if isChild { suite.whenStuck = { check in Self.endStuck(check) } }
    let output = StandardOutput()
    // What the plugin's author wrote stays text on the terminal.
    let title = "conformance of \(library.service) \(library.version), seed \(suite.seed)"
    output.write(TextWidth.visible(title) + "\n")
    output.flush()
    let failed = suite.run { check in
      output.write(TextWidth.visible(check.description) + "\n")
      output.flush()
    }
    output.write(failed == 0 ? "all hold\n" : "\(failed) do not hold\n")
    output.flush()
    if isChild { return ExitStatus(failed == 0 ? Self.ended.held : Self.ended.broken) }
    return failed == 0 ? .success : .failure
  }

  private static func endStuck(_ check: PluginConformance.Check) -> Never {
    let output = StandardOutput()
    output.write(
      TextWidth.visible("\(check)")
        + "\nthe suite ends here: a call that does not come back can't be stopped\n")
    output.flush()
    Process.exit(ExitStatus(Self.ended.broken))
  }

  /// What tells the child that it is one, and how it says that it came to its end: a plugin that ends the
  /// process has another status.
  private static let childMark = "NBRIDGE_CONFORMANCE_CHILD"
  private static let ended: (held: Int32, broken: Int32, told: Int32) = (91, 92, 93)

  /// What is wrong with the library is told here, with a status that no plugin's exit() is taken for.
  private static func conformAsChild(_ path: String, _ arguments: ParsedArguments) -> ExitStatus {
    do { return try conform(PluginPlace.open(path), arguments) } catch {
      let text = (error as? BridgeError)?.message ?? "\(error)"
      StandardOutput().writeError("nbridge: \(TextWidth.visible(text))\n")
      return ExitStatus(ended.told)
    }
  }

  /// In a child process: a plugin that crashes takes its host along, and the parent has to say so.
  private static func conformInChild(_ library: String, _ arguments: ParsedArguments) throws -> ExitStatus {
    // What is wrong with them is this command's own to say.
    for name in ["seed", "starts"] { _ = try arguments.number(name) }
    var line = ["plugin", "test", "--conformance", "--in-process"]
    for name in ["seed", "starts", "skip"] { line += arguments.all(name).flatMap { ["--" + name, $0] } }
    setenv(Self.childMark, "1", 1)
    defer { unsetenv(Self.childMark) }
    let child: ChildProcess
    do { child = try ChildProcess.start("/proc/self/exe", line + [library], inherits: true) } catch {
      throw PluginProblem("the suite can't be started: \(error.reason)")
    }
    let status = child.wait()
    if status > 128 {
      throw PluginProblem(
        "the plugin crashed (signal \(status - 128)) in the check behind the last one above; a plugin must "
          + "not trap, "
          + "whatever it is called with. SWIFT_BACKTRACE=enable=yes nbridge plugin test --debug shows where")
    }
    switch status {
    case Self.ended.held: return .success
    case Self.ended.broken, Self.ended.told: return .failure
    default:
      throw PluginProblem(
        "the suite's process ended with status \(status) in the check behind the last one above; a plugin "
          + "must not end the program it is a part of")
    }
  }
}
