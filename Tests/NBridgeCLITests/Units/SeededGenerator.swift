// SPDX-License-Identifier: MIT

/// The same numbers from the same seed, wherever a test runs (SplitMix64, Steele and others, 2014).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

  mutating func pick<T>(_ list: [T]) -> T { list[below(list.count)] }

  /// Texts one behind the other.
  mutating func text(of parts: [String], count: Int) -> String {
    (0..<count).map { _ in pick(parts) }.joined()
  }
}
