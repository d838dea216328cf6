// SPDX-License-Identifier: MIT

import Testing

@testable import PeersPlugin

/// How many links there are to be, and how long a peer waits before the next try.
@Suite struct OverlayTests {
  static let peer = PeerID(high: 1, low: 1)

  @Test(arguments: [
    (0, 0), (1, 0), (2, 1), (3, 2), (4, 3), (5, 4), (8, 6), (9, 7), (16, 7), (17, 8), (1000, 13),
  ])
  func aPeerLooksForThreeAndTheLogarithm(_ members: Int, _ links: Int) {
    #expect(Overlay.wanted(members) == links)
    #expect(Overlay.maximum(members) == max(12, 2 * links))
  }

  @Test func eachFailureDoublesThePauseUpToALimit() {
    var overlay = Overlay()
    var now = 0, pauses: [Int] = []
    for _ in 0..<9 {
      #expect(overlay.mayTry(Self.peer, now))
      overlay.noteFailure(Self.peer, now)
      let until = overlay.troubles[Self.peer]?.until ?? 0
      pauses.append((until - now) / 1000)
      #expect(!overlay.mayTry(Self.peer, until - 1) && overlay.mayTry(Self.peer, until))
      now = until
    }
    #expect(pauses == [500, 1000, 2000, 4000, 8000, 15000, 15000, 15000, 15000])
    overlay.noteSuccess(Self.peer)
    overlay.noteFailure(Self.peer, now)
    #expect(overlay.troubles[Self.peer]?.until == now + 500_000, "it begins anew")
  }

  @Test func oneThatIsFullWaitsAndIsNotTakenForBroken() {
    var overlay = Overlay()
    for _ in 0..<5 { overlay.noteFull(Self.peer, 0) }
    #expect(!overlay.mayTry(Self.peer, 1_999_999) && overlay.mayTry(Self.peer, 2_000_000))
    overlay.noteFailure(Self.peer, 0)
    #expect(overlay.troubles[Self.peer]?.until == 500_000)
    overlay.noteLoss(Self.peer, 1)
    #expect(overlay.mayTry(Self.peer, 1), "a link that was there is looked for at once")
  }

  @Test func nobodyIsTriedTwiceAtOnce() {
    var overlay = Overlay()
    let first = overlay.attempt(Self.peer, .overlay, nil)
    #expect(overlay.isTrying(Self.peer) && !overlay.mayTry(Self.peer, 1 << 40) && overlay.isBusy)
    #expect(overlay.attempt(Self.peer, .direct, nil) != first)
    overlay.attempts = [:]
    #expect(overlay.mayTry(Self.peer, 0) && !overlay.isBusy)
  }

  @Test func whoVanishedIsLookedForTenMinutes() {
    var overlay = Overlay()
    overlay.noteVanished(Self.peer, 5)
    #expect(overlay.vanished[Self.peer] == 600_000_005 && overlay.isBusy)
    overlay.forget { _, end in end < 600_000_005 }
    #expect(overlay.isBusy)
    overlay.forget { _, end in end < 600_000_006 }
    #expect(!overlay.isBusy)
    overlay.noteVanished(Self.peer, 5)
    overlay.noteGone(Self.peer)
    #expect(!overlay.isBusy, "it has ended: nobody need look")
  }
}

