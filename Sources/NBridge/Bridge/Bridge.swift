// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin

/// Carries calls from JavaScript to plugins and their answers back. Confined to the engine's thread.
final class Bridge {
  let context: JSContext
  let loop: EventLoop
  let plugins: PluginTable
  let pool: WorkerPool
  /// For detached actions that mostly wait.
  let waitingPool: WorkerPool
  var observer: (any CallObserver)? { didSet { isObserved = observer != nil } }
  @exclusivity(unchecked) private var isObserved = false

  /// Shared with `www/nbridge.js`: see ``Mailbox``.
  let mailbox: Mailbox
  private(set) var calls = CallTable()
  let sink = WireSink()
  private var outbox: [(slot: Int, reply: Reply)] = []
  let couriers: CourierPool
  /// Counts up whenever a call starts to wait or is answered.
  private(set) var progress = 0
  private var dirtyWatches: [CallRecord] = []
  private var settle: JSHandle?

  init(context: JSContext, loop: EventLoop, plugins: PluginTable, pool: WorkerPool, waitingPool: WorkerPool) {
    self.plugins = plugins
    self.context = context
    self.loop = loop
    self.pool = pool
    self.waitingPool = waitingPool
    mailbox = Mailbox(context)
    couriers = CourierPool(loop: loop, sink: sink)
  }

  /// Names the JavaScript function that takes replies.
  func connect(settle: JSValue) {
    self.settle = JSHandle(settle, in: context)
  }

  // MARK: - A call arrives

  /// Makes the native function of one action.
  func makeFunction(for action: BoundAction) -> JSValue {
    // The functions end with the context, which the bridge keeps alive and nobody enters without it. A reference
    // would be counted up and down in each call.
    let bridge = Unmanaged.passUnretained(self)
    guard case .immediate(let body) = action.declaration.runner else {
      return JSFunction.make(in: context) { frame throws(JSException) in
        bridge._withUnsafeGuaranteedRef { $0.receive(action, frame) }
      }
    }
    // The closure holds what a call needs, so that nothing is counted on the way to it.
    let (call, sink) = (action.call, sink)
    return JSFunction.make(in: context) { frame throws(JSException) in
      bridge._withUnsafeGuaranteedRef { bridge in
        if bridge.isObserved || action.isDenied { return bridge.receive(action, frame) }
        return bridge.runImmediate(action, body, call, sink, frame)
      }
    }
  }

  /// Runs inside the script's call. Answers the value, with its kind in the mailbox.
  private func receive(_ action: BoundAction, _ frame: borrowing JSCallFrame) -> JSValue {
    if action.isDenied, let denial = action.denial { return answer(failure: denial, action, frame) }
    return isObserved ? observed(action, frame) : start(action, frame)
  }

  private func start(_ action: BoundAction, _ frame: borrowing JSCallFrame) -> JSValue {
    switch action.declaration.runner {
    case .immediate(let body): return runImmediate(action, body, action.call, sink, frame)
    case .async: return startAsync(action, frame)
    case .foreign: return startForeign(action, frame)
    case .detached(let body): return startDetached(action, body, frame)
    case .watch(let start): return startWatch(action, start, frame)
    }
  }

  @inline(__always)
  private func runImmediate(
    _ action: BoundAction, _ body: (WireInput, Call, WireSink) throws -> WireOutput, _ call: Call,
    _ sink: WireSink,
    _ frame: borrowing JSCallFrame
  ) -> JSValue {
    do {
      return answer(try withInput(frame) { try body($0, call, sink) }, frame)
    } catch {
      return answer(failure: error, action, frame)
    }
  }

  /// Calls `body` with what the script handed over: text first, then bytes.
  func withInput<R>(_ frame: borrowing JSCallFrame, _ body: (WireInput) throws -> R) throws -> R {
    if frame.count == 0 { return try body(.none) }
    var result: R?
    if frame.count == 1 {
      _ = try frame[0].readUTF8 { result = try body(WireInput(text: $0, attachments: [])) }
    } else {
      let attachments = (1..<frame.count).map { index in borrow(frame[index]) }
      _ = try frame[0].readUTF8 { result = try body(WireInput(text: $0, attachments: attachments)) }
    }
    guard let result else {
      throw BridgeError(.invalidParameter, "option holds half of a character (a lone surrogate)")
    }
    return result
  }

  /// The script's bytes: small ones are copied, large ones are kept alive and read in place.
  private func borrow(_ value: JSValue) -> Bytes {
    guard let memory = value.bytes else { return Bytes([]) }
    if memory.count <= 4096 { return Bytes(UnsafeRawBufferPointer(memory)) }
    let handle = Uncheckedly(JSHandle(value, in: context))
    // The closure owns the handle; a handle may end on any thread.
    return Bytes(storage: Bytes.Storage(UnsafeRawBufferPointer(memory)) { _ = handle })
  }

