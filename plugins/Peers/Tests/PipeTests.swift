// SPDX-License-Identifier: MIT

import Testing

@testable import PeersPlugin

/// The two halves of a channel, without a node around them.
@Suite struct PipeTests {
  static func ack(
    _ next: UInt64, instance: UInt64 = 1, credit: UInt64 = 1 << 30, ranges: [Range<UInt64>] = []
  ) -> AckFrame {
    AckFrame(
      sender: nil, receiver: PeerID(high: 0, low: 0), channel: 1, epoch: 1, instance: instance, next: next,
      credit: credit, refuses: false, ranges: ranges)
  }

  static func pipe(_ bodies: [[UInt8]], channel: UInt32 = 1) -> SendPipe {
    var pipe = SendPipe(channel: channel, epoch: 1)
    for body in bodies { pipe.append([.reliable], body, now: 0) }
    return pipe
  }

  static func takeAll(_ pipe: inout SendPipe, now: Microseconds = 10, over link: LinkID = 1) -> [UInt64] {
    var numbers: [UInt64] = []
    while let (number, _) = pipe.take(over: link, now: now) { numbers.append(number) }
    return numbers
  }

  static func take(_ pipe: inout ReceivePipe, _ number: UInt64, _ body: [UInt8]) -> ReceivePipe.Arrival {
    body.withUnsafeBytes { pipe.take(number, [.reliable], $0) }
  }

  // MARK: - Sending

  @Test func eachPieceGoesOnceAndIsKeptUntilItIsAcknowledged() {
    var pipe = Self.pipe([[1], [2], [3]])
    #expect(pipe.count == 3 && pipe.kept == 3 * Window.cost(1) && !pipe.isWaiting)
    #expect(Self.takeAll(&pipe) == [0, 1, 2] && pipe.isWaiting)
    #expect(Self.takeAll(&pipe) == [])
    let outcome = pipe.acknowledge(Self.ack(2), now: 110)
    #expect(outcome.roundTrip == 100 && !outcome.hasGap && !outcome.hasForgotten)
    #expect(pipe.count == 1 && pipe.kept == Window.cost(1) && pipe.first == 2 && pipe.next == 3)
    _ = pipe.acknowledge(Self.ack(3), now: 120)
    #expect(pipe.isEmpty && pipe.kept == 0 && !pipe.isWaiting && pipe.oldest == nil)
  }

  @Test(arguments: [4, 100, .max] as [UInt64])
  func whatWasNeverSentCantBeAcknowledged(_ next: UInt64) {
    var pipe = Self.pipe([[1], [2], [3]])
    _ = Self.takeAll(&pipe)
    _ = pipe.acknowledge(Self.ack(next), now: 20)
    #expect(pipe.count == 3)
  }

  @Test func anAcknowledgementThatWasOvertakenTellsNothing() {
    var pipe = Self.pipe([[1], [2], [3]])
    _ = Self.takeAll(&pipe)
    _ = pipe.acknowledge(Self.ack(2, instance: 7, credit: 1 << 22), now: 20)
    _ = pipe.acknowledge(Self.ack(1, instance: 7, credit: 0), now: 21)
    #expect(pipe.first == 2 && pipe.credit == 1 << 22)
    _ = pipe.acknowledge(Self.ack(3, instance: 6), now: 22)
    #expect(pipe.first == 2, "an earlier pipe of the receiver's says nothing of this one")
  }

  @Test func theReceiversCreditHoldsUpWhatIsBehindIt() {
    let half = Window.size(of: 1) / 2
    var pipe = Self.pipe([[UInt8](repeating: 1, count: half), [UInt8](repeating: 2, count: half)])
    #expect(Self.takeAll(&pipe) == [0] && pipe.isStalled)
    _ = pipe.acknowledge(Self.ack(1, credit: UInt64(pipe.end) - 1), now: 20)
    #expect(Self.takeAll(&pipe) == [] && pipe.isStalled && !pipe.isWaiting)
    _ = pipe.acknowledge(Self.ack(1, credit: UInt64(pipe.end)), now: 20)
    #expect(Self.takeAll(&pipe) == [1] && !pipe.isStalled)
  }

  @Test func roomIsWhatTheWindowLeavesAndAnythingFitsIntoAnEmptyPipe() {
    let whole = Window.size(of: 1)
    #expect(Self.pipe([]).hasRoom(for: 10 * whole))
    let pipe = Self.pipe([[UInt8](repeating: 0, count: whole - 164)])
    #expect(pipe.hasRoom(for: 100) && !pipe.hasRoom(for: 101))
  }

  @Test func onlyWhatWentOverALostLinkGoesAgain() {
    var pipe = Self.pipe([[0], [1], [2], [3]])
    _ = pipe.take(over: 1, now: 5)
    _ = pipe.take(over: 2, now: 6)
    _ = pipe.take(over: 1, now: 7)
    #expect(false == pipe.rewind(sentOver: 9))
    #expect(true == pipe.rewind(sentOver: 1))
    #expect(Self.takeAll(&pipe, now: 8, over: 2) == [0, 2, 3])
    _ = pipe.acknowledge(Self.ack(4), now: 9)
    #expect(pipe.isEmpty && !pipe.rewind(sentOver: 1) && !pipe.rewind(sentOver: 2))
  }

