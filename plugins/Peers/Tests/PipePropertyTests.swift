// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import PeersPlugin

/// Both halves of a channel against each other, over a way that loses, doubles and turns around what goes
/// over it.
@Suite struct PipePropertyTests {
  struct Run {
    var random: SeededGenerator
    var sender = SendPipe(channel: 1, epoch: 1)
    var receiver = ReceivePipe(channel: 1, epoch: 1, now: 1)
    var frames: [(number: UInt64, body: [UInt8], epoch: UInt64)] = []
    var acks: [AckFrame] = []
    var got: [[UInt8]] = []
    var now: Microseconds = 1

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func deliver(_ place: Int) {
      let frame = frames[place]
      if !random.chance(10) { frames.remove(at: place) }
      guard frame.epoch >= receiver.epoch else { return }
      if frame.epoch > receiver.epoch { receiver = ReceivePipe(channel: 1, epoch: frame.epoch, now: now) }
      let arrival = frame.body.withUnsafeBytes { receiver.take(frame.number, .reliable, $0) }
      if case .inOrder = arrival {
        hand(frame.body)
        while let piece = receiver.nextEarly() { hand(piece.body) }
      }
      let said = receiver.acknowledgement()
      acks.append(
        AckFrame(
          sender: nil, receiver: PeerID(high: 0, low: 0), channel: 1, epoch: receiver.epoch,
          instance: receiver.instance, next: said.next, credit: said.credit, refuses: false,
          ranges: said.ranges))
    }

    private mutating func hand(_ body: [UInt8]) {
      receiver.advance(body.count)
      _ = receiver.consume(Window.cost(body.count))
      got.append(body)
    }

    mutating func acknowledge(_ place: Int) {
      let ack = acks[place]
      if !random.chance(10) { acks.remove(at: place) }
      guard ack.epoch == sender.epoch else { return }
      let outcome = sender.acknowledge(ack, now: now)
      if outcome.hasForgotten { sender.restart(epoch: sender.epoch + 1) }
    }

    mutating func step() {
      now += 1000
      switch random.number(0..<10) {
      case 0..<4:
        if let (number, piece) = sender.take(over: 1, now: now), !random.chance(20) {
          frames.append((number, piece.body, sender.epoch))
        }
      case 4..<7: if !frames.isEmpty { deliver(random.number(0..<frames.count)) }
      case 7..<9: if !acks.isEmpty { acknowledge(random.number(0..<acks.count)) }
      default: _ = sender.rewind(sentBefore: now - 20_000, atMost: 16)
      }
    }
  }

  static func bodies(_ random: inout SeededGenerator) -> [[UInt8]] {
    (0..<random.number(1..<60)).map { number in [UInt8(number)] + random.bytes(random.number(0..<40)) }
  }

  @Test func everythingComesOnceAndInOrder() {
    for seed in 0..<200 as Range<UInt64> {
      var run = Run(seed: seed)
      let bodies = Self.bodies(&run.random)
      for body in bodies { run.sender.append(.reliable, body, now: 0) }
      var steps = 0
      while !run.sender.isEmpty, steps < 100_000 {
        run.step()
        steps += 1
      }
      #expect(run.got == bodies, "seed \(seed)")
      #expect(run.sender.isEmpty, "seed \(seed)")
    }
  }

  /// A receiver that forgets in the middle: what it had handed over before may come again, and nothing is
  /// missing.
  @Test func whateverTheReceiverForgetsAllComes() {
    for seed in 0..<200 as Range<UInt64> {
      var run = Run(seed: seed)
      let bodies = Self.bodies(&run.random)
      for body in bodies { run.sender.append(.reliable, body, now: 0) }
      var steps = 0, forgot = 0
      while !run.sender.isEmpty, steps < 100_000 {
        run.step()
        steps += 1
        if forgot < 3, run.random.chance(2) {
          // Before its time it had no time to forget.
          run.now += 1_000_000
          run.receiver = ReceivePipe(channel: 1, epoch: run.receiver.epoch, now: run.now)
          forgot += 1
        }
      }
      #expect(run.sender.isEmpty, "seed \(seed): \(run.sender.count) are stuck")
      #expect(Set(run.got) == Set(bodies), "seed \(seed)")
    }
  }
}

