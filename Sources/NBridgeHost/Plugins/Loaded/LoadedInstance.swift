// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import CNBridgePlugin
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// A started plugin of a library: calls go through its table, answers come back through ``HostTable``.
final class LoadedInstance: PluginInstance, @unchecked Sendable {
  // Sendable because all but `watches` and `workers` is constant after the start or touched on the engine's
  // thread only.

  let service: String
  let table: UnsafePointer<nbridge_plugin>
  /// What the plugin's `start` made.
  @exclusivity(unchecked) var state: UnsafeMutableRawPointer?
  let loop: EventLoop
  let host: any LibraryHost
  /// What a plugin in a process of its own may use: set before the start.
  var container: Container?
  var grants = PluginGrants()
  /// What the plugin knows this run by.
  private(set) var context: UInt = 0

  @exclusivity(unchecked) private var lastCall: UInt64 = 0
  /// Calls that answered "pending", by their number.
  @exclusivity(unchecked) private var pending: [UInt64: any AwaitingReply] = [:]
  /// The calls that were told that no caller waits, and have not settled yet.
  @exclusivity(unchecked) private var cancelled: Set<UInt64> = []
  /// The call whose handler is just being asked, with its answer if that came before "pending" did.
  @exclusivity(unchecked) private var beginning: (call: UInt64, early: Result<Reply, any Error>?) = (0, nil)
  private let watches = Mutex<[UInt64: LoadedEvents]>([:])
  /// Where the engine's thread is in the plugin.
  private let mark: NativeMark
  /// The ways to the script of the calls that were given streams or functions.
  let links = Mutex<[UInt64: OpenLink]>([:])
  private let workers = Mutex<Workers>(Workers())

  /// What the plugin wants to run on the engine's thread; nil once it is stopped.
  private let posted = Mutex<[PostedWork]?>([])

  private struct Workers {
    var running = 0
    var isStopped = false
  }

  /// A function of the plugin's, made to be carried.
  struct PostedWork: @unchecked Sendable {
    // Sendable because the header lets it be handed over on any thread and run on the engine's.
    let run: @convention(c) (UnsafeMutableRawPointer?) -> Void
    let data: UnsafeMutableRawPointer?
  }

  init(_ library: PluginLibrary, _ loop: EventLoop, _ host: any LibraryHost) {
    service = library.service
    table = library.table
    self.loop = loop
    self.host = host
    mark = NativeMark(library, host)
    if !library.isIsolated { NativeCalls.watchCrashes() }
    context = HostTable.register(self)
    lastCall = UInt64(context) << Self.numberBits
  }

  // MARK: - Life

  /// Starts the plugin; on any thread, while no other thread uses the run.
  func startTable(_ environment: [UInt8]) throws -> UnsafeMutableRawPointer? {
    guard let context = UnsafeMutableRawPointer(bitPattern: context) else { return nil }
    return try environment.withUnsafeBytes { text in
      let bytes = text.bindMemory(to: CChar.self)
      let empty: StaticString = "{}"
      var start = nbridge_start(
        size: UInt32(MemoryLayout<nbridge_start>.size), reserved: 0, host: HostTable.functions,
        context: context,
        environment: bytes.baseAddress
          ?? UnsafeRawPointer(empty.utf8Start).assumingMemoryBound(to: CChar.self),
        environment_size: UInt64(text.count))
      var state: UnsafeMutableRawPointer?
      var failure = nbridge_value()
      let isStarted = mark.here { table.pointee.start(table, &start, &state, &failure) != 0 }
      if isStarted { return state }
      _ = try failure.take(into: WireSink())
      throw BridgeError(.unknownError, "it failed and did not say why")
    }
  }

  /// Ends the plugin: now, or when the last of its calls on a worker has come back.
  func stop() {
    cancelOpen()
    endLinks()
    finishPosted()
    rejectOpen()
    HostTable.unregister(context)
    let isIdle = workers.withLock { workers in
      defer { workers.isStopped = true }
      return workers.running == 0 && !workers.isStopped
    }
    if isIdle { stopTable() }
  }

  /// Cancels every call that is open: its caller no longer waits.
  private func cancelOpen() {
    for call in pending.keys.sorted() + watches.withLock({ $0 }).keys.sorted() { cancel(call) }
  }

  /// A plugin is stopped without open calls: the calls that it did not settle by itself are over now.
  private func rejectOpen() {
    for (call, record) in pending.sorted(by: { $0.key < $1.key }) {
      pending[call] = nil
      record.finish(Result<Reply, any Error>.failure(Self.stopped))
    }
    watches.withLock { $0 = [:] }
  }

  static var stopped: BridgeError { BridgeError(.cancelled, "the plugin was stopped") }

  // MARK: - The engine's thread, lent

