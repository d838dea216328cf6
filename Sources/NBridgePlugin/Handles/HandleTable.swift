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
  private struct Entries {
    var numbers = HandleNumbers()
    var byNumber: [UInt64: Entry] = [:]
  }
  /// Nil before the first object: most plugins have none, and a dictionary alone costs a start what it takes
  /// to find its key's conformances.
  private let entries = Mutex<Entries?>(nil)

  package init() {}

  /// Takes an object in for a session. Answers its number.
  package func insert(_ object: any HandleObject, _ session: UInt32) -> UInt64 {
    entries.withLock { entries in
      var made = entries.take() ?? Entries()
      let number = made.numbers.next()
      made.byNumber[number] = Entry(object: object, session: session)
      entries = made
      return number
    }
  }

  /// Lends an object to a method, until ``giveBack(_:)``. Throws `closed`.
  package func borrow<Object: HandleObject>(_ number: UInt64, _ session: UInt32, as type: Object.Type) throws
    -> Object
  {
    let object = entries.withLock { entries -> (any HandleObject)? in
      guard let entry = entries?.byNumber[number], entry.session == session, !entry.isClosing else {
        return nil
      }
      entries?.byNumber[number]?.borrowers += 1
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
      guard var entry = entries?.byNumber[number] else { return nil }
      entry.borrowers -= 1
      guard entry.isClosing, entry.borrowers == 0 else {
        entries?.byNumber[number] = entry
        return nil
      }
      entries?.byNumber[number] = nil
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
        guard var entry = entries?.byNumber[number], entry.session == session, !entry.isClosing else {
          return .some(nil)
        }
        entry.isClosing = true
        if entry.borrowers == 0 {
          entries?.byNumber[number] = nil
          return .some(entry.object)
        }
        entry.closer = continuation
        entries?.byNumber[number] = entry
        return nil
      }
      if let free { continuation.resume(returning: free) }
    }
  }

  /// Takes out an object that no script has heard of; nil when it is not there any more.
  func remove(_ number: UInt64) -> (any HandleObject)? {
    entries.withLock { $0?.byNumber.removeValue(forKey: number)?.object }
  }

  /// Closes all objects of a session, or of all sessions: those that a method still has when it comes back.
  package func closeAll(of session: UInt32? = nil) {
    guard hasHeld else { return }
    let free = entries.withLock { entries -> [any HandleObject] in
      var free: [any HandleObject] = []
      for (number, entry) in entries?.byNumber ?? [:] where session == nil || entry.session == session {
        if entry.borrowers == 0 {
          free.append(entry.object)
          entries?.byNumber[number] = nil
        } else {
          entries?.byNumber[number]?.isClosing = true
        }
      }
      return free
    }
    for object in free { try? object.close() }
  }

  /// Whether there ever was an object: every program asks at its end.
  private var hasHeld: Bool { entries.withLock { $0 != nil } }

  /// How many objects scripts hold.
  package var count: Int { entries.withLock { $0?.byNumber.count ?? 0 } }
}
