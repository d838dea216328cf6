// SPDX-License-Identifier: MIT

package import CNBridgePlugin
internal import Glibc
package import NBridgeSystem
internal import Synchronization

/// Runs one plugin for a program at the other end of a socket: it is the plugin's host, and the thread that
/// calls ``run()`` is the plugin's engine thread.
package final class ChildHost: @unchecked Sendable {
  // Sendable because what is in no lock, or has one of its own, is touched on the engine's thread only.
  let channel: Channel
  let table: UnsafePointer<nbridge_plugin>
  private let reader = FrameReader()
  private let wake = WakeFile()
  private let thread = pthread_self()
  private let workers = WorkerPool.forComputing()
  private let workerCalls = WorkerCalls()
  private var patience = SpinPatience()
  private var state: UnsafeMutableRawPointer?
  /// What each action is, a letter each: `i`, `a`, `d` or `w`.
  private var kinds: [UInt8] = []
  private var hasEnded = false
  /// Whether this thread waits for something to do.
  private let isWaiting = Atomic<Bool>(false)
  /// Whether it has nothing to give back.
  private var isLean = false
  /// Whoever asked whether this host is idle: answered when it is.
  private var idleAsked: UInt64?
  /// What came while an answer was awaited on this thread, which is so now or not.
  private var late = FIFO<Kept>()
  private var isAsking = false

  /// The bytes in the options of calls that are under way.
  private let kept = Mutex(KeptParts())
  private let answers = Answers()
  private let invocations = Mutex(Invocations())
  private let posted = Mutex(Posted())
  /// How many events each watch may still hand over.
  let credits = Mutex(Credits())

  struct KeptParts { var of: [UInt64: [FramePart]] = [:] }
  struct Credits { var of: [UInt64: Int] = [:] }
  struct Posted { var works: [Work] = [] }

  /// A function of the plugin's, made to be carried.
  struct Work: @unchecked Sendable {
    // Sendable because the header lets it be handed over on any thread.
    let run: @convention(c) (UnsafeMutableRawPointer?) -> Void
    let data: UnsafeMutableRawPointer?
  }

  /// A message with its texts in memory of its own.
  struct Kept: Sendable {
    let head: FrameHead
    let text: [UInt8]
    let parts: [FramePart]

    init(_ frame: Frame) { (head, text, parts) = (frame.head, Array(frame.text), frame.parts) }

    func with<R>(_ body: (Frame) -> R) -> R {
      text.withUnsafeBufferPointer {
        body(Frame(head: head, text: $0, words: (.empty, .empty), parts: parts))
      }
    }
  }

  /// - Parameter socket: to the program.
  package init(_ table: UnsafePointer<nbridge_plugin>, _ socket: Descriptor) {
    self.table = table
    channel = Channel(socket)
  }

  var isCurrent: Bool { pthread_equal(pthread_self(), thread) != 0 }

  // MARK: - Life

  /// Runs the plugin until the program stops it or is gone.
  package func run() {
    // Held for ever: the plugin's threads may call at any time.
    _ = Unmanaged.passRetained(self)
    while !hasEnded {
      runPosted()
      while !hasEnded, let next = late.popFirst() { next.with(handle) }
      tellIdle()
      if waitForMore() { takeFrames() }
      _ = wake.take()
    }
    _ = channel.flush()
    workers.close()
  }

  /// Waits until there is something to do. Answers whether messages have come, or the program went.
  private func waitForMore() -> Bool {
    if !posted.withLock({ $0.works.isEmpty }) {
      return channel.wait(milliseconds: 0, wake: wake.number)
    }
    let start = MonotonicTime.microseconds
    let limit: Int32 = isLean ? -1 : Self.idleMilliseconds
    // Whoever shares the program's processor keeps it from its next call.
    let look = reader.processor == Processor.current ? 0 : patience.microseconds
    isWaiting.store(true, ordering: .sequentiallyConsistent)
    let hasMessages = channel.wait(milliseconds: limit, wake: wake.number, looking: look)
    isWaiting.store(false, ordering: .sequentiallyConsistent)
    // What workers have left to this thread.
    channel.flush()
    let elapsed = MonotonicTime.microseconds - start
    if hasMessages { isLean = false } else if !isLean, elapsed >= Int(limit) * 1000 { becomeLean() }
    if elapsed <= look { patience.noteSpin(elapsed) } else { patience.noteSleep(elapsed) }
    return hasMessages
  }

  /// With nothing to do for so long, the process gives back what it can.
  private static let idleMilliseconds: Int32 = 1000

  private func becomeLean() {
    isLean = true
    ResidentMemory.giveBack()
  }

  /// Says that nothing is being done, when that was asked for and is so.
  private func tellIdle() {
    guard let asked = idleAsked, posted.withLock({ $0.works.isEmpty }), workerCalls.areOver() else { return }
    idleAsked = nil
    var head = FrameHead(.idle)
    head.number = asked
    _ = try? channel.put(head)
  }

  private func takeFrames() {
    let look = reader.look(at: channel.socket.number)
    do throws(FrameError) {
      while !hasEnded, let frame = try reader.next() { take(frame) }
    } catch { hasEnded = true }
    // The program is gone: what it began is not finished.
    if look != .empty, look != .more { hasEnded = true }
    if hasEnded { answers.close() }
  }

  private func take(_ frame: Frame) {
    // An answer does not wait behind calls: one of them may be what asked.
    let isLate = (isAsking || !late.isEmpty) && frame.head.kind != .allowed
    if isLate { late.append(Kept(frame)) } else { handle(frame) }
  }

  private func handle(_ frame: Frame) {
    let head = frame.head
    switch head.kind {
    case .start: start(frame)
    case .stop: stop()
    case .call: call(frame)
    case .cancel: cancel(head.id)
    case .grant: grant(head)
    case .lifecycle: table.pointee.lifecycle?(state, head.first)
    case .feed: feed(frame)
    case .invoked: finishInvocation(frame)
    case .allowed: answers.give(head.id, head.first)
    case .describe: describe()
    case .ask: idleAsked = head.number
    case .ping:
      var answer = FrameHead(.alive)
      answer.number = head.number
      _ = try? channel.put(answer)
    default: break
    }
  }

  private func describe() {
    var size: UInt64 = 0
    var value = nbridge_value()
    value.kind = UInt32(NBRIDGE_JSON)
    value.text = table.pointee.describe(table, &size)
    value.text_size = size
    _ = try? channel.put(FrameHead(.description), &value)
  }

  private func start(_ frame: Frame) {
    kinds = Array(frame.words.0)
    let context = Unmanaged.passUnretained(self).toOpaque()  // held by `run`
    // Readable until `start` returns, which may ask, and read the next messages over these.
    let environment = Array(frame.text) + [0]
    var failure = nbridge_value()
    let isStarted = environment.withUnsafeBufferPointer { text in
      text.withMemoryRebound(to: CChar.self) { text in
        guard let base = text.baseAddress else { preconditionFailure("it ends with a 0") }
        var start = nbridge_start(
          size: UInt32(MemoryLayout<nbridge_start>.size), reserved: 0, host: ChildTable.functions,
          context: context, environment: base, environment_size: UInt64(text.count - 1))
        return table.pointee.start(table, &start, &state, &failure) != 0
      }
    }
    if isStarted {
      _ = try? channel.put(FrameHead(.started))
    } else {
      _ = try? channel.put(FrameHead(.failed), &failure)
      // Calls that came behind have no plugin.
      hasEnded = true
    }
  }

  /// How long the calls on workers, which were cancelled before, have to come back. The program waits longer.
  private static let workersLimit = 500

  private func stop() {
    hasEnded = true
    runPosted()
    answers.close()
    workerCalls.stop(waiting: Self.workersLimit) { [self] in table.pointee.stop(state) }
    _ = try? channel.put(FrameHead(.stopped))
    // A program that does not read it has ended.
    while !channel.flush() { if channel.wait(milliseconds: 1000) { break } }
  }

  // MARK: - Calls

  private func call(_ frame: Frame) {
    let head = frame.head
    if !frame.parts.isEmpty { kept.withLock { $0.of[head.id] = frame.parts } }
    let kind = Int(head.first) < kinds.count ? kinds[Int(head.first)] : 0
    if kind == UInt8(ascii: "w") { credits.withLock { $0.of[head.id] = Int(head.third) } }
    if kind == UInt8(ascii: "d") {
      let kept = Kept(frame)
      workerCalls.begin(head.id)
      workers.submit { [self] _ in
        if workerCalls.take(head.id) { kept.with { ask($0, mustAnswer: true) } }
        if workerCalls.end() { wake.set() }
      }
    } else {
      ask(frame, mustAnswer: kind == UInt8(ascii: "i"))
    }
  }

  /// Its caller no longer waits: a call that has no worker yet is not begun.
  private func cancel(_ call: UInt64) {
    if workerCalls.cancel(call) { return fail(call, "the call was cancelled", code: "cancelled") }
    table.pointee.cancel?(state, call)
  }

  private func ask(_ frame: Frame, mustAnswer: Bool) {
    var request = nbridge_request()
    request.size = UInt32(MemoryLayout<nbridge_request>.size)
    request.action = frame.head.first
    request.call = frame.head.id
    request.deadline = frame.head.number
    request.credit = frame.head.third
    request.session = frame.head.second
    var answer = nbridge_value()
    let kind = frame.withValue(isOwned: false) { option in
      request.option = option.pointee
      return table.pointee.call(state, &request, &answer)
    }
    switch Int(kind) {
    case NBRIDGE_ANSWERED: settle(frame.head.id, &answer)
    case NBRIDGE_PENDING:
      guard mustAnswer else { return }
      fail(
        frame.head.id,
        "the action is declared as one that answers at once, and answered \"pending\"")
    default:
      fail(
        frame.head.id,
        "the plugin said \(kind), which is neither \"answered\" nor \"pending\"; this is a fault of "
          + "the plugin")
    }
  }

  private func fail(_ call: UInt64, _ message: String, code: String = "unknown_error") {
    var text = FailureText.of(code, message)
    text.withUTF8 { text in
      var answer = nbridge_value()
      answer.kind = UInt32(NBRIDGE_FAILURE)
      answer.text = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
      answer.text_size = UInt64(text.count)
      settle(call, &answer)
    }
  }

  /// Any thread.
  func settle(_ call: UInt64, _ answer: UnsafePointer<nbridge_value>) {
    kept.withLock { _ = $0.of.removeValue(forKey: call) }
    credits.withLock { _ = $0.of.removeValue(forKey: call) }
    let isFirst: Bool
    do throws(FrameError) { isFirst = try channel.put(FrameHead(.settle, id: call), answer) } catch {
      return fail(
        call, "the answer is larger than the \(FrameHead.largest >> 20) MiB that a message has room for",
        code: "too_large")
    }
    goOut(isFirst: isFirst)
  }

  /// What other threads put is written at once, but where workers have more calls before them and this thread
  /// waits: it writes what they put together, as what it puts itself when it has done what came.
  ///
  /// - Parameter isFirst: whether nothing else waited to be written.
  func goOut(isFirst: Bool = true) {
    if isCurrent { return }
    if workers.hasJobs, isWaiting.load(ordering: .sequentiallyConsistent) {
      if isFirst { wake.set() }
    } else if !channel.flush() {
      wake.set()
    }
  }

  private func grant(_ head: FrameHead) {
    credits.withLock { credits in
      if let credit = credits.of[head.id] { credits.of[head.id] = credit + Int(head.first) }
    }
    table.pointee.grant?(state, head.id, head.first)
  }

  private func feed(_ frame: Frame) {
    guard let feed = table.pointee.feed else { return }
    frame.withValue(isOwned: false) { value in
      var item = nbridge_feed(
        size: UInt32(MemoryLayout<nbridge_feed>.size), kind: frame.head.first, index: frame.head.second,
        reserved: 0, number: frame.head.number, value: value.pointee)
      feed(state, frame.head.id, &item)
    }
  }

  // MARK: - The engine's thread, lent

  /// Any thread. False once the plugin is stopped.
  func post(_ work: Work) -> Bool {
    posted.withLock { $0.works.append(work) }
    if !isCurrent { wake.set() }
    return true
  }

  private func runPosted() {
    let works = posted.withLock { posted in
      defer { posted.works = [] }
      return posted.works
    }
    for work in works { work.run(work.data) }
  }
}

