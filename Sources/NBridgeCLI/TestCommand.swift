// SPDX-License-Identifier: MIT

internal import CGLib
internal import CLinux
internal import Glibc
internal import NBridge
internal import NBridgeBuiltins
internal import NBridgeHost
internal import NBridgeSystem

/// `nbridge test`: runs files of tests, a process each, as many at once as there are processors.
enum TestCommand: Command {
  static let name = "test"
  static let summary =
    "Runs tests: test, describe, hooks, assert and expect; what a test leaves open fails it."
  static let operands = "[FILE or FOLDER…]"
  static let options =
    [
      OptionSpec("filter", short: "f", value: "TEXT", "Runs only tests whose title holds TEXT."),
      OptionSpec("reporter", value: "NAME", "How results are shown: lines (the default), tap or junit."),
      OptionSpec("jobs", short: "j", value: "N", "How many files run at once."),
      OptionSpec("results", value: "FILE", "Runs one file in this process and writes its results there."),
    ] + ProgramOptions.specs
  static let examples: [(line: String, does: String)] = [
    ("nbridge test", "runs every *.test.js, *.test.ts … below this folder"),
    ("nbridge test --filter adds --reporter tap math.test.ts", "runs some tests of one file, for a machine"),
    ("nbridge test --reporter junit > report.xml", "for a build server"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    if let results = arguments.last("results") { return try runFile(results, arguments) }
    guard let reporter = TestReporter(name: arguments.last("reporter") ?? "lines") else {
      throw UsageError("--reporter must be lines, tap or junit, not '\(arguments.last("reporter") ?? "")'")
    }
    let files = try TestFiles.find(arguments.operands)
    guard !files.isEmpty else { throw UsageError("no test files here: name one, or call them NAME.test.js") }
    let jobs =
      try arguments.number("jobs").map { max(1, Int(min($0, 256))) }
      ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    let stopper = TestStopper()
    stopper.start()
    let runs = TestRuns(files: files, passedOn: passedOn, jobs: jobs, stopper: stopper)
    let hasPassed = reporter.report(StandardOutput(), runs.forEach)
    if let signal = stopper.signal { return ExitStatus(128 + signal) }
    return hasPassed ? .success : .failure
  }

  /// What the child processes are told too.
  private static var passedOn: [String] {
    var list: [String] = []
    var rest = CommandLine.arguments.dropFirst(2)
    let own = ["--reporter", "--jobs", "-j"]
    while let argument = rest.popFirst() {
      if own.contains(argument) {
        _ = rest.popFirst()
      } else if argument.hasPrefix("-"), !own.contains(where: { argument.hasPrefix($0 + "=") }) {
        list.append(argument)
        let takes =
          options.first { "--" + $0.name == argument || $0.short.map { "-\($0)" } == argument }?.value != nil
        if takes, let value = rest.popFirst() { list.append(value) }
      }
    }
    return list
  }

  /// The child's half: one file, its results as lines.
  private static func runFile(_ results: String, _ arguments: ParsedArguments) throws -> ExitStatus {
    nb_end_with_parent()
    guard let file = arguments.operands.first else { throw UsageError("--results needs a file of tests") }
    let log: Descriptor
    do { log = try Descriptor.open(results, O_WRONLY | O_CREAT | O_APPEND) } catch {
      throw UsageError("can't write '\(results)': \(error.reason)")
    }
    var options = try ProgramOptions.read(arguments, script: file)
    options.testing = TestSetup(filter: arguments.last("filter")) { line in
      try? log.write(Array((line + "\n").utf8))
    }
    return try ProgramOptions.run(.tests(file), options, arguments)
  }
}

/// Finds files of tests.
enum TestFiles {
  static func find(_ operands: [String]) throws -> [String] {
    var files: [String] = []
    for operand in operands.isEmpty ? ["."] : operands {
      guard let isFolder = isFolder(operand) else { throw UsageError("there is no '\(operand)'") }
      if isFolder { collect(operand, into: &files, depth: 32) } else { files.append(operand) }
    }
    return files
  }

  private static func collect(_ folder: String, into files: inout [String], depth: Int) {
    guard depth > 0, let stream = opendir(folder) else { return }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    closedir(stream)
    for name in names.sorted() where !name.hasPrefix(".") && name != "node_modules" {
      let path = folder == "." ? name : "\(folder)/\(name)"
      if isFolder(path) == true {
        collect(path, into: &files, depth: depth - 1)
      } else if isTest(name) {
        files.append(path)
      }
    }
  }

  /// `NAME.test.js` and its kin.
  private static func isTest(_ name: String) -> Bool {
    let parts = name.split(separator: ".")
    return parts.count >= 3 && parts[parts.count - 2] == "test"
      && ["js", "mjs", "jsx", "ts", "mts", "tsx"].contains(parts[parts.count - 1])
  }

  private static func isFolder(_ path: String) -> Bool? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return status.st_mode & S_IFMT == S_IFDIR
  }
}
