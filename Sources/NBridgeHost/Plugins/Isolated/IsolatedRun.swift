// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
internal import Glibc
internal import NBridgeIsolation
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// An isolated plugin in one runtime: sends what the host asks to the plugin's process, and gives the host
/// what comes back. Starts the process anew when it is gone and a call comes.
final class IsolatedRun: LoopRemote, @unchecked Sendable {
  // Sendable because all but `invocations` is touched on the engine's thread only, or by the thread that
  // starts it before that one has it; messages are sent through the channel.
  let plugin: IsolatedPlugin
  let service: String
  /// What the host's functions are called with.
  let context: UnsafeMutableRawPointer
  private let place: IsolatedPlace
  var loop: EventLoop { place.loop }
  private let environment: [UInt8]
  private let table: UnsafePointer<nbridge_host>
  var host: nbridge_host { table.pointee }

  private(set) var process: (any PluginProcess)?
  private var reader = FrameReader()
  private var watches = Watches()
  var open = OpenActions()
  /// The process's calls of other plugins: the host's number of each.
  let invocations = Mutex<[UInt64: UInt64]>([:])
  /// What its process writes, on its way to the program's own streams.
  private var relays: StreamRelays?
  /// Whether the process is to end, and what for.
  var ending: CrashReport.Reason?
  var isStopping = false
  /// Whether the process has said that the plugin is started.
  private(set) var hasStarted = false
  /// When the process began, by the loop's clock, and how many before it ended soon after.
  private var began = 0
  private var crashes = 0
  /// Counts what makes the plugin busy: an idle time that was interrupted is none.
  private var activity = 0
  /// Counts messages, both ways; up to which the other side was idle, and when it was asked.
  private var messages: UInt64 = 0
  private var (idleAt, askedAt): (UInt64, UInt64) = (0, 0)
  /// How many answers came to calls that nobody waits for.
  var strays = 0
  /// The last message that asked whether the plugin's thread comes back to its loop, and the last answer.
  var (pinged, alive): (UInt64, UInt64) = (0, 0)

  /// What tells that something comes, can be sent, and that the process has ended.
  private struct Watches {
    var coming: DescriptorSource?
    var going: DescriptorSource?
    var end: DescriptorSource?

    func close() { for watch in [coming, going, end] { watch?.close() } }
  }

  init(_ plugin: IsolatedPlugin, _ place: IsolatedPlace, _ start: nbridge_start) {
    (self.plugin, service, self.place) = (plugin, plugin.service, place)
    (table, context) = (start.host, start.context)
    environment = Array(
      UnsafeRawBufferPointer(start: start.environment, count: Int(start.environment_size)))
  }

  /// A loop that is closed ran no ``stop()`` any more.
  deinit {
    watches.close()
    guard let process else { return }
    process.signal(SIGKILL)
    _ = process.reap(waiting: true)
  }

  // MARK: - Life

  /// Starts the process and the plugin in it, and waits for that; on a thread of its own.
  func start() throws {
    let process = try makeProcess()
    do {
      try process.launch()
      try awaitStart(process)
    } catch {
      process.signal(SIGKILL)
      let ending = process.reap(waiting: true)
      if (error as? BridgeError)?.code == .closed, let ending { throw failure(of: ending) }
      throw error
    }
    loop.post { [self] in attach() }
  }

  private func makeProcess() throws -> any PluginProcess {
    let process = try plugin.makeProcess(place.home(of: service, asking: plugin.needs))
    reader = FrameReader()
    relays = StreamRelays(process, loop, place.host)
    (ending, isStopping) = (nil, false)
    (pinged, alive, strays) = (0, 0, 0)
    hasStarted = false
    self.process = process
    environment.withUnsafeBufferPointer { text in
      var value = nbridge_value()
      value.kind = UInt32(NBRIDGE_JSON)
      value.text = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
      value.text_size = UInt64(text.count)
      plugin.kinds.withUnsafeBufferPointer {
        _ = try? process.channel.put(FrameHead(.start), &value, words: ($0, .empty))
      }
    }
    process.channel.flush()
    return process
  }

  /// The longest that a start may take; the host gives up before.
  private static let startLimit = 15_000

  private func awaitStart(_ process: any PluginProcess) throws {
    let end = try listen(to: process, milliseconds: Self.startLimit) { frame in
      switch frame.head.kind {
      case .failed: throw frame.failure
      case .started: hasStarted = true
      // There are no calls yet, and what those change is the engine's thread's, which may have given up.
      case .settle, .emit, .pull, .callBack:
        throw BridgeError(.unknownError, "it answered before it had started; this is a fault of the plugin")
      default: take(frame)
      }
      return hasStarted
    }
    switch end {
    case .heard: return
    case .gone: throw BridgeError(.closed, "its process is gone")
    case .late: throw BridgeError(.timeout, "its start did not come back within \(Self.startLimit / 1000) s")
    }
  }

