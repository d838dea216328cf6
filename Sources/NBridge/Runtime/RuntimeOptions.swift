// SPDX-License-Identifier: MIT

internal import NBridgeBuiltins
internal import NBridgeHost
package import NBridgeInspector
public import NBridgePlugin
internal import NBridgeRecording
internal import NBridgeScript
package import NBridgeSystem

/// How a runtime is set up. Every part has a default.
public struct RuntimeOptions: Sendable {
  /// The app's identity, which plugins and scripts can ask for.
  public var app = AppInfo(id: "nbridge", name: "nbridge", version: "0.0.0", build: "0")
  /// Where the app's files live; nil for the app's place under the user's data folder.
  public var container: String?
  /// The folders that apps share; nil for the user's.
  public var shared: SharedFolders?
  /// URL schemes that the app handles.
  public var schemes: [String] = []
  /// The app's own folder, which plugins may read; nil for none.
  public var bundle: String?
  /// What of it scripts may read beside the program's own files, as paths from it on; nil for all but what is
  /// hidden.
  public var resources: [String]?
  /// What scripts may call.
  public var permissions = PermissionSet.everything
  /// Files and folders outside of the container that no permission opens to scripts, beside the shared
  /// folders.
  public var sealedPaths: [String] = []
  /// Names that no permission lets scripts replace: of links that lead to what decides about them.
  package var sealedNames: [RealPath] = []
  /// Makes the plugins of a worker, which has its own: one instance belongs to one engine. Nil for workers
  /// that have none of those which were given to the runtime itself; they have those in libraries.
  public var workerPlugins: (@Sendable () -> [any Plugin])?
  /// What makes the runtime a worker of another one's; nil for a program.
  var worker: WorkerSeat?
  /// Plugins in libraries, started with the runtime.
  public var libraries: [PluginLibrary] = []
  /// More of them, that are still being opened.
  package var openings: [LibraryOpening] = []
  /// Folders with installed plugins, each loaded when a script first uses it.
  public var pluginFolders: [String] = []
  /// The app's own folder of plugins, which come before those of ``pluginFolders``; nil for none.
  public var appPluginFolder: String?
  /// The plugins of ``pluginFolders`` that run in processes of their own, whatever their `plugin.json` says;
  /// `*` for all.
  public var isolatedPlugins: Set<String> = []
  /// What plugins in processes of their own may do beyond the app's container; nothing by default.
  public var grants = PluginGrants()
  /// Files that answer calls instead of native code.
  public var mocks: [MockFile] = []
  /// How many milliseconds the start of a loaded plugin may take.
  public var pluginStartLimit = 10_000
  /// What stands after the script on the command line.
  public var arguments: [String] = []
  /// What the user is to be told before the program runs: of its `app.json`, a line each, without its end.
  public var warnings: [String] = []
  /// Whether a program from memory may be TypeScript: what is no JavaScript loses its types, by esbuild.
  public var takesTypes = false
  /// Defaults for preferences, by key.
  public var registeredDefaults: [String: Value] = [:]
  /// What `app.json` says for plugins, by service: an object each.
  public var settings: [String: Value] = [:]
  /// Whether what `console` prints goes to the logger instead.
  public var logsConsole = false
  /// Where time comes from.
  public var clock: any LoopClock = SystemClock()
  /// Where output goes.
  public var output: any ScriptOutput = StandardOutput()
  /// What answers `confirm` and `prompt`: the person at the terminal, a test, or nothing.
  public var dialogs: any DialogAnswerer = NoAnswers()
  /// Whether ``RuntimeControl/interrupt(by:)`` also ends a script that never comes back to its loop. The
  /// engine then keeps a watch on every entry, which makes an awaited call three times as dear; without it,
  /// such a script ends with its process only.
  public var interruptsLoops = false
  /// Ends the process with a status, for a program that is nothing but its script; nil where more is in it.
  public var endProcess: (@Sendable (ExitStatus) -> Never)?
  /// How many seconds calls may hold a script that has run to its end without one of them moving; nil for
  /// ever. Calls with a deadline of their own, watches and timers are not counted.
  public var patience: Double? = 60
  /// How many seconds handlers that are cancelled at the end have for their `defer` and `catch`.
  public var cleanupTime = 0.05
  /// How a file of tests is run.
  public var testing: TestSetup?
  /// Whether scripts run in the global scope as they are, without any wrapper: no top-level `await`, no
  /// modules.
  public var isClassic = false
  /// The import map: names, or prefixes that end with `/`, and what stands for them from ``importsFolder``
  /// on.
  public var imports: [String: String] = [:]
  /// The folder that targets of ``imports`` start from.
  public var importsFolder = "/"
  /// Whether errors are reported as one JSON line.
  public var reportsAsJSON = false
  /// Seeds `Math.random` and random identifiers, for runs that repeat; nil for true randomness.
  public var seed: UInt64? { didSet { mathSeed = seed.map { UInt32(truncatingIfNeeded: $0) } } }
  /// Of `Math.random` alone.
  var mathSeed: UInt32?
  /// The program's name, where the person gave one.
  package var programName = "script.js"
  /// The file that the run is recorded to: all that crosses, without secrets. Written over when it is a
  /// recording.
  public var recording: String?
  /// What answers instead of plugins, clocks and people. Arguments, settings and the seed are the recording's
  /// then.
  public var replay: Recording?
  /// Takes the profile of the run, at its end, and answers whether it was written; gets nil for a program
  /// that did not begin. Nil where none is made.
  package var profile: (@Sendable (ScriptProfile?) -> Bool)?
  /// What lets a debugger in; nil where none may come.
  package var inspector: Inspector?
  /// Whether calls and watches that are open at the end fail the run.
  public var checksLeaks = false
  /// What is observed while calls pass.
  public var tracing = Tracing()

  /// The defaults.
  public init() {}

  /// The folders that apps share.
  func sharedFolders(_ container: Container) -> SharedFolders {
    shared ?? .ofUser() ?? SharedFolders(below: container.path)
  }

  /// What no permission opens to scripts.
  func sealed(_ container: Container) -> SealedPaths {
    let shared = sharedFolders(container)
    return SealedPaths(
      sealedPaths + [shared.data, shared.runtime, shared.state], names: sealedNames, own: container)
  }
}

extension RuntimeOptions {
  /// The plugins in the app's own folder, and those of ``pluginFolders`` that none of them takes the place
  /// of.
  public var installedPlugins: [InstalledPlugin] {
    let others = InstalledPlugin.all(in: pluginFolders)
    guard let appPluginFolder else { return others }
    let own = InstalledPlugin.all(in: [appPluginFolder])
    return own.isEmpty
      ? others : own + others.filter { other in !own.contains { $0.service == other.service } }
  }
}
