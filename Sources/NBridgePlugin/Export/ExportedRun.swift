// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
internal import Glibc
internal import NBridgeSystem
internal import Synchronization

/// A started plugin behind its table: runs the calls that come over it.
///
/// Calls of immediate and async actions and of watches come on the engine's thread, those of detached actions
/// on the host's workers.
final class ExportedRun: @unchecked Sendable {
  // Sendable because all but `open` is constant or touched on the engine's thread only.
  let host: ExportedHost
  private let plugin: any Plugin
  private let actions: [ExportedAction]
  /// The same, not counted: the array above keeps them.
  private let table: UnsafeMutableBufferPointer<Unmanaged<ExportedAction>>
  private let app: AppEnvironment
  private let loop: ExportedLoop
  private let sink = WireSink()
  private let taskPool: TaskPool
  /// The calls that answered "pending", and detached ones that run.
  private let open = Mutex<OpenCalls>(OpenCalls())
  /// The streams and functions that calls were given, until the host says that the call is over.
  private let inlets = Mutex<[UInt64: ExportedInlets]>([:])

  private struct OpenCalls {
    var calls: [UInt64: ExportedCall] = [:]
    var early = EarlyCancels()

    /// Notes a call. Answers whether it has been cancelled meanwhile.
    mutating func insert(_ call: ExportedCall) -> Bool {
      calls[call.number] = call
      return early.contains(call.number)
    }

    mutating func cancelled(_ number: UInt64) -> ExportedCall? {
      if let call = calls[number] { return call }
      early.insert(number)
      return nil
    }
  }

  /// The last calls that were cancelled before they were seen here: a worker may be on its way with one. Most
  /// of them never come.
  private struct EarlyCancels {
    private var numbers: Set<UInt64> = []
    private var line = FIFO<UInt64>()
    private static let most = 4096

    mutating func insert(_ number: UInt64) {
      guard numbers.insert(number).inserted else { return }
      line.append(number)
      if line.count > Self.most, let oldest = line.popFirst() { numbers.remove(oldest) }
    }

    func contains(_ number: UInt64) -> Bool { numbers.contains(number) }
  }

  init(_ plugin: any Plugin, _ start: nbridge_start) throws {
    self.plugin = plugin
    host = ExportedHost(start)
    loop = ExportedLoop(host, sink)
    let text = UnsafeRawBufferPointer(start: start.environment, count: Int(start.environment_size))
    let told = try WireDecoder.decode(
      ForeignEnvironment.self, text.assumingMemoryBound(to: UInt8.self), root: "environment")
    let app = AppEnvironment(
      info: told.app, container: Container(path: told.container), bundle: told.bundle,
      arguments: told.arguments,
      registeredDefaults: told.registeredDefaults, shared: told.shared, schemes: told.schemes,
      settings: told.settings, service: told.service ?? "", host: host)
    self.app = app
    actions = plugin.body.members.map { [sink] in ExportedAction($0, app, sink) }
    table = .allocate(capacity: actions.count)
    _ = table.initialize(from: actions.map { Unmanaged.passUnretained($0) })
    taskPool = TaskPool(loop: loop, sink: sink)
    try plugin.start(app)
  }

  deinit { table.deallocate() }

  @inline(__always)
  static func with<R>(_ state: UnsafeMutableRawPointer?, _ body: (ExportedRun) -> R) -> R? {
    guard let state else { return nil }
    return Unmanaged<ExportedRun>.fromOpaque(state)._withUnsafeGuaranteedRef(body)
  }

  func stop() {
    for call in open.withLock({ Array($0.calls.values) }) { call.cancel() }
    app.handles.closeAll()
    plugin.stop()
    // The last detached call may have come back on its own thread.
    if loop.isCurrent { taskPool.end() }
    host.finish()
  }

  // MARK: - A call

  func call(_ request: UnsafePointer<nbridge_request>, _ answer: UnsafeMutablePointer<nbridge_value>)
    -> UInt32
  {
    let index = Int(request.pointee.action)
    guard index < table.count else {
      answer.pointee.fill(
        failure: BridgeError(.invalidActionName, "the plugin has no action of number \(index)"), WireSink(),
        keepsSink: true)
      return UInt32(NBRIDGE_ANSWERED)
    }
    return table[index]._withUnsafeGuaranteedRef { action in
      if let immediate = action.immediate {
        immediate(request, answer)
        return UInt32(NBRIDGE_ANSWERED)
      }
      return start(action, request, answer)
    }
  }

