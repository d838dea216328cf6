// SPDX-License-Identifier: MIT

/// An object of a plugin that a client holds. Plugins choose the numbers: another one may have the same.
package struct ObjectKey: Hashable {
  let number: UInt64
  let service: String
}

/// An object that is to be closed when the calls on it are over.
struct Closing {
  let action: SessionAction
  let record: CallRecord
  /// What the call that closes was given.
  let input: [UInt8]
}

/// The calls and watches under way on each object, those too whose caller no longer waits, and what waits for
/// the last of them. Each question takes the same time, however many calls and objects there are.
struct ObjectUses {
  private struct Use {
    var calls = 0
    var watches: [ObjectIdentifier: CallRecord] = [:]
    var closings: [Closing] = []

    var isOver: Bool { calls == 0 && watches.isEmpty && closings.isEmpty }
  }

  private var uses: [ObjectKey: Use] = [:]

  /// A call or watch on an object waits for its handler.
  mutating func begin(_ record: CallRecord, on object: ObjectKey) {
    if record.watch == nil {
      uses[object, default: Use()].calls += 1
    } else {
      uses[object, default: Use()].watches[ObjectIdentifier(record)] = record
    }
  }

  /// It is over. Answers what waited for the last call.
  mutating func end(_ record: CallRecord, of object: ObjectKey) -> [Closing] {
    guard var use = uses.removeValue(forKey: object) else { return [] }
    if record.watch == nil { use.calls -= 1 } else { use.watches[ObjectIdentifier(record)] = nil }
    var ready: [Closing] = []
    if use.calls == 0 { swap(&ready, &use.closings) }
    if !use.isOver { uses[object] = use }
    return ready
  }

  /// The watches of an object, in the order of their slots.
  func watches(of object: ObjectKey) -> [CallRecord] {
    guard let watches = uses[object]?.watches, !watches.isEmpty else { return [] }
    return watches.values.sorted { ($0.slot ?? 0) < ($1.slot ?? 0) }
  }

  func hasCalls(on object: ObjectKey) -> Bool { (uses[object]?.calls ?? 0) > 0 }

  /// Keeps what closes an object until the calls on it are over.
  mutating func keep(_ closing: Closing, behindCallsOn object: ObjectKey) {
    uses[object, default: Use()].closings.append(closing)
  }
}
