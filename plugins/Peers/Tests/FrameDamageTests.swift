// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import PeersPlugin

/// Frames that were cut off, changed or made up on the way.
@Suite struct FrameDamageTests {
  /// A frame of each kind, and how it is read.
  static func samples() -> [(
    name: String, frame: [UInt8], read: (inout FrameReader) throws(FrameProblem) -> Void
  )] {
    var random = SeededGenerator(seed: 3)
    let keys = SimulatedKeys(seed: 4), id = random.id()
    var record = MemberRecord(
      id: keys.id(of: keys.publicKey), version: 3, name: "Ada", address: "there", token: random.octets(),
      key: keys.publicKey, agreementKey: random.octets())
    record.links = [random.id(), random.id()]
    let target = DataFrame.Target(id: id, number: 1, epoch: 1)
    let data = DataFrame.head(
      [.reliable], channel: 1, sender: random.id(), hopsLeft: 3, targets: [target, target])
    let ack = FrameCodingTests.ack([1..<2, 4..<9], sender: random.id())
    let digest = DigestFrame(
      wantsAnswer: true, entries: [.init(id: id, version: 1), .init(id: id, version: 2)])
    let proof = ProofFrame(
      signature: random.bytes(64), membership: .init(high: 1, low: 2), binding: random.bytes(12))
    let hello = FrameCodingTests.hello().frame
    return [
      ("hello", hello, { reader throws(FrameProblem) in _ = try Hello(&reader) }),
      ("data", data.bytes, { reader throws(FrameProblem) in _ = try DataFrame(&reader, at: id) }),
      ("ack", ack.frame, { reader throws(FrameProblem) in _ = try AckFrame(&reader, at: id) }),
      ("digest", digest.frame, { reader throws(FrameProblem) in _ = try DigestFrame(&reader) }),
      ("proof", proof.frame, { reader throws(FrameProblem) in _ = try ProofFrame(&reader) }),
      (
        "gossip", GossipFrame.frames([record.signed(with: keys)])[0],
        { reader throws(FrameProblem) in
          for carried in try GossipFrame.read(&reader) { _ = try MemberRecord(carried, keys) }
        }
      ),
      (
        "invite", InviteFrame(nonce: 1, milliseconds: 2, context: [1, 2, 3]).frame,
        { reader throws(FrameProblem) in _ = try InviteFrame(&reader) }
      ),
      (
        "answer", AnswerFrame(nonce: 1, kind: .busy).frame,
        { reader throws(FrameProblem) in _ = try AnswerFrame(&reader) }
      ),
      ("beat", Beat(summary: 1, members: 2).frame, { reader throws(FrameProblem) in _ = try Beat(&reader) }),
    ]
  }

  static func isRead(
    _ frame: [UInt8], _ read: (inout FrameReader) throws(FrameProblem) -> Void
  ) -> Bool {
    do throws(FrameProblem) {
      try FrameCodingTests.read(Array(frame.dropFirst()), read)
      return true
    } catch { return false }
  }

