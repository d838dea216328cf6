// SPDX-License-Identifier: MIT

public import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// Tries whether a plugin in a library keeps what every plugin promises, with calls made from its declared
/// types.
///
/// It calls every action hundreds of times with random values: name in ``skipped`` what must not be called
/// so.
public struct PluginConformance: Sendable {
  private let library: PluginLibrary
  /// Makes the random calls repeat.
  public var seed: UInt64 = 1
  /// How often the plugin is started and stopped: 10,000 times by default; 200 in a process of its own, whose
  /// start takes so much longer.
  public var starts: Int
  /// Actions that are left alone.
  public var skipped: [String] = []
  /// Called on another thread, with the check that it was, when a call does not come back: within 10 s of
  /// native code, or when nothing moves for 90 s. Nothing else can be done then than to end the process. Nil
  /// for a run that waits for ever.
  public var whenStuck: (@Sendable (Check) -> Void)?

  /// Makes the suite for a library.
  public init(_ library: PluginLibrary) {
    self.library = library
    starts = library.isIsolated ? 200 : 10_000
  }

  /// How one promise was kept.
  public struct Check: Sendable, CustomStringConvertible {
    /// What was promised.
    public let name: String
    /// What was seen against it; empty when it holds.
    public let problems: [String]
    /// What could not be looked at.
    public var notes: [String] = []

    /// `ok …`, or `not ok …` with a line for each problem and note.
    public var description: String {
      let lines = problems + notes.map { "note: " + $0 }
      return (problems.isEmpty ? "ok      " : "not ok  ") + name + lines.map { "\n          " + $0 }.joined()
    }
  }

  private static let scripted: [(check: String, name: String)] = [
    ("face", "each declared action is there for scripts"),
    ("declared", "calls as declared are answered as declared"),
    ("undeclared", "wrong calls are refused with a code, and harm nothing"),
    ("ruled", "options that break their rule are refused"),
    ("storm", "two thousand calls at once all settle"),
    ("cancel", "a call may be cancelled at any moment"),
    ("deadline", "a deadline is kept"),
    ("watches", "a watch gives what it declares, and ends when it is stopped"),
    ("drop", "a program may end with calls open"),
  ]

  /// Runs every check; `report` gets each as it is done. Answers how many did not hold.
  public func run(_ report: (Check) -> Void) -> Int {
    var failed = 0
    let progress = ConformanceProgress()
    let watch = whenStuck.map { StuckWatch(progress, engine: Processor.thread, $0) }
    defer { watch?.end() }
    func note(_ name: String, _ problems: () -> [String]) {
      progress.begin(name)
      let (notes, faults) = Self.parted(problems())
      if !faults.isEmpty { failed += 1 }
      report(Check(name: name, problems: faults, notes: notes))
    }
    note("its types can be told to TypeScript") { typeProblems() }
    for (check, name) in Self.scripted { note(name) { problems(of: check, progress) } }
    note("\(starts) starts and stops leave nothing behind") { startProblems(progress) }
    return failed
  }

  /// The script's lines that begin with `note: `, without that, and all others.
  private static func parted(_ lines: [String]) -> (notes: [String], faults: [String]) {
    let isNote = { (line: String) in line.hasPrefix("note: ") }
    return (lines.filter(isNote).map { String($0.dropFirst(6)) }, lines.filter { !isNote($0) })
  }

  private func typeProblems() -> [String] {
    do {
      _ = try PluginContract.typeScript([PluginContract(library)])
      return []
    } catch { return ["\(error)"] }
  }

  // MARK: - In a script

  private struct Plan: Encodable {
    var check: String
    var descriptor: PluginDescriptor
    var seed: Int
    var skipped: [String]
  }

  private func problems(of check: String, _ progress: ConformanceProgress) -> [String] {
    let output = CapturedOutput()
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    var options = RuntimeOptions()
    options.output = SuiteOutput(output, progress)
    options.container = folder
    options.libraries = [library]
    options.checksLeaks = check != "drop"
    options.patience = 20
    do {
      let plan = Plan(
        check: check, descriptor: library.descriptor, seed: Int(truncatingIfNeeded: seed & 0x7FFF_FFFF),
        skipped: skipped + progress.crashed)
      let sink = WireSink()
      try sink.encode(plan)
      let script = String(decoding: PackageResources.conformance_js, as: UTF8.self)
      let values = String(decoding: PackageResources.conformancevalues_js, as: UTF8.self)
      let text = "\(script)(\(String(decoding: sink.text, as: UTF8.self)), \(values))"
      let runtime = try Runtime(options, plugins: [])
      let status = runtime.run(.text(text, url: "conformance.js"))
      return told(output, status)
    } catch { return ["it can't be started: \(error)"] }
  }

  private func told(_ output: CapturedOutput, _ status: ExitStatus) -> [String] {
    let lines = output.text.split(separator: "\n").map { ConformanceProgress.plain($0) }
    // Notes of the plugin's own are no problem; how the program ended may be one.
    guard status != .success else { return lines + faults(output) }
    return lines + output.errorText.split(separator: "\n").map(String.init)
  }

  private func faults(_ output: CapturedOutput) -> [String] {
    output.errorText.split(separator: "\n").filter {
      $0.hasPrefix("nbridge: the plugin '\(library.service)'")
    }
    .map(String.init)
  }

  // MARK: - Starts

  private func startProblems(_ progress: ConformanceProgress) -> [String] {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    var options = RuntimeOptions()
    options.output = SuiteOutput(CapturedOutput(), progress)
    options.container = folder
    options.libraries = [library]
    do {
      let runtime = try Runtime(options, plugins: [])
      var before = (memory: 0, descriptors: 0)
      let warm = min(1000, starts / 10)
      for start in 0..<starts {
        progress.move()
        if start == warm { before = (Holding.kibibytes, Holding.descriptors) }
        _ = try runtime.restart(library.service)
        // What a start leaves to the loop would keep all that it has made.
        runtime.poll()
      }
      return grown(since: before, over: starts - warm)
    } catch { return ["start \(error)"] }
  }

  private func grown(since before: (memory: Int, descriptors: Int), over count: Int) -> [String] {
    var problems: [String] = []
    let memory = Holding.kibibytes - before.memory
    // A kibibyte for each start: less can't be told from the allocator's own ways.
    if memory > max(4096, starts) {
      problems.append("the process grew by \(memory) KiB over \(count) starts")
    }
    let open = Holding.descriptors - before.descriptors
    // One that is kept by every second start is no chance.
    if open > max(32, count / 2) { problems.append("\(open) descriptors stayed open over \(count) starts") }
    return problems
  }
}
