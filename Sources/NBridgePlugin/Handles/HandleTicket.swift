// SPDX-License-Identifier: MIT

internal import NBridgeSystem
internal import Synchronization

/// The number of an object on its way to a script. An object whose number was never written into an answer is
/// nobody's: it is closed when the last handle goes.
package final class HandleTicket: Sendable {
  private let number: UInt64
  private let table: HandleTable
  private let isTaken = Atomic<Bool>(false)

  package init(_ number: UInt64, in table: HandleTable) { (self.number, self.table) = (number, table) }

  /// Its number stands in an answer.
  func take() -> UInt64 {
    isTaken.store(true, ordering: .relaxed)
    return number
  }

  deinit {
    guard !isTaken.load(ordering: .relaxed), let object = table.remove(number) else { return }
    // It may block, and this thread may be the engine's.
    if !PlainThread.start("nb-close", { try? object.close() }) { try? object.close() }
  }
}
