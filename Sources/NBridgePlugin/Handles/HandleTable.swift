// SPDX-License-Identifier: MIT

internal import Synchronization

/// The objects of one plugin that scripts hold, by the numbers that stand for them. Used on any thread.
///
/// Nobody guesses a number (``HandleNumbers``), and it belongs to the session that got it. Methods borrow the
/// object: it is closed when the last of them has given it back.
package final class HandleTable: Sendable {
  private struct Entry {
    let object: any HandleObject
    let session: UInt32
    /// How many methods have the object now.
    var borrowers = 0
    /// Whether it is to be closed: no method gets it any more.
    var isClosing = false
    /// The `close()` that waits for the borrowers; nil when nobody does.
    var closer: CheckedContinuation<(any HandleObject)?, Never>?
  }
  private let entries = Mutex<[UInt64: Entry]>([:])
  /// Nil before the first object: most plugins have none.
  private let numbers = Mutex<HandleNumbers?>(nil)

  package init() {}

  /// Takes an object in for a session. Answers its number.
  package func insert(_ object: any HandleObject, _ session: UInt32) -> UInt64 {
    let number = numbers.withLock { numbers in
      var made = numbers ?? HandleNumbers()
      defer { numbers = made }
      return made.next()
    }
    entries.withLock { $0[number] = Entry(object: object, session: session) }
    return number
  }

  /// Lends an object to a method, until ``giveBack(_:)``. Throws `closed`.
  package func borrow<Object: HandleObject>(_ number: UInt64, _ session: UInt32, as type: Object.Type) throws
    -> Object
  {
    let object = entries.withLock { entries -> (any HandleObject)? in
      guard let entry = entries[number], entry.session == session, !entry.isClosing else { return nil }
      entries[number]?.borrowers += 1
      return entry.object
    }
    guard let object else { throw BridgeError(.closed, "the \(type.handle.name) is closed") }
    if let typed = object as? Object { return typed }
    giveBack(number)
    throw BridgeError(.invalidParameter, "this is no \(type.handle.name)")
  }

  /// A method is over. The last one hands an object that is to be closed to who closes it.
  package func giveBack(_ number: UInt64) {
    let orphan = entries.withLock { entries -> (any HandleObject)? in
      guard var entry = entries[number] else { return nil }
      entry.borrowers -= 1
      guard entry.isClosing, entry.borrowers == 0 else {
        entries[number] = entry
        return nil
      }
      entries[number] = nil
      guard let closer = entry.closer else { return entry.object }
      closer.resume(returning: entry.object)
      return nil
    }
    try? orphan?.close()
  }

  /// Takes an object out once no method has it. nil when it is closed already, or another call closes it.
  package func take(_ number: UInt64, _ session: UInt32, isolation: isolated (any Actor)? = #isolation) async
    -> (any HandleObject)?
  {
    await withCheckedContinuation(isolation: isolation) { continuation in
      let free = entries.withLock { entries -> (any HandleObject)?? in
        guard var entry = entries[number], entry.session == session, !entry.isClosing else {
          return .some(nil)
        }
        entry.isClosing = true
        if entry.borrowers == 0 {
          entries[number] = nil
          return .some(entry.object)
        }
        entry.closer = continuation
        entries[number] = entry
        return nil
      }
      if let free { continuation.resume(returning: free) }
    }
  }

  /// Closes all objects of a session, or of all sessions: those that a method still has when it comes back.
  package func closeAll(of session: UInt32? = nil) {
    let free = entries.withLock { entries -> [any HandleObject] in
      var free: [any HandleObject] = []
      for (number, entry) in entries where session == nil || entry.session == session {
        if entry.borrowers == 0 {
          free.append(entry.object)
          entries[number] = nil
        } else {
          entries[number]?.isClosing = true
        }
      }
      return free
    }
    for object in free { try? object.close() }
  }

  /// How many objects scripts hold.
  package var count: Int { entries.withLock { $0.count } }
}
