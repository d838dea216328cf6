// SPDX-License-Identifier: MIT

/// The numbers that came on a channel whose messages may be lost and overtake each other: each number is let
/// in once (the window of RFC 4303, 3.4.3).
struct ReplayWindow: Sendable {
  private var epoch: UInt64 = 0
  /// The number behind the highest that came.
  private var end: UInt64 = 0
  /// Bit n of the ring stands for the numbers that leave n when divided by its size.
  private var came: [UInt64] = []

  /// A number may be so far back and still count.
  static let size: UInt64 = 1024

  /// Whether a number comes for the first time, as far as the window remembers.
  mutating func admits(_ number: UInt64, epoch: UInt64) -> Bool {
    guard epoch >= self.epoch, number < .max else { return false }
    if epoch > self.epoch || came.isEmpty {
      (self.epoch, end) = (epoch, 0)
      came = [UInt64](repeating: 0, count: Int(Self.size / 64))
    }
    if number >= end {
      forget(to: number)
      end = number + 1
    } else if end - number > Self.size {
      return false
    }
    let (word, bit) = Self.place(number)
    guard came[word] & bit == 0 else { return false }
    came[word] |= bit
    return true
  }

  /// Makes room for the numbers up to one.
  private mutating func forget(to number: UInt64) {
    guard number - end < Self.size else {
      for word in came.indices { came[word] = 0 }
      return
    }
    for old in end...number {
      let (word, bit) = Self.place(old)
      came[word] &= ~bit
    }
  }

  private static func place(_ number: UInt64) -> (word: Int, bit: UInt64) {
    let place = Int(number % size)
    return (place / 64, 1 << UInt64(place % 64))
  }
}
