// SPDX-License-Identifier: MIT

import NBridgePlugin

/// Numbers that look random and repeat (SplitMix64, Steele et al. 2014): what fails once fails again.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func pick<T>(_ list: [T]) -> T { list[number(0...list.count - 1)] }

  /// So many of these, one after the other.
  mutating func soup(_ fragments: [String], count: ClosedRange<Int>) -> String {
    (0..<number(count)).map { _ in pick(fragments) }.joined()
  }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