  private func startAsync(_ action: BoundAction, _ frame: borrowing JSCallFrame) -> JSValue {
    let timeout = mailbox.takeTimeout()
    let state = timeout.map { CallState(deadline: .now + .milliseconds($0)) }
    let outcome: CourierPool.Outcome
    do {
      guard let body = action.asyncAction else { return frame.undefined }
      outcome = try withInput(frame) { couriers.run(body, $0, state) }
    } catch { outcome = .answered(.failure(error)) }
    switch outcome {
    case .answered(.success(let output)): return answer(output, frame)
    case .answered(.failure(let error)): return answer(failure: error, action, frame)
    case .away(let courier):
      let record = makeRecord(action, timeout: timeout, state: state ?? CallState())
      record.task = courier?.task
      courier?.call = record
      return park(record, frame)
    }
  }

  private func startForeign(_ action: BoundAction, _ frame: borrowing JSCallFrame) -> JSValue {
    let timeout = mailbox.takeTimeout()
    do {
      guard let run = action.run else { throw BridgeError(.unavailable, "'\(action.name)' is not started") }
      let call = run.nextCall()
      let deadline = timeout.map { ContinuousClock.now + .milliseconds($0) }
      if let output = try withInput(frame, { try run.begin(action.index, call, deadline, $0, sink) }) {
        return answer(output, frame)
      }
      let record = makeRecord(action, timeout: timeout, state: CallState(deadline: deadline, number: call))
      run.await(call, record)
      return park(record, frame)
    } catch { return answer(failure: error, action, frame) }
  }

  private func startDetached(
    _ action: BoundAction, _ body: @escaping @Sendable (WireInput, Call, WireSink) throws -> WireOutput,
    _ frame: borrowing JSCallFrame
  ) -> JSValue {
    let record = makeRecord(action, timeout: mailbox.takeTimeout())
    let text: [UInt8]
    let attachments: [Bytes]
    do {
      (text, attachments) = try withInput(frame) { (Array($0.text), $0.attachments) }
    } catch { return refuse(record, error, frame) }
    let value = park(record, frame)
    loop.awaitedReplies += 1
    let back = Uncheckedly((self, record))  // touched again on the loop's thread only
    let call = Call(app: action.call.app, state: record.state)
    let pool = action.declaration.isBlocking ? waitingPool : pool
    pool.submit { [loop] scratch in
      let reply = scratch.run(body, text, attachments, call)
      loop.post {
        let (bridge, record) = back.value
        bridge.loop.awaitedReplies -= 1
        bridge.deliver(record, reply)
      }
    }
    return value
  }

  // MARK: - A call waits

  func makeRecord(_ action: BoundAction, timeout: Int?, state: CallState? = nil) -> CallRecord {
    let deadline = timeout.map { ContinuousClock.now + .milliseconds($0) }
    let record = CallRecord(
      action: action,
      state: state ?? CallState(deadline: deadline, number: action.run?.nextCall() ?? 0),
      started: loop.clock.now, bridge: self)
    record.run = action.run
    if let timeout {
      record.deadline = loop.schedule(at: loop.clock.now + timeout * 1000) { [unowned self, unowned record] in
        expire(record, milliseconds: timeout)
      }
    }
    return record
  }

  /// Answers a call that could not begin.
  func refuse(_ record: CallRecord, _ error: any Error, _ frame: borrowing JSCallFrame) -> JSValue {
    if let timer = record.deadline { loop.cancel(timer) }
    return answer(failure: error, record.action, frame)
  }

  /// Gives the call a slot and says so to the script.
  func park(_ record: CallRecord, _ frame: borrowing JSCallFrame) -> JSValue {
    let slot = calls.insert(record)
    progress &+= 1
    if record.holds { loop.holds += 1 }
    lastCalls?.append(record)
    mailbox.answer(.pending, slot: slot)
    return frame.undefined
  }

