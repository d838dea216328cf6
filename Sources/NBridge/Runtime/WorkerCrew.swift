// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import JSEngine
internal import NBridgeBuiltins
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem

/// The workers that a program's scripts have started: each is a runtime of its own on a thread of its own.
/// Confined to the engine's thread.
final class WorkerCrew: WorkerStarter {
  private struct Member {
    /// Whether it was told to end.
    var isEnding = false
    let address: String
    let thread: WorkerThread
    /// Whether the program goes on until it has ended, although it was told to.
    let isAwaited: Bool
    let failed: (WorkerFailure) -> Void
    let ended: (Double) -> Void
  }

  /// One whose thread does not run yet.
  private struct Prepared {
    let seat: WorkerSeat
    let failed: (WorkerFailure) -> Void
    let ended: (Double) -> Void
  }

  private unowned let runtime: Runtime
  let group: EngineGroup
  private var prepared: [Int: Prepared] = [:]
  private var members: [Int: Member] = [:]
  /// As the program's main thread has in most places; only what is used of it takes memory.
  private static let stackSize = 8 << 20
  /// What an engine and its plugins open, and some more.
  private static let descriptors = 16
  /// How long workers have for their end, together: one may wait in a plugin's handler.
  private static let patience = 5000

  init(_ runtime: Runtime) {
    self.runtime = runtime
    group = runtime.options.worker?.group ?? EngineGroup(outside: Self.outside(of: runtime))
  }

  /// The way to other programs of the app. What comes by it is in no recording.
  private static func outside(of runtime: Runtime) -> ProgramChannels? {
    guard runtime.tape == nil else { return nil }
    return ProgramChannels(runtime.loop) { [container = runtime.container] in
      try SharedFolders.make(".channels", inContainer: container.path)
    } note: { [output = runtime.options.output] in
      output.writeError("nbridge: \($0)\n")
    }
  }

  /// The program ends: nothing more goes to others.
  func endChannels() { if runtime.options.worker == nil { group.close() } }

  var base: String {
    if let worker = runtime.options.worker { return worker.order.location }
    return FileURL.text(ProgramFiles.absolute(runtime.entry ?? "script.js"))
  }

  // MARK: - Starting

  func prepare(
    _ order: WorkerOrder, failed: @escaping (WorkerFailure) -> Void, ended: @escaping (Double) -> Void
  ) throws(WorkerRefusal) -> (number: Int, end: PortEnd) {
    guard runtime.tape == nil else {
      throw WorkerRefusal("a recording has one script's turns only; run the program without --record")
    }
    do { try DescriptorRoom.demand(Self.descriptors, to: "start a worker") } catch {
      throw WorkerRefusal(error.description)
    }
    guard let number = group.enter() else {
      throw WorkerRefusal(whyFull)
    }
    let (here, there) = PortEnd.pair()
    let (loop, link) = (runtime.loop, WeakCrew(self))
    let seat = WorkerSeat(
      order: order, number: number, programFile: runtime.programFile, group: group,
      ticket: PortTicket(there), thread: WorkerThread(),
      coverage: runtime.options.worker?.coverage ?? runtime.coverage?.workers
    ) { failure in loop.post { link.crew?.tell(number, failure) } }
    prepared[number] = Prepared(seat: seat, failed: failed, ended: ended)
    return (number, here)
  }

  func begin(_ number: Int) throws(WorkerRefusal) {
    guard let prepared = prepared.removeValue(forKey: number) else { return }
    let seat = prepared.seat
    let options = runtime.options.asWorker(seat)
    let (loop, link, makePlugins) = (runtime.loop, WeakCrew(self), runtime.options.workerPlugins)
    let isStarted = PlainThread.start("nb-js-worker", stackSize: Self.stackSize) {
      let status = Runtime.runWorker(options, seat, makePlugins)
      seat.group.leave()
      // Where the script never ran.
      seat.ticket.take()?.close()
      loop.post { link.crew?.noteEnd(number, status) }
      seat.thread.noteOver()
    }
    guard isStarted else {
      group.leave()
      throw WorkerRefusal("the system gives no more threads; end a worker with terminate()")
    }
    members[number] = Member(
      address: seat.order.address, thread: seat.thread, isAwaited: seat.order.hasData,
      failed: prepared.failed, ended: prepared.ended)
    runtime.parts.inputs.hold(true)
  }

  private var whyFull: String {
    let all = "\(EngineGroup.mostWorkers) workers run already"
    // A thread may be in the midst of something that no other can stop.
    return members.values.contains { $0.isEnding }
      ? "\(all), with those that are just ending; try again in a moment" : "\(all); end one with terminate()"
  }

  func giveUp(_ number: Int) { if prepared.removeValue(forKey: number) != nil { group.leave() } }

  fileprivate func tell(_ number: Int, _ failure: WorkerFailure) { members[number]?.failed(failure) }

  // MARK: - Ending

  var running: [(number: Int, address: String)] {
    members.filter { !$0.value.isEnding }.map { ($0.key, $0.value.address) }.sorted { $0.0 < $1.0 }
  }

  func terminate(_ number: Int) {
    guard let member = members[number], !member.isEnding else { return }
    members[number]?.isEnding = true
    member.thread.stop()
    // The rest is not left to a script that may never come back.
    group.locks.evict("worker \(number)")
    if !member.isAwaited { runtime.parts.inputs.hold(false) }
  }

  fileprivate func noteEnd(_ number: Int, _ status: ExitStatus) {
    guard let member = members.removeValue(forKey: number) else { return }
    group.locks.forget("worker \(number)")
    if !member.isEnding || member.isAwaited { runtime.parts.inputs.hold(false) }
    member.ended(Double(status.code))
  }

  /// Ends all workers and waits for their threads: the program ends.
  func endAll() {
    for member in members.values { member.thread.stop() }
    let end = g_get_monotonic_time() / 1000 + Self.patience
    for member in members.values {
      _ = member.thread.wait(milliseconds: max(0, end - g_get_monotonic_time() / 1000))
    }
    members = [:]
    for number in prepared.keys { giveUp(number) }
  }

  func fail(_ failure: WorkerFailure) {
    if let worker = runtime.options.worker { return runtime.tellMaker(failure, worker) }
    if let onFailure = runtime.state.onFailure {
      let place = failure.line > 0 ? " (\(failure.file):\(failure.line):\(failure.column))" : ""
      return onFailure(JSException(name: nil, message: failure.message + place), false)
    }
    if runtime.ending == nil { runtime.ending = .workerFailed(report: failure.report) }
  }
}

/// Knows of a crew without keeping it.
private final class WeakCrew: @unchecked Sendable {
  // Sendable because it is only read on the loop's thread, which made it.
  private(set) weak var crew: WorkerCrew?
  init(_ crew: WorkerCrew) { self.crew = crew }
}

extension RuntimeOptions {
  /// The same for a worker. What belongs to the process, and not to a script, stays with the program.
  func asWorker(_ seat: WorkerSeat) -> RuntimeOptions {
    var options = self
    options.worker = seat
    options.endProcess = nil
    // A loop must end with `terminate`.
    options.interruptsLoops = true
    options.clock = SystemClock()
    options.dialogs = NoAnswers()
    (options.testing, options.profile, options.inspector) = (nil, nil, nil)
    (options.checksLeaks, options.warnings) = (false, [])
    return options
  }
}