  /// Listens where no loop does, and hands on what is printed meanwhile.
  private func listen(
    to process: any PluginProcess, milliseconds: Int, _ take: (Frame) throws -> Bool
  ) throws -> ProcessTalk.End {
    try ProcessTalk.listen(
      to: process, reader, milliseconds: milliseconds, meanwhile: { relays?.handOn() }, take)
  }

  private func failure(of ending: GroupedChild.Ending) -> BridgeError {
    relays?.handOn(isLast: true)
    let report = CrashReport(service: service, reason: .ended(ending), lastLines: relays?.lastLines ?? "")
    return BridgeError(
      .pluginCrashed, "it \(report.summary)" + (report.lastLines.isEmpty ? "" : ": \(report.lastLines)"))
  }

  /// Begins to listen; on the engine's thread.
  private func attach() {
    guard let process, watches.coming == nil else { return }
    began = loop.clock.now
    loop.remotes.append(self)
    watches.coming = loop.watch(process.channel.socket.number) { [unowned self] in read() }
    relays?.attach()
    if let ended = process.ended { watches.end = loop.watch(ended.number) { [unowned self] in hasEnded() } }
    flush()
    becomeIdle()
  }

  private func detach() {
    loop.noteEnd(of: service)
    loop.remotes.removeAll { $0 === self }
    watches.close()
    watches = Watches()
    relays?.detach()
  }

  /// How long a plugin has for its last words.
  private static let stopLimit = 2000

  /// Ends the plugin and its process; what it says last is heard. Any thread: one that is not the loop's, as
  /// of a start that came too late, leaves it to that, which may be listening just now.
  func stop() {
    guard loop.isCurrent else { return loop.post { [self] in stop() } }
    detach()
    guard let process else { return }
    self.process = nil
    _ = try? process.channel.put(FrameHead(.stop))
    let end = try? listen(to: process, milliseconds: Self.stopLimit) { frame in
      take(frame)
      return frame.head.kind == .stopped
    }
    if end == .late { note("did not stop within \(Self.stopLimit / 1000) s, and its process was killed") }
    relays?.handOn(isLast: true)
    process.signal(SIGKILL)
    _ = process.reap(waiting: true)
  }

  // MARK: - Calls out

  func begin(_ request: nbridge_request) throws {
    let ends = loop.ends(of: service)
    try bringUp()
    guard loop.ends(of: service) == ends || !plugin.isMethod(request.action) else {
      throw BridgeError(.closed, "the object ended with the process of its plugin")
    }
    var head = FrameHead(.call, id: request.call)
    (head.first, head.second, head.third) = (request.action, request.session, request.credit)
    head.number = request.deadline
    open.begin(request.call, action: request.action, isWatch: plugin.isWatch(request.action))
    activity += 1
    var option = request.option
    do { try send(head, &option) } catch {
      open.end(request.call)
      throw error
    }
    // A watch takes as long as it is watched.
    if let seconds = plugin.isolation.callSeconds, !plugin.isWatch(request.action) {
      limit(request.call, seconds)
    }
  }

  /// Puts a message into the channel; it goes out when what runs now has run.
  func send(_ head: FrameHead, _ value: UnsafePointer<nbridge_value>? = nil) throws {
    guard let process else { return }
    messages += 1
    let isFirst: Bool
    do { isFirst = try process.channel.put(head, value) } catch {
      throw BridgeError(
        .tooLarge, "one call of an isolated plugin may carry at most \(FrameHead.largest >> 20) MiB")
    }
    if isFirst { loop.post { [self] in flush() } }
  }

  func flush() {
    guard let process else { return }
    let isDone = process.channel.flush()
    // While it starts or stops, no loop listens.
    if watches.coming == nil { return }
    if isDone {
      watches.going?.close()
      watches.going = nil
    } else if watches.going == nil {
      watches.going = loop.watch(process.channel.socket.number, writes: true) { [unowned self] in flush() }
    }
  }

  // MARK: - Coming and going

  /// So long a process must have run for its end to be no reason to wait.
  private static let steady = 10_000_000
  private static let longestPause = 5_000

  /// Starts the process again when there is none. What is sent meanwhile waits in its channel.
  private func bringUp() throws {
    if let process {
      guard isStopping else { return }
      // It is on its way out.
      detach()
      let isLeft = PlainThread.start("nb-plugin-end") {
        if let ended = process.ended { Poller.wait(for: ended.number, milliseconds: Self.stopLimit) }
        process.signal(SIGKILL)
        _ = process.reap(waiting: true)
      }
      if !isLeft { process.signal(SIGKILL) }
      self.process = nil
    }
    let process = try makeProcess()
    if crashes < 2 { return launch(process) }
    let pause = min(Self.longestPause, 50 << min(crashes - 2, 10))
    loop.schedule(at: loop.deadline(after: pause)) { [weak self] in
      guard let self, self.process === process else { return }
      launch(process)
    }
  }