  @Test func aFrameThatWasCutOffIsRefused() {
    for sample in Self.samples() {
      #expect(Self.isRead(sample.frame, sample.read), "\(sample.name)")
      for length in 1..<sample.frame.count where !(sample.name == "gossip" && length == 1) {
        #expect(
          !Self.isRead(Array(sample.frame[..<length]), sample.read), "\(sample.name) of \(length) bytes")
      }
    }
  }

  /// Whatever stands there: it is read or refused, and the program lives.
  @Test func frameOfNoiseHarmNobody() {
    var random = SeededGenerator(seed: 17)
    for sample in Self.samples() {
      for _ in 0..<2000 {
        var frame = sample.frame
        for _ in 0..<random.number(1..<6) {
          switch random.number(0..<4) {
          case 0: frame[random.number(1..<frame.count)] = UInt8(truncatingIfNeeded: random.next())
          case 1: frame[random.number(1..<frame.count)] = 255
          case 2: frame = Array(frame.prefix(random.number(2..<(frame.count + 1))))
          default: frame += random.bytes(random.number(0..<9))
          }
          if frame.count < 2 { frame += [0, 0] }
        }
        _ = Self.isRead(frame, sample.read)
      }
      for _ in 0..<500 { _ = Self.isRead([0] + random.bytes(random.number(0..<200)), sample.read) }
    }
  }

  // MARK: - Records

  @Test func aRecordIsItsOwnersInEachBit() throws {
    let keys = SimulatedKeys(seed: 9)
    var record = MemberRecord(
      id: keys.id(of: keys.publicKey), version: 7, name: "Ada", address: "a", token: keys.random(),
      key: keys.publicKey, agreementKey: keys.random())
    record.links = [PeerID(high: 1, low: 1)]
    let signed = record.signed(with: keys).signed
    let read = { (bytes: [UInt8]) -> MemberRecord? in
      var writer = FrameWriter(capacity: 0)
      writer.put(blob: bytes)
      return try? FrameCodingTests.read(writer.bytes) { reader throws(FrameProblem) in
        try MemberRecord(CarriedRecord(&reader), keys)
      }
    }
    let whole = try #require(read(signed))
    #expect(
      whole.id == record.id && whole.version == 7 && whole.links == record.links && whole.signed == signed)
    for bit in 0..<(signed.count * 8) {
      var changed = signed
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(read(changed) == nil, "bit \(bit)")
    }
    #expect(read(signed + [0]) == nil)
    #expect(read(SimulatedKeys(seed: 10).sign(signed) + signed) == nil)
  }

  @Test func anotherKeyMakesNoRecordOfSomebody() {
    let owner = SimulatedKeys(seed: 1), thief = SimulatedKeys(seed: 2)
    // The thief signs, names itself by its own key, and says that it is the owner.
    let record = MemberRecord(
      id: owner.id(of: owner.publicKey), version: 99, name: "n", address: "a", token: thief.random(),
      key: thief.publicKey, agreementKey: thief.random()
    ).signed(with: thief)
    let frame = GossipFrame.frames([record])[0]
    #expect(throws: FrameProblem.self) {
      try FrameCodingTests.read(Array(frame.dropFirst())) { reader throws(FrameProblem) in
        for carried in try GossipFrame.read(&reader) { _ = try MemberRecord(carried, owner) }
      }
    }
  }

  @Test(arguments: [
    (MemberRecord.maxLinks, 512, true), (MemberRecord.maxLinks + 1, 0, false), (0, 513, false),
  ])
  func aRecordHasLimits(_ links: Int, _ address: Int, _ isGood: Bool) {
    let keys = SimulatedKeys(seed: 1)
    var record = MemberRecord(
      id: keys.id(of: keys.publicKey), version: 1, name: "n", address: String(repeating: "a", count: address),
      token: keys.random(), key: keys.publicKey, agreementKey: keys.random())
    record.links = (0..<links).map { PeerID(high: 0, low: UInt64($0)) }
    let frame = GossipFrame.frames([record.signed(with: keys)])[0]
    let isRead = Self.isRead(frame) { reader throws(FrameProblem) in
      for carried in try GossipFrame.read(&reader) { _ = try MemberRecord(carried, keys) }
    }
    #expect(isRead == isGood)
  }

  @Test func aRecordGetsANewVersionOnceItWasTold() {
    let keys = SimulatedKeys(seed: 1)
    let record = MemberRecord(
      id: keys.id(of: keys.publicKey), version: 1, name: "n", address: "a", token: keys.random(),
      key: keys.publicKey, agreementKey: keys.random())
    #expect(record.next.version == 1 && record.next.next.version == 1)
    let told = record.signed(with: keys)
    #expect(told.next.version == 2 && told.next.signed.isEmpty && told.next.next.version == 2)
  }

  @Test func manyRecordsGoInSeveralFramesAndNoneIsLost() throws {
    let records = (0..<300).map { number -> MemberRecord in
      let keys = SimulatedKeys(seed: UInt64(number))
      var record = MemberRecord(
        id: keys.id(of: keys.publicKey), version: UInt64(number), name: "n", address: "a",
        token: keys.random(),
        key: keys.publicKey, agreementKey: keys.random())
      record.links = (0..<200).map { PeerID(high: 0, low: UInt64($0)) }
      // A record that no peer was told of does not go.
      return number == 5 ? record : record.signed(with: keys)
    }
    let frames = GossipFrame.frames(records)
    #expect(frames.count > 2 && frames.allSatisfy { $0.count < LocalLink.largestFrame / 2 })
    let versions = try frames.flatMap { frame in
      try FrameCodingTests.read(Array(frame.dropFirst())) { reader throws(FrameProblem) in
        try GossipFrame.read(&reader).map(\.version)
      }
    }
    #expect(versions == (0..<300).filter { $0 != 5 }.map { UInt64($0) })
    #expect(GossipFrame.frames([]).isEmpty && GossipFrame.frames([records[5]]).isEmpty)
  }

  // MARK: - A node that gets them

  /// A member that says whatever comes to its mind: it is cut off, and no other member suffers.
  @Test func whateverAMemberSaysTheOthersLive() throws {
    var random = SeededGenerator(seed: 23)
    var kinds: Set<UInt8> = []
    for round in 0..<120 {
      let wires = try Wires(3)
      wires.invite(0, 1)
      wires.invite(1, 2)
      wires.run(seconds: 0.3)
      guard let link = wires.nodes[1].direct[wires.id(0)] else {
        Issue.record("no link in round \(round)")
        return
      }
      for _ in 0..<20 {
        let kind = UInt8(random.number(0..<15))
        kinds.insert(kind)
        let sample = Self.samples()[random.number(0..<9)].frame
        var frame = random.chance(50) ? sample : [kind] + random.bytes(random.number(0..<150))
        if random.chance(50) {
          frame[random.below(frame.count)] = UInt8(truncatingIfNeeded: random.next())
        }
        wires.deliver(.init(from: 0, to: 1, link: link, frame: frame))
        wires.pump()
      }
      #expect(wires.nodes[1].isMember(wires.id(2)), "round \(round)")
      wires.send([42], from: 2, to: [1])
      wires.run(seconds: 0.1)
      #expect(wires.messages(1).contains { $0.from == wires.id(2) && $0.body == [42] }, "round \(round)")
    }
    #expect(kinds.count == 15)
  }

  @Test func aStrangerGetsNothingDoneBeforeItHasProvenWhoItIs() throws {
    for kind in [.invite, .answer, .joined, .gossip, .digest, .beat, .data, .ack, .admitted] as [FrameKind] {
      let wires = try Wires(1)
      wires.nodes[0].linkUp(900, attempt: nil, isReliable: true, wires.now)
      wires.nodes[0].effects = []
      let sample = Self.samples().first { $0.frame[0] == kind.rawValue }?.frame ?? [kind.rawValue]
      wires.deliver(.init(from: 0, to: 0, link: 900, frame: sample))
      #expect(wires.nodes[0].links[900] == nil && wires.nodes[0].statistics.violations == 1, "\(kind)")
      wires.pump()
      #expect(wires.problems(0).count == 1 && wires.nodes[0].members.isEmpty, "\(kind)")
    }
  }

  /// Where frames get lost, a frame that comes too early is no fault.
  @Test func onAWayThatLosesFramesNobodyIsBlamedForOrder() throws {
    let wires = try Wires(1, isReliable: false)
    wires.nodes[0].linkUp(900, attempt: nil, isReliable: false, wires.now)
    for sample in Self.samples() where sample.name != "hello" && sample.name != "proof" {
      wires.deliver(.init(from: 0, to: 0, link: 900, frame: sample.frame))
    }
    #expect(wires.nodes[0].links[900] != nil && wires.nodes[0].statistics.violations == 0)
    #expect(wires.nodes[0].members.isEmpty && wires.nodes[0].invitations.incoming.isEmpty)
  }

  @Test func aSecondGreetingThatDiffersCutsTheLink() throws {
    let wires = try Wires(1)
    wires.nodes[0].linkUp(900, attempt: nil, isReliable: true, wires.now)
    let hello = Hello(
      key: SimulatedKeys(seed: 5).publicKey, challenge: Octets32(), name: "x", serviceType: "test",
      purpose: .overlay)
    var other = hello
    other.name = "y"
    wires.deliver(.init(from: 0, to: 0, link: 900, frame: hello.frame))
    #expect(wires.nodes[0].links[900] != nil)
    wires.deliver(.init(from: 0, to: 0, link: 900, frame: hello.frame))
    #expect(wires.nodes[0].links[900] != nil, "the same again is no harm")
    wires.deliver(.init(from: 0, to: 0, link: 900, frame: other.frame))
    #expect(wires.nodes[0].links[900] == nil && wires.nodes[0].statistics.violations == 1)
  }
}
