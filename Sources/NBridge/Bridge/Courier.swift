// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin

/// A Swift task that runs one async action after the other. Confined to the engine's thread.
///
/// Making a task costs more than everything else in a call that doesn't suspend; waking one that waits costs a
/// fifth of it. So a few wait: a call takes one, and a call that suspends keeps it until it is over. Couriers that
/// were cancelled are not used again, because cancellation sticks to a task.
final class Courier {
  /// What a call hands to a courier.
  struct Errand {
    let body: Runner.AsyncBody
    let input: WireInput
    let call: Call
  }

  private(set) var task: Task<Void, Never>?
  private var wakeUp: UnsafeContinuation<Void, Never>?
  private var errand: Errand?
  /// The answer of a call that did not suspend.
  private var answer: Result<WireOutput, any Error>?
  /// The call, once it is known to be one that suspends.
  private var record: CallRecord?
  private unowned let bridge: Bridge

  init(_ bridge: Bridge) {
    self.bridge = bridge
    let start = Uncheckedly(self)  // runs on this thread, which the actor is
    task = bridge.startTask { actor in await start.value.work(on: actor) }
  }

  /// Runs a call up to its first suspension. Answers nil when it did suspend.
  func run(_ errand: Errand) -> Result<WireOutput, any Error>? {
    self.errand = errand
    bridge.loop.runInline { wake() }
    defer { answer = nil }
    return answer
  }

  /// Names the call that the courier is away for.
  func keep(_ record: CallRecord) { self.record = record }

  /// Ends the task. Only for one that waits.
  func dismiss() { wake() }

  private func wake() {
    let waiting = wakeUp
    wakeUp = nil
    waiting?.resume()
  }

  // The isolation is spelt out: left to `#isolation`, the compiler resumes the task on the global executor.
  private func work(on actor: isolated ScriptActor) async {
    while true {
      await withUnsafeContinuation(isolation: actor) { wakeUp = $0 }
      guard let errand else { return }
      self.errand = nil
      let result: Result<WireOutput, any Error>
      do {
        result = .success(try await errand.body(errand.input, errand.call, bridge.sink))
      } catch { result = .failure(error) }
      if let record {
        self.record = nil
        bridge.finish(record, result)
        if Task.isCancelled { return }
        bridge.takeBack(self)
      } else {
        answer = result
      }
    }
  }
}

extension Bridge {
  /// Starts a task on the engine's thread and runs it, before this returns, up to its first suspension.
  ///
  /// Not `Task.immediate`: a task that starts without an executor's job under it forgets where it belongs, and its
  /// first suspension ends on the global executor, two thread switches away.
  func startTask(_ body: @escaping @Sendable (isolated ScriptActor) async -> Void) -> Task<Void, Never> {
    let loop = loop
    return loop.runInline {
      actor.assumeIsolated { actor in
        Task(executorPreference: loop) {
          await body(actor)
        }
      }
    }
  }

  func startAsync(_ action: BoundAction, _ body: @escaping Runner.AsyncBody, _ frame: borrowing JSCallFrame)
    -> JSValue
  {
    let timeout = mailbox.takeTimeout()
    let state = timeout.map { CallState(deadline: .now + .milliseconds($0)) }
    let call = state.map { Call(app: action.call.app, state: $0) } ?? action.call
    let courier = couriers.popLast() ?? Courier(self)
    let result: Result<WireOutput, any Error>?
    do {
      result = try withInput(frame) { courier.run(Courier.Errand(body: body, input: $0, call: call)) }
    } catch { result = .failure(error) }
    guard let result else {
      let record = makeRecord(action, timeout: timeout, state: state ?? CallState())
      record.task = courier.task
      courier.keep(record)
      return park(record, frame)
    }
    takeBack(courier)
    switch result {
    case .success(let output): return answer(output, frame)
    case .failure(let error): return answer(failure: error, action, frame)
    }
  }

  /// A courier has nothing to do.
  func takeBack(_ courier: Courier) {
    if couriers.count < 64 { couriers.append(courier) } else { courier.dismiss() }
  }
}
