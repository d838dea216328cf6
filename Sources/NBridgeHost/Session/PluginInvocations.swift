// SPDX-License-Identifier: MIT

package import NBridgePlugin
internal import Synchronization

/// Calls that plugins make of each other: the front end of a ``CallSession`` of its own, with the program's
/// permissions. Asked from any thread; each invocation is answered exactly once, at the latest when the
/// program ends.
package final class PluginInvocations: SessionClient, Sendable {
  private let loop: EventLoop
  private let open = Mutex<Open>(Open())
  // Set and used on the engine's thread only.
  private nonisolated(unsafe) var session: CallSession?
  /// The invocations that wait, by slot; on the engine's thread only.
  private nonisolated(unsafe) var waiting: [Int: UInt64] = [:]

  package typealias Completion = @Sendable (Result<Value, any Error>) -> Void

  private struct Open {
    var last: UInt64 = 0
    var isClosed = false
    /// The invocations that are not answered yet, with their slot once they wait for a handler.
    var invocations: [UInt64: (done: Completion, slot: Int?)] = [:]
  }

  package init(_ loop: EventLoop) { self.loop = loop }

  package func open(_ session: CallSession) {
    self.session = session
    session.client = self
  }

  /// Answers every plugin that waits: the program has ended.
  package func close() {
    let left = open.withLock { open in
      open.isClosed = true
      defer { open.invocations = [:] }
      return open.invocations.values.map(\.done)
    }
    for done in left { done(.failure(Self.ended)) }
    session?.client = nil
    session = nil
    waiting = [:]
  }

  private static var ended: BridgeError { BridgeError(.cancelled, "the program has ended") }

  // MARK: - From any thread

  /// Calls and waits; a task that is cancelled cancels its call.
  package func call(_ request: InvocationRequest) async throws -> Value {
    let number = reserve()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        begin(number, request) { continuation.resume(with: $0) }
      }
    } onCancel: {
      cancel(number)
    }
  }

  /// Calls; `done` is called once, on any thread.
  package func begin(_ request: InvocationRequest, _ done: @escaping Completion) -> UInt64 {
    let number = reserve()
    begin(number, request, done)
    return number
  }

  private func reserve() -> UInt64 {
    open.withLock { open in
      open.last += 1
      return open.last
    }
  }

  private func begin(_ number: UInt64, _ request: InvocationRequest, _ done: @escaping Completion) {
    let isOpen = open.withLock { open in
      if !open.isClosed { open.invocations[number] = (done, nil) }
      return !open.isClosed
    }
    // One that was cancelled before it began is told by the task that made it.
    guard isOpen, !Task.isCancelled else { return finish(number, .failure(Self.cancelled), or: done) }
    loop.post { [self] in start(number, request) }
  }

  private static var cancelled: BridgeError { BridgeError(.cancelled, "the call was cancelled") }

  /// Cancels an invocation: the plugin that made it no longer waits.
  package func cancel(_ number: UInt64) {
    guard let found = open.withLock({ $0.invocations.removeValue(forKey: number) }) else { return }
    if let slot = found.slot { loop.post { [self] in cancel(slot, number) } }
    found.done(.failure(Self.cancelled))
  }

  /// Answers an invocation, unless that has been done.
  private func finish(_ number: UInt64, _ result: Result<Value, any Error>, or done: Completion? = nil) {
    let found = open.withLock { $0.invocations.removeValue(forKey: number)?.done }
    (found ?? done)?(result)
  }

  // MARK: - On the engine's thread

  private func start(_ number: UInt64, _ request: InvocationRequest) {
    guard open.withLock({ $0.invocations[number] != nil }) else { return }
    guard let session else { return finish(number, .failure(Self.ended)) }
    do {
      let action = try session.action(request.service, request.action)
      // A hidden action is for its plugin's own script, a method for who holds the object.
      guard action.bound.declaration.isPublic else {
        throw session.host.plugins.unknown(request.service, request.action)
      }
      if action.bound.declaration.kind == .watch {
        throw BridgeError(.invalidActionName, "'\(action.bound.name)' is a watch; plugins can't call it")
      }
      let begun = try request.option.withInput { session.begin(action, $0, try Self.control(request)) }
      switch begun {
      case .answered(let output):
        let sink = session.host.sink
        let value = Result { try Value(output, sink) }
        sink.reset()
        finish(number, value)
      case .failed(let error): throw error
      case .pending(let slot): wait(number, slot)
      }
    } catch { finish(number, .failure(error)) }
  }

  private static func control(_ request: InvocationRequest) throws -> CallControl {
    var control = CallControl.none
    control.caller = request.caller
    if let deadline = request.deadline {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else {
        throw BridgeError(
          .timeout, "the time for '\(request.service).\(request.action)' was over before it began")
      }
      control.timeout = max(1, Int(min(left, .seconds(1_000_000)) / .milliseconds(1)))
    }
    return control
  }

  private func wait(_ number: UInt64, _ slot: Int) {
    waiting[slot] = number
    let isWanted = open.withLock { open in
      open.invocations[number]?.slot = slot
      return open.invocations[number] != nil
    }
    if !isWanted { cancel(slot, number) }
  }

  private func cancel(_ slot: Int, _ number: UInt64) {
    guard waiting[slot] == number else { return }
    waiting[slot] = nil
    session?.cancel(slot: slot)
  }

  package var takesReplies: Bool { true }

  package func deliver(_ replies: inout [SlotReply]) {
    session?.reuseSlots()
    for (slot, reply) in replies {
      guard let number = waiting.removeValue(forKey: slot) else { continue }
      finish(number, reply.result)
    }
  }
}

extension Value {
  /// Calls `body` with the value as a call's option.
  fileprivate func withInput<R>(_ body: (WireInput) throws -> R) rethrows -> R {
    try text.withUnsafeBufferPointer { try body(WireInput(text: $0, attachments: attachments)) }
  }
}
