// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import PeersPlugin

/// Frames as they are written and read: what is cut off, forged or made up is refused, and nothing reads past
/// its end.
@Suite struct FrameCodingTests {
  static func read<R>(
    _ bytes: [UInt8], _ body: (inout FrameReader) throws(FrameProblem) -> R
  ) throws(FrameProblem) -> R {
    let result = bytes.withUnsafeBytes { memory -> Result<R, FrameProblem> in
      var reader = FrameReader(memory)
      do throws(FrameProblem) { return .success(try body(&reader)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Behind the byte that says the kind.
  static func rest(_ frame: [UInt8]) -> [UInt8] { Array(frame.dropFirst()) }

  // MARK: - Parts

  @Test func numbersStandLittleEndian() {
    var writer = FrameWriter(capacity: 0)
    writer.put(UInt16(0x0102))
    writer.put(UInt32(0x0304_0506))
    writer.put(UInt64(0x0708_090A_0B0C_0D0E))
    writer.put(UInt8(0xFF))
    #expect(writer.bytes == [2, 1, 6, 5, 4, 3, 14, 13, 12, 11, 10, 9, 8, 7, 255])
  }

  @Test(arguments: ["", "a", "Zoë", "🦆🦆", String(repeating: "x", count: 65535)])
  func aTextComesBack(_ text: String) throws {
    var writer = FrameWriter(capacity: 0)
    writer.put(text)
    #expect(writer.bytes.count == text.utf8.count + 2)
    #expect(try Self.read(writer.bytes) { reader throws(FrameProblem) in try reader.text() } == text)
  }

  @Test(
    arguments: [
      [1, 0, 0x80], [2, 0, 0xC3, 0x28], [3, 0, 0xED, 0xA0, 0x80], [4, 0, 0xF5, 0x80, 0x80, 0x80],
      [1, 0, 0xC3],
      [2, 0, 0xC0, 0x80],
    ] as [[UInt8]])
  func aTextThatIsNotUTF8IsRefused(_ bytes: [UInt8]) {
    #expect(throws: FrameProblem.self) {
      try Self.read(bytes) { reader throws(FrameProblem) in try reader.text() }
    }
  }

  @Test(arguments: [(0, true), (9, true), (10, true), (11, false), (1000, false)])
  func aBlobHasALimit(_ count: Int, _ isTaken: Bool) {
    var writer = FrameWriter(capacity: 0)
    writer.put(blob: [UInt8](repeating: 7, count: count))
    let got = try? Self.read(writer.bytes) { reader throws(FrameProblem) in try reader.blob(atMost: 10) }
    #expect(got == (isTaken ? [UInt8](repeating: 7, count: count) : nil))
  }

  /// A count that promises more than the frame holds makes no receiver reserve memory for it.
  @Test(arguments: [(0, 0, true), (1, 24, true), (1, 23, false), (2, 47, false), (2, 48, true)])
  func aCountIsOneOfWhatCanBeThere(_ count: UInt32, _ size: Int, _ isTaken: Bool) {
    var writer = FrameWriter(capacity: 0)
    writer.put(count)
    writer.bytes += [UInt8](repeating: 0, count: size)
    let got = try? Self.read(writer.bytes) { reader throws(FrameProblem) in try reader.count(of: 24) }
    #expect((got == Int(count)) == isTaken)
  }

  @Test func aHugeCountIsRefused() {
    for count in [UInt32.max, UInt32.max / 24, 1 << 31] {
      var writer = FrameWriter(capacity: 0)
      writer.put(true)
      writer.put(count)
      writer.bytes += [UInt8](repeating: 0, count: 240)
      #expect(throws: FrameProblem.self) {
        try Self.read(writer.bytes) { reader throws(FrameProblem) in try DigestFrame(&reader) }
      }
    }
  }

  @Test func takingKeepsToTheMemory() throws {
    try Self.read([1, 2, 3]) { reader throws(FrameProblem) in
      #expect(throws: FrameProblem.self) { try reader.take(-1) }
      #expect(throws: FrameProblem.self) { try reader.take(4) }
      #expect(throws: FrameProblem.self) { try reader.take(.max) }
      #expect(Array(try reader.take(0)) == [] && reader.rest == 3)
      #expect(Array(try reader.take(2)) == [1, 2] && reader.place == 2)
      #expect(throws: FrameProblem.self) { try reader.integer(UInt16.self) }
      #expect(try reader.integer(UInt8.self) == 3 && reader.rest == 0)
    }
  }

  // MARK: - Whole frames

  static func hello(_ change: (inout Hello) -> Void = { _ in }) -> Hello {
    var random = SeededGenerator(seed: 1)
    var hello = Hello(
      key: random.octets(), challenge: random.octets(), name: "Ada", serviceType: "chess", purpose: .direct)
    change(&hello)
    return hello
  }

  static func readHello(_ bytes: [UInt8]) throws(FrameProblem) -> Hello {
    try read(bytes) { reader throws(FrameProblem) in try Hello(&reader) }
  }

  @Test func aGreetingComesBack() throws {
    for purpose in [Hello.Purpose.invitation, .overlay, .direct] {
      let hello = Self.hello { $0.purpose = purpose }
      #expect(try Self.readHello(Self.rest(hello.frame)) == hello)
    }
  }

  @Test(arguments: [
    ("", false), ("A", true), (String(repeating: "n", count: 63), true),
    (String(repeating: "n", count: 64), false), ("a\nb", false), ("a\u{0}", false), ("a\u{2028}b", false),
    ("a\u{7F}", false), ("a\u{85}", false), ("👩‍👩‍👧‍👧", true), (" ", true), ("é", true),
  ])
  func aGreetingsNameHasRules(_ name: String, _ isGood: Bool) {
    let hello = Self.hello { $0.name = name }
    #expect(((try? Self.readHello(Self.rest(hello.frame))) != nil) == isGood)
  }

  @Test func nothingHangsOnBehindAGreeting() {
    #expect(throws: FrameProblem.self) { try Self.readHello(Self.rest(Self.hello().frame) + [0]) }
    let long = Self.hello { $0.serviceType = String(repeating: "s", count: 16) }
    #expect(throws: FrameProblem.self) { try Self.readHello(Self.rest(long.frame)) }
  }

  @Test(
    arguments: [
      (2, 2, true), (1, 2, true), (2, 9, true), (0, 255, true), (1, 1, false), (3, 3, false), (3, 255, false),
      (9, 1, false), (2, 1, false),
    ] as [(UInt8, UInt8, Bool)])
  func versionsHaveToOverlap(_ lowest: UInt8, _ highest: UInt8, _ isGood: Bool) {
    var bytes = Self.rest(Self.hello().frame)
    (bytes[4], bytes[5]) = (lowest, highest)
    #expect(((try? Self.readHello(bytes)) != nil) == isGood)
  }

  @Test func anotherProtocolIsNoGreeting() {
    for bit in 0..<32 {
      var bytes = Self.rest(Self.hello().frame)
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: FrameProblem.self) { try Self.readHello(bytes) }
    }
    for purpose in [3, 4, 255] as [UInt8] {
      var bytes = Self.rest(Self.hello().frame)
      bytes[bytes.count - 1] = purpose
      #expect(throws: FrameProblem.self) { try Self.readHello(bytes) }
    }
  }

  @Test func invitationsAnswersAndBeatsComeBack() throws {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<200 {
      let invite = InviteFrame(
        nonce: random.next(), milliseconds: UInt32(truncatingIfNeeded: random.next()),
        context: random.bytes(random.number(0..<300)))
      #expect(
        try Self.read(Self.rest(invite.frame)) { reader throws(FrameProblem) in try InviteFrame(&reader) }
          == invite)
      let beat = Beat(summary: random.next(), members: UInt32(truncatingIfNeeded: random.next()))
      #expect(
        try Self.read(Self.rest(beat.frame)) { reader throws(FrameProblem) in try Beat(&reader) } == beat)
    }
    for kind in 0...255 as ClosedRange<UInt8> {
      var writer = FrameWriter(capacity: 9)
      writer.put(UInt64(7))
      writer.put(kind)
      let answer = try? Self.read(writer.bytes) { reader throws(FrameProblem) in try AnswerFrame(&reader) }
      #expect(answer?.kind == AnswerFrame.Kind(rawValue: kind) && (answer == nil) == (kind > 4))
    }
  }

  @Test func anInvitationsContextHasALimit() {
    for (count, isGood) in [(InviteFrame.largestContext, true), (InviteFrame.largestContext + 1, false)] {
      let frame = InviteFrame(nonce: 1, milliseconds: 1, context: [UInt8](repeating: 1, count: count)).frame
      let got = try? Self.read(Self.rest(frame)) { reader throws(FrameProblem) in try InviteFrame(&reader) }
      #expect((got != nil) == isGood)
    }
  }

  @Test func piecesComeBackDirectAndCarried() throws {
    var random = SeededGenerator(seed: 8)
    let receiver = random.id()
    for round in 0..<200 {
      let isCarried = round % 2 == 0
      let count = isCarried ? random.number(0..<6) : 1
      let targets = (0..<count).map { index in
        DataFrame.Target(
          id: isCarried ? random.id() : receiver, number: random.next(), epoch: random.next(),
          code: isCarried ? .init(high: random.next(), low: UInt64(index)) : .init())
      }
      let payload = random.bytes(random.number(0..<100)), sender = isCarried ? random.id() : nil
      let channel = UInt32(truncatingIfNeeded: random.next())
      var writer = DataFrame.head(
        [.reliable, .last], channel: channel, sender: sender, hopsLeft: 9, targets: targets)
      writer.bytes += payload
      try Self.read(Self.rest(writer.bytes)) { reader throws(FrameProblem) in
        let frame = try DataFrame(&reader, at: receiver)
        #expect(frame.channel == channel && frame.sender == sender && Array(frame.payload) == payload)
        #expect(frame.flags.contains(.relayed) == isCarried && frame.flags.contains([.reliable, .last]))
        #expect(frame.targets.map(\.id) == targets.map(\.id))
        #expect(frame.targets.map(\.number) == targets.map(\.number))
        #expect(frame.targets.map(\.epoch) == targets.map(\.epoch))
        #expect(zip(frame.targets, targets).allSatisfy { $0.code.matches($1.code) })
      }
    }
  }

  static func ack(_ ranges: [Range<UInt64>], sender: PeerID? = nil) -> AckFrame {
    AckFrame(
      sender: sender, receiver: PeerID(high: 1, low: 2), channel: 3, epoch: 4, instance: 5, next: 6,
      credit: 7, refuses: false, ranges: ranges)
  }

  static func readAck(_ bytes: [UInt8]) throws(FrameProblem) -> AckFrame {
    try read(bytes) { reader throws(FrameProblem) in try AckFrame(&reader, at: PeerID(high: 1, low: 2)) }
  }

  @Test(
    arguments: [
      ([], true), ([1..<2], true), ([1..<2, 2..<3], true), ([0..<UInt64.max], true), ([5..<9, 3..<4], false),
      ([1..<5, 4..<6], false), ([3..<3], false), ([1..<2, 1..<2], false),
    ] as [([Range<UInt64>], Bool)])
  func rangesStandInTheirOrder(_ ranges: [Range<UInt64>], _ isGood: Bool) {
    let got = try? Self.readAck(Self.rest(Self.ack(ranges).frame))
    #expect(isGood ? got?.ranges == ranges : got == nil)
  }

  @Test func noMoreRangesAreWrittenThanAreRead() throws {
    let many = (0..<40 as Range<UInt64>).map { 2 * $0..<(2 * $0 + 1) }
    #expect(try Self.readAck(Self.rest(Self.ack(many).frame)).ranges == Array(many.prefix(16)))
    // A peer that writes seventeen of them.
    var bytes = Self.rest(Self.ack(Array(many.prefix(16))).frame)
    bytes[bytes.count - 16 * 16 - 1] = 17
    bytes += [UInt8](repeating: 255, count: 16)
    #expect(throws: FrameProblem.self) { try Self.readAck(bytes) }
  }

  @Test func whatACodeOfAnAcknowledgementSaysDoesNotChangeOnTheWay() {
    var ack = Self.ack([1..<3], sender: PeerID(high: 9, low: 9))
    let coded = ack.coded
    (ack.hopsLeft, ack.code) = (3, .init(high: 4, low: 4))
    #expect(ack.coded == coded)
    for change in [
      { $0.next += 1 }, { $0.credit += 1 }, { $0.channel += 1 }, { $0.epoch += 1 }, { $0.instance += 1 },
      { $0.refuses = true }, { $0.ranges = [] }, { $0.receiver = PeerID(high: 1, low: 3) },
      { $0.sender = PeerID(high: 9, low: 8) },
    ] as [(inout AckFrame) -> Void] {
      var other = ack
      change(&other)
      #expect(other.coded != coded)
    }
  }
}