  func deliver(_ record: CallRecord, _ result: Result<Reply, any Error>) {
    if case .failure = result { sink.reset() }
    guard let slot = record.slot else { return }
    calls.remove(slot)
    if let timer = record.deadline { loop.cancel(timer) }
    guard record.life.handlerFinished() else { return }
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

  /// The script's signal fired: its promise is settled already, the handler is told to stop.
  func cancel(slot: Int) {
    guard let record = calls[slot], record.life.abandon() else { return }
    stop(record)
    observer?.settled(
      record.observation(
        Reply(BridgeError(.cancelled, "cancelled"), action: record.action), at: loop.clock.now))
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
  func abandonAll(_ error: BridgeError) {
    for record in calls.open { abandon(record, error) }
  }

  /// Tells every handler that nobody waits any more. For the end of the program.
  func cancelAll() {
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
    record.task?.cancel()
    record.watch?.stop()
    record.run?.cancel(record.state.number)
  }

  // MARK: - Replies go out

  func watchHasEvents(_ record: CallRecord) {
    dirtyWatches.append(record)
    loop.wantsRound = true
  }

  func send(_ slot: Int, _ reply: Reply) {
    progress &+= 1
    outbox.append((slot, reply))
    loop.wantsRound = true
  }

  /// Whether replies wait while a script is being stopped, which would take none: at a prompt, which goes on.
  var waitsWhileStopped = false

  /// The calls that are begun at the end, as long as they are gathered.
  var lastCalls: [CallRecord]?

  /// The script is over: what is settled from now on reaches nobody.
  var isClosed = false

  /// Hands everything that waits to the script, in as few calls as possible. Runs once per round of the loop.
  func flush() {
    if isClosed { return }
    if waitsWhileStopped, context.machine.interrupter.isRequested { return }
    loop.wantsRound = false
    if outbox.isEmpty, dirtyWatches.isEmpty { calls.reuseRetired() }
    while !outbox.isEmpty || !dirtyWatches.isEmpty {
      if !dirtyWatches.isEmpty { collectEvents() }
      let replies = outbox
      outbox.removeAll(keepingCapacity: true)
      var done = 0
      while done < replies.count {
        let count = min(Mailbox.batch, replies.count - done)
        // Between two pieces the script runs and makes calls: theirs must not be slots of replies that come after.
        if done + count == replies.count { calls.reuseRetired() }
        handOver(replies[done..<done + count])
        done += count
      }
      if replies.count > 4096 { outbox = [] }
    }
  }

  private func collectEvents() {
    let watches = dirtyWatches
    dirtyWatches = []
    for record in watches where record.life.isRunning {
      if let slot = record.slot { record.watch?.flush(slot, self) }
    }
  }

  private func handOver(_ replies: ArraySlice<(slot: Int, reply: Reply)>) {
    guard let settle else { return }
    let start = replies.startIndex
    for (index, entry) in replies.enumerated() { mailbox.put(index, entry.slot, entry.reply.kind) }
    do {
      try context.call(settle.value, count: replies.count) { index in
        replies[start + index].reply.value(in: context)
      }
    } catch {
      // `settle` runs no code of the script's; only an interrupt ends it, and then the program ends.
    }
  }

  // MARK: - Answers inside the call

  func answer(_ output: WireOutput, _ frame: borrowing JSCallFrame) -> JSValue {
    switch output {
    case .undefined:
      mailbox.answer(.value)
      return frame.undefined
    case .bool(let value):
      mailbox.answer(.value)
      return frame.make(value)
    case .number(let value):
      mailbox.answer(.value)
      return frame.make(value)
    case .string(let text):
      mailbox.answer(.value)
      return frame.make(text)
    case .bytes(let bytes):
      mailbox.answer(.value)
      return context.make(bytes)
    case .text:
      defer { sink.reset() }
      guard sink.attachments.isEmpty else {
        mailbox.answer(.mixed)
        return Reply(sink).value(in: context)
      }
      mailbox.answer(sink.isTagged ? .tagged : .text)
      return frame.make(terminated: sink.terminated, count: sink.count)
    }
  }

  func answer(failure error: any Error, _ action: BoundAction?, _ frame: borrowing JSCallFrame) -> JSValue {
    sink.reset()
    _ = mailbox.takeTimeout()
    ErrorText.write(BridgeError(wrapping: error), action: action, into: sink)
    defer { sink.reset() }
    mailbox.answer(.failure)
    return frame.make(utf8: sink.text)
  }

  /// The same with an observer beside it; the fast path doesn't pay for it.
  private func observed(_ action: BoundAction, _ frame: borrowing JSCallFrame) -> JSValue {
    let started = loop.clock.now
    observer?.received(action)
    let value = start(action, frame)
    if mailbox.kind != .pending {
      let failed = mailbox.kind == .failure
      observer?.settled(
        CallObservation(
          service: action.service, action: action.declaration.name, kind: action.declaration.kind.rawValue,
          microseconds: loop.clock.now - started, failed: failed, code: failed ? code(of: value) : nil))
    }
    return value
  }

  private func code(of failure: JSValue) -> String? {
    var code: String?
    _ = failure.readUTF8 { code = Reply.failureCode(in: Array($0)) }
    return code
  }
}
