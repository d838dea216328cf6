// SPDX-License-Identifier: MIT

import Testing

@testable import HttpPlugin

/// Bodies of requests that nobody has read yet.
@Suite struct BodyPiecesTests {
  @Test func whatIsTakenIsWhatCameInItsOrder() {
    var pieces = BodyPieces()
    var came: [UInt8] = []
    var taken: [UInt8] = []
    for turn in 1...300 {
      let piece = (0..<(turn % 11 * turn)).map { UInt8(truncatingIfNeeded: came.count &+ $0) }
      came += piece
      pieces.append(piece)
      if turn % 3 == 0 { taken += pieces.take(turn * 5).joined() }
    }
    while pieces.count > 0 { taken += pieces.take(1).joined() }
    #expect(came.count > 100_000 && taken == came)
  }

  @Test func bytesThatComeOneByOneAreFewPieces() {
    var pieces = BodyPieces()
    for _ in 0..<100_000 { pieces.append([7]) }
    #expect(pieces.count == 100_000 && pieces.all.count <= 100_000 / 2048)
  }

  @Test func aPieceKeepsNoRoomBeyondWhatItIs() {
    var pieces = BodyPieces()
    var piece = [UInt8](repeating: 1, count: 5000)
    piece.reserveCapacity(256 << 10)
    pieces.append(piece)
    #expect(pieces.all.map(\.count) == [5000] && pieces.all[0].capacity < 10_000)
  }

  @Test func noMoreIsTakenThanIsEnoughWithItsLastPiece() {
    var pieces = BodyPieces()
    for _ in 0..<10 { pieces.append([UInt8](repeating: 1, count: 10_000)) }
    #expect(pieces.take(25_000).map(\.count) == [10_000, 10_000, 10_000])
    #expect(pieces.count == 70_000)
  }
}
