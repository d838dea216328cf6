// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import Glibc
public import NBridge
internal import NBridgeHost
public import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Runs scripts against plugins in a test: a real engine on a thread of its own, a container that is thrown
/// away, a clock that jumps instead of waiting.
///
/// ```swift
/// let harness = ScriptHarness(plugins: [GreeterPlugin()])
/// let result = await harness.run("console.log(await nbridge.greeter.hello())")
/// #expect(result.output == "Hello!\n")
/// ```
public struct ScriptHarness: Sendable {
  /// How plugins are brought in, for all that is run by the task that sets it:
  /// `ScriptHarness.$way.withValue(.loaded) { … }`.
  @TaskLocal public static var way = PluginWay.linked

  /// The plugins under test.
  public var plugins: [any Plugin]
  /// How the runtime is set up; container, output and clock are the harness's own.
  public var options = RuntimeOptions()
  /// Keeps the container of several runs, for tests of what outlives one; nil for a fresh one each run.
  public var container: String?

  /// Whether timers wait. By default an idle loop jumps to its next timer instead.
  public var usesRealTime = false

  /// Makes a harness.
  public init(plugins: [any Plugin]) { self.plugins = plugins }

  /// How a run went.
  public struct Result: Sendable {
    /// How it ended.
    public let status: ExitStatus
    /// What it wrote to stdout.
    public let output: String
    /// What it wrote to stderr.
    public let errors: String
  }

  /// Runs a script to its end. `whileRunning` gets the runtime's controller as soon as it exists.
  public func run(
    _ script: String, url: String = "test.js", whileRunning: (@Sendable (RuntimeControl) -> Void)? = nil
  ) async -> Result {
    await run(.text(script, url: url), whileRunning: whileRunning)
  }

  /// Runs a program to its end.
  public func run(_ program: Program, whileRunning: (@Sendable (RuntimeControl) -> Void)? = nil) async
    -> Result
  {
    let output = CapturedOutput()
    var options = options
    options.output = output
    options.clock = usesRealTime ? SystemClock() : VirtualClock()
    let folder = container ?? TemporaryFolder.make()
    options.container = folder
    if options.shared == nil { options.shared = SharedFolders(below: folder) }
    let way = Self.way
    let setup = options
    let status = await EngineThread.run {
      do {
        let runtime = try way.runtime(setup, plugins)
        whileRunning?(runtime.controller)
        return runtime.run(program)
      } catch {
        output.writeError("\(error)\n")
        return ExitStatus.failure
      }
    }
    if container == nil { TemporaryFolder.remove(folder) }
    return Result(status: status, output: output.text, errors: output.errorText)
  }
}

/// The ways in which a plugin comes into a runtime. All give the same results.
public enum PluginWay: String, Sendable, CaseIterable {
  /// As a part of the program.
  case linked
  /// Behind the C table of plugins in libraries of their own. The table is made by this program, so that its
  /// sanitizers and its debugger see both sides; nothing else of the way differs.
  case loaded
  /// Behind the messages of plugins in processes of their own. At the other end of the channel is a thread of
  /// this program, so that its sanitizers and its debugger see both sides.
  case isolated

  func runtime(_ options: RuntimeOptions, _ plugins: [any Plugin]) throws -> Runtime {
    switch self {
    case .linked: return try Runtime(options, plugins: plugins)
    case .loaded:
      var options = options
      options.libraries += try plugins.map { plugin in try PluginLibrary(exporting: { plugin }) }
      return try Runtime(options, plugins: [])
    case .isolated:
      var options = options
      options.libraries += try plugins.map { plugin in try PluginLibrary(channelling: { plugin }) }
      return try Runtime(options, plugins: [])
    }
  }
}

/// A thread that ends with its work: an engine belongs to one.
enum EngineThread {
  static func run<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
      PlainThread.start("nb-engine", stackSize: 8 << 20) { continuation.resume(returning: body()) }
    }
  }
}

/// Keeps what a script writes.
public final class CapturedOutput: ScriptOutput {
  private let texts = Mutex<(String, String)>(("", ""))
  /// Makes an empty one.
  public init() {}
  /// Keeps it.
  public func write(_ text: String) { texts.withLock { $0.0 += text } }
  /// Keeps it.
  public func writeError(_ text: String) { texts.withLock { $0.1 += text } }
  /// Does nothing: nothing waits.
  public func flush() {}
  /// No.
  public var colours: Bool { false }
  /// No.
  public var errorColours: Bool { false }
  /// What was written to stdout.
  public var text: String { texts.withLock { $0.0 } }
  /// What was written to stderr.
  public var errorText: String { texts.withLock { $0.1 } }
}

/// Folders that a test makes and throws away.
public enum TemporaryFolder {
  /// Makes a new folder, mode 0700, and answers its path.
  public static func make() -> String {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/nbridge-test-XXXXXX".utf8CString)
    return template.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress, mkdtemp(base) != nil else {
        preconditionFailure("can't make a temporary folder")
      }
      return String(cString: base)
    }
  }

  /// Removes a folder and all that is in it.
  public static func remove(_ path: String) {
    // A removal stops half-way when a thread or a program that is about to end removes a file first, or
    // makes another.
    for _ in 0..<20 {
      if (try? FileManager.default.removeItem(atPath: path)) != nil { return }
      guard FileManager.default.fileExists(atPath: path) else { return }
    }
    // What stays is the system's to clear.
  }
}
