// SPDX-License-Identifier: MIT

import Testing

@testable import PeersPlugin

/// Frames that members carry between two others: no member on the way can make one, change it, or say it
/// again.
@Suite struct AuthenticityTests {
  static func keys() throws -> SessionKeys { try SessionKeys(KeyNumbers(seed: nil), VerifiedSignatures()) }

  /// Ada (0) and Eve (2), who can't reach each other, and Bob (1) between them.
  static func line(_ count: Int = 3, isReliable: Bool = true, resume: Microseconds = 60_000_000) throws
    -> Wires
  {
    let wires = try Wires(count, isReliable: isReliable, resume: resume) { _ in try keys() }
    wires.blocked.insert([0, 2])
    wires.invite(0, 1)
    wires.invite(1, 2)
    wires.run()
    #expect(wires.nodes[0].isMember(wires.id(2)) && wires.nodes[0].direct[wires.id(2)] == nil)
    return wires
  }

  /// Frames of Ada's that Bob carries to Eve.
  static func record(_ wires: Wires, while body: () -> Void) -> [Wires.Passing] {
    var kept: [Wires.Passing] = []
    wires.watches = { passing in
      if passing.to == 2, passing.from == 1, passing.frame[0] == FrameKind.data.rawValue {
        kept.append(passing)
      }
      return true
    }
    body()
    wires.watches = { _ in true }
    return kept
  }

  @Test(arguments: [true, false]) func nothingOfWhatIsCarriedCanBeChanged(_ isMessageReliable: Bool) throws {
    let wires = try Self.line()
    var kept: [Wires.Passing] = []
    wires.watches = { passing in
      guard passing.to == 2, passing.from == 1, passing.frame[0] == FrameKind.data.rawValue else {
        return true
      }
      kept.append(passing)
      return false
    }
    wires.send([1, 2, 3], from: 0, to: [2], isReliable: isMessageReliable)
    wires.watches = { $0.frame[0] != FrameKind.data.rawValue }
    let original = try #require(kept.first)
    // Kind, flags, channel, sender, hops, count, receiver, number, epoch, code, payload; hops are the
    // carrier's.
    let hops = 1 + 1 + 4 + 16
    let eve = wires.nodes[2]
    for place in original.frame.indices.dropFirst() where place != hops {
      for bit in [1, 16, 128] as [UInt8] {
        var changed = original.frame
        changed[place] ^= bit
        wires.deliver(.init(from: 1, to: 2, link: original.link, frame: changed))
        wires.pump()
        #expect(wires.messages(2).isEmpty, "byte \(place)")
        // A frame that can't be read is the carrier's fault, and cuts its link.
        wires.nodes[2] = eve
      }
    }
    wires.deliver(original)
    wires.pump()
    #expect(wires.messages(2).map(\.body) == [[1, 2, 3]])
  }

  @Test func whoCarriesForgedFramesForAnotherKeepsItsLinks() throws {
    let wires = try Self.line()
    let link = try #require(wires.nodes[2].direct[wires.id(1)])
    let target = DataFrame.Target(id: wires.id(2), number: 0, epoch: 1)
    for number in 0..<10 as Range<UInt64> {
      var target = target
      (target.number, target.code.low) = (number, number)
      var writer = DataFrame.head(
        [.reliable, .last], channel: 0, sender: wires.id(0), hopsLeft: 5, targets: [target])
      writer.bytes += [9]
      wires.deliver(.init(from: 1, to: 2, link: link, frame: writer.bytes))
    }
    #expect(wires.nodes[2].statistics.forged == 10 && wires.nodes[2].statistics.violations == 0)
    #expect(wires.nodes[2].isMember(wires.id(1)))
    wires.send([1], from: 0, to: [2])
    wires.run()
    #expect(wires.messages(2).map(\.body) == [[1]])
  }

  /// A member that keeps to the form and not to the rules: the member that carried its piece could not know.
  @Test func aCarrierIsNotBlamedForWhatIsAuthenticAndWrong() throws {
    let wires = try Self.line()
    let link = try #require(wires.nodes[2].direct[wires.id(1)])
    let piece = [UInt8](repeating: 7, count: DataFrame.pieceSize)
    wires.send([0], from: 0, to: [2])
    for _ in 0..<80 {
      // Pieces without an end: more than a message may have.
      wires.nodes[0].talks[wires.id(2)]?.sends[0]?.append(.reliable, piece, now: wires.now)
      wires.nodes[0].transmit(wires.id(2), 0, wires.now)
      wires.pump()
    }
    wires.run()
    #expect(wires.problems(2).contains { $0.hasPrefix("\(wires.id(0)) does not keep to the protocol") })
    #expect(wires.nodes[2].direct[wires.id(1)] == link)
  }

  @Test func whatWasCarriedOnceIsNotTakenAgain() throws {
    let wires = try Self.line()
    let kept = Self.record(wires) {
      for number in 0..<5 as Range<UInt8> {
        wires.send([number], from: 0, to: [2], isReliable: false)
        wires.send([10 + number], from: 0, to: [2])
      }
      wires.run()
    }
    let before = wires.messages(2).map(\.body)
    #expect(before.count == 10 && kept.count == 10)
    for passing in kept + kept.reversed() { wires.deliver(passing) }
    wires.pump()
    #expect(wires.messages(2).count == 10)
  }