  private func launch(_ process: any PluginProcess) {
    do { try process.launch() } catch {
      self.process = nil
      return rejectAll(BridgeError(wrapping: error))
    }
    attach()
    limitStart(of: process)
  }

  /// Ends the process when it has nothing to do for as long as it may.
  private func becomeIdle() {
    guard let seconds = plugin.isolation.idleSeconds, open.isEmpty else { return }
    activity += 1
    let (now, process) = (activity, process)
    loop.schedule(at: loop.deadline(after: Int(seconds * 1000))) { [weak self] in
      guard let self, activity == now, self.process === process, !isStopping else { return }
      isStopping = true
      try? send(FrameHead(.stop))
      loop.schedule(at: loop.deadline(after: Self.stopLimit)) { [weak self] in
        if self?.process === process { process?.signal(SIGKILL) }
      }
    }
  }

  // MARK: - What comes

  /// So many bytes of messages in a row, then the script has its turn.
  private static let looksInARow = 16

  private func read() {
    guard let process else { return }
    var looks = 0
    var look = FrameReader.Look.more
    while look == .more, looks < Self.looksInARow, self.process === process {
      look = reader.look(at: process.channel.socket.number)
      looks += 1
      relays?.handOnOutput()
      takeAll()
    }
    guard look != .empty, look != .more, self.process === process else { return }
    if process.ended == nil {
      return finish(ending ?? .ended(process.reap(waiting: true) ?? .status(0)))
    }
    // It is ending, or has closed its channel and goes on.
    watches.coming?.close()
    loop.schedule(at: loop.deadline(after: 1000)) { [weak self] in
      guard let self, self.process === process else { return }
      ending = ending ?? .closed
      process.signal(SIGKILL)
    }
  }

  private func takeAll() {
    do throws(BridgeError) {
      while process != nil, let frame = try reader.nextMessage() {
        switch frame.head.kind {
        case .idle: idleAt = frame.head.number
        case .alive where frame.head.number > pinged: end(forSaying: "an answer to what nobody asked")
        case .alive: alive = frame.head.number
        case .started: hasStarted = true
        default:
          messages += 1
          take(frame)
        }
      }
    } catch { end(forSaying: error.message) }
  }

  /// Ends a process that says what no plugin does.
  func end(forSaying nonsense: String) {
    ending = ending ?? .nonsense(nonsense)
    process?.signal(SIGKILL)
    watches.coming?.close()
    if let process, process.ended == nil { finish(.nonsense(nonsense)) }
  }

  var isAwaited: Bool { open.calls > 0 && process != nil && watches.coming != nil }
  var processor: Int32 { reader.processor }

  func takeArrived() -> Bool {
    flush()
    guard watches.coming != nil else { return false }
    let before = messages
    read()
    return messages != before
  }

  /// What runs on the other side's own thread, or waits for it, is not quiet.
  var isQuiet: Bool {
    guard process != nil, !open.isEmpty, idleAt != messages else { return true }
    if askedAt != messages || askedAt == 0 {
      askedAt = messages
      var head = FrameHead(.ask)
      head.number = messages
      _ = try? process?.channel.put(head)
      flush()
    }
    return false
  }

  /// A call is over: its process has answered.
  func close(_ call: UInt64) {
    open.end(call)
    if open.isEmpty { becomeIdle() }
  }

  /// The process is gone.
  private func hasEnded() {
    guard let process, let end = process.reap(waiting: false) else { return }
    // What it sent before its end counts.
    while self.process === process, case .more = reader.look(at: process.channel.socket.number) { takeAll() }
    takeAll()
    finish(ending ?? .ended(end))
  }

  private func finish(_ reason: CrashReport.Reason) {
    guard process != nil else { return }
    relays?.handOn(isLast: true)
    detach()
    self.process = nil
    if isStopping, open.isEmpty { return }
    crashes = loop.clock.now - began < Self.steady ? crashes + 1 : 1
    let report = CrashReport(service: service, reason: reason, lastLines: relays?.lastLines ?? "")
    if open.isEmpty { note(report.summary + " with no call under way; the next call starts it again") }
    let invoked = invocations.withLock { invocations in
      defer { invocations = [:] }
      return invocations.values.sorted()
    }
    for invocation in invoked { host.cancel_invocation?(context, invocation) }
    for (call, action) in open.takeAll() { reject(call, report.error(in: plugin.name(of: action))) }
  }
}
