// SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import Testing

@testable import PeersPlugin

/// What peers sign, and which peers believe it.
@Suite struct IdentityTests {
  static func keys() throws -> SessionKeys { try SessionKeys(KeyNumbers(seed: nil), VerifiedSignatures()) }

  /// The two sides of a link, after their first frames.
  struct Sides {
    let keys: [SessionKeys]
    var connector: Handshake
    var listener: Handshake
    let token = Octets32([UInt8](repeating: 7, count: 32)) ?? Octets32()

    init(_ binding: LinkBinding = LinkBinding(), shows shown: Secret? = nil) throws {
      keys = try [IdentityTests.keys(), IdentityTests.keys()]
      connector = Handshake(.connector, binding, token: shown)
      listener = Handshake(.listener, binding)
      let hellos = keys.map {
        Hello(key: $0.publicKey, challenge: $0.random(), name: "n", serviceType: "test", purpose: .overlay)
      }
      (connector.ownHello, connector.theirHello) = (hellos[0].frame, hellos[1].frame)
      (listener.ownHello, listener.theirHello) = (hellos[1].frame, hellos[0].frame)
      connector.claim = .init(id: keys[0].id(of: hellos[1].key), hello: hellos[1])
      listener.claim = .init(id: keys[0].id(of: hellos[0].key), hello: hellos[0])
    }

    func isBelieved(_ proof: ProofFrame, by side: Handshake) -> Bool {
      guard let claim = side.claim else { return false }
      do throws(FrameProblem) {
        try side.check(proof, claim, keys[0])
        return true
      } catch { return false }
    }
  }

  @Test func eachSideBelievesTheOther() throws {
    let sides = try Sides()
    #expect(sides.isBelieved(sides.connector.prove(sides.keys[0]), by: sides.listener))
    #expect(sides.isBelieved(sides.listener.prove(sides.keys[1]), by: sides.connector))
  }

  @Test func aProofIsWorthNothingElsewhere() throws {
    let sides = try Sides(), others = try Sides()
    let proof = sides.connector.prove(sides.keys[0])
    // On another link, back to where it came from, with another's key, or with a bit turned.
    #expect(!others.isBelieved(proof, by: others.listener))
    #expect(!sides.isBelieved(proof, by: sides.connector))
    #expect(!sides.isBelieved(sides.connector.prove(others.keys[0]), by: sides.listener))
    for bit in 0..<512 {
      var turned = proof
      turned.signature[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!sides.isBelieved(turned, by: sides.listener))
    }
    // Whatever was changed in what either said.
    for place in sides.listener.theirHello.indices {
      var changed = sides.listener
      changed.theirHello[place] ^= 1
      #expect(!sides.isBelieved(proof, by: changed), "byte \(place)")
    }
    for place in sides.listener.ownHello.indices {
      var changed = sides.listener
      changed.ownHello[place] ^= 1
      #expect(!sides.isBelieved(proof, by: changed), "byte \(place)")
    }
  }

  @Test func aTranscriptCanBeReadInOneWayOnly() throws {
    var one = Handshake(.connector, LinkBinding()), other = one
    (one.ownHello, one.theirHello) = ([1, 2], [3])
    (other.ownHello, other.theirHello) = ([1], [2, 3])
    #expect(one.transcript(of: .connector, binding: []) != other.transcript(of: .connector, binding: []))
    #expect(one.transcript(of: .connector, binding: []) != one.transcript(of: .listener, binding: []))
    #expect(one.transcript(of: .connector, binding: [3]) != one.transcript(of: .connector, binding: []))
  }

  @Test func membershipIsShownByTheTokenOnly() throws {
    let token = try Sides().token
    let shows = { (shown: Secret?) in
      let sides = try Sides(shows: shown)
      return sides.listener.showsMembership(sides.connector.prove(sides.keys[0]), token, sides.keys[1])
    }
    #expect(try shows(token))
    #expect(try !shows(nil) && !shows(Octets32()) && !shows(Self.keys().random()))
    // The token itself does not cross the link.
    let sides = try Sides(shows: token)
    #expect(!sides.connector.prove(sides.keys[0]).frame.contains(sequence: [7, 7, 7, 7, 7, 7, 7, 7]))
  }

