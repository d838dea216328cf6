// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeRecording

/// The engine's front end of a ``CallSession``: native functions that scripts call, and replies as JavaScript
/// values. An answer that is there when the handler returns is what the native function returns. Confined to
/// the engine's thread.
final class Bridge: SessionClient {
  let context: JSContext
  let session: CallSession
  /// Shared with `www/nbridge.js`: see ``CallRegisters``.
  let registers: CallRegisters
  private var settle: JSHandle?
  /// The recording or replay between the script and the plugins; nil without one.
  var tape: (any ProgramTape)?
  /// Whether replies wait while a script is being stopped, which would take none: at a prompt, which goes on.
  var waitsWhileStopped = false
  /// Called when a hand-over to the script failed.
  var onFailure: (JSException) -> Void = { _ in }

  private let loop: EventLoop
  /// Those of ``Lateness``, and what each counts.
  private let answers: UnsafeMutablePointer<UInt8>
  private let answerWeight = Lateness.weight
  private let sink: WireSink

  init(context: JSContext, session: CallSession) {
    self.context = context
    self.session = session
    (loop, sink, answers) = (session.loop, session.host.sink, session.loop.lateness.answers.memory)
    registers = CallRegisters(context)
    session.client = self
    loop.onEnd = registers.noteEnd
  }

  deinit { session.client = nil }

  /// Names the JavaScript function that takes replies.
  func connect(settle: JSValue) { self.settle = JSHandle(settle, in: context) }

  // MARK: - A call arrives

  /// Finds an action for the script: its native function, with what the script must know in the registers.
  ///
  /// - Parameter forPlugin: whether a plugin's own script asks, which sees hidden actions.
  func bind(_ service: String, _ name: String, forPlugin: Bool, _ frame: borrowing JSCallFrame) -> JSValue {
    do {
      let action =
        try tape?.bound(service, name, forPlugin: forPlugin, in: session) {
          try find(service, name, forPlugin)
        } ?? find(service, name, forPlugin)
      registers.describe(action.bound.declaration)
      return makeFunction(for: action)
    } catch { return answer(failure: error, nil, frame) }
  }

  private func find(_ service: String, _ name: String, _ forPlugin: Bool) throws -> SessionAction {
    let action = try session.action(service, name)
    if !action.bound.declaration.isPublic, !forPlugin { throw session.host.plugins.unknown(service, name) }
    return action
  }

  /// Makes the native function of one action.
  private func makeFunction(for action: SessionAction) -> JSValue {
    // The functions end with the context, which the bridge keeps alive and which runs only through the
    // bridge. A reference would be counted up and down in each call.
    let bridge = Unmanaged.passUnretained(self)
    if case .detached(let body) = action.bound.declaration.runner {
      return JSFunction.make(in: context) { frame throws(JSException) in
        bridge._withUnsafeGuaranteedRef { $0.begin(detached: body, action, frame) }
      }
    }
    guard case .immediate(let body) = action.bound.declaration.runner else {
      // Closing an object is more than its handler.
      guard let body = action.asyncAction, action.bound.declaration.handle?.closes != true else {
        return JSFunction.make(in: context) { frame throws(JSException) in
          bridge._withUnsafeGuaranteedRef { $0.begin(action, frame) }
        }
      }
      return JSFunction.make(in: context) { frame throws(JSException) in
        bridge._withUnsafeGuaranteedRef { bridge in
          if bridge.takesLongWay(action) { return bridge.begin(action, frame) }
          return bridge.begin(action, frame) { try bridge.session.begin(body, action, $0, $1) }
        }
      }
    }
    // The closure holds what a call needs, so that nothing is counted on the way to it.
    let (call, sink) = (action.call, sink)
    return JSFunction.make(in: context) { frame throws(JSException) in
      bridge._withUnsafeGuaranteedRef { bridge in
        if bridge.takesLongWay(action) { return bridge.begin(action, frame) }
        do { return bridge.answer(try bridge.withInput(frame) { try body($0, call, sink) }, frame) } catch {
          return bridge.answer(failure: error, action.bound, frame)
        }
      }
    }
  }

  /// Whether a call has to go through ``CallSession/begin(_:_:_:)``. Here and not there, because a call into
  /// another module costs nanoseconds that each call of a script would pay.
  @inline(__always)
  private func takesLongWay(_ action: SessionAction) -> Bool {
    if session.isWatched.memory.pointee || action.isDenied.memory.pointee { return true }
    answers.pointee &+= answerWeight
    return answers.pointee == 0 && session.isNowOverdue()
  }

  /// Runs inside the script's call. Answers the value, with its kind in the registers.
  private func begin(_ action: SessionAction, _ frame: borrowing JSCallFrame) -> JSValue {
    begin(action, frame) { session.begin(action, $0, $1) }
  }

  @inline(__always)
  private func begin(
    _ action: SessionAction, _ frame: borrowing JSCallFrame, _ body: (WireInput, CallControl) throws -> Begun
  ) -> JSValue {
    let control = registers.takeControl()
    let waiting = loop.waitingJobs
    let value: JSValue
    do {
      switch try withInput(frame, { try body($0, control) }) {
      case .answered(let output): value = answer(output, frame)
      case .failed(let error): value = answer(failure: error, action.bound, frame)
      case .pending(let slot):
        registers.answer(.pending, slot: slot)
        return frame.undefined
      }
    } catch { value = answer(failure: error, action.bound, frame) }
    if session.takeIsBehind() { registers.putBehind() }
    // The answer is the engine's by now: what the handler set going may run.
    if loop.waitingJobs > waiting { loop.runWaiting(to: waiting) }
    return value
  }

