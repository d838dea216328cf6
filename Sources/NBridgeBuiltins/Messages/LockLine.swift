// SPDX-License-Identifier: MIT

/// Who has a lock of one name, and who waits for it, in their turn. Each step takes as long with many as with
/// few.
struct LockLine {
  /// Of a request: its client and the client's number of it.
  private struct Key: Hashable {
    let client: ObjectIdentifier
    let number: UInt32
    init(_ number: UInt32, _ client: LockClient) {
      (self.client, self.number) = (ObjectIdentifier(client), number)
    }
  }

  private var holders: [Key: LockTable.Request] = [:]
  private var hasExclusive = false
  /// Those that wait from `first` on; nil for one that has left.
  private var queue: [LockTable.Request?] = []
  private var first = 0
  /// Where each that waits is in the queue.
  private var places: [Key: Int] = [:]
  /// How many requests of each client there are.
  private var counts: [ObjectIdentifier: Int] = [:]

  var isEmpty: Bool { holders.isEmpty && places.isEmpty }
  var isWaitedFor: Bool { !places.isEmpty }
  /// In the order in which they were granted: runs that repeat tell those that are robbed in the same one.
  var held: [LockTable.Request] { holders.values.sorted { $0.turn < $1.turn } }
  var waiting: [LockTable.Request] { queue[first...].compactMap { $0 } }

  func isFree(isExclusive: Bool) -> Bool { holders.isEmpty || !isExclusive && !hasExclusive }

  mutating func wait(_ request: LockTable.Request) {
    counts[ObjectIdentifier(request.client), default: 0] += 1
    append(request)
  }

  private mutating func append(_ request: LockTable.Request) {
    places[Key(request.number, request.client)] = queue.count
    queue.append(request)
  }

  /// Takes a lock from all that have it, and puts a request before all others.
  mutating func steal(_ request: LockTable.Request) -> [LockTable.Request] {
    let robbed = held
    (holders, hasExclusive) = ([:], false)
    for one in robbed { forget(one.client) }
    let others = waiting
    (queue, first, places) = ([], 0, [:])
    wait(request)
    for one in others { append(one) }
    return robbed
  }

  /// The next one that may have its lock now, which it has from here on.
  mutating func grant(turn: () -> Int) -> LockTable.Request? {
    while first < queue.count, queue[first] == nil { first += 1 }
    guard first < queue.count, var request = queue[first], isFree(isExclusive: request.isExclusive) else {
      if first == queue.count { (queue, first) = ([], 0) }
      return nil
    }
    queue[first] = nil
    first += 1
    if first > 1024, first * 2 > queue.count { shorten() }
    let key = Key(request.number, request.client)
    places[key] = nil
    request.turn = turn()
    holders[key] = request
    hasExclusive = request.isExclusive
    return request
  }

  private mutating func shorten() {
    queue.removeFirst(first)
    for (key, place) in places { places[key] = place - first }
    first = 0
  }

  /// A request is over.
  mutating func leave(_ number: UInt32, _ client: LockClient) {
    let key = Key(number, client)
    if holders.removeValue(forKey: key) != nil {
      hasExclusive = false
      forget(client)
    } else if let place = places.removeValue(forKey: key) {
      queue[place] = nil
      forget(client)
    }
  }

  private mutating func forget(_ client: LockClient) {
    let left = counts[ObjectIdentifier(client), default: 1] - 1
    counts[ObjectIdentifier(client)] = left == 0 ? nil : left
  }

  /// All of a client are over.
  mutating func leaveAll(_ client: LockClient) {
    for request in held + waiting where request.client === client { leave(request.number, client) }
  }

  /// Whether another client is before a request that waits.
  func waitsForOthers(_ number: UInt32, _ client: LockClient) -> Bool {
    guard counts.count > 1, let place = places[Key(number, client)] else { return false }
    return holders.values.contains { $0.client !== client }
      || queue[first..<place].contains { $0 != nil && $0?.client !== client }
  }
}