  @Test func whatIsOldGoesAgainSoManyAtOnce() {
    var pipe = Self.pipe((0..<10).map { [$0] })
    for now in 0..<10 { _ = pipe.take(over: 1, now: now) }
    #expect(true == pipe.rewind(sentBefore: 5, atMost: 3))
    #expect(Self.takeAll(&pipe, now: 50) == [0, 1, 2])
    #expect(true == pipe.rewind(sentBefore: 5, atMost: 64))
    #expect(Self.takeAll(&pipe, now: 60) == [3, 4, 5])
    #expect(!pipe.rewind(sentBefore: 5, atMost: 64) && !pipe.rewind(sentBefore: 100, atMost: 0))
    // How long a piece took that went twice can't be told (Karn's rule).
    #expect(pipe.acknowledge(Self.ack(6), now: 70).roundTrip == nil)
    #expect(pipe.acknowledge(Self.ack(7), now: 70).roundTrip == 64)
  }

  @Test func whatCameEarlyDoesNotGoAgain() {
    var pipe = Self.pipe((0..<6).map { [$0] })
    _ = Self.takeAll(&pipe, now: 1)
    #expect(pipe.acknowledge(Self.ack(1, ranges: [2..<4, 5..<99]), now: 2).hasGap)
    #expect(true == pipe.rewind(sentBefore: 100, atMost: 64))
    #expect(Self.takeAll(&pipe, now: 3) == [1, 4])
    #expect(pipe.count == 5, "it is kept all the same: the receiver may forget it")
  }

  @Test func aReceiverThatForgotIsFoundOut() {
    var pipe = Self.pipe((0..<4).map { [$0] })
    _ = Self.takeAll(&pipe)
    _ = pipe.acknowledge(Self.ack(2, instance: 10), now: 20)
    #expect(pipe.acknowledge(Self.ack(0, instance: 20), now: 30).hasForgotten)
    pipe.restart(epoch: 2)
    #expect(pipe.epoch == 2 && pipe.first == 0 && pipe.count == 2 && pipe.kept == 2 * Window.cost(1))
    var bodies: [[UInt8]] = []
    while let (_, piece) = pipe.take(over: 3, now: 40) { bodies.append(piece.body) }
    #expect(bodies == [[2], [3]])
  }

  /// The receiver kept some pieces that came early, said so, and then forgot all of them: they have to go
  /// again.
  @Test(arguments: [0, 2] as [UInt64])
  func whatAReceiverForgotBeforeItHadTheFirstGoesAgain(_ first: UInt64) {
    var pipe = Self.pipe((0..<6).map { [$0] })
    _ = Self.takeAll(&pipe)
    _ = pipe.acknowledge(Self.ack(first, instance: 10, ranges: [(first + 1)..<6]), now: 20)
    // The new pipe has nothing at all.
    let outcome = pipe.acknowledge(Self.ack(0, instance: 20), now: 30)
    if outcome.hasForgotten { pipe.restart(epoch: 2) }
    _ = pipe.rewind(sentBefore: 100, atMost: 64)
    var bodies: [[UInt8]] = []
    while let (_, piece) = pipe.take(over: 3, now: 40) { bodies.append(piece.body) }
    #expect(bodies == (UInt8(first)..<6).map { [$0] })
  }

  @Test func patienceDoublesToALimitAndComesBack() {
    var pipe = Self.pipe([[1], [2]])
    _ = Self.takeAll(&pipe)
    var patience: [Microseconds] = []
    for _ in 0..<4 {
      patience.append(pipe.patience)
      pipe.losePatience()
    }
    #expect(patience == [500_000, 1_000_000, 2_000_000, 2_000_000])
    _ = pipe.acknowledge(Self.ack(1), now: 30)
    #expect(pipe.patience == 500_000)
  }

  @Test func whatIsUnfinishedIsCountedByMessages() {
    var pipe = SendPipe(channel: 0, epoch: 1)
    for (flags, size) in [([.reliable], 10), ([.reliable, .last], 5), ([.reliable, .last], 1)]
      as [(DataFrame.Flags, Int)]
    {
      pipe.append(flags, [UInt8](repeating: 0, count: size), now: 0)
    }
    #expect(pipe.unfinished == (2, 16))
    _ = Self.takeAll(&pipe)
    _ = pipe.acknowledge(Self.ack(1), now: 1)
    #expect(pipe.unfinished == (2, 6))
  }

  /// Thousands of pieces: what is done with takes no memory for ever, and the numbers stay right.
  @Test func alongPipeKeepsItsNumbers() {
    var pipe = SendPipe(channel: 1, epoch: 1)
    for number in 0..<5000 as Range<UInt64> {
      pipe.append([.reliable], [UInt8(truncatingIfNeeded: number)], now: 0)
      let taken = pipe.take(over: 1, now: 0)
      #expect(taken?.number == number && taken?.piece.body == [UInt8(truncatingIfNeeded: number)])
      if number % 3 == 0 { _ = pipe.acknowledge(Self.ack(number, credit: .max / 2), now: 1) }
    }
    #expect(pipe.next == 5000 && pipe.first == 4998 && pipe.count == 2)
  }