  @Test func whatIsBoundToALinkIsSignedAndCompared() throws {
    let sides = try Sides(LinkBinding(own: [1]) { $0 == [1] ? nil : "it is \($0)" })
    let proof = sides.connector.prove(sides.keys[0])
    #expect(sides.isBelieved(proof, by: sides.listener))
    var changed = proof
    changed.binding = [2]
    #expect(!sides.isBelieved(changed, by: sides.listener))
    let elsewhere = Handshake(.connector, LinkBinding(own: [2]))
    var other = elsewhere
    (other.ownHello, other.theirHello) = (sides.connector.ownHello, sides.connector.theirHello)
    #expect(!sides.isBelieved(other.prove(sides.keys[0]), by: sides.listener))
  }

  @Test func processesAreToldApart() {
    let own = LocalBinding.Place(namespace: 10, process: 1)
    let problem = { (namespace: UInt64, process: Int32, seen: Int32) in
      LocalBinding.problem(
        LocalBinding.Place(namespace: namespace, process: process).bytes, seen: seen, from: own)
    }
    #expect(problem(10, 7, 7) == nil)
    #expect(problem(10, 7, 8) != nil && problem(10, 7, 0) != nil)
    // A process of another namespace, which can't be seen from here, or not at all.
    #expect(problem(11, 7, 0) == nil && problem(0, 7, 8) == nil)
    // This very process is of no namespace that has the number 11.
    #expect(problem(11, 7, getpid()) != nil)
    #expect(LocalBinding.problem([], seen: 7, from: own) != nil)
  }

  // MARK: - Records

  static func record(_ keys: any PeerKeys, version: UInt64 = 3) -> MemberRecord {
    var record = MemberRecord(
      id: keys.id(of: keys.publicKey), version: version, name: "Ada", address: "there", token: keys.random(),
      key: keys.publicKey, agreementKey: keys.makeAgreement().publicKey)
    record.links = [record.id]
    return record.signed(with: keys)
  }

  static func read(_ signed: [UInt8], _ keys: any PeerKeys) -> MemberRecord? {
    let frame = withUnsafeBytes(of: UInt32(signed.count).littleEndian) { Array($0) } + signed
    return frame.withUnsafeBytes { memory -> MemberRecord? in
      var reader = FrameReader(memory)
      do throws(FrameProblem) { return try MemberRecord(CarriedRecord(&reader), keys) } catch { return nil }
    }
  }