  private func start(
    _ action: ExportedAction, _ request: UnsafePointer<nbridge_request>,
    _ answer: UnsafeMutablePointer<nbridge_value>
  ) -> UInt32 {
    switch action.runner {
    case .immediate, .foreign: return UInt32(NBRIDGE_ANSWERED)  // seen to above; only in a host
    case .async: return startAsync(action, request, answer)
    case .detached(let body): return runDetached(body, request, answer)
    case .watch(let start): return startWatch(start, request, answer)
    }
  }

  @inline(__always)
  private func respond(_ answer: UnsafeMutablePointer<nbridge_value>, _ body: () throws -> WireOutput)
    -> UInt32
  {
    do { answer.pointee.fill(try body(), sink) } catch { answer.pointee.fill(failure: error, sink) }
    return UInt32(NBRIDGE_ANSWERED)
  }

  private func startAsync(
    _ action: ExportedAction, _ request: UnsafePointer<nbridge_request>,
    _ answer: UnsafeMutablePointer<nbridge_value>
  ) -> UInt32 {
    guard let body = action.async else { return UInt32(NBRIDGE_ANSWERED) }
    loop.enter()
    let input = input(request.pointee)
    let progress = input.attachments.isEmpty ? nil : input.attachments.progress
    let state =
      request.pointee.isPlain && progress == nil ? nil : CallState(request.pointee, progress)
    switch taskPool.run(body, input, state) {
    case .answered(let result): return respond(answer) { try result.get() }
    case .away(let pooled):
      let call = ExportedCall(request.pointee.call, state ?? CallState(request.pointee), self)
      call.task = pooled.task
      pooled.call = call
      _ = open.withLock { $0.insert(call) }
      return UInt32(NBRIDGE_PENDING)
    }
  }

  private func runDetached(
    _ body: (WireInput, Call, WireSink) throws -> WireOutput, _ request: UnsafePointer<nbridge_request>,
    _ answer: UnsafeMutablePointer<nbridge_value>
  ) -> UInt32 {
    let input = input(request.pointee)
    let state = CallState(request.pointee, input.attachments.progress)
    let call = ExportedCall(request.pointee.call, state, self)
    if open.withLock({ $0.insert(call) }) { call.state.cancel() }
    // A sink of its own: several run at once.
    let sink = WireSink()
    do {
      let output = try body(input, Call(app: app, state: call.state), sink)
      answer.pointee.fill(output, sink, keepsSink: true)
    } catch { answer.pointee.fill(failure: error, sink, keepsSink: true) }
    forget(call)
    return UInt32(NBRIDGE_ANSWERED)
  }

  private func startWatch(
    _ start: (WireInput, Call) throws -> any EventSource, _ request: UnsafePointer<nbridge_request>,
    _ answer: UnsafeMutablePointer<nbridge_value>
  ) -> UInt32 {
    loop.enter()
    let call = ExportedCall(request.pointee.call, CallState(request.pointee), self)
    let watch: ExportedWatch
    do {
      let source = try start(input(request.pointee), Call(app: app, state: call.state))
      watch = ExportedWatch(call.number, source, credit: Int(request.pointee.credit), host, loop)
    } catch { return respond(answer) { throw error } }
    call.watch = watch
    _ = open.withLock { $0.insert(call) }
    let work = UncheckedSendable((watch, call, self))  // stays on the engine's thread, which the actor is
    call.task = loop.startTask { actor in
      let (watch, call, run) = work.value
      do {
        try await watch.run(on: actor)
        run.settle(call, .success(.undefined))
      } catch { run.settle(call, .failure(error)) }
    }
    return UInt32(NBRIDGE_PENDING)
  }

  // MARK: - Later

  /// Hands over the answer of a call that was pending; its text is in the sink.
  func settle(_ call: ExportedCall, _ result: Result<WireOutput, any Error>) {
    forget(call)
    var answer = nbridge_value()
    switch result {
    case .success(let output): answer.fill(output, sink)
    case .failure(let error): answer.fill(failure: error, sink)
    }
    host.settle(call.number, &answer)
    sink.reset()
  }

  private func forget(_ call: ExportedCall) {
    open.withLock { _ = $0.calls.removeValue(forKey: call.number) }
  }

  func cancel(_ number: UInt64) {
    loop.enter()
    open.withLock { $0.cancelled(number) }?.cancel()
  }

  func grant(_ number: UInt64, _ events: Int) {
    loop.enter()
    open.withLock { $0.calls[number] }?.watch?.grant(events)
  }

  /// Something came of a stream or function that a call was given.
  func feed(_ number: UInt64, _ feed: nbridge_feed) {
    loop.enter()
    guard let given = inlets.withLock({ $0[number] }) else { return }
    if !given.take(feed) { inlets.withLock { _ = $0.removeValue(forKey: number) } }
  }

