// SPDX-License-Identifier: MIT

import NBridgeCompression
import Testing

@testable import HttpPlugin

/// Frames of WebSockets (RFC 6455, section 5), byte by byte.
@Suite struct FrameTests {
  /// What a reader finds, and the fault that it ends with.
  static func events(_ bytes: [UInt8], isServer: Bool = false, limit: Int = 1 << 20, step: Int = 1)
    -> [String]
  {
    var reader = FrameReader(isServer: isServer, limit: limit)
    var found: [String] = []
    do throws(FrameFault) {
      for start in stride(from: 0, to: bytes.count, by: step) {
        bytes[start..<min(start + step, bytes.count)].withUnsafeBytes { reader.feed($0) }
        while let event = try reader.next() { found.append("\(event)") }
      }
    } catch { found.append("fault \(error.code.rawValue): \(error.text)") }
    return found
  }

  /// The examples of RFC 6455, section 5.7.
  @Test func theStandardsExamplesAreRead() {
    #expect(Self.events([0x81, 5] + Array("Hello".utf8)) == [#"text("Hello")"#])
    let masked: [UInt8] = [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58]
    #expect(Self.events(masked, isServer: true) == [#"text("Hello")"#])
    let parts: [UInt8] = [0x01, 3, 0x48, 0x65, 0x6c, 0x89, 0, 0x80, 2, 0x6c, 0x6f]
    #expect(Self.events(parts) == ["ping([])", #"text("Hello")"#])
  }

  @Test(
    arguments: [
      ("1002: a frame of an unknown kind", [0x83, 0]),
      ("1002: a frame with bits that mean nothing", [0x91, 0]),
      ("1002: a frame is compressed, which nobody agreed on", [0xC1, 0]),
      ("1002: a server's frame with a mask", [0x81, 0x80, 0, 0, 0, 0]),
      ("1002: a control frame that is long, in parts or compressed", [0x09, 0]),
      ("1002: a control frame that is long, in parts or compressed", [0x89, 126, 0, 126]),
      ("1002: a part of no message", [0x80, 0]), ("1002: a message within another", [0x01, 0, 0x81, 0]),
      ("1002: an end with a code that nobody may send", [0x88, 1, 3]),
      ("1002: an end with a code that nobody may send", [0x88, 2, 3, 0xED]),
      ("1007: a text that is not UTF-8", [0x81, 2, 0xC3, 0x28]),
      ("1007: a text that is not UTF-8", [0x88, 3, 3, 0xE8, 0xFF]),
      ("1009: a message is longer", [0x82, 127, 0x7F, 255, 255, 255, 255, 255, 255, 255]),
      ("1002: a frame with bits that mean nothing", [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0]),
    ] as [(String, [UInt8])])
  func whatIsAgainstTheProtocolEndsIt(fault: String, bytes: [UInt8]) {
    #expect(Self.events(bytes).last == "fault " + fault)
    #expect(Self.events(bytes, step: 100).last == "fault " + fault)
  }

  /// A sum of parts is a message, too.
  @Test func theSumOfAMessagesPartsIsLimited() {
    let part: [UInt8] = [0x00, 100] + [UInt8](repeating: 1, count: 100)
    let parts = [0x02] + part.dropFirst() + part + part
    #expect(Self.events(parts, limit: 300) == [])
    #expect(Self.events(parts + part, limit: 300) == ["fault 1009: a message is longer"])
    #expect(Self.events(parts + [0x80, 0], limit: 300).count == 1)
  }