  @Test func aRecordIsItsOwnersAndGoesOnAsItCame() throws {
    let (ada, bob) = (try Self.keys(), try Self.keys())
    let record = Self.record(ada)
    let came = try #require(Self.read(record.signed, bob))
    #expect(
      came.signed == record.signed && came.id == record.id && came.version == 3 && came.links == record.links)
    for place in record.signed.indices {
      var changed = record.signed
      changed[place] ^= 2
      #expect(Self.read(changed, bob) == nil, "byte \(place)")
    }
    #expect(Self.read(record.signed + [0], bob) == nil)
  }

  @Test func nobodyMakesARecordOfAnother() throws {
    let (ada, bob) = (try Self.keys(), try Self.keys())
    var forged = Self.record(bob)
    forged.id = ada.id(of: ada.publicKey)
    #expect(Self.read(forged.signed(with: bob).signed, ada) == nil)
    forged.key = ada.publicKey
    #expect(Self.read(forged.signed(with: bob).signed, ada) == nil)
  }

  @Test func aRecordThatNobodyHeardKeepsItsVersion() throws {
    let ada = try Self.keys()
    let told = Self.record(ada)
    #expect(told.next.version == 4 && told.next.signed.isEmpty)
    #expect(told.next.next.version == 4)
  }

  /// A member may bring in as many as it likes; the memory that they take has a bound, and members that are
  /// there stay.
  @Test func whoIsMadeUpHasABound() {
    let ada = SimulatedKeys(seed: 1)
    var table = MemberTable(Self.record(ada))
    let bob = Self.record(SimulatedKeys(seed: 2))
    _ = table.learn(bob)
    for number in 10..<16_500 as Range<UInt64> {
      let id = PeerID(high: number, low: number)
      _ = table.learn(
        MemberRecord(
          id: id, version: 1, name: "n", address: "", token: Octets32(), key: Octets32(),
          agreementKey: Octets32()))
    }
    #expect(table.entries.count == MemberTable.maximum)
    var later = bob.next
    later.name = "still Bob"
    _ = table.learn(later)
    #expect(table.entry(bob.id)?.record?.name == "still Bob")
    // All of them fit into a frame of the smallest transport there is.
    #expect(MemberTable.maximum * DigestFrame.Entry.size < LocalLink.largestFrame)
    #expect(MemberTable.maximum * DataFrame.Target.size + DataFrame.pieceSize + 64 < LocalLink.largestFrame)
  }

  @Test func aLinkToSomebodyUnknownCountsWhenItIsKnown() {
    let keys = (1...3).map { SimulatedKeys(seed: $0) }
    let records = keys.map { Self.record($0) }
    var table = MemberTable(records[0])
    var bob = records[1].next
    bob.links = [records[2].id]
    _ = table.learn(bob)
    #expect(table.entries.count == 2)
    let number = table.number(of: bob.id)
    _ = table.survey([(number, 1)], now: 0)
    #expect(table.reachable == 2)
    _ = table.learn(records[2])
    _ = table.survey([(number, 1)], now: 0)
    #expect(table.reachable == 3 && table.entry(records[2].id)?.hops == 2)
  }

  // MARK: - Announcements

  @Test func anAnnouncementIsItsOwners() throws {
    let (ada, bob) = (try Self.keys(), try Self.keys())
    let genuine = Advertisement(
      ada, serviceType: "test", name: "Ada", info: ["a": "1", "b": ""], address: "there")
    #expect(genuine.isGenuine("test", bob) && !genuine.isGenuine("other", bob))
    let changes: [(inout Advertisement) -> Void] = [
      { $0.name = "Eve" }, { $0.info = ["a": "1"] }, { $0.info["b"] = "1" }, { $0.address = "here" },
      { $0.id = "0" },
      { $0.key = Hexadecimal.text(bob.publicKey.bytes) }, { $0.signature = "" }, { $0.signature += "0" },
      { $0.key = "é" }, { $0.info = ["a": "1b", "": ""] },
    ]
    for change in changes {
      var changed = genuine
      change(&changed)
      #expect(!changed.isGenuine("test", bob), "\(changed)")
    }
  }

  @Test func nobodyAnnouncesAnother() throws {
    let (ada, bob) = (try Self.keys(), try Self.keys())
    let lie = Liar(keys: bob, says: ada.publicKey)
    let forged = Advertisement(lie, serviceType: "test", name: "Ada", info: [:], address: "there")
    var withKey = forged
    withKey.key = Hexadecimal.text(bob.publicKey.bytes)
    #expect(!forged.isGenuine("test", ada) && !withKey.isGenuine("test", ada))
  }

  /// Signs with its own key what it says to be another's.
  struct Liar: PeerKeys {
    let keys: SessionKeys
    let says: PublicKey
    var publicKey: PublicKey { says }
    func sign(_ message: [UInt8]) -> [UInt8] { keys.sign(message) }
    func isSigned(_ message: [UInt8], by key: PublicKey, _ signature: [UInt8]) -> Bool {
      keys.isSigned(message, by: key, signature)
    }
    func hash(_ bytes: UnsafeRawBufferPointer) -> Octets32 { keys.hash(bytes) }
    func code(_ key: Secret, _ message: [UInt8]) -> AuthenticationCode { keys.code(key, message) }
    func random() -> Octets32 { keys.random() }
    func makeAgreement() -> any PeerAgreement { keys.makeAgreement() }
  }

  // MARK: - What came before

  @Test func aNumberCountsOnceInItsEpoch() {
    var window = ReplayWindow()
    #expect(window.admits(0, epoch: 1) && window.admits(5, epoch: 1) && window.admits(3, epoch: 1))
    #expect(!window.admits(0, epoch: 1) && !window.admits(5, epoch: 1) && !window.admits(3, epoch: 1))
    #expect(
      window.admits(1500, epoch: 1) && !window.admits(5, epoch: 1) && !window.admits(1500 - 1025, epoch: 1))
    #expect(window.admits(1500 - 1000, epoch: 1) && !window.admits(1500 - 1000, epoch: 1))
    #expect(window.admits(0, epoch: 2) && !window.admits(1501, epoch: 1))
    #expect(
      !window.admits(.max, epoch: 2) && window.admits(.max - 1, epoch: 2)
        && !window.admits(.max - 1, epoch: 2))
    #expect(window.admits(7, epoch: .max) && !window.admits(7, epoch: 3))
  }

  @Test func everyNumberCountsOnceInAnyOrder() {
    var random = SeededGenerator(seed: 5)
    var window = ReplayWindow(), came: Set<UInt64> = []
    for step in 0..<20_000 as Range<UInt64> {
      let number = step / 3 + UInt64.random(in: 0..<400, using: &random)
      let isNew = came.insert(number).inserted
      #expect(window.admits(number, epoch: 1) == isNew)
    }
  }
}

extension [UInt8] {
  fileprivate func contains(sequence other: [UInt8]) -> Bool {
    indices.contains { self[$0...].starts(with: other) }
  }
}