/// Which invitations are let in.
@Suite struct InvitationTests {
  @Test func aRushPassesAndAFloodDoesNot() {
    var invitations = Invitations()
    #expect((0..<100).count { _ in invitations.admits(1_000_000_000) } == Invitations.maxWaiting)
    // Ten in a second; a clock that goes back brings none.
    #expect(false == invitations.admits(999_000_000))
    #expect((0..<100).count { _ in invitations.admits(1_000_000_000 + 500_000) } == 15)
    #expect(
      (0..<1000).count { _ in invitations.admits(1 << 60) } == Invitations.maxWaiting,
      "never more than the bucket holds")
  }

  @Test func noMoreWaitThanAreTaken() {
    var invitations = Invitations()
    for number in 0..<Invitations.maxWaiting {
      invitations.incoming.append(
        .init(number: number, peer: OverlayTests.peer, nonce: UInt64(number), endsAt: 5, link: number))
    }
    #expect(false == invitations.admits(1_000_000))
    invitations.incoming.removeLast()
    #expect(true == invitations.admits(1_000_000))
  }

  @Test func anInvitationIsSeenOnce() {
    var invitations = Invitations()
    #expect(invitations.note(5, 1) == nil && invitations.note(5, 2)?.link == 1)
    invitations.note(.declined, to: 5)
    #expect(invitations.note(5, 1)?.answer == .declined)
    invitations.note(.accepted, to: 6)
    #expect(invitations.note(6, 1) == nil, "one that never came has no answer")
    // So many are remembered that a peer that floods does not make the last ones forgotten.
    for nonce in 100..<1100 as Range<UInt64> { _ = invitations.note(nonce, 9) }
    #expect((600..<1100 as Range<UInt64>).allSatisfy { invitations.note($0, 3) != nil })
  }

  @Test func theNextEndIsTheEarliest() {
    var invitations = Invitations()
    #expect(invitations.deadline == nil)
    invitations.incoming.append(.init(number: 1, peer: OverlayTests.peer, nonce: 1, endsAt: 50, link: 1))
    #expect(invitations.deadline == 50 && invitations.uses(1) && !invitations.uses(2))
    invitations.outgoing.append(
      .init(number: 2, peer: OverlayTests.peer, nonce: 1, context: [], endsAt: 20, link: 2))
    #expect(invitations.deadline == 20 && invitations.uses(2))
  }

  // MARK: - Between nodes

  static func results(_ wires: Wires, _ node: Int) -> [Int: InviteResult] {
    wires.events[node].reduce(into: [:]) {
      if case .answered(let number, let result) = $1 { $0[number] = result }
    }
  }

  static func invite(_ wires: Wires, _ one: Int, _ other: Int, milliseconds: Int = 20_000) -> Int {
    wires.nodes[one].invite(
      wires.id(other), address: wires.nodes[other].address, context: [], milliseconds: milliseconds, wires.now
    )
  }

  @Test func whoAsksTwiceHearsTwice() throws {
    let wires = try Wires(2)
    let numbers = [Self.invite(wires, 0, 1), Self.invite(wires, 0, 1)]
    wires.run(seconds: 1)
    #expect(numbers.map { Self.results(wires, 0)[$0] } == [.joined, .joined])
    let late = Self.invite(wires, 0, 1)
    wires.pump()
    #expect(Self.results(wires, 0)[late] == .joined, "it is a member already")
  }

  /// Two parts of a program invite the same peer, and the first takes its invitation back.
  @Test func whoTakesAnInvitationBackTakesNobodyElses() throws {
    let wires = try Wires(2)
    let numbers = (0..<3).map { _ in Self.invite(wires, 0, 1) }
    #expect(true == wires.nodes[0].cancelInvitation(numbers[0], wires.now))
    wires.run(seconds: 2)
    #expect(numbers.map { Self.results(wires, 0)[$0] } == [.cancelled, .joined, .joined])
    #expect(wires.nodes[0].isMember(wires.id(1)) && wires.nodes[1].isMember(wires.id(0)))
    #expect(false == wires.nodes[0].cancelInvitation(numbers[1], wires.now), "it is over")
  }

  @Test func oneThatIsTakenBackAloneIsOver() throws {
    let wires = try Wires(2)
    let number = Self.invite(wires, 0, 1)
    #expect(true == wires.nodes[0].cancelInvitation(number, wires.now))
    wires.run(seconds: 2)
    #expect(Self.results(wires, 0) == [number: .cancelled])
    #expect(wires.nodes[0].members.isEmpty && wires.nodes[1].members.isEmpty)
    #expect(wires.nodes[0].invitations.outgoing.isEmpty && wires.nodes[0].links.isEmpty)
  }

  @Test func bothWhoInviteEachOtherMeetOnce() throws {
    for seed in 0..<20 {
      let wires = try Wires(2)
      let one = Self.invite(wires, 0, 1), other = Self.invite(wires, 1, 0)
      if seed % 2 == 0 { wires.pump() }
      // The inviter waits that long for an answer that the other side does not confirm.
      wires.run(seconds: 8)
      #expect(Self.results(wires, 0)[one] == .joined && Self.results(wires, 1)[other] == .joined)
      #expect(wires.nodes.allSatisfy { $0.links.count == 1 && $0.direct.count == 1 })
      #expect(wires.nodes.allSatisfy { $0.invitations.incoming.isEmpty && $0.invitations.outgoing.isEmpty })
    }
  }

  @Test func whoCantBeReachedIsToldAndNothingIsLeft() throws {
    let wires = try Wires(2)
    wires.blocked.insert([0, 1])
    let number = Self.invite(wires, 0, 1)
    wires.run(seconds: 1)
    #expect(Self.results(wires, 0) == [number: .unreachable] && wires.nodes[0].invitations.outgoing.isEmpty)
    #expect(wires.nodes[0].deadline == nil, "there is nothing to wake for")
  }

  @Test func timeRunsOutAlsoWhenNobodyAnswersTheGreeting() throws {
    let wires = try Wires(2)
    wires.watches = { _ in false }
    let number = Self.invite(wires, 0, 1, milliseconds: 300)
    wires.run(seconds: 0.2)
    #expect(Self.results(wires, 0).isEmpty)
    wires.run(seconds: 0.3)
    #expect(Self.results(wires, 0) == [number: .timedOut])
  }
}
