// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import CNBridgeLinux
internal import Glibc
internal import NBridge
internal import NBridgeBuiltins
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// `nbridge test`: runs files of tests, a process each, as many at once as there are processors.
enum TestCommand: Command {
  static let name = "test"
  static let summary =
    "Runs tests: test, describe, hooks, assert, expect and mock; what a test leaves open fails it."
  static let operands = "[FILE or FOLDER…]"
  static let options =
    [
      OptionSpec("filter", short: "f", value: "TEXT", "Runs only tests whose title holds TEXT."),
      OptionSpec(
        "reporter", value: "NAME", "How results are shown: lines (the default), dots, tap or junit."),
      OptionSpec("update-snapshots", short: "u", "Writes the snapshots that are new or differ."),
      OptionSpec("coverage", "Shows how much of the program's files ran; the run takes longer."),
      OptionSpec("coverage-dir", value: "FOLDER", "Counts, and writes FOLDER/lcov.info."),
      OptionSpec(
        "coverage-all", value: "FOLDER",
        "Counts, also the scripts below FOLDER that no test loads; may be given again."),
      OptionSpec(
        "coverage-min", value: "PERCENT", "Counts, and fails when less of the whole ran than PERCENT."),
      OptionSpec("watch", "Runs the tests of a program again when one of its files changes."),
      OptionSpec("bail", "Stops at the first test that fails."),
      OptionSpec("max-failures", value: "N", "Stops after N tests that failed."),
      OptionSpec("shard", value: "I/N", "Runs the I-th of N parts of the files, for N machines."),
      OptionSpec(
        "in", value: "LIST",
        "Runs each file there: headless (the default), window, serve; several with commas between."),
      OptionSpec("jobs", short: "j", value: "N", "How many files run at once."),
      OptionSpec(
        "results", value: "FILE", isInternal: true,
        "Runs one file in this process and writes its results there."),
    ] + ProgramOptions.specs
  static let notes =
    """
    Fails when a test fails, was declared and did not run, when a file has no test, or a part no file.
    Status 0: all passed. 1: something failed. 2: a wrong command line.

    --in window runs them in a page that nbridge window shows, --in serve in one that Chromium has opened:
    JavaScript modules only, without snapshots and coverage.
    """
  static let examples: [(line: String, does: String)] = [
    ("nbridge test", "runs every *.test.js, *.test.ts … below this folder"),
    ("nbridge test --filter adds --reporter tap math.test.ts", "runs some tests of one file, for a machine"),
    ("nbridge test --watch", "runs the tests that a change touches, after each change"),
    ("nbridge test -u", "writes __snapshots__/NAME.snap for expect(value).toMatchSnapshot()"),
    ("nbridge test --coverage-dir coverage --coverage-min 80", "fails when a fifth did not run"),
    ("nbridge test --in headless,serve", "runs each file in a program and in a browser's page"),
    ("nbridge test --shard 2/3 --reporter junit > report.xml", "for a build server with three machines"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    if let results = arguments.last("results") { return try runFile(results, arguments) }
    guard let reporter = TestReporter(name: arguments.last("reporter") ?? "lines") else {
      throw UsageError(
        "--reporter must be lines, dots, tap or junit, not '\(arguments.last("reporter") ?? "")'")
    }
    let shard = try arguments.last("shard").map(TestShard.init)
    let jobs =
      try count("jobs", arguments).map { min($0, 256) }
      ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    let maxFailures = try maxFailures(arguments)
    let fronts = try arguments.last("in").map(TestFront.list)
    let found = try TestFiles.find(arguments.operands)
    let output = StandardOutput()
    // The tests go on when nobody reads how they went: the status is what a build server looks at.
    output.whenBroken { $0 == .readerGone }
    for problem in found.problems { output.writeError("nbridge: \(problem)\n") }
    guard !found.files.isEmpty else {
      throw UsageError("no test files here: name one, or call them NAME.test.js")
    }
    let coverage = try CoverageWish(arguments)
    if arguments.has("watch") {
      if let fronts, fronts != [.headless] {
        throw UsageError("--watch runs tests headless: leave --in \(arguments.last("in") ?? "") out")
      }
      return try TestWatcher.run(arguments, passedOn: passedOn)
    }
    try fronts?.forEach { try $0.check() }
    let files = shard?.part(of: found.files) ?? found.files
    if files.isEmpty, let shard {
      // Nothing was tested, which must not look as if something had passed.
      output.writeError("nbridge: \(shard.emptyReport(found.files.count))\n")
    }
    warn(files, arguments)
    let stopper = TestStopper()
    stopper.start()
    let runs = TestRuns(
      targets: TestTarget.all(files, fronts), passedOn: passedOn + (coverage.isWanted ? ["--coverage"] : []),
      jobs: jobs,
      maxFailures: maxFailures, stopper: stopper)
    var counts = CoverageReport()
    let hasPassed = reporter.report(output, filter: arguments.last("filter")) { body in
      runs.forEach { result in
        counts.add(result)
        body(result)
      }
    }
    if let signal = stopper.signal { return ExitStatus(128 + signal) }
    let isCovered = coverage.tell(counts, output, isForPeople: reporter.isForPeople)
    return hasPassed && isCovered && !files.isEmpty && found.problems.isEmpty ? .success : .failure
  }

  /// Tells once what is wrong with an app.json that several files have. What is an error is told by each.
  private static func warn(_ files: [String], _ arguments: ParsedArguments) {
    var told: Set<String> = []
    for file in files {
      var options = RuntimeOptions()
      guard let manifest = try? ProgramOptions.findManifest(arguments, script: file, &options),
        (try? ProgramOptions.readPlugins(arguments, &options)) != nil
      else { continue }
      try? ProgramOptions.apply(manifest, to: &options)
      options.warnings = options.warnings.filter { told.insert($0).inserted }
      ProgramOptions.warn(options)
    }
  }

  private static func maxFailures(_ arguments: ParsedArguments) throws -> Int? {
    try count("max-failures", arguments) ?? (arguments.has("bail") ? 1 : nil)
  }

  private static func count(_ name: String, _ arguments: ParsedArguments) throws -> Int? {
    guard let number = try arguments.number(name) else { return nil }
    guard number >= 1, number.rounded() == number else {
      throw UsageError("--\(name) must be a whole number of 1 or more, not '\(arguments.last(name) ?? "")'")
    }
    return Int(min(number, 1e9))
  }

  /// What the child processes are told too.
  private static var passedOn: [String] {
    var list: [String] = []
    var rest = CommandLine.arguments.dropFirst(2)
    let own = [
      "--in", "--reporter", "--jobs", "-j", "--shard", "--coverage-dir", "--coverage-min", "--coverage-all",
    ]
    while let argument = rest.popFirst() {
      if argument == "--" { break }
      if argument == "--watch" || argument == "--coverage" { continue }
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
    var setup = TestSetup(
      filter: arguments.last("filter"),
      record: { record in
        // A record that is missing is a test that did not run, or a file that did not end: a failure.
        guard let value = try? Value(encoding: record) else { return }
        try? log.write(value.text + [UInt8(ascii: "\n")])
      })
    setup.maxFailures = try maxFailures(arguments)
    setup.countsCoverage = arguments.has("coverage")
    setup.updatesSnapshots = arguments.has("update-snapshots")
    if let front = arguments.last("in").flatMap(TestFront.init), front != .headless {
      return try PageTestRun.run(file, in: front, setup, options, arguments)
    }
    setup.hasDocument = arguments.has("in")
    options.testing = setup
    return try ProgramOptions.run(.tests(file), options, arguments)
  }
}

/// One of several parts of the files, so that each machine of a build server runs its own.
struct TestShard: Equatable {
  let index: Int
  let count: Int

  /// Reads `I/N`, I from 1 to N.
  init(_ text: String) throws {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { part in
      part.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(part) : nil
    }
    guard parts.count == 2, let index = parts[0], let count = parts[1], index >= 1, index <= count else {
      throw UsageError("--shard must be I/N, with I from 1 to N, as 2/3, not '\(text)'")
    }
    (self.index, self.count) = (index, count)
  }

  /// What is said of a part that has no file.
  func emptyReport(_ fileCount: Int) -> String {
    let files = fileCount == 1 ? "is 1 file" : "are \(fileCount) files"
    return "part \(index) of \(count) has no file of tests: there \(files) in all, so no test ran here; "
      + "give --shard at most \(fileCount) parts"
  }

  /// Every N-th file, so that neighbours, which often take as long, are shared out.
  func part(of files: [String]) -> [String] {
    files.enumerated().filter { $0.offset % count == index - 1 }.map(\.element)
  }
}
