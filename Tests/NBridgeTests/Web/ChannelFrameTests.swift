// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import NBridgeBuiltins

/// What programs of one app send each other.
@Suite struct ChannelFrameTests {
  private static let frames: [ChannelFrame] = [
    .hello("0123456789abcdef0123456789abcdef"), .message(channel: "", text: [], blocks: []),
    .message(channel: "n\u{e9}ws", text: Array("[1,2]".utf8), blocks: [[], [1, 2, 3], [255]]),
  ]

  @Test(arguments: frames) func aFrameComesBack(_ frame: ChannelFrame) throws {
    let bytes = frame.bytes
    #expect(ChannelFrame.first(in: (bytes + [7])[...]) == .frame(frame, size: bytes.count))
    for count in 0..<bytes.count { #expect(ChannelFrame.first(in: bytes[..<count]) == .part) }
  }

  @Test func whatIsTooLongIsNone() {
    let long = [UInt8](repeating: 0, count: ChannelFrame.most)
    let frame = ChannelFrame.message(channel: "x", text: long, blocks: [])
    #expect(frame.bytes == ChannelFrame.unreadable(channel: "x").bytes)
  }

  /// Whatever comes is a frame, a part of one, or garbage.
  @Test func changedBytesAreNeverMoreThanGarbage() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      var bytes = try #require(Self.frames.randomElement(using: &random)).bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      if case .frame(_, let size) = ChannelFrame.first(in: bytes[...]) { #expect(size <= bytes.count) }
    }
  }
}