// MARK: - Questions

extension ChildHost {
  /// Calls of other plugins that wait for an answer.
  struct Invocations {
    var last: UInt64 = 0
    var waiting: [UInt64: Completion] = [:]
  }

  /// A plugin's function that waits for an answer.
  struct Completion: @unchecked Sendable {
    // Sendable because the header lets it be called on any thread.
    let done: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<nbridge_value>) -> Void
    let data: UnsafeMutableRawPointer?
  }

  /// Asks the program, and waits: messages that come meanwhile have their turn later. Any thread.
  func question(_ permission: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let number = answers.ask()
    var value = nbridge_value()
    value.kind = UInt32(NBRIDGE_STRING)
    value.text = UnsafeRawPointer(permission.baseAddress)?.assumingMemoryBound(to: CChar.self)
    value.text_size = UInt64(permission.count)
    _ = try? channel.put(FrameHead(.allows, id: number), &value)
    if !isCurrent {
      goOut()
      return answers.wait(for: number)
    }
    let outer = isAsking
    isAsking = true
    defer { isAsking = outer }
    while true {
      if let answer = answers.take(number) { return answer }
      if hasEnded { return 0 }
      if channel.wait(milliseconds: -1) { takeFrames() }
    }
  }

  func begin(_ completion: Completion) -> UInt64 {
    invocations.withLock { invocations in
      invocations.last += 1
      invocations.waiting[invocations.last] = completion
      return invocations.last
    }
  }

  private func finishInvocation(_ frame: Frame) {
    let completion = invocations.withLock { $0.waiting.removeValue(forKey: frame.head.id) }
    guard let completion else { return }
    frame.withValue(isOwned: true) { completion.done(completion.data, $0) }
  }
}
