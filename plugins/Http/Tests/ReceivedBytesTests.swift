// SPDX-License-Identifier: MIT

import Testing

@testable import HttpPlugin

/// Bodies whose reader is never quite done with them.
@Suite struct ReceivedBytesTests {
  @Test func whatIsReadIsWhatCameInItsOrder() {
    var received = ReceivedBytes()
    var came: UInt8 = 0
    var read: [UInt8] = []
    for turn in 1...500 {
      let piece = (0..<(turn % 7 * 3)).map { _ in
        came &+= 1
        return came
      }
      piece.withUnsafeBufferPointer { received.append($0) }
      read += Self.take(turn % 5 * 4, from: &received)
    }
    read += Self.take(received.count, from: &received)
    #expect(read.count > 3000 && received.count == 0)
    #expect(read.enumerated().allSatisfy { $1 == UInt8(truncatingIfNeeded: $0 + 1) })
  }

  /// One that always leaves a byte must not have all of a long body kept.
  @Test func noMoreIsHeldThanTwiceWhatWaits() {
    var received = ReceivedBytes()
    let piece = [UInt8](repeating: 1, count: 1000)
    for turn in 1...2000 {
      piece.withUnsafeBufferPointer { received.append($0) }
      _ = Self.take(turn % 2 == 0 ? 1001 : 998, from: &received)
      #expect(received.held <= max(2 * received.count, 1000))
    }
  }

  private static func take(_ count: Int, from received: inout ReceivedBytes) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { room, size in
      size = received.take(UnsafeMutableRawBufferPointer(room))
    }
  }
}