  // MARK: - Receiving

  @Test func piecesAreHandedOverInTheirOrder() {
    var pipe = ReceivePipe(channel: 1, epoch: 1, now: 5)
    guard case .early = Self.take(&pipe, 2, [2]), case .early = Self.take(&pipe, 1, [1]),
      case .useless = Self.take(&pipe, 2, [9]), case .inOrder = Self.take(&pipe, 0, [0])
    else {
      Issue.record("not as they came")
      return
    }
    pipe.advance(1)
    #expect(pipe.nextEarly()?.body == [1])
    pipe.advance(1)
    #expect(pipe.nextEarly()?.body == [2])
    pipe.advance(1)
    #expect(pipe.nextEarly() == nil && pipe.next == 3 && pipe.received == UInt64(3 * Window.cost(1)))
    guard case .useless = Self.take(&pipe, 1, [1]) else {
      Issue.record("one that came before is taken again")
      return
    }
  }

  @Test func whatCameEarlyIsToldInRanges() {
    var pipe = ReceivePipe(channel: 1, epoch: 1, now: 5)
    for number in [9, 3, 4, 6, 5, 12] as [UInt64] { _ = Self.take(&pipe, number, [1]) }
    let said = pipe.acknowledgement()
    #expect(said.next == 0 && said.ranges == [3..<7, 9..<10, 12..<13])
    #expect(said.credit == UInt64(Window.size(of: 1)) && pipe.unacknowledged == 0)
    for number in 0..<40 as Range<UInt64> { _ = Self.take(&pipe, 20 + 2 * number, [1]) }
    #expect(pipe.acknowledgement().ranges.count == AckFrame.maxRanges)
  }

  @Test func nobodyFillsTheMemoryWithWhatIsEarly() {
    var pipe = ReceivePipe(channel: 1, epoch: 1, now: 5)
    let piece = [UInt8](repeating: 1, count: DataFrame.pieceSize)
    var kept = 0
    for number in 1..<200 as Range<UInt64> {
      if case .early = Self.take(&pipe, number, piece) { kept += piece.count }
    }
    #expect(kept > Window.size(of: 1) / 2 && kept <= Window.size(of: 1) + DataFrame.pieceSize)
    for far in [1 << 17, 1 << 40, .max] as [UInt64] {
      guard case .useless = Self.take(&pipe, far, [1]) else {
        Issue.record("\(far) was kept")
        return
      }
    }
  }

  /// The receiver takes nothing that a sender sends beyond what it was told may be sent.
  @Test func whatGoesBeyondTheWindowIsNotTaken() {
    var pipe = ReceivePipe(channel: 1, epoch: 1, now: 5)
    let piece = [UInt8](repeating: 1, count: DataFrame.pieceSize)
    var number: UInt64 = 0
    while case .inOrder = Self.take(&pipe, number, piece), number < 1000 {
      pipe.advance(piece.count)
      number += 1
    }
    #expect(Int(pipe.received) <= Window.size(of: 1) + 2 * DataFrame.pieceSize && number > 30)
    _ = pipe.consume(Int(pipe.received))
    guard case .inOrder = Self.take(&pipe, number, piece) else {
      Issue.record("what was done with makes no room")
      return
    }
  }

  @Test func aReaderThatTakesTellsTheSenderInTime() {
    var pipe = ReceivePipe(channel: 1, epoch: 1, now: 5)
    _ = pipe.acknowledgement()
    let quarter = Window.size(of: 1) / 4
    #expect(!pipe.consume(quarter - 1) && pipe.consume(1))
    #expect(pipe.acknowledgement().credit == UInt64(Window.size(of: 1) + quarter))
    #expect(false == pipe.consume(quarter - 1))
  }

  @Test func aHeldEndIsNotAcknowledged() {
    var pipe = ReceivePipe(channel: 1, epoch: 1, now: 5)
    for number in 0..<3 as Range<UInt64> {
      _ = Self.take(&pipe, number, [1])
      pipe.advance(1)
    }
    pipe.isHeld = true
    #expect(pipe.acknowledgement().next == 2)
    pipe.isHeld = false
    #expect(pipe.acknowledgement().next == 3)
  }

  @Test func muchIsAcknowledgedAtOnceAndLittleLater() {
    var pipe = ReceivePipe(channel: 1, epoch: 1, now: 5)
    for number in 0..<31 as Range<UInt64> {
      _ = Self.take(&pipe, number, [1])
      pipe.advance(1)
      #expect(!pipe.acknowledgesAtOnce)
    }
    _ = Self.take(&pipe, 31, [1])
    #expect(pipe.acknowledgesAtOnce)
    pipe.advance(1)
    _ = pipe.acknowledgement()
    #expect(!pipe.acknowledgesAtOnce)
    _ = Self.take(&pipe, 40, [1])
    #expect(pipe.acknowledgesAtOnce, "there is a gap")
  }
}
