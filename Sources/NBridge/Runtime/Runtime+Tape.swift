// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import JSEngine
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeRecording
internal import NBridgeScript

/// How a program is recorded and replayed: what it is given goes through its tape, and in a replay the tape
/// turns the script instead of the loop.
extension Runtime {
  /// How long a script may go on where its recording ends.
  private static let endlessMicroseconds = 5_000_000

  /// Puts a recording between the script and the world, when one is made or replayed.
  func addTape() throws {
    let tape = try makeTape()
    parts.inputs.tape = tape
    (session.tap, parts.bridge.bridge.tape) = (tape, tape)
    parts.timers.isReplaying = options.replay != nil
  }

  private func makeTape() throws -> (any ProgramTape)? {
    if let recording = options.replay {
      let replayer = Replayer(recording)
      replayer.onDifference = { [unowned self, unowned replayer] in stopReplay(replayer) }
      // A recorded script that never came back to its loop does not now.
      machine.watchInterrupter()
      replayer.onEnd = { [unowned self] in
        machine.interrupter.setDeadline(in: Self.endlessMicroseconds)
      }
      return replayer
    }
    guard let path = options.recording else { return nil }
    return try Recorder(path, recordingHeader()) { [output = options.output] reason in
      output.writeError("nbridge: the recording '\(path)' ends here, it can't be written: \(reason)\n")
    }
  }

  private func recordingHeader() -> RecordingHeader {
    RecordingHeader(
      nbridge: "\(NBridgeVersion.current)", program: options.programName,
      began: Double(g_get_real_time() / 1000),
      arguments: options.arguments, services: plugins.services, settings: options.settings,
      seed: options.mathSeed ?? 0, environment: RecordedEnvironment.now,
      secretNames: SecretFilter.defaultWords + options.secretNames, isClassic: options.isClassic,
      logsConsole: options.logsConsole, mocks: options.mocks.flatMap(\.services))
  }

  // MARK: - How it ends

  /// A replay that was stopped because its script had nothing more to do, and did not come back.
  func noteEndless() {
    guard let replayer, machine.interrupter.isPastDeadline else { return }
    ending = .differed(replayer.endlessReport(seconds: Self.endlessMicroseconds / 1_000_000))
  }

  /// Closes a recording; looks whether a replay came to the recorded end.
  func endTape(_ status: ExitStatus) -> ExitStatus {
    guard let tape else { return status }
    if case .differed = ending { return status }
    tape.finished(status: Int(status.code))
    guard let replayer else { return status }
    if let difference = replayer.difference {
      options.output.writeError(difference)
      return .failure
    }
    options.output.writeError(
      "nbridge: replayed \(replayer.calls) call\(replayer.calls == 1 ? "" : "s"), as recorded\n")
    return status
  }

  // MARK: - Replaying

  /// Gives the script what comes to it by itself, until it had its say as it had then.
  func replay() {
    while ending == nil, let turn = replayer?.nextTurn(isLast: false) { perform(turn) }
  }

  /// What was given while the program ended.
  func replayRest() {
    if case .differed = ending { return }
    while let turn = replayer?.nextTurn(isLast: true) { perform(turn) }
  }

  private func perform(_ turn: Replayer.Turn) {
    switch turn {
    case .deliver(var replies): parts.bridge.bridge.deliver(&replies)
    case .timers(let time): _ = parts.timers.fire(at: time)
    case .run(let task): task()
    case .end(let ending): endAs(recorded: ending)
    }
    // The engine's own chores.
    loop.poll()
    machine.drainReleases(in: context)
  }

  private func endAs(recorded: RecordedEnding) {
    switch recorded {
    case .exited(let code): state.end(.exited(code))
    case .stopped(let signal):
      control.note(signal: signal)
      state.end(.interrupted)
    case .timedOut(let seconds): state.end(.timedOut(seconds: seconds))
    case .stalled(let seconds): state.end(.stalled([], seconds: seconds))
    }
  }

  /// Nothing that comes after the first difference means anything: the program ends where the script made it.
  private func stopReplay(_ replayer: Replayer) {
    guard ending == nil, !state.isFinishing, let difference = replayer.difference else { return }
    // A script that threw something else than it did then asks for other things because of it.
    let thrown = state.beingReported.map {
      ErrorReport($0, sourceRegistry: sourceRegistry, colours: options.output.errorColours).text(
        unhandled: false)
    }
    ending = .differed((thrown ?? "") + difference + callPlace)
    if let endProcess = options.endProcess { endProcess(finish()) }
  }

  /// Where the script stands, as a line; nothing when it does not run.
  private var callPlace: String {
    guard
      let stack = try? context.evaluate("new Error().stack", url: StackFrame.internalScheme + "place").string
    else {
      return ""
    }
    for line in stack.split(separator: "\n") where !line.contains("@" + StackFrame.internalScheme) {
      guard let frame = StackFrame(String(line)) else { continue }
      return "        made at \((sourceRegistry.authored(frame) ?? frame).place)\n"
    }
    return ""
  }
}

extension RuntimeOptions {
  /// With what a recording says in the place of what a command line or `app.json` does.
  var asRecorded: RuntimeOptions {
    var options = self
    if let header = replay?.header {
      (options.arguments, options.settings, options.mathSeed) = (
        header.arguments, header.settings, header.seed
      )
      (options.isClassic, options.logsConsole) = (header.isClassic, header.logsConsole)
      options.recording = nil
    } else if recording != nil, seed == nil {
      options.mathSeed = .random(in: 1...UInt32.max)
    }
    return options
  }

  /// The names that `app.json` adds for the logger: they are secret in recordings, too.
  fileprivate var secretNames: [String] {
    struct Logger: Decodable {
      struct Rules: Decodable { var keys: [String]? }
      var redact: Rules?
    }
    return (try? settings["logger"]?.decode(Logger.self))?.redact?.keys ?? []
  }
}
