// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc
internal import NBridgePlugin
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
  private let epoll: Int32
  private let wakeup: Int32

  init() throws {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data(u64: 0))
    guard epoll >= 0, wakeup >= 0, epoll_ctl(epoll, EPOLL_CTL_ADD, wakeup, &event) == 0 else {
      throw BridgeError(.ioError, "can't wait for sockets: \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    close(epoll)
    close(wakeup)
  }

  /// Microseconds of the system's monotonic clock.
  static var now: Microseconds {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }

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

  private func wake() {
    var one: UInt64 = 1
    _ = write(wakeup, &one, 8)
  }

  // MARK: - Descriptors

  /// Waits for a descriptor from now on; answers its number.
  func add(_ source: any Source, _ events: UInt32) -> UInt64 {
    let number = state.withLock { state in
      defer { state.nextNumber += 1 }
      state.sources[state.nextNumber] = source
      return state.nextNumber
    }
    var event = epoll_event(events: events, data: epoll_data(u64: number))
    epoll_ctl(epoll, EPOLL_CTL_ADD, source.descriptor, &event)
    return number
  }

  func change(_ number: UInt64, _ descriptor: Int32, _ events: UInt32) {
    var event = epoll_event(events: events, data: epoll_data(u64: number))
    epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event)
  }

  /// Before the descriptor is closed.
  func remove(_ number: UInt64, _ descriptor: Int32) {
    epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
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
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
      while true {
        guard let timeout = prepare() else { return }
        let count = Int(epoll_wait(epoll, events.baseAddress, Int32(events.count), timeout))
        let due = state.withLock { state in
          state.isAwake = true
          return state.takeDue(Self.now)
        }
        for event in events.prefix(max(0, count)) { handle(event) }
        for body in due { body() }
      }
    }
  }

  private func handle(_ event: epoll_event) {
    guard event.data.u64 != 0 else {
      var count: UInt64 = 0
      _ = read(wakeup, &count, 8)
      return
    }
    state.withLock { $0.sources[event.data.u64] }?.ready(event.events)
  }

  /// Does what was submitted, and answers for how many milliseconds to sleep; nil at the end.
  private func prepare() -> Int32? {
    while true {
      let (work, timeout) = state.withLock { state -> ([@Sendable () -> Void], Int32?) in
        if !state.work.isEmpty {
          let work = state.work
          state.work = []
          return (work, 0)
        }
        if state.isOver { return ([], nil) }
        state.sleepsUntil = state.times.values.lazy.map(\.at).min() ?? .max
        state.isAwake = false
        guard state.sleepsUntil < .max else { return ([], -1) }
        return ([], Int32(clamping: max(0, (state.sleepsUntil - Self.now + 999) / 1000)))
      }
      if work.isEmpty { return timeout }
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
