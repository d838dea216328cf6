// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Where other engines leave word that something has come for one. Any thread, but for what says otherwise.
final class Mailbox: LoopRemote, @unchecked Sendable {
  // Sendable because `deliver` is touched on the loop's thread only, and the rest is locked or atomic.

  private struct State {
    var numbers: [UInt32] = []
    /// What is let go of on the loop's thread, or on another where that is over.
    var returned: [LentValue.Reference] = []
    /// Whether somebody is about to take what is here.
    var isPosted = false
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Touched in the lock. Nil once it is closed: what is lent has the mailbox, and must not keep the engine.
  private var loop: EventLoop?
  /// Told on the loop's thread that something has come to an end with a number; each time is a task.
  private var deliver: ((UInt32) -> Void)?
  /// Has a program that is recorded, which has one engine, told in a task of its recording instead. On the
  /// loop's thread, as all of such a program.
  private var tape: ((@escaping () -> Void) -> (() -> Void)?)?
  /// The processor that the last word came from.
  private let sender = Atomic<Int32>(-1)
  /// Whether something was sent since the last word came: an answer may come soon.
  private let isSending = Atomic<Bool>(false)
  /// So many are told in a row before the program's timers have their turn.
  private static let portion = 32

  /// On the loop's thread.
  init(_ loop: EventLoop) {
    self.loop = loop
    loop.remotes.append(self)
  }

  /// On the loop's thread, which tells from then on. `tape` makes tasks of a recording, whose place is there.
  func open(
    tape: ((@escaping () -> Void) -> (() -> Void)?)? = nil, _ deliver: @escaping (UInt32) -> Void
  ) {
    (self.tape, self.deliver) = (tape, deliver)
  }

  /// On the loop's thread, whose engine ends.
  func close() {
    let ended = state.withLock { state in
      (state.isClosed, state.isPosted, state.numbers) = (true, false, [])
      defer { loop = nil }
      return loop
    }
    dropReturned()
    (deliver, tape) = (nil, nil)
    ended?.remotes.removeAll { $0 === self }
  }

  /// Says that something has come to the end with a number.
  func notify(_ number: UInt32) {
    if let tape {
      guard let task = tape({ [self] in deliver?(number) }) else { return }
      let turn = UncheckedSendable(task)  // made and run on the loop's thread
      loop?.post { turn.value() }
      return
    }
    sender.store(Processor.current, ordering: .relaxed)
    let loop = state.withLock { state -> EventLoop? in
      guard !state.isClosed else { return nil }
      state.numbers.append(number)
      return loopToTell(&state)
    }
    if let loop { post(to: loop) }
  }

  /// The loop that is to hear of what has come; nil where it does already. In the lock.
  private func loopToTell(_ state: inout State) -> EventLoop? {
    defer { state.isPosted = true }
    return state.isPosted ? nil : loop
  }

  private func post(to loop: EventLoop) { loop.post { [self] in drain() } }

  private func drain() {
    isSending.store(false, ordering: .relaxed)
    let (numbers, next) = state.withLock { state -> ([UInt32], EventLoop?) in
      // From then on it is others that take what comes back.
      if state.isClosed { return ([], nil) }
      let numbers = Array(state.numbers.prefix(Self.portion))
      state.numbers.removeFirst(numbers.count)
      state.isPosted = !state.numbers.isEmpty
      return (numbers, state.isPosted ? loop : nil)
    }
    dropReturned()
    // Before the scripts run, which may end the program.
    if let next { post(to: next) }
    for number in numbers { deliver?(number) }
  }

  // MARK: - Bytes that others had

  /// Lets go of a value whose bytes nobody else has any more. The caller may be another engine in the middle
  /// of a collection: this one is not entered there, nor does it end there.
  func letGo(_ lent: LentValue) {
    // The reference moves in the lock: the loop's thread can't end its own before this one is gone.
    let (isLeft, loop) = state.withLock { state -> (Bool, EventLoop?) in
      lent.move(to: &state.returned)
      let isFirst = !state.isPosted
      return (state.isClosed && isFirst, loopToTell(&state))
    }
    if let loop { post(to: loop) }
    if isLeft { letGoElsewhere() }
  }

  /// The engine's thread is over: another collects what is left of it, or ends it with the last value.
  private func letGoElsewhere() {
    let isStarted = PlainThread.start("nb-lent") { [self] in
      while let ended = takeReturned() { LentValue.end(ended) }
    }
    if isStarted { return }
    // There are no more threads. The engine can't end in the middle of a collection: it waits for the next
    // value, if there is one.
    _ = Unmanaged.passRetained(self)
    state.withLock { $0.isPosted = false }
  }

  private func takeReturned() -> [LentValue.Reference]? {
    state.withLock { state in
      defer { state.returned = [] }
      state.isPosted = !state.returned.isEmpty
      return state.isPosted ? state.returned : nil
    }
  }

  /// Lets go of what others have given back. On the loop's thread.
  func dropReturned() {
    _ = state.withLock { state in
      defer { state.returned = [] }
      return state.returned
    }
  }

  // MARK: - Waiting for an answer

  func noteSent() { isSending.store(true, ordering: .relaxed) }

  func noteNothingCame() { isSending.store(false, ordering: .relaxed) }

  var isAwaited: Bool { isSending.load(ordering: .relaxed) }
  var processor: Int32 { sender.load(ordering: .relaxed) }
  /// What comes is posted to the loop.
  func takeArrived() -> Bool { false }
  var isQuiet: Bool { true }
}

/// A value whose bytes another engine has. Who lets go of it is left with an empty box, so that no last
/// reference to the value's engine ends there.
final class LentValue: Sendable {
  fileprivate struct Reference: @unchecked Sendable {
    // Sendable because it is only let go of, which a handle may be on any thread.
    let handle: JSHandle
  }

  private let reference: Mutex<Reference?>
  init(_ handle: JSHandle) { reference = Mutex(Reference(handle: handle)) }

  /// What was lent, for its own engine, as long as nobody has let go of it. On the engine's thread.
  var value: JSValue? { reference.withLock { $0?.handle.value } }

  /// Hands the reference over.
  fileprivate func move(to list: inout [Reference]) {
    reference.withLock { reference in
      if let held = reference { list.append(held) }
      reference = nil
    }
  }

  /// Lets go of values of an engine whose thread is over, on a thread that has none. Where others keep the
  /// engine, what only these have held is collected, for nothing else does so any more.
  fileprivate static func end(_ references: consuming [Reference]) {
    guard var context = references.first?.handle.context else { return }
    references = []
    if !isKnownUniquelyReferenced(&context) { context.collectGarbage() }
  }
}
