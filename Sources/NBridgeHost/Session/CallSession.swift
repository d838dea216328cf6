// SPDX-License-Identifier: MIT

package import NBridgePlugin
package import NBridgeScript
internal import NBridgeSystem

/// Where a call stands when ``CallSession/begin(_:_:_:)`` returns.
package enum Begun {
  /// The handler answered. The text of ``WireOutput/text`` lies in the host's sink: the client that began the
  /// call takes it out before anything else runs.
  case answered(WireOutput)
  /// It failed, or was not allowed.
  case failed(any Error)
  /// It is answered later, to this slot.
  case pending(slot: Int)
}

/// What a client asks of a call besides its option.
package struct CallControl {
  /// Milliseconds, at least 1; nil for ever.
  package var timeout: Int?
  /// Whether a watch lets the program end although its declaration would hold it.
  package var letsGo = false
  /// Whether the caller can't wait for an answer that is there: the loop may be as late as it is.
  package var isWantedAtOnce = false
  /// The plugin that calls, for the ledger and traces; nil for a script.
  package var caller: String?

  package static let none = CallControl()
}

/// A reply to a call that had been pending, or events of a watch.
package typealias SlotReply = (slot: Int, reply: Reply)

/// The client that a session delivers to: a script's engine, plugins that call plugins, whatever else calls.
package protocol SessionClient: AnyObject {
  /// Takes replies and events, in their order. Called on the engine's thread, never inside of
  /// ``CallSession/begin(_:_:_:)``. What it takes out of the list belongs to it.
  func deliver(_ replies: inout [SlotReply])
  /// Whether it takes replies now; they wait otherwise.
  var takesReplies: Bool { get }
}