  /// Long ones have lengths of two and of eight bytes; a client masks.
  @Test(arguments: [0, 125, 126, 65_535, 65_536, 200_000], [true, false])
  func whatOneEndWritesTheOtherReads(count: Int, isClient: Bool) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let sent = bytes.withUnsafeBytes { FrameWriter(isClient: isClient).message($0, isText: false) }
    #expect((sent[1] & 0x80 != 0) == isClient)
    #expect(
      Self.events(sent, isServer: isClient, step: 4096) == ["\(FrameReader.Event.bytes(bytes))"])
  }

  @Test(arguments: [
    ("permessage-deflate", "permessage-deflate"), ("x-other, permessage-deflate; a=1", nil),
    ("permessage-deflate; client_max_window_bits", "permessage-deflate"),
    (
      "permessage-deflate; server_max_window_bits=8, permessage-deflate; server_max_window_bits=\"10\"",
      "permessage-deflate; server_max_window_bits=10"
    ),
    ("permessage-deflate; server_no_context_takeover", "permessage-deflate; server_no_context_takeover"),
    ("permessage-deflate; server_max_window_bits", nil),
    ("permessage-deflate; server_max_window_bits=16", nil),
    ("permessage-deflate; client_max_window_bits; client_max_window_bits", nil), ("", nil),
  ])
  func anOfferIsAcceptedThatCanBeKept(offer: String, answer: String?) {
    #expect(SocketCompression.accepting(offer)?.answer == answer)
  }

  @Test func aClientKeepsToWhatTheServerWants() throws {
    #expect(try SocketCompression.agreed("") == nil)
    #expect(try SocketCompression.agreed("permessage-deflate") == SocketCompression())
    let small = try SocketCompression.agreed(
      "permessage-deflate; client_max_window_bits=9; client_no_context_takeover")
    #expect(small == SocketCompression(window: 9, keepsWindow: false))
    for wrong in [
      "x-other", "permessage-deflate, permessage-deflate", "permessage-deflate; client_max_window_bits=5",
      "permessage-deflate;",
    ] {
      #expect(throws: FrameFault.self, "\(wrong)") { try SocketCompression.agreed(wrong) }
    }
  }

  /// What is compressed is unfolded in parts, so that others have their turns.
  @Test func aMessageThatUnfoldsToMuchTakesManyTurns() throws {
    let deflater = try MessageDeflater(window: 15, keepsWindow: false)
    let writer = FrameWriter(isClient: false, deflater: deflater)
    let zeros = [UInt8](repeating: 0, count: 8 << 20)
    let frame = zeros.withUnsafeBytes { writer.message($0, isText: false) }
    var reader = FrameReader(isServer: false, limit: 8 << 20, inflater: try SocketInflater())
    frame.withUnsafeBytes { reader.feed($0) }
    var turns = 0
    while true {
      turns += 1
      if let event = try reader.next(measure: 1 << 20) {
        #expect(event == .bytes(zeros) && !reader.isBusy)
        break
      }
      try #require(reader.isBusy && turns < 100)
    }
    #expect(8...10 ~= turns)
    #expect(try reader.next() == nil)
  }

  /// Each begins the codec anew, and nothing comes out.
  @Test func blocksOfNothingTakeManyTurns() throws {
    let payload = Array(repeating: [0x03, 0x00] as [UInt8], count: 1 << 20).flatMap { $0 }
    var reader = FrameReader(isServer: false, limit: 8 << 20, inflater: try SocketInflater())
    let length = (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    ([0xC2, 127] + length + payload).withUnsafeBytes { reader.feed($0) }
    var turns = 1
    while try reader.next(measure: 1 << 20) == nil {
      turns += 1
      try #require(reader.isBusy && turns < 100)
    }
    #expect(8...10 ~= turns)
  }

  /// RFC 7692, 7.1.
  @Test(arguments: [
    "client_max_window_bits=99", "client_max_window_bits=7", "server_no_context_takeover=1",
    "client_no_context_takeover=x", "server_max_window_bits", "server_max_window_bits=16",
    "server_max_window_bits=015", "server_max_window_bits=+10", "server_max_window_bits=1 0",
    "server_max_window_bits=\"1\"0\"", "client_max_window_bits=", "client_max_window_bits=08",
    "server_no_context_takeover=",
  ])
  func anOfferWithAParameterThatIsNoneIsDeclined(parameter: String) {
    #expect(SocketCompression.accepting("permessage-deflate; " + parameter) == nil)
    #expect(SocketCompression.accepting("permessage-deflate; \(parameter), permessage-deflate") != nil)
  }
}
