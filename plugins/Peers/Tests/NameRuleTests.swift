// SPDX-License-Identifier: MIT

import NBridgePlugin
import TestSupport
import Testing

@testable import PeersPlugin

/// The rules for names, types, ids and texts.
@Suite struct NameRuleTests {
  @Test(arguments: [
    ("chess", true), ("file-drop", true), ("a", true), ("1a", true), ("a1", true), ("abcdefghijklmno", true),
    ("abcdefghijklmnop", false), ("", false), ("-a", false), ("a-", false), ("a--b", false), ("123", false),
    ("1-2", false), ("Chess", false), ("chess ", false), ("ch.ess", false), ("../chess", false),
    ("a/b", false),
    ("schäch", false), ("a\u{0}", false), ("a_b", false), ("..", false),
  ])
  func aServiceType(_ type: String, _ isGood: Bool) { #expect((ServiceType.problem(type) == nil) == isGood) }

  @Test(arguments: [
    ([:], true), (["a": ""], true), (["a": "b=c"], true), (["": "x"], false), (["a=": "x"], false),
    (["a\t": "x"], false), (["ä": "x"], false), ([" ": "x"], true), (["~": "漢"], true),
    (["k": String(repeating: "v", count: 253)], true), (["k": String(repeating: "v", count: 254)], false),
    (["k": String(repeating: "é", count: 127)], false), (["k": String(repeating: "é", count: 126)], true),
  ])
  func whatIsTold(_ info: [String: String], _ isGood: Bool) {
    #expect((DiscoveryInfo.problem(info) == nil) == isGood)
  }

  @Test func allThatIsToldTogetherHasALimit() {
    var info: [String: String] = [:]
    // 50 bytes each: the length before it, the key, "=", the value.
    for number in 0..<26 { info["key\(number + 10)"] = String(repeating: "v", count: 43) }
    #expect(DiscoveryInfo.problem(info) == nil)
    info["key10"]? += "v"
    #expect(DiscoveryInfo.problem(info) == "has 1301 bytes; at most 1300 may be")
  }

  @Test(arguments: [
    ("file.txt", true), ("", false), (String(repeating: "n", count: 255), true),
    (String(repeating: "n", count: 256), false),
    ("a\nb", false), ("a\u{7F}", false), ("../../etc/passwd", true), ("💾", true),
  ])
  func aResourcesName(_ name: String, _ isGood: Bool) {
    // The name is told to the receiver's script, and is never a path of this machine.
    #expect((ChannelHeader.problem(name) == nil) == isGood)
  }

  @Test(arguments: [
    ("", false), ("00000000000000000000000000000000", true), ("0123456789abcdef0123456789abcdef", true),
    ("0123456789ABCDEF0123456789abcdef", false), ("0123456789abcdef0123456789abcde", false),
    ("0123456789abcdef0123456789abcdef0", false), ("+123456789abcdef0123456789abcdef", false),
    ("0123456789abcdef-123456789abcdef", false), ("0123456789abcdef 123456789abcdef", false),
    ("٠١٢٣٤٥٦٧٨٩abcdef", false), ("../../../../../../../../../../..", false),
    ("0x23456789abcdef0123456789abcdef", false),
  ])
  func anId(_ text: String, _ isGood: Bool) {
    #expect((PeerID(text) != nil) == isGood)
    if isGood { #expect(PeerID(text)?.description == text) }
  }

  @Test func idsComeBackAndStandInOneOrder() {
    var random = SeededGenerator(seed: 2)
    let ids = (0..<500).map { _ in
      PeerID(
        high: random.next() >> UInt64(random.number(0..<60)),
        low: random.next() >> UInt64(random.number(0..<60)))
    }
    for id in ids { #expect(PeerID(id.description) == id) }
    #expect(ids.sorted().map(\.description) == ids.map(\.description).sorted())
  }

  @Test func thirtyTwoBytesAreThirtyTwo() {
    var random = SeededGenerator(seed: 2)
    for count in 0..<70 { #expect((Octets32(random.bytes(count)) != nil) == (count == 32)) }
    let bytes = random.bytes(32)
    #expect(Octets32(bytes)?.bytes == bytes && Octets32().bytes == [UInt8](repeating: 0, count: 32))
  }

  @Test func codesMatchWhenEachBitDoes() {
    let code = AuthenticationCode(high: 0x1234, low: 0x5678)
    #expect(code.matches(code))
    for bit in 0..<64 as Range<UInt64> {
      #expect(!code.matches(.init(high: code.high ^ 1 << bit, low: code.low)))
      #expect(!code.matches(.init(high: code.high, low: code.low ^ 1 << bit)))
    }
  }

  @Test func bytesAreWrittenInHexadecimalAndReadBack() {
    var random = SeededGenerator(seed: 3)
    for count in 0..<80 {
      let bytes = random.bytes(count)
      #expect(Hexadecimal.bytes(Hexadecimal.text(bytes)) == bytes)
    }
    #expect(Hexadecimal.text([0, 1, 0x9F, 0xFF]) == "00019fff")
    for text in ["0", "0g", "FF", "0x", " 1", "1 ", "é", "12345"] { #expect(Hexadecimal.bytes(text) == nil) }
  }

  // MARK: - Announcements

  static func advertisement(_ keys: SimulatedKeys) -> Advertisement {
    Advertisement(
      keys, serviceType: "chess", name: "Ada", info: ["level": "3", "b": "c"],
      address: keys.id(of: keys.publicKey).description)
  }

  @Test func anAnnouncementIsItsMakersInAllItSays() {
    let keys = SimulatedKeys(seed: 1), other = SimulatedKeys(seed: 2)
    let good = Self.advertisement(keys)
    #expect(good.isGenuine("chess", other))
    #expect(!good.isGenuine("checkers", other))
    for change in [
      { $0.name = "Eve" }, { $0.info["level"] = "4" }, { $0.info["more"] = "" }, { $0.info["b"] = nil },
      { $0.address = "elsewhere" }, { $0.id = other.id(of: other.publicKey).description },
      { $0.key = Hexadecimal.text(other.publicKey.bytes) }, { $0.key = "" }, { $0.key = "zz" },
      { $0.signature = "" }, { $0.signature = String($0.signature.dropLast(2)) },
      { $0.signature = Hexadecimal.text(other.sign([1])) }, { $0.key += "00" },
    ] as [(inout Advertisement) -> Void] {
      var forged = good
      change(&forged)
      #expect(!forged.isGenuine("chess", other))
    }
  }

  /// Bytes of one text can't be moved into the next.
  @Test func theBordersOfWhatIsSignedCantBeMoved() {
    let keys = SimulatedKeys(seed: 1)
    var moved = Self.advertisement(keys)
    moved.info = ["level": "3b", "": "c"]
    #expect(!moved.isGenuine("chess", keys))
    moved = Self.advertisement(keys)
    moved.name = "Adab"
    #expect(!moved.isGenuine("ches", keys))
  }

  // MARK: - What scripts give

  @Test(
    arguments: [
      ([], 0, true), ([3, 2], 5, true), ([0, 5, 0], 5, true), ([5], 4, false), ([3], 5, false),
      ([-1, 6], 5, false),
      ([.max, .max], 5, false), ([.max, 2, .max], 0, false), ([.min], 0, false), ([.max], 5, false),
    ] as [([Int], Int, Bool)])
  func lengthsHaveToFitTheirBytes(_ lengths: [Int], _ count: Int, _ isGood: Bool) {
    let options = SendManyOptions(
      bytes: Bytes([UInt8](repeating: 7, count: count)), lengths: lengths)
    let bodies = try? options.bodies()
    #expect(bodies?.map { $0.count - 1 } == (isGood ? lengths : nil))
  }

  /// A message that is too long would cut its sender off at the other side.
  @Test func noneOfManyMessagesIsLongerThanOneMayBe() throws {
    let longest = Window.largestMessage
    let texts = { SendManyOptions(texts: ["a", String(repeating: "x", count: $0)]) }
    #expect(try texts(longest).bodies().count == 2)
    #expect(throws: BridgeError.self) { try texts(longest + 1).bodies() }
    let bytes = Bytes([UInt8](repeating: 0, count: longest + 1))
    #expect(try SendManyOptions(bytes: bytes, lengths: [longest, 1]).bodies().count == 2)
    #expect(throws: BridgeError.self) {
      try SendManyOptions(bytes: bytes, lengths: [longest + 1]).bodies()
    }
  }

  @Test(arguments: [
    ("Ada's app", "Ada's app"), ("", "peer"), ("a\nb\tc", "a b c"),
    (String(repeating: "x", count: 40), String(repeating: "x", count: 20)),
    (String(repeating: "👩‍👩‍👧‍👧", count: 20), "👩‍👩‍👧‍👧👩‍👩‍👧‍👧"), ("\n\n", "peer"),
  ])
  func anyAppsNameGivesAPeersName(_ app: String, _ peer: String) {
    #expect(PeerName.made(of: app) == peer)
    #expect(PeerName.problem(PeerName.made(of: app)) == nil)
  }
}

/// The parts of a message.
@Suite struct PayloadTests {
  @Test(
    arguments: [
      [], [0], [4], [255, 1, 2], [0, 0x7B], [1], [1, 1, 2, 3], [0] + Array("{\"a\":1".utf8),
      [0] + Array("nope".utf8),
    ] as [[UInt8]])
  func whatIsNoValueIsRefused(_ body: [UInt8]) { #expect(Payload.decode(body) == nil) }

  @Test func valuesTextsAndBytesComeBack() throws {
    let value = try Value(encoding: ["a": 1])
    guard case .value(let again) = Payload.decode(Payload.encode(value)) else {
      Issue.record("no value")
      return
    }
    #expect(again.text == value.text)
    guard case .bytes = Payload.decode(Payload.encode(Bytes([]))),
      case .string = Payload.decode(Payload.encode(text: ""))
    else {
      Issue.record("no bytes, or no text")
      return
    }
    #expect(Payload.encode(Bytes([1, 2])) == [2, 1, 2] && Payload.encode(text: "é") == [3, 0xC3, 0xA9])
  }

  @Test func noiseIsNoValueAndHarmsNobody() {
    var random = SeededGenerator(seed: 6)
    for _ in 0..<3000 {
      _ = Payload.decode([UInt8(random.number(0..<5))] + random.bytes(random.number(0..<64)))
    }
  }
}
