// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem

/// `--watch`: runs the program in a child process, and again whenever one of its files changes.
struct FileWatcher {
  private let inotify: Inotify
  private let signals: Int32
  /// The folders under watch, by inotify's number for each: one may have several names.
  private var folders: [Int32: Set<String>] = [:]

  /// What woke the watcher.
  enum Event {
    /// These files of those that were asked for.
    case changed(Set<String>)
    case signal(Int32)
  }

  /// Runs until a signal ends it, as ^C does. The child is this command without `--watch`.
  ///
  /// - Parameters:
  ///   - others: files that the program needs besides those that it imports: plugins. Those of the app's own
  ///     folder are found here.
  ///   - read: reads what the command line and the `app.json` say.
  static func runAgain(
    _ file: String, _ options: RuntimeOptions, app: String?, and others: [String],
    read: () throws -> RuntimeOptions
  ) throws -> ExitStatus {
    var watcher = try FileWatcher()
    var options = options
    var known: Set<String> = [ProgramFiles.absolute(file)]
    while true {
      let manifests = Set(AppManifest.places(forScript: file, explicit: app) + others)
      // Before anything is read: what changes while it is read means another run.
      watcher.watch(known.union(manifests))
      // One that is wrong is told by the run.
      if let fresh = try? read() { options = fresh }
      // What is gone may come back.
      let gone = known.filter { !Path.exists($0) }
      do { known = gone.union(try ProgramFiles.list(file, options)) } catch let error as BundleError {
        known.formUnion(error.files.map(ProgramFiles.absolute))
      } catch {}
      let plugins = options.appPluginFolder.map(ProgramFiles.absolute)
      let needed = known.union(manifests).union(plugins.map(Self.files(ofPluginsIn:)) ?? [])
      watcher.watch(needed)
      let child = try start()
      let count = needed.count(where: { Path.exists($0) && !Path.isFolder($0) })
      options.output.writeError("nbridge: watching \(count) \(count == 1 ? "file" : "files")\n")
      let event = watcher.wait(for: needed) { path in
        plugins == Path.parent(path) && (try? PluginNames.check(service: Path.name(path))) != nil
      }
      child.signal(SIGTERM)  // it ends within a third of a second
      child.wait()
      if case .signal(let number) = event { return ExitStatus(128 + number) }
      // One that came while the program was ending.
      if let number = watcher.readSignal() { return ExitStatus(128 + number) }
      options.output.writeError("nbridge: changed, running again\n")
    }
  }

  /// The files of the plugins in a folder, and the folders themselves, which an installation exchanges.
  private static func files(ofPluginsIn folder: String) -> Set<String> {
    var files: Set<String> = [folder]
    for plugin in InstalledPlugin.all(in: [folder]) {
      files.formUnion([plugin.folder, plugin.folder + "/plugin.json"])
      if let library = (try? PluginRecord.read(folder: plugin.folder))?.library {
        files.insert("\(plugin.folder)/\(library)")
      }
    }
    return files
  }

  private static func start() throws -> ChildProcess {
    var arguments = Array(CommandLine.arguments.dropFirst())
    // Ours is the first: one behind the file is the script's.
    if let own = arguments.firstIndex(of: "--watch") { arguments.remove(at: own) }
    do {
      return try ChildProcess.startBound(
        "/proc/self/exe", arguments, endsBy: SIGTERM, inherits: true, as: "nbridge")
    } catch {
      throw UsageError("can't start the program: \(error.reason)")
    }
  }

  init() throws {
    let set = SignalSet(SignalSet.ending)
    set.block()
    signals = set.descriptor()
    guard signals >= 0 else { throw UsageError("can't watch files: \(SystemError.lastReason)") }
    do { inotify = try Inotify() } catch { throw UsageError("\(error)") }
  }

  /// Folders are watched, not files: an editor that replaces a file by renaming takes the watch of the old
  /// one away.
  mutating func watch(_ files: Set<String>) {
    for folder in Set(files.map(Self.folder)) {
      let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE)
      guard let number = try? inotify.watch(folder, events) else { continue }
      folders[number, default: []].insert(folder)
    }
  }

  /// The folder of a full path, with the slash behind it.
  private static func folder(_ file: String) -> String {
    file.hasSlash ? String(file.throughLastSlash) : "/"
  }

  /// Blocks until one of `files` has changed and the writing has calmed down, or a signal came.
  ///
  /// - Parameter isNew: says of another file in a folder that is watched whether it counts as one of them.
  func wait(for files: Set<String>, orNew isNew: (String) -> Bool = { _ in false }) -> Event {
    var changed: Set<String> = []
    var calmAt: ContinuousClock.Instant?
    while true {
      // Other files beside the program's may change all the time.
      if let calmAt, ContinuousClock.now >= calmAt { return .changed(changed) }
      let ready = Poller.wait(forAnyOf: [inotify.number, signals], milliseconds: calmAt == nil ? nil : 20)
      if ready[1], let number = readSignal() { return .signal(number) }
      guard ready[0] else { continue }
      let touched = readPaths().filter { files.contains($0) || isNew($0) }
      changed.formUnion(touched)
      if !touched.isEmpty { calmAt = .now + .milliseconds(60) }
    }
  }

  /// The next that waits; nil when none does.
  func readSignal() -> Int32? {
    var info = signalfd_siginfo()
    guard read(signals, &info, MemoryLayout<signalfd_siginfo>.size) > 0 else { return nil }
    return Int32(info.ssi_signo)
  }

  /// The files that events speak of.
  private func readPaths() -> [String] {
    inotify.read().filter { !$0.name.isEmpty }.flatMap { event in
      folders[event.watch, default: []].map { $0 + String(decoding: event.name, as: UTF8.self) }
    }
  }
}
