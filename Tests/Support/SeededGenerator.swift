// SPDX-License-Identifier: MIT

/// Draws the same numbers from the same seed, wherever a test runs: what fails once fails again.
///
/// It is SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014):
/// each draw moves the state on by the golden ratio and mixes its bits, so that neighbouring seeds draw
/// numbers that have nothing in common.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts at a seed; of a wider or a negative one, the lowest 64 bits count.
  public init(seed: some BinaryInteger) { state = UInt64(truncatingIfNeeded: seed) }

  /// Any 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  // MARK: - What tests draw

  /// A number of a range, which must not be empty.
  public mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  /// A number from a first to a last one.
  public mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// A number from 0 on and below a limit, which must be positive.
  public mutating func below(_ limit: Int) -> Int { number(0..<limit) }

  /// True in so many of a hundred draws.
  public mutating func chance(_ ofHundred: Int) -> Bool { below(100) < ofHundred }

  /// One of a list, which must not be empty.
  public mutating func pick<T>(_ list: [T]) -> T { list[below(list.count)] }

  /// So many of these parts, one behind the other.
  public mutating func text(of parts: [String], count: Int) -> String {
    (0..<count).map { _ in pick(parts) }.joined()
  }

  /// A drawn number of these parts, one behind the other.
  public mutating func text(of parts: [String], count: ClosedRange<Int>) -> String {
    text(of: parts, count: number(count))
  }

  /// So many bytes, each of any value.
  public mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}
