// SPDX-License-Identifier: MIT

internal import Synchronization

/// The locks that the engines of one program have and wait for (Web Locks API, 4). Any thread.
package final class LockTable: Sendable {
  /// One that waits, or has its lock.
  struct Request: Sendable {
    /// By which its client knows it.
    let number: UInt32
    /// As scripts' half writes it: any text of a script's has another one.
    let name: String
    let isExclusive: Bool
    let client: LockClient
    /// From 1 on, in the order of the requests, and of the grants.
    var turn = 0
  }

  enum Way { case wait, onlyIfFree, steal }

  private struct State {
    /// By the bytes of their names: texts that look the same are equal to Swift and not to scripts.
    var lines: [[UInt8]: LockLine] = [:]
    var turn = 0
    /// Those of engines that may be ended, by their names.
    var clients: [String: LockClient] = [:]
    /// Those that were ended, and may still run.
    var evicted: Set<String> = []

    /// Takes a place in the order.
    mutating func next() -> Int {
      turn += 1
      return turn
    }

    /// Changes the line of a name, and grants what the first ones ask for then. Answers who is to be told.
    mutating func change(_ name: [UInt8], _ body: (inout LockLine) -> Void) -> Change {
      // Taken out meanwhile: it would be copied else.
      var line = lines.removeValue(forKey: name) ?? LockLine()
      let wasShared = line.isShared
      body(&line)
      var granted: [Request] = []
      while let request = line.grant(turn: { next() }) { granted.append(request) }
      if !line.isEmpty { lines[name] = line }
      let others = line.isShared == wasShared ? [] : line.clients
      return Change(name: name, granted: granted, others: others)
    }
  }

  /// What has become of a line.
  private struct Change {
    let name: [UInt8]
    let granted: [Request]
    /// Those who are alone there since, or no longer.
    let others: [LockClient]
  }

  private let state = Mutex(State())

  /// Enters a request. Answers false, and keeps nothing of it, where the lock is not free and should be.
  func enter(_ request: Request, _ way: Way) -> Bool {
    let name = Array(request.name.utf8)
    let (change, stolen) = state.withLock { state -> (Change?, [Request]) in
      if state.evicted.contains(request.client.name) { return (nil, []) }
      var request = request, stolen: [Request] = []
      if way == .onlyIfFree, let line = state.lines[name],
        line.isWaitedFor || !line.isFree(isExclusive: request.isExclusive)
      {
        return (nil, [])
      }
      request.turn = state.next()
      let change = state.change(name) { line in
        if way == .steal { stolen = line.steal(request) } else { line.wait(request) }
      }
      return (change, stolen)
    }
    for other in stolen { other.client.tell(.stolen(other.number), from: request.client) }
    if let change { tell(change, from: request.client) }
    return change != nil
  }

  /// A request is over: it gives its lock back, or waits no longer.
  func leave(_ number: UInt32, _ name: String, _ client: LockClient) {
    tell(state.withLock { $0.change(Array(name.utf8)) { $0.leave(number, client) } }, from: client)
  }

  /// Knows an engine by its name, until it ends.
  func join(_ client: LockClient) { state.withLock { $0.clients[client.name] = client } }

  /// All requests of an engine are over, which is to end and may still run: it gets no more.
  package func evict(_ name: String) {
    let client = state.withLock { state in
      state.evicted.insert(name)
      return state.clients[name]
    }
    if let client { leaveAll(client) }
  }

  /// One that was ended runs no more.
  package func forget(_ name: String) { _ = state.withLock { $0.evicted.remove(name) } }

  /// All requests of an engine are over, which has come to its end.
  func leave(_ client: LockClient) {
    leaveAll(client)
    state.withLock { state in
      if state.clients[client.name] === client { state.clients[client.name] = nil }
    }
  }

  private func leaveAll(_ client: LockClient) {
    let changes = state.withLock { state in
      Array(state.lines.keys).map { name in state.change(name) { $0.leaveAll(client) } }
    }
    for change in changes { tell(change, from: client) }
  }

  private func tell(_ change: Change, from client: LockClient) {
    for request in change.granted { request.client.tell(.granted(request.number), from: client) }
    if change.others.isEmpty { return }
    let name = String(decoding: change.name, as: UTF8.self)
    for other in change.others where other !== client { other.tell(.neighbours(name), from: client) }
  }

  /// Whether a client waits for a name that other engines have, or want.
  func waitsAmongOthers(_ name: String, _ client: LockClient) -> Bool {
    state.withLock { $0.lines[Array(name.utf8)]?.waitsAmongOthers(client) ?? false }
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
  /// Something that happened to a request of its own, or to the line of a name that it has requests in.
  enum Event: Sendable { case granted(UInt32), stolen(UInt32), neighbours(String) }

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
    table.leave(self)
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