/// The window of numbers that may come in any order, each once.
@Suite struct ReplayWindowTests {
  @Test func aModelSaysTheSame() {
    for seed in 0..<30 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var window = ReplayWindow(), seen: Set<UInt64> = [], highest: UInt64 = 0, epoch: UInt64 = 0
      for _ in 0..<4000 {
        if random.chance(1), random.chance(20) {
          epoch += 1
          (seen, highest) = ([], 0)
        }
        let spread = [3, 100, 1023, 1024, 1025, 5000][random.number(0..<6)]
        let number = UInt64(max(0, Int(highest) + random.number(-spread..<spread)))
        let isTooOld = highest > number && highest - number >= ReplayWindow.size
        let isNew = !isTooOld && seen.insert(number).inserted
        #expect(window.admits(number, epoch: epoch) == isNew, "seed \(seed): \(number) of \(highest)")
        highest = max(highest, number)
      }
    }
  }

  @Test func anEarlierBeginningIsOver() {
    var window = ReplayWindow()
    #expect(window.admits(5, epoch: 3) && !window.admits(6, epoch: 2) && window.admits(6, epoch: 3))
    #expect(window.admits(5, epoch: 4) && !window.admits(7, epoch: 3))
  }

  @Test(arguments: [(UInt64.max, false), (UInt64.max - 1, true), (0, true)])
  func theEndsOfNumbersAreNoTrap(_ number: UInt64, _ isAdmitted: Bool) {
    var window = ReplayWindow()
    #expect(window.admits(number, epoch: .max) == isAdmitted)
    #expect(false == window.admits(number, epoch: .max))
  }

  @Test func aLeapForgetsWhatIsFarBehindOnly() {
    var window = ReplayWindow()
    for number in 0..<1024 as Range<UInt64> { #expect(true == window.admits(number, epoch: 0)) }
    #expect(true == window.admits(1500, epoch: 0))
    #expect(false == window.admits(476, epoch: 0), "too old")
    #expect(!window.admits(477, epoch: 0) && !window.admits(1023, epoch: 0), "they came")
    #expect(window.admits(1024, epoch: 0) && window.admits(1499, epoch: 0))
    #expect(window.admits(1 << 40, epoch: 0) && window.admits((1 << 40) - 1023, epoch: 0))
    #expect(false == window.admits((1 << 40) - 1024, epoch: 0))
  }
}

/// What one member remembers of another.
@Suite struct TalkTests {
  @Test func channelsThatAreOverStayOver() {
    var talk = Talk(epoch: 1)
    for channel in 1...5000 as ClosedRange<UInt32> { talk.end(channel, isWhole: channel % 2 == 0) }
    #expect(talk.over.count <= 1025)
    for channel in 1...5000 as ClosedRange<UInt32> { #expect(talk.ended(channel) != nil, "\(channel)") }
    #expect(talk.ended(5000) == true && talk.ended(4999) == false && talk.ended(1) == false)
    #expect(talk.ended(5001) == nil && talk.ended(0) == nil)
    talk.beginAnew(2)
    #expect(talk.ended(1) == nil && talk.theirEpoch == 2 && talk.overBelow == 0)
  }

  @Test func theTimeOfAnAcknowledgementIsSmoothed() {
    var talk = Talk()
    for _ in 0..<200 { talk.note(roundTrip: 1000) }
    #expect((1000..<1010).contains(talk.roundTrip))
    talk.note(roundTrip: 1_000_000)
    #expect((120_000..<130_000).contains(talk.roundTrip), "one that took long is not all")
  }
}
