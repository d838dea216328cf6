// SPDX-License-Identifier: MIT

internal import Synchronization

/// The locks that the engines of one program have and wait for (Web Locks API, 4). Any thread.
final class LockTable: Sendable {
  /// One that waits, or has its lock.
  struct Request: Sendable {
    /// By which its client knows it.
    let number: UInt32
    /// As scripts' half writes it: any text of a script's has another one.
    let name: String
    let isExclusive: Bool
    let client: LockClient
    /// From 1 on, in the order of the requests, and of the grants.
    fileprivate(set) var turn = 0
  }

  enum Way { case wait, onlyIfFree, steal }

  /// Who has a lock of a name, and who waits for it, in their turn.
  private struct Line {
    var held: [Request] = []
    var waiting: [Request] = []

    func isFree(isExclusive: Bool) -> Bool {
      held.isEmpty || !isExclusive && !held.contains(where: \.isExclusive)
    }
  }

  private struct State {
    var lines: [String: Line] = [:]
    var turn = 0

    /// Takes a place in the order.
    mutating func next() -> Int {
      turn += 1
      return turn
    }

    /// Grants what the first ones of a name ask for. Answers who is to be told.
    mutating func grant(_ name: String) -> [Request] {
      guard var line = lines[name] else { return [] }
      var count = 0
      while count < line.waiting.count, line.isFree(isExclusive: line.waiting[count].isExclusive) {
        line.waiting[count].turn = next()
        line.held.append(line.waiting[count])
        count += 1
      }
      let granted = Array(line.waiting.prefix(count))
      line.waiting.removeFirst(count)
      lines[name] = line.held.isEmpty && line.waiting.isEmpty ? nil : line
      return granted
    }
  }

  private let state = Mutex(State())

  /// Enters a request. Answers false, and keeps nothing of it, where the lock is not free and should be.
  func enter(_ request: Request, _ way: Way) -> Bool {
    let (isEntered, stolen, granted) = state.withLock { state -> (Bool, [Request], [Request]) in
      var request = request, line = state.lines[request.name] ?? Line(), stolen: [Request] = []
      request.turn = state.next()
      switch way {
      case .onlyIfFree where !line.waiting.isEmpty || !line.isFree(isExclusive: request.isExclusive):
        return (false, [], [])
      case .steal:
        (stolen, line.held) = (line.held, [])
        line.waiting.insert(request, at: 0)
      default: line.waiting.append(request)
      }
      state.lines[request.name] = line
      return (true, stolen, state.grant(request.name))
    }
    for other in stolen { other.client.tell(.stolen(other.number), from: request.client) }
    tell(granted, from: request.client)
    return isEntered
  }

  /// A request is over: it gives its lock back, or waits no longer.
  func leave(_ number: UInt32, _ name: String, _ client: LockClient) {
    let granted = state.withLock { state -> [Request] in
      let isIt = { (request: Request) in request.number == number && request.client === client }
      state.lines[name]?.held.removeAll(where: isIt)
      state.lines[name]?.waiting.removeAll(where: isIt)
      return state.grant(name)
    }
    tell(granted, from: client)
  }

  /// All requests of an engine that ends are over.
  func leaveAll(_ client: LockClient) {
    let granted = state.withLock { state -> [Request] in
      var granted: [Request] = []
      for name in Array(state.lines.keys) {
        state.lines[name]?.held.removeAll { $0.client === client }
        state.lines[name]?.waiting.removeAll { $0.client === client }
        granted += state.grant(name)
      }
      return granted
    }
    tell(granted, from: client)
  }

  private func tell(_ granted: [Request], from client: LockClient) {
    for request in granted { request.client.tell(.granted(request.number), from: client) }
  }

  /// Whether another engine is before a client's request of a name.
  func waitsForOthers(_ number: UInt32, _ name: String, _ client: LockClient) -> Bool {
    state.withLock { state in
      guard let line = state.lines[name],
        let place = line.waiting.firstIndex(where: { $0.number == number && $0.client === client })
      else { return false }
      return (line.held + line.waiting[..<place]).contains { $0.client !== client }
    }
  }

  /// Who has locks and who waits, each in their order.
  var all: (held: [Request], waiting: [Request]) {
    let lines = state.withLock { Array($0.lines.values) }
    let inTurn = { (requests: [Request]) in requests.sorted { $0.turn < $1.turn } }
    return (inTurn(lines.flatMap(\.held)), inTurn(lines.flatMap(\.waiting)))
  }
}

/// What one engine has of the locks. Any thread, but for what says otherwise.
final class LockClient: Sendable {
  /// Something that happened to a request of its own.
  enum Event: Sendable { case granted(UInt32), stolen(UInt32) }

  /// Whom a script sees that asks for all of them.
  let name: String
  let table: LockTable
  private let mailbox: Mailbox
  private let events = Mutex<(list: [Event], first: Int)>(([], 0))

  init(_ name: String, _ table: LockTable, _ mailbox: Mailbox) {
    (self.name, self.table, self.mailbox) = (name, table, mailbox)
  }

  /// On the engine's thread, which is told from then on when something waits in ``next()`` that another
  /// engine has caused.
  func open(_ arrive: @escaping () -> Void) { mailbox.open { _ in arrive() } }

  /// On the engine's thread, which ends.
  func close() {
    mailbox.close()
    table.leaveAll(self)
  }

  /// Who causes something looks for it by itself.
  func tell(_ event: Event, from client: LockClient) {
    events.withLock { $0.list.append(event) }
    if client !== self { mailbox.notify(0) }
  }

  func next() -> Event? {
    events.withLock { events in
      guard events.first < events.list.count else { return nil }
      defer {
        events.first += 1
        if events.first == events.list.count { events = ([], 0) }
      }
      return events.list[events.first]
    }
  }
}