  @Test func aResourceThatWasOverLongAgoIsNotOpenedAgain() throws {
    let wires = try Self.line()
    let kept = Self.record(wires) {
      for channel in 1...1100 as ClosedRange<UInt32> {
        _ = wires.nodes[0].sendPiece([1], [.opens, .closes], to: wires.id(2), channel: channel, wires.now)
        wires.pump()
        wires.nodes[2].closeReceiving(wires.id(0), channel, isWhole: true, wires.now)
        wires.pump()
        wires.nodes[0].closeSending(wires.id(2), channel)
      }
    }
    let opened = { wires.events[2].count { if case .piece = $0 { true } else { false } } }
    #expect(opened() == 1100 && kept.count == 1100)
    for passing in kept { wires.deliver(passing) }
    wires.run()
    #expect(opened() == 1100 && wires.nodes[2].talks[wires.id(0)]?.receives.count == 0)
  }

  /// Eve forgets Ada, who was away for long: a recording of what Ada said before is worth nothing.
  @Test func whatWasCarriedBeforeOneForgotIsNotTakenAgain() throws {
    let wires = try Self.line(resume: 1_000_000)
    let kept = Self.record(wires) {
      for number in 0..<5 as Range<UInt8> {
        wires.send([number], from: 0, to: [2], isReliable: number % 2 == 0)
      }
      wires.run()
    }
    #expect(wires.messages(2).count == 5)
    wires.cut(0, 1)
    wires.run(seconds: 80)
    #expect(wires.nodes[2].talks[wires.id(0)] == nil, "Eve has forgotten Ada")
    wires.blocked.remove([0, 1])
    wires.invite(0, 1)
    wires.run()
    #expect(wires.nodes[2].isMember(wires.id(0)))
    let link = try #require(wires.nodes[2].direct[wires.id(1)])
    for passing in kept { wires.deliver(.init(from: 1, to: 2, link: link, frame: passing.frame)) }
    wires.pump()
    #expect(wires.messages(2).count == 5 && wires.nodes[2].statistics.forged == 5)
    // What Ada says now comes, with the new key.
    wires.send([99], from: 0, to: [2])
    wires.run(seconds: 3)
    #expect(wires.messages(2).last?.body == [99])
  }

  @Test func nobodyElseAcknowledges() throws {
    let wires = try Self.line()
    wires.watches = { !($0.to == 2 && $0.frame[0] == FrameKind.data.rawValue) }
    wires.send([5], from: 0, to: [2])
    wires.run(seconds: 0.2)
    let link = try #require(wires.nodes[0].direct[wires.id(1)])
    var ack = AckFrame(
      sender: wires.id(2), receiver: wires.id(0), channel: 0, epoch: 1, instance: 5, next: 1, credit: .max,
      refuses: false, ranges: [])
    for code in 0..<5 as Range<UInt64> {
      ack.code.low = code
      wires.deliver(.init(from: 1, to: 0, link: link, frame: ack.frame))
    }
    #expect(wires.nodes[0].talks[wires.id(2)]?.isWaiting ?? false)
    #expect(wires.nodes[0].statistics.forged == 5)
    wires.watches = { _ in true }
    wires.run(seconds: 5)
    #expect(wires.messages(2).map(\.body) == [[5]])
    #expect(!(wires.nodes[0].talks[wires.id(2)]?.isWaiting ?? true))
  }

  /// Greetings that take long, as on a machine with too much to do, must not be answered by making still more
  /// links.
  @Test func linksThatAreBeingGreetedCountAsThoseThatAreWanted() throws {
    let wires = try Wires(9)
    wires.watches = { passing in
      passing.frame[0] != FrameKind.proof.rawValue || passing.from == 1 || passing.to == 1
    }
    for other in [0, 2, 3, 4, 5, 6, 7, 8] { wires.invite(1, other) }
    wires.run(seconds: 2)
    for node in wires.nodes where node.id != wires.id(1) {
      #expect(node.members.count == 8)
      #expect(node.links.values.count { $0.isOwn && $0.stage != .joined } <= Overlay.maxAttempts)
    }
    wires.watches = { _ in true }
    wires.run(seconds: 10)
    #expect(wires.nodes.allSatisfy { $0.direct.count >= 6 })
  }

  @Test func whoLeavesLetsNobodyBackInByWhatItTold() throws {
    let wires = try Wires(2) { _ in try Self.keys() }
    wires.invite(0, 1)
    wires.run()
    let token = wires.nodes[0].token
    #expect(wires.nodes[1].table.entry(wires.id(0))?.record?.token == token)
    wires.nodes[0].leave(wires.now)
    wires.run()
    #expect(wires.nodes[0].token != token && wires.nodes[0].members.isEmpty)
    // Bob tries, with what it knows.
    wires.nodes[1].connect(to: wires.id(0), wires.nodes[0].address, for: .overlay, token: token)
    wires.run()
    #expect(wires.nodes[0].members.isEmpty && wires.nodes[1].members.isEmpty)
  }
}
