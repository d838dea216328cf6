// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Who may use a connection to a host: the others wait here, in the order in which they came, and not in
/// libsoup, which looks through all that wait whenever one of them begins or ends. Any thread.
final class HostPlaces: Sendable {
  private typealias Waiter = CheckedContinuation<Void, any Error>

  private struct Host {
    var taken = 0
    /// Those too who have left since.
    var line = FIFO<UInt64>()
    var waiting = 0
  }

  private struct State {
    var hosts: [String: Host] = [:]
    var waiters: [UInt64: Waiter] = [:]
    var last: UInt64 = 0
  }

  private let state = Mutex(State())
  private let most: Int

  /// - Parameter most: how many may use connections to one host at once.
  init(most: Int) { self.most = most }

  /// Waits for a place, which is given back when the last reference to it goes.
  ///
  /// - Parameter host: the origin that connections lead to.
  /// - Throws: `CancellationError`; ``BridgeError/Code/cancelled`` when the program ends.
  func take(_ host: String, isolation: isolated (any Actor)? = #isolation) async throws -> HostPlace {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    if !enter(host, orLine: nil) {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation(isolation: isolation) { wait(number, host, $0) }
      } onCancel: {
        leaveLine(number, host)
      }
    }
    return HostPlace(self, host)
  }

  /// How many wait for a host.
  func waiting(for host: String) -> Int { state.withLock { $0.hosts[host]?.waiting ?? 0 } }

  /// Nobody gets a place any more who waits for one.
  func end() {
    let left = state.withLock { state in
      let left = state.waiters
      state.waiters = [:]
      for host in state.hosts.keys {
        state.hosts[host]?.line = FIFO()
        state.hosts[host]?.waiting = 0
      }
      return left.sorted { $0.key < $1.key }
    }
    for (_, waiter) in left { waiter.resume(throwing: BridgeError(.cancelled, "the program has ended")) }
  }

  /// Takes a place. False when none is free: who is to wait stands in the line then.
  private func enter(_ host: String, orLine next: (number: UInt64, waiter: Waiter)?) -> Bool {
    state.withLock { state in
      guard (state.hosts[host]?.taken ?? 0) >= most else {
        state.hosts[host, default: Host()].taken += 1
        return true
      }
      if let next {
        state.waiters[next.number] = next.waiter
        state.hosts[host]?.line.append(next.number)
        state.hosts[host]?.waiting += 1
      }
      return false
    }
  }

  private func wait(_ number: UInt64, _ host: String, _ waiter: Waiter) {
    // One may have come free meanwhile, with nobody in the line to give it to.
    if enter(host, orLine: (number, waiter)) { return waiter.resume() }
    // Cancelled before there was anybody to wake.
    if Task.isCancelled { leaveLine(number, host) }
  }

  /// So many who left may stand in a line, beside as many as wait.
  private static let mostLeft = 1024

  private func leaveLine(_ number: UInt64, _ name: String) {
    let waiter = state.withLock { state -> Waiter? in
      guard let waiter = state.waiters.removeValue(forKey: number), var host = state.hosts[name] else {
        return nil
      }
      host.waiting -= 1
      if host.line.count > 2 * host.waiting + Self.mostLeft {
        var line = FIFO<UInt64>()
        while let next = host.line.popFirst() { if state.waiters[next] != nil { line.append(next) } }
        host.line = line
      }
      state.hosts[name] = host
      return waiter
    }
    waiter?.resume(throwing: CancellationError())
  }

  /// A place is free: the next in the line has it.
  fileprivate func giveBack(_ name: String) {
    let next = state.withLock { state -> Waiter? in
      guard var host = state.hosts.removeValue(forKey: name) else { return nil }
      var next: Waiter?
      while next == nil, let number = host.line.popFirst() {
        next = state.waiters.removeValue(forKey: number)
      }
      if next == nil { host.taken -= 1 } else { host.waiting -= 1 }
      if host.taken > 0 { state.hosts[name] = host }
      return next
    }
    next?.resume()
  }
}

/// A place at a host.
final class HostPlace: Sendable {
  private let places: HostPlaces
  private let host: String

  fileprivate init(_ places: HostPlaces, _ host: String) { (self.places, self.host) = (places, host) }

  deinit { places.giveBack(host) }
}
