// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridge
internal import NBridgeHost
internal import NBridgeScript
internal import NBridgeSystem

/// `nbridge test --watch`: runs all tests, and after each change those whose files it touched, and new ones.
enum TestWatcher {
  static func run(_ arguments: ParsedArguments, passedOn: [String]) throws -> ExitStatus {
    var watcher = try FileWatcher()
    let output = StandardOutput()
    let reporter = ["--reporter", arguments.last("reporter") ?? "lines"]
    var touched: Set<String>?
    var programs: [String: Set<String>] = [:]
    while true {
      let files = try TestFiles.find(arguments.operands).files
      programs = try Self.programs(of: files, arguments, before: programs)
      let known = Set(programs.values.joined())
      watcher.watch(known.union(folders(arguments.operands)))
      let chosen = files.filter { file in
        touched.map { !programs[file, default: []].isDisjoint(with: $0) } ?? true
      }
      if !chosen.isEmpty, let signal = try runOnce(["test"] + passedOn + reporter + chosen, watcher) {
        return ExitStatus(128 + signal)
      }
      let count = known.count(where: Path.exists)
      output.writeError("nbridge: watching \(count) \(count == 1 ? "file" : "files")\n")
      output.flush()
      switch watcher.wait(for: known, orNew: CountedModule.isTest) {
      case .signal(let number): return ExitStatus(128 + number)
      case .changed(let files): touched = files
      }
    }
  }

  /// The folders where tests are looked for, with a slash behind them.
  private static func folders(_ operands: [String]) -> [String] {
    (operands.isEmpty ? ["."] : operands).filter(ScriptFile.isFolder).map {
      let path = ProgramFiles.absolute($0)
      return path == "/" ? path : path + "/"
    }
  }

  /// The files of each test's program, the test's own among them.
  ///
  /// - Parameter before: those at the last run: what of them is gone may come back.
  private static func programs(
    of files: [String], _ arguments: ParsedArguments, before: [String: Set<String>]
  ) throws -> [String: Set<String>] {
    var programs: [String: Set<String>] = [:]
    for file in files {
      var known: Set<String> = [ProgramFiles.absolute(file)]
      known.formUnion(before[file, default: []].filter { !Path.exists($0) })
      known.formUnion(AppManifest.places(forScript: file, explicit: arguments.last("app")))
      // One that is wrong is told by the run, and a pipe would be waited for.
      guard !Path.isSpecial(file), let options = try? ProgramOptions.read(arguments, script: file) else {
        programs[file] = known
        continue
      }
      do { known.formUnion(try ProgramFiles.list(file, options)) } catch let error as BundleError {
        known.formUnion(error.files.map(ProgramFiles.absolute))
      } catch {}
      programs[file] = known
    }
    return programs
  }

  /// Runs tests in a child process. Answers the signal that came meanwhile.
  private static func runOnce(_ arguments: [String], _ watcher: FileWatcher) throws -> Int32? {
    let child: ChildProcess
    do {
      child = try ChildProcess.startBound(
        "/proc/self/exe", arguments, endsBy: SIGTERM, inherits: true, as: "nbridge")
    } catch {
      throw UsageError("can't start the tests: \(error.reason)")
    }
    child.wait()
    return watcher.readSignal()
  }
}