  /// The shortest way of a detached action, which never answers inside of the call.
  @inline(__always)
  private func begin(
    detached body: @escaping @Sendable (WireInput, Call, WireSink) throws -> WireOutput,
    _ action: SessionAction,
    _ frame: borrowing JSCallFrame
  ) -> JSValue {
    if takesLongWay(action) { return begin(action, frame) }
    let control = registers.takeControl()
    do {
      let slot = try withInput(frame) { session.begin(detached: body, action.bound, $0, control) }
      registers.answer(.pending, slot: slot)
      return frame.undefined
    } catch { return answer(failure: error, action.bound, frame) }
  }

  /// Calls `body` with what the script handed over: text first, then bytes. Inlined, or what `body` holds
  /// would be counted.
  @inline(__always)
  private func withInput<R>(_ frame: borrowing JSCallFrame, _ body: (WireInput) throws -> R) throws -> R {
    if frame.count == 0 { return try body(.none) }
    var result: R?
    if frame.count == 1 {
      _ = try frame[0].readUTF8 { result = try body(WireInput(text: $0, attachments: [])) }
    } else {
      var streams: CallStreams?
      defer { streams?.callReturned() }
      let attachments = try (1..<frame.count).map { try borrow(frame[$0], at: $0 - 1, &streams) }
      _ = try frame[0].readUTF8 { result = try body(WireInput(text: $0, attachments: attachments)) }
    }
    guard let result else {
      throw BridgeError(.invalidParameter, "option holds half of a character (a lone surrogate)")
    }
    return result
  }

  /// The script's bytes: small ones are copied, large ones are kept alive and read in place. `www/nbridge.js`
  /// hands over no large ones that could move, shrink or be shared: it copies those.
  private func borrow(_ value: JSValue, at index: Int, _ streams: inout CallStreams?) throws -> Bytes {
    guard let memory = value.bytes else {
      // A number stands where a stream or function of the script's is: see `Bridge/js/streams.js`.
      let isProgress = value.number == Double(-1 - index)
      if isProgress || value.number == Double(index) {
        let given = streams ?? CallStreams(session)
        streams = given
        return given.add(at: index, isProgress: isProgress)
      }
      throw BridgeError(.invalidParameter, "option holds bytes of a kind that can't cross the bridge")
    }
    if memory.count <= Self.largestCopied { return Bytes(UnsafeRawBufferPointer(memory)) }
    let handle = UncheckedSendable(JSHandle(value, in: context))
    // The closure owns the handle; a handle may end on any thread.
    return Bytes(storage: Bytes.Storage(UnsafeRawBufferPointer(memory), isLent: true) { _ = handle })
  }

  /// `COPIED` in `www/nbridge.js`.
  private static let largestCopied = 4096

  // MARK: - Replies go out

  var takesReplies: Bool { !(waitsWhileStopped && context.machine.interrupter.isRequested) }

  /// Hands replies to the script, in as few calls as possible.
  func deliver(_ replies: inout [SlotReply]) {
    var done = 0
    while done < replies.count {
      let count = min(CallRegisters.batch, replies.count - done)
      // Between two pieces the script runs and makes calls: theirs must not be slots of replies that come
      // after.
      if done + count == replies.count { session.reuseSlots() }
      handOver(&replies, done..<done + count)
      done += count
    }
  }

  private func handOver(_ replies: inout [SlotReply], _ range: Range<Int>) {
    guard let settle else { return }
    registers.putPiece(isFirst: range.lowerBound == 0, isLast: range.upperBound == replies.count)
    for (index, place) in range.enumerated() {
      registers.put(index, replies[place].slot, replies[place].reply.kind)
    }
    do {
      try context.call(settle.value, count: range.count) { index in
        replies[range.lowerBound + index].reply.take(in: context)
      }
    } catch {
      // Each entry's faults stay with it: what comes out here is the end of the script, or a fault of ours to
      // be told.
      onFailure(error)
    }
  }

  // MARK: - Answers inside the call

  private func answer(_ output: consuming WireOutput, _ frame: borrowing JSCallFrame) -> JSValue {
    switch consume output {
    case .undefined:
      registers.answer(.value)
      return frame.undefined
    case .bool(let value):
      registers.answer(.value)
      return frame.make(value)
    case .number(let value):
      registers.answer(.value)
      return frame.make(value)
    case .string(let text):
      registers.answer(.value)
      return frame.make(text)
    case .bytes(let bytes):
      loop.lateness.lookNext()
      registers.answer(.value)
      return context.make(bytes)
    case .text:
      defer { sink.reset() }
      guard sink.attachments.isEmpty else {
        loop.lateness.lookNext()
        registers.answer(.mixed)
        var reply = Reply(sink)
        return reply.take(in: context)
      }
      registers.answer(sink.isTagged ? .tagged : .text)
      return frame.make(terminated: sink.terminated, count: sink.count)
    }
  }

  /// Answers a failure; `action` is named in it.
  func answer(failure error: any Error, _ action: BoundAction?, _ frame: borrowing JSCallFrame) -> JSValue {
    sink.reset()
    ErrorText.write(BridgeError(wrapping: error), action: action, into: sink)
    defer { sink.reset() }
    registers.answer(.failure)
    return frame.make(utf8: sink.text)
  }
}
