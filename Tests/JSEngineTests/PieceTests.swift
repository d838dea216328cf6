// SPDX-License-Identifier: MIT

import Synchronization
import TestSupport
import Testing

@testable import JSEngine

/// Bytes that scripts get one piece after the other.
@Suite struct PieceTests {
  private final class Counts: Sendable {
    let alive = Atomic<Int>(0)
    let most = Atomic<Int>(0)
  }

  private final class Piece: Sendable {
    static let size = 1 << 20
    // Freed in deinit, and only looked at by the engine.
    nonisolated(unsafe) let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    private let counts: Counts

    init(_ counts: Counts) {
      self.counts = counts
      counts.most.max(counts.alive.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
    }
    deinit {
      memory.deallocate()
      counts.alive.subtract(1, ordering: .relaxed)
    }
  }

  /// The engine alone let fifty lie and more.
  @Test func deadPiecesAreLetGoOfUnderWay() async throws {
    try await onEngineThread { context throws in
      let counts = Counts()
      // No look seems to take time: none earns a rest.
      context.machine.pieces.clock = { 0 }
      let take = try js(context, "(bytes) => { globalThis.last = bytes; return bytes.length; }")
      for _ in 0..<600 {
        let piece = Piece(counts)
        let bytes = context.makeBytes(over: UnsafeRawBufferPointer(piece.memory), keeping: piece)
        #expect(try context.call(take, bytes).number == Double(Piece.size))
      }
      #expect(counts.most.load(ordering: .relaxed) <= 40)
    }
  }
}