  /// What the call hands over. The text is readable until the call returns.
  @inline(__always)
  private func input(_ request: nbridge_request) -> WireInput {
    request.option.bytes_count == 0 ? request.plainInput : inputWithBytes(request)
  }

  private func inputWithBytes(_ request: nbridge_request) -> WireInput {
    let given = ExportedInlets(request.call, host, loop)
    let (bytes, hasInlets) = given.takeBytes(request.option)
    if hasInlets { inlets.withLock { $0[request.call] = given } }
    return WireInput(text: request.option.utf8, attachments: bytes)
  }
}

/// An action with what every call of it needs worked out once.
private final class ExportedAction {
  let runner: Runner
  let call: Call
  let async: AsyncAction?
  /// Answers a call of an immediate action. Holds all that it needs, so that nothing is counted on the way.
  let immediate: ((UnsafePointer<nbridge_request>, UnsafeMutablePointer<nbridge_value>) -> Void)?

  init(_ declaration: Declaration, _ app: AppEnvironment, _ sink: WireSink) {
    runner = declaration.runner
    let call = Call(app: app)
    self.call = call
    if case .immediate(let body) = runner {
      immediate = { request, answer in
        sink.reset()
        let session = request.pointee.session
        let call = session == call.session ? call : Call(app: call.app, session: session)
        do { answer.pointee.fill(try body(request.pointee.input, call, sink), sink) } catch {
          answer.pointee.fill(failure: error, sink)
        }
      }
    } else {
      immediate = nil
    }
    if case .async(let body) = runner { async = AsyncAction(body, call) } else { async = nil }
  }
}

/// A call under way.
final class ExportedCall: AwaitedCall, @unchecked Sendable {
  // Sendable because `task` and `watch` are set and read on the engine's thread only.
  let number: UInt64
  let state: CallState
  var task: Task<Void, Never>?
  var watch: ExportedWatch?
  private let run: ExportedRun

  init(_ number: UInt64, _ state: CallState, _ run: ExportedRun) {
    self.number = number
    self.state = state
    self.run = run
  }

  func finish(_ answer: Result<WireOutput, any Error>) { run.settle(self, answer) }

  func cancel() {
    state.cancel()
    task?.cancel()
    watch?.stop()
  }
}

extension nbridge_request {
  /// Whether a call has no deadline and is one of the script's: its handler needs no state of its own.
  fileprivate var isPlain: Bool { deadline == 0 && session <= CallState.firstSession }

  /// What a call without bytes hands over. The text is readable until the call returns.
  fileprivate var plainInput: WireInput { WireInput(text: option.utf8, attachments: []) }

  /// What a call hands over whose handler can't await what comes from the script.
  fileprivate var input: WireInput {
    option.bytes_count == 0 ? plainInput : WireInput(text: option.utf8, attachments: option.takeBytes())
  }
}

extension Int {
  fileprivate func multipliedClamping(by factor: Int) -> Int {
    let (product, isPast) = multipliedReportingOverflow(by: factor)
    return isPast ? (self < 0 ? .min : .max) : product
  }

  /// The nearest end of the range for what is past it.
  fileprivate func addingClamping(_ other: Int) -> Int {
    let (sum, isPast) = addingReportingOverflow(other)
    return isPast ? (self < 0 ? .min : .max) : sum
  }
}

extension CallState {
  /// The state of a call that came over the table, whose deadline counts by CLOCK_MONOTONIC.
  fileprivate convenience init(_ request: nbridge_request, _ progress: (any ProgressListener)? = nil) {
    self.init(
      deadline: Self.instant(request.deadline), number: request.call, session: request.session,
      progress: progress)
  }

  /// A moment of CLOCK_MONOTONIC in nanoseconds; nil for 0, which is never.
  package static func instant(_ deadline: UInt64) -> ContinuousClock.Instant? {
    if deadline == 0 { return nil }
    let left = Int64(clamping: deadline) - Int64(MonotonicTime.nanoseconds)
    return .now + .nanoseconds(left)
  }

  /// The same the other way: never 0.
  package static func monotonic(_ deadline: ContinuousClock.Instant) -> UInt64 {
    let now = Int64(MonotonicTime.nanoseconds)
    let (seconds, attoseconds) = ContinuousClock.now.duration(to: deadline).components
    let (whole, rest) = (Int(seconds).multipliedClamping(by: 1_000_000_000), Int(attoseconds / 1_000_000_000))
    return UInt64(max(1, whole.addingClamping(rest).addingClamping(Int(now))))
  }
}
