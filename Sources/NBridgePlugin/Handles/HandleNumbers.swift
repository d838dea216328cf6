// SPDX-License-Identifier: MIT

/// Numbers that nobody guesses and that never come again: a count from 1, its bits mixed by a Feistel network
/// (Luby and Rackoff 1988: four rounds make a permutation that can't be told from a random one) whose rounds
/// are a keyed hash, Swift's SipHash.
package struct HandleNumbers {
  private let key: UInt64
  private var count: UInt64 = 0

  /// A number has twice as many bits: JavaScript knows all of them exactly.
  private static let bits: UInt64 = 26
  private static let half: UInt64 = 1 << bits - 1

  package init(key: UInt64 = .random(in: 0...UInt64.max)) { self.key = key }

  /// The next number: at least 1, below 2^52.
  package mutating func next() -> UInt64 {
    while true {
      count += 1
      let number = mixed(count)
      if number != 0 { return number }
    }
  }

  private func mixed(_ number: UInt64) -> UInt64 {
    var (left, right) = (number >> Self.bits & Self.half, number & Self.half)
    for round in 0..<4 { (left, right) = (right, left ^ hash(round, right)) }
    return left << Self.bits | right
  }

  private func hash(_ round: Int, _ value: UInt64) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(key)
    hasher.combine(round)
    hasher.combine(value)
    return UInt64(UInt(bitPattern: hasher.finalize())) & Self.half
  }
}
