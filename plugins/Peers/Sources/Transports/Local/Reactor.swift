// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// One thread that waits for all sockets of this program's peers, and for their times.
final class Reactor: Sendable {
  /// A descriptor that is waited for. Called on the reactor's thread only.
  protocol Source: AnyObject, Sendable {
    var descriptor: Int32 { get }
    func ready(_ events: UInt32)
  }

  fileprivate struct State {
    var work: [@Sendable () -> Void] = []
    var sources: [UInt64: any Source] = [:]
    var nextNumber: UInt64 = 1
    var times: [Int: (at: Microseconds, body: @Sendable () -> Void)] = [:]
    var sleepsUntil: Microseconds = .max
    var isAwake = true
    var hasStarted = false
    var isOver = false
  }

  private let state = Mutex(State())
  private let epoll: Epoll
  private let wakeup = WakeFile()

  init() throws {
    do {
      epoll = try Epoll()
      try epoll.add(wakeup.number, EPOLLIN.rawValue, tag: 0)
    } catch {
      // Without a descriptor left there was none to add.
      let code = wakeup.isOpen ? error.code : EMFILE
      throw BridgeError(SystemError("wait for sockets", code: code))
    }
  }

  /// Microseconds of the system's monotonic clock.
  static var now: Microseconds { MonotonicTime.microseconds }

  /// Begins, once.
  func start() {
    let isFirst = state.withLock { state in
      defer { state.hasStarted = true }
      return !state.hasStarted
    }
    if isFirst { PlainThread.start("nb-peers") { [self] in run() } }
  }

  func stop() {
    state.withLock { $0.isOver = true }
    wake()
  }

  /// Has something done on the reactor's thread.
  func submit(_ body: @escaping @Sendable () -> Void) {
    let mustWake = state.withLock { state in
      state.work.append(body)
      defer { state.isAwake = true }
      return !state.isAwake
    }
    if mustWake { wake() }
  }

  private func wake() { wakeup.set() }

  // MARK: - Descriptors

  /// Waits for a descriptor from now on; answers its number.
  func add(_ source: any Source, _ events: UInt32) -> UInt64 {
    let number = state.withLock { state in
      defer { state.nextNumber += 1 }
      state.sources[state.nextNumber] = source
      return state.nextNumber
    }
    // A socket that can't be waited for never gets ready, and its link ends by its deadline.
    try? epoll.add(source.descriptor, events, tag: number)
    return number
  }

  func change(_ number: UInt64, _ descriptor: Int32, _ events: UInt32) {
    epoll.change(descriptor, events, tag: number)
  }

  /// Before the descriptor is closed.
  func remove(_ number: UInt64, _ descriptor: Int32) {
    epoll.remove(descriptor)
    _ = state.withLock { $0.sources.removeValue(forKey: number) }
  }

  // MARK: - Times

  /// Calls something at a time, once, in place of what was to be called before under the same key; nil for
  /// never.
  func call(_ key: Int, at time: Microseconds?, _ body: @escaping @Sendable () -> Void) {
    let mustWake = state.withLock { state in
      guard let time else {
        state.times[key] = nil
        return false
      }
      state.times[key] = (time, body)
      guard !state.isAwake, time < state.sleepsUntil else { return false }
      state.isAwake = true
      return true
    }
    if mustWake { wake() }
  }

  // MARK: - The thread

  private func run() {
    while let pause = prepare() {
      let events = epoll.wait(milliseconds: pause.milliseconds)
      let due = state.withLock { state in
        state.isAwake = true
        return state.takeDue(Self.now)
      }
      for event in events { handle(event) }
      for body in due { body() }
    }
  }

  private func handle(_ event: Epoll.Event) {
    if event.tag == 0 {
      wakeup.take()
    } else {
      state.withLock { $0.sources[event.tag] }?.ready(event.events)
    }
  }

  /// How long to sleep.
  private struct Pause {
    /// Nil for as long as nothing happens.
    var milliseconds: Int?
  }

  /// Does what was submitted, and answers how long to sleep; nil at the end.
  private func prepare() -> Pause? {
    while true {
      let (work, pause) = state.withLock { state -> ([@Sendable () -> Void], Pause?) in
        if !state.work.isEmpty {
          let work = state.work
          state.work = []
          return (work, Pause(milliseconds: 0))
        }
        if state.isOver { return ([], nil) }
        state.sleepsUntil = state.times.values.lazy.map(\.at).min() ?? .max
        state.isAwake = false
        guard state.sleepsUntil < .max else { return ([], Pause()) }
        return ([], Pause(milliseconds: max(0, (state.sleepsUntil - Self.now + 999) / 1000)))
      }
      if work.isEmpty { return pause }
      for body in work { body() }
    }
  }
}

extension Reactor.State {
  fileprivate mutating func takeDue(_ now: Microseconds) -> [@Sendable () -> Void] {
    let due = times.filter { $0.value.at <= now }
    for key in due.keys { times[key] = nil }
    return due.values.map(\.body)
  }
}
