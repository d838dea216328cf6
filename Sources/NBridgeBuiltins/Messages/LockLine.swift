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
  /// How many requests each client has here, and how many of these wait.
  private var members: [ObjectIdentifier: Member] = [:]

  private struct Member {
    let client: LockClient
    var count = 0
    var waiting = 0
  }

  var isEmpty: Bool { holders.isEmpty && places.isEmpty }
  var isWaitedFor: Bool { !places.isEmpty }
  /// In the order in which they were granted: runs that repeat tell those that are robbed in the same one.
  var held: [LockTable.Request] { holders.values.sorted { $0.turn < $1.turn } }
  var waiting: [LockTable.Request] { queue[first...].compactMap { $0 } }
  var clients: [LockClient] { members.values.map(\.client) }
  /// Whether more than one client has requests here.
  var isShared: Bool { members.count > 1 }

  func isFree(isExclusive: Bool) -> Bool { holders.isEmpty || !isExclusive && !hasExclusive }

  mutating func wait(_ request: LockTable.Request) {
    members[ObjectIdentifier(request.client), default: Member(client: request.client)].count += 1
    append(request)
  }

  private mutating func append(_ request: LockTable.Request) {
    places[Key(request.number, request.client)] = queue.count
    queue.append(request)
    members[ObjectIdentifier(request.client)]?.waiting += 1
  }

  /// Takes a lock from all that have it, and puts a request before all others.
  mutating func steal(_ request: LockTable.Request) -> [LockTable.Request] {
    let robbed = held
    (holders, hasExclusive) = ([:], false)
    for one in robbed { forget(one.client) }
    let others = waiting
    (queue, first, places) = ([], 0, [:])
    for id in members.keys { members[id]?.waiting = 0 }
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
    members[ObjectIdentifier(request.client)]?.waiting -= 1
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
      members[ObjectIdentifier(client)]?.waiting -= 1
      forget(client)
    }
  }

  private mutating func forget(_ client: LockClient) {
    let id = ObjectIdentifier(client)
    members[id]?.count -= 1
    if members[id]?.count == 0 { members[id] = nil }
  }

  /// All of a client are over.
  mutating func leaveAll(_ client: LockClient) {
    for request in held + waiting where request.client === client { leave(request.number, client) }
  }

  /// Whether a client waits where others have requests: what they do may be the end of that.
  func waitsAmongOthers(_ client: LockClient) -> Bool {
    isShared && members[ObjectIdentifier(client)]?.waiting ?? 0 > 0
  }
}