  /// Runs `work` soon on the engine's thread. False when it never will be.
  func post(_ work: PostedWork) -> Bool {
    let isFirst = posted.withLock { waiting -> Bool? in
      guard waiting != nil else { return nil }
      waiting?.append(work)
      return waiting?.count == 1
    }
    guard let isFirst else { return false }
    // A loop that is closed runs nothing any more; what waits is run or dropped by `stop`.
    if isFirst { loop.post { [self] in runPosted() } }
    return true
  }

  /// Runs what was posted, all of it; what that posts has its turn later.
  private func runPosted() {
    let works = posted.withLock { waiting -> [PostedWork] in
      defer { if waiting != nil { waiting = [] } }
      return waiting ?? []
    }
    for work in works { mark.duringWork { work.run(work.data) } }
  }

  /// What was posted before the stop runs before it, and what is posted from now on never will.
  private func finishPosted() {
    // What goes on posting for ever is not waited for.
    for _ in 0..<LoopLimits.jobsInline where posted.withLock({ $0?.isEmpty == false }) { runPosted() }
    posted.withLock { $0 = nil }
  }

  private func stopTable() {
    defer {
      HostTable.forget(context)
      mark.remove()
    }
    guard let state else { return }
    self.state = nil
    stopTable(state)
  }

  /// Ends what a start made.
  func stopTable(_ state: UnsafeMutableRawPointer) { mark.here { table.pointee.stop(state) } }

  func enter(_ phase: LifecycleState) {
    guard let tell = table.pointee.lifecycle else { return }
    let number =
      switch phase {
      case .active: NBRIDGE_ACTIVE
      case .background: NBRIDGE_BACKGROUND
      case .terminating: NBRIDGE_TERMINATING
      }
    holding { mark.here { tell(state, UInt32(number)) } }
  }

  /// Runs `body` and keeps the plugin from being stopped meanwhile; on any thread. nil when it is stopped
  /// already.
  @discardableResult
  private func holding<R>(_ body: () throws -> R) rethrows -> R? {
    let runs = workers.withLock { workers in
      if !workers.isStopped { workers.running += 1 }
      return !workers.isStopped
    }
    guard runs else { return nil }
    defer {
      let isLast = workers.withLock { workers in
        workers.running -= 1
        return workers.running == 0 && workers.isStopped
      }
      if isLast { stopTable() }
    }
    return try body()
  }

  // MARK: - Calls out

  /// A number for the next call. It tells whose it is: those of one run have the same bits in front.
  func nextCall() -> UInt64 {
    lastCall += 1
    // The first ones, and now and then one.
    let count = lastCall & (1 << Self.numberBits - 1)
    if count < 256 || count & 0xFF == 0 { CrashSignals.keepStack() }
    return lastCall
  }

  private static let numberBits: UInt64 = 40

  /// Whether it made a call's number; on any thread.
  func numbered(_ call: UInt64) -> Bool { call >> Self.numberBits == UInt64(context) }

  /// Asks a handler and takes its answer; nil when that comes later.
  @inline(__always)
  private func ask(
    _ call: LoadedCall, _ input: WireInput, _ sink: WireSink, credit: Int = 0, _ mark: NativeMark
  ) throws -> WireOutput? {
    var request = nbridge_request()
    request.size = UInt32(MemoryLayout<nbridge_request>.size)
    request.action = call.action
    request.call = call.call
    request.session = call.session
    if let deadline = call.deadline { request.deadline = CallState.monotonic(deadline) }
    request.credit = UInt32(credit)
    var answer = nbridge_value()
    let kind: UInt32
    if input.attachments.isEmpty {
      request.option.fill(borrowed: input.text, UnsafeBufferPointer(start: nil, count: 0))
      kind = mark.during(call.action) { table.pointee.call(state, &request, &answer) }
    } else {
      if let link = input.attachments.inletLink { open(link, call.call) }
      let list = input.attachments.map {
        $0.inlet?.isProgress == true ? nbridge_bytes() : nbridge_bytes(borrowed: $0)
      }
      kind = list.withUnsafeBufferPointer {
        request.option.fill(borrowed: input.text, $0)
        return mark.during(call.action) { table.pointee.call(state, &request, &answer) }
      }
    }
    switch Int(kind) {
    case NBRIDGE_ANSWERED:
      // Most of what is answered at once: read where it was written, which a copy would have to wait for.
      if answer.kind == UInt32(NBRIDGE_NUMBER), answer.bytes_count == 0, answer.text_size == 0,
        answer.release == nil
      {
        return .number(answer.number)
      }
      return try answer.take(into: sink)
    case NBRIDGE_PENDING: return nil
    default:
      throw BridgeError(
        .unknownError,
        """
        the plugin said \(kind), which is neither "answered" nor "pending"; this is a fault of the plugin
        """
      )
    }
  }

