// SPDX-License-Identifier: MIT

/// The calls and watches of an isolated plugin that are under way, by their numbers. Confined to one thread.
struct OpenActions {
  private var actions: [UInt64: Action] = [:]
  /// How many of them are calls: an answer of those is near, watches may stay for ever.
  private(set) var calls = 0

  private struct Action {
    let number: UInt32
    let isWatch: Bool
  }

  var isEmpty: Bool { actions.isEmpty }

  func contains(_ call: UInt64) -> Bool { actions[call] != nil }

  mutating func begin(_ call: UInt64, action: UInt32, isWatch: Bool) {
    actions[call] = Action(number: action, isWatch: isWatch)
    if !isWatch { calls += 1 }
  }

  mutating func end(_ call: UInt64) {
    if actions.removeValue(forKey: call)?.isWatch == false { calls -= 1 }
  }

  /// Forgets all; answers them in the order in which they began.
  mutating func takeAll() -> [(call: UInt64, action: UInt32)] {
    defer { self = OpenActions() }
    return actions.sorted { $0.key < $1.key }.map { ($0.key, $0.value.number) }
  }
}
