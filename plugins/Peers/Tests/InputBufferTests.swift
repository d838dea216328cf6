// SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import Testing

@testable import PeersPlugin

/// Bytes that come from a socket, and the frames in them.
@Suite struct InputBufferTests {
  /// A socket whose near end is read.
  final class Pair {
    let near: Int32
    let far: Int32

    init() {
      var ends: [Int32] = [0, 0]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      (near, far) = (ends[0], ends[1])
    }

    deinit {
      close(near)
      close(far)
    }

    /// As much as goes without waiting.
    func write(_ bytes: ArraySlice<UInt8>) -> Int {
      max(0, bytes.withUnsafeBytes { send(far, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) })
    }
  }

  static func framed(_ frames: [[UInt8]]) -> [UInt8] {
    frames.flatMap { frame in withUnsafeBytes(of: UInt32(frame.count).littleEndian) { Array($0) } + frame }
  }

  /// Writes portions and reads after each; what comes out.
  static func pass(_ bytes: [UInt8], portion: () -> Int) throws -> [[UInt8]] {
    let pair = Pair()
    var buffer = InputBuffer(), got: [[UInt8]] = [], at = 0, idle = 0
    while idle < 3 {
      at += pair.write(bytes[at..<min(bytes.count, at + portion())])
      let count = buffer.read(pair.near)
      idle = count > 0 ? 0 : idle + 1
      let frames = try buffer.frames()
      buffer.withMemory { memory in
        for frame in frames { got.append(Array(memory[frame])) }
      }
      if let last = frames.last { buffer.drop(through: last.upperBound) }
    }
    return got
  }

  @Test func framesComeOutAsTheyWentInHoweverTheyAreCut() throws {
    for seed in 0..<60 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let frames = (0..<random.number(1..<40)).map { _ in
        random.bytes(random.number(1..<(seed % 3 == 0 ? 9000 : 50)))
      }
      let most = [1, 3, 5, 100, 70_000][random.number(0..<5)]
      let got = try Self.pass(Self.framed(frames)) { random.number(1..<(most + 1)) }
      #expect(got == frames, "seed \(seed)")
    }
  }

  @Test func theLargestFrameFitsAndTheNextOneStandsBehindIt() throws {
    let large = [UInt8](repeating: 5, count: LocalLink.largestFrame)
    let frames = [[1], large, [2], large, large, [3, 3]]
    #expect(try Self.pass(Self.framed(frames)) { 150_000 } == frames)
  }

  @Test(arguments: [0, UInt32(LocalLink.largestFrame) + 1, 1 << 31, .max] as [UInt32])
  func aLengthThatCantBeIsRefused(_ length: UInt32) {
    let head = withUnsafeBytes(of: length.littleEndian) { Array($0) }
    #expect(throws: FrameProblem.self) { try Self.pass(head + [UInt8](repeating: 0, count: 40)) { 100 } }
    // Good ones before it don't hide it.
    #expect(throws: FrameProblem.self) { try Self.pass(Self.framed([[1], [2, 3]]) + head) { 100 } }
  }

  @Test func aFrameThatIsNotWholeIsNone() throws {
    let whole = Self.framed([[1, 2, 3]])
    for length in 0..<whole.count { #expect(try Self.pass(Array(whole[..<length])) { 100 } == []) }
    #expect(try Self.pass(whole + whole.dropLast()) { 100 } == [[1, 2, 3]])
  }
}