  /// A call that answers before it returns.
  @inline(__always)
  func answer(_ call: LoadedCall, _ input: WireInput, _ sink: WireSink) throws -> WireOutput {
    try answer(call, input, sink, mark)
  }

  @inline(__always)
  private func answer(_ call: LoadedCall, _ input: WireInput, _ sink: WireSink, _ mark: NativeMark) throws
    -> WireOutput
  {
    if let output = try ask(call, input, sink, mark) { return output }
    throw BridgeError(
      .unknownError, "the action is declared as one that answers at once, and answered \"pending\"")
  }

  /// A call on a worker.
  func detached(_ call: LoadedCall, _ input: WireInput, _ sink: WireSink) throws -> WireOutput {
    CrashSignals.giveStack()
    let output = try holding {
      try mark.ofThisThread { mark in try answer(call, input, sink, mark) }
    }
    guard let output else { throw BridgeError(.cancelled, "the program has ended") }
    return output
  }

  /// A call that may answer later: then `nil`, and the caller names the receiver with ``await(_:_:)``.
  func begin(_ call: LoadedCall, _ input: WireInput, _ sink: WireSink) throws -> WireOutput? {
    let outer = beginning
    beginning = (call.call, nil)
    defer { beginning = outer }
    if let output = try ask(call, input, sink, mark) { return output }
    guard let early = beginning.early else { return nil }
    return try early.get().output(into: sink)
  }

  func await(_ call: UInt64, _ waiting: any AwaitingReply) { pending[call] = waiting }

  /// Starts a watch.
  func watch(_ call: LoadedCall, _ input: WireInput, _ buffering: Buffering?) throws -> any EventSource {
    let events = LoadedEvents(call.call, self, buffering ?? .wait(128))
    watches.withLock { $0[call.call] = events }
    do {
      let output = try ask(call, input, WireSink(), credit: events.capacity, mark)
      // One that answers at once is over.
      if output != nil { settle(call.call, .success(Reply(kind: .value, payload: .undefined))) }
    } catch {
      watches.withLock { _ = $0.removeValue(forKey: call.call) }
      throw error
    }
    return events
  }

  /// The caller no longer waits.
  func cancel(_ call: UInt64) {
    // A watch stays known until the plugin has settled it, which it does in answer to this.
    watches.withLock { $0[call] }?.end(.success(.undefined))
    if workers.withLock({ $0.isStopped }) { return }
    if let cancel = table.pointee.cancel {
      // Only those are noted that will settle; a detached one answers by itself and is told but once anyway.
      let settles = pending[call] != nil || watches.withLock { $0[call] != nil }
      if settles, !cancelled.insert(call).inserted { return }
      mark.duringWork { cancel(state, call) }
    } else {
      watches.withLock { _ = $0.removeValue(forKey: call) }
    }
  }

  /// The script took events of a watch.
  func grant(_ call: UInt64, _ events: Int) {
    if let grant = table.pointee.grant { whileStarted { grant($0, call, UInt32(clamping: events)) } }
  }

  /// Calls `body`, the plugin's code, with what its start made, unless it is stopped.
  func whileStarted(_ body: (UnsafeMutableRawPointer?) -> Void) {
    if !workers.withLock({ $0.isStopped }) { mark.duringWork { body(state) } }
  }

  // MARK: - Answers in

  /// The plugin settles a call; on any thread.
  func settle(_ call: UInt64, _ answer: UnsafePointer<nbridge_value>) {
    let sink = WireSink(capacity: 128)
    let result = Result { Reply(try answer.pointee.take(into: sink), sink) }
    if loop.isCurrent {
      settle(call, result)
    } else {
      loop.post { [self] in settle(call, result) }
    }
  }

  private func settle(_ call: UInt64, _ result: Result<Reply, any Error>) {
    if !cancelled.isEmpty { cancelled.remove(call) }
    if let watch = watches.withLock({ $0.removeValue(forKey: call) }) {
      return watch.end(result.map { _ in .undefined })
    }
    switch pending.removeValue(forKey: call) {
    case let record?: record.finish(result)
    case nil where beginning.call == call && beginning.early == nil: beginning.early = result
    case nil: report("settled a call that is over (number \(call & 0xFF_FFFF_FFFF)): the answer is dropped")
    }
  }

  /// The plugin hands over an event; on any thread.
  func emit(_ call: UInt64, _ event: UnsafePointer<nbridge_value>) -> Int32 {
    guard let watch = watches.withLock({ $0[call] }) else {
      event.pointee.drop()
      return Int32(NBRIDGE_OVER)
    }
    return watch.take(event)
  }

  /// Reports a fault of the plugin to the person who runs the program.
  func report(_ fault: String) { host.note("nbridge: the plugin '\(service)' \(fault)") }
}