/// One client of the plugins: what it may call, the calls it has open, and the answers on their way to it.
/// The one dispatcher: every client gets the same checks, deadlines, cancellation, ledger, trace and audit.
/// It knows nothing of the client but ``SessionClient``. Confined to the engine's thread.
package final class CallSession {
  package let host: PluginHost
  /// What plugins know the session by; no other session of the host has had it.
  package let number: UInt32
  // What each call needs of the host, one step nearer.
  package let loop: EventLoop
  private let sink: WireSink
  private let taskPool: TaskPool
  /// Whether the program does not end as long as a call is open.
  let holdsProgram: Bool
  /// The client that replies go to; it owns the session, and takes itself out before it goes. Not weak: a
  /// weak reference makes each counting of the client, of which a call has several, go a long way.
  package unowned(unsafe) var client: (any SessionClient)?
  /// What the client may call.
  package var permissions: PermissionSet {
    didSet { for action in actions.values { action.review(permissions) } }
  }
  /// Told of each call; nil without an observer.
  package var observer: (any CallObserver)? { didSet { review() } }
  /// Sees each call before it is dispatched: a recording, or what stands in for the plugins.
  package var tap: (any SessionTap)? { didSet { review() } }
  /// Whether calls go the long way.
  package let isWatched = MemoryCell(false)
  /// Whether the call that is just begun waits for the loop.
  @exclusivity(unchecked) private var isOverdue = false
  /// Whether the answer that was just given is told behind those that wait for the loop.
  @exclusivity(unchecked) private var isBehind = false

  package internal(set) var calls = CallTable()
  private var actions: [String: SessionAction] = [:]
  var outbox: [SlotReply] = []
  var dirtyWatches: [CallRecord] = []
  /// The calls on objects of plugins.
  var objects = ObjectUses()

  /// The calls that are begun at the end, as long as they are gathered.
  package var lastCalls: [CallRecord]?
  /// The client is over: what is settled from now on is not delivered.
  package var isClosed = false { didSet { if isClosed { onClose() } } }
  package var onClose: () -> Void = {}
  /// Called when there is something for the client, where ``isQueued`` was false before: of many sessions,
  /// those are found that have something.
  package var onReplies: () -> Void = {}
  package var isQueued = false
  /// Whether something waits for the client.
  package var hasReplies: Bool { !outbox.isEmpty || !dirtyWatches.isEmpty }

  package init(_ host: PluginHost, permissions: PermissionSet, holdsProgram: Bool) {
    self.host = host
    number = host.nextSession()
    (loop, sink, taskPool) = (host.loop, host.sink, host.taskPool)
    self.permissions = permissions
    self.holdsProgram = holdsProgram
  }

  deinit { isWatched.free() }

  private func review() { isWatched.memory.pointee = observer != nil || tap != nil }

  // MARK: - A call begins

  /// Finds an action. Throws ``BridgeError`` that says what is nearest.
  package func action(_ service: String, _ name: String) throws -> SessionAction {
    let key = "\(service).\(name)"
    if let known = actions[key] { return known }
    let action = SessionAction(try host.plugins.find(service, name), permissions, session: number)
    actions[key] = action
    return action
  }

  /// Begins a call: the only way to a handler. `input` is read before this returns; its bytes live as long as
  /// the call.
  package func begin(_ action: SessionAction, _ input: WireInput, _ control: CallControl) -> Begun {
    isWatched.memory.pointee ? beginWatched(action, input, control) : dispatch(action, input, control)
  }

  /// Whether the next call has to wait for the loop. For a client that knows a shorter way than
  /// ``begin(_:_:_:)``, and has counted ``Lateness/answers``: the long way then knows the answer.
  package func isNowOverdue() -> Bool {
    isOverdue = loop.lateness.isLate()
    return isOverdue
  }

  /// Whether the client tells the answer that it was just given only behind the last of the replies that it
  /// is handed next: there are some.
  package func takeIsBehind() -> Bool {
    defer { isBehind = false }
    return isBehind
  }

  package func dispatch(_ action: SessionAction, _ input: WireInput, _ control: CallControl) -> Begun {
    let begun = run(action, input, control)
    guard isOverdue || loop.isOverdue else { return begun }
    isOverdue = false
    if control.isWantedAtOnce { return begun }
    if case .pending = begun { return begun }
    // To wait as those do that are answered later costs several times what an answer does: of many calls of a
    // script at once only the first do. What is recorded names all that wait.
    guard holdsProgram, outbox.count >= Self.enough, !isWatched.memory.pointee else {
      return postponed(begun, action, control)
    }
    isBehind = true
    return begun
  }

  private static let enough = 64

  /// An answer that is there waits for the loop's next round, so that timers and events have their turn.
  private func postponed(_ begun: Begun, _ action: SessionAction, _ control: CallControl) -> Begun {
    let reply: Reply
    switch begun {
    case .pending: return begun
    case .answered(let output): reply = Reply(output, sink)
    case .failed(let error): reply = Reply(error, action: action.bound)
    }
    let record = CallRecord(
      action: action.bound, state: CallState(session: number), started: loop.clock.now,
      caller: control.caller, session: self)
    record.holds = holdsProgram
    let slot = park(record)
    deliver(record, .success(reply))
    return .pending(slot: slot)
  }

  private func run(_ action: SessionAction, _ input: WireInput, _ control: CallControl) -> Begun {
    if action.isDenied.memory.pointee, let denial = action.denial { return .failed(denial) }
    do {
      switch action.bound.declaration.runner {
      case .immediate(let body): return .answered(try body(input, action.call, sink))
      case .async:
        if let begun = beginClosing(action, input, control) { return begun }
        guard let body = action.asyncAction else { return .answered(.undefined) }
        return try begin(body, action, input, control)
      case .foreign:
        if let begun = beginClosing(action, input, control) { return begun }
        return try beginForeign(action.bound, input, control)
      case .detached(let body): return .pending(slot: begin(detached: body, action.bound, input, control))
      case .watch(let start): return try beginWatch(action.bound, start, input, control)
      }
    } catch {
      // An answer that could not be written to its end.
      sink.reset()
      return .failed(error)
    }
  }

  /// The shortest way of an async action, for a client that has looked at ``isWatched``, at the permission
  /// and at the loop.
  @inline(__always)
  package func begin(
    _ body: AsyncAction, _ action: SessionAction, _ input: WireInput, _ control: CallControl
  ) throws -> Begun {
    let deadline = control.timeout.map { ContinuousClock.now + .milliseconds($0) }
    let state =
      deadline == nil && input.attachments.isEmpty ? nil : state(deadline, 0, input.attachments)
    switch taskPool.run(body, input, state) {
    case .answered(.success(let output)): return .answered(output)
    case .answered(.failure(let error)): throw error
    case .away(let pooled): return .pending(slot: keep(pooled, action, input, control, state))
    }
  }

  /// Keeps a call whose pooled is away for it.
  private func keep(
    _ pooled: PooledTask, _ action: SessionAction, _ input: WireInput, _ control: CallControl,
    _ state: CallState?
  ) -> Int {
    let record = makeRecord(action.bound, input, control, state: state ?? CallState(session: number))
    record.task = pooled.task
    pooled.call = record
    return park(record)
  }

  private func beginForeign(_ action: BoundAction, _ input: WireInput, _ control: CallControl) throws -> Begun
  {
    guard let instance = action.instance else {
      throw BridgeError(.unavailable, "'\(action.name)' is not started")
    }
    try action.rules?.check(input)
    let call = instance.nextCall()
    let deadline = control.timeout.map { ContinuousClock.now + .milliseconds($0) }
    let request = LoadedCall(action.index, call, deadline, session: number)
    if let output = try instance.begin(request, input, sink) { return .answered(output) }
    let record = makeRecord(
      action, input, control, state: CallState(deadline: deadline, number: call, session: number))
    instance.await(call, record)
    return .pending(slot: park(record))
  }

  /// The shortest way of a detached action, for a client that has looked as above. Answers the slot.
  package func begin(
    detached body: @escaping @Sendable (WireInput, Call, WireSink) throws -> WireOutput,
    _ action: BoundAction, _ input: WireInput, _ control: CallControl
  ) -> Int {
    let record = makeRecord(action, input, control)
    let (text, attachments) = (Array(input.text), input.attachments)
    let slot = park(record)
    loop.awaitedReplies += 1
    let back = UncheckedSendable((self, record))  // touched again on the loop's thread only
    let call = Call(app: action.app, state: record.state)
    // What waits for the script must not keep another from computing.
    let pool = action.declaration.isBlocking || record.streams != nil ? host.waitingPool : host.pool
    pool.submit { [loop] kept in
      let reply = WorkerScratch.kept(in: &kept).run(body, text, attachments, call)
      loop.post {
        let (session, record) = back.value
        session.loop.awaitedReplies -= 1
        session.deliver(record, reply)
      }
    }
    return slot
  }

  // MARK: - A call waits

  func makeRecord(
    _ action: BoundAction, _ input: WireInput, _ control: CallControl, state: CallState? = nil
  ) -> CallRecord {
    let deadline = control.timeout.map { ContinuousClock.now + .milliseconds($0) }
    let record = CallRecord(
      action: action,
      state: state ?? self.state(deadline, action.instance?.nextCall() ?? 0, input.attachments),
      started: loop.clock.now, caller: control.caller, session: self)
    record.instance = action.instance
    if action.declaration.handle != nil {
      record.object = HandleAddress(input).map { ObjectKey(number: $0.number, service: action.service) }
    }
    record.holds = holdsProgram
    if !input.attachments.isEmpty { record.take(input.attachments) }
    if let timeout = control.timeout {
      record.deadline = loop.schedule(at: loop.deadline(after: timeout)) { [unowned self, unowned record] in
        expire(record, milliseconds: timeout)
      }
    }
    return record
  }

  /// Gives the call a slot.
  package func park(_ record: CallRecord) -> Int {
    let slot = calls.insert(record)
    if let object = record.object { objects.begin(record, on: object) }
    host.progress &+= 1
    if record.holds { loop.holds += 1 }
    lastCalls?.append(record)
    return slot
  }

  /// A handler answered a call that was pending.
  package func deliver(_ record: CallRecord, _ result: Result<Reply, any Error>) {
    guard let slot = record.slot else { return }
    calls.remove(slot)
    if let object = record.object { endUse(of: object, by: record) }
    if let timer = record.deadline { loop.cancel(timer) }
    record.streams?.end(.callIsOver)
    guard record.life.handlerFinished() else { return letGo(of: result, record.action) }
    if record.holds { loop.holds -= 1 }
    let reply: Reply
    switch result {
    case .success(let answered): reply = answered
    case .failure(let error): reply = Reply(error, action: record.action)
    }
    if isClosed { record.failure = reply.failureMessage }
    send(slot, reply)
    observer?.settled(record.observation(reply, at: loop.clock.now))
  }

  // MARK: - A call ends early

  /// The client does not wait any more: the handler is told to stop, and nothing is delivered.
  package func cancel(slot: Int) {
    tap?.cancelled(slot: slot)
    guard let record = calls[slot], record.life.abandon() else { return }
    stop(record)
    observer?.settled(
      record.observation(
        Reply(BridgeError(.cancelled, "cancelled"), action: record.action), at: loop.clock.now))
  }

  /// The client took `count` events of a watch.
  package func grant(slot: Int, count: Int) {
    tap?.granted(slot: slot, count: count)
    calls[slot]?.watch?.grant(max(0, count))
  }

  private func expire(_ record: CallRecord, milliseconds: Int) {
    record.deadline = nil
    abandon(
      record,
      BridgeError(
        .timeout,
        "'\(record.action.name)' did not answer within \(milliseconds) ms; raise its timeout or cancel it"))
  }

  /// Rejects every call that is still open. For the end of the program.
  package func abandonAll(_ error: BridgeError) {
    for record in calls.open { abandon(record, error) }
  }

  /// Tells every handler that its caller no longer waits. For the end of the program.
  package func cancelAll() {
    for record in calls.open where record.life.abandon() { stop(record) }
  }

  private func abandon(_ record: CallRecord, _ error: BridgeError) {
    guard let slot = record.slot, record.life.abandon() else { return }
    stop(record)
    let reply = Reply(error, action: record.action)
    send(slot, reply)
    observer?.settled(record.observation(reply, at: loop.clock.now))
  }

  private func stop(_ record: CallRecord) {
    if record.holds { loop.holds -= 1 }
    record.state.cancel()
    record.streams?.end(BridgeError(.cancelled, "the call was cancelled"))
    record.task?.cancel()
    record.watch?.stop()
    record.instance?.cancel(record.state.number)
  }

  /// Ends a watch as if its sequence had ended.
  package func end(_ record: CallRecord) {
    record.state.cancel()
    record.task?.cancel()
    record.watch?.stop()
    record.instance?.cancel(record.state.number)
    guard let slot = record.slot, record.life.isRunning else { return }
    record.watch?.flush(record, self)
    _ = record.life.abandon()
    record.streams?.end(.callIsOver)
    if record.holds { loop.holds -= 1 }
    send(slot, Reply(kind: .value, payload: .undefined))
  }
}
