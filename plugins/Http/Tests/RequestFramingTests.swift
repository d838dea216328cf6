// SPDX-License-Identifier: MIT

import Testing

@testable import HttpPlugin

/// What a server reads for requests (RFC 9112), and what libsoup gets in their place.
@Suite struct RequestFramingTests {
  private struct Read: Equatable {
    var heads: [RequestHead] = []
    /// What libsoup reads of each.
    var outputs: [String] = []
    /// What is read of each apart from that.
    var bodies: [String] = []
    var fault: RequestFault?
  }

  /// Reads requests that come in pieces of a size.
  private static func read(_ text: String, by size: Int = .max) -> Read {
    var framing = RequestFraming(longestBody: 1000)
    var read = Read()
    var (output, body): ([UInt8], [UInt8]) = ([], [])
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: min(size, bytes.count)) {
      var piece = bytes[start...].prefix(size)
      while !piece.isEmpty, read.fault == nil {
        do throws(RequestFault) {
          let taken = try piece.withUnsafeBufferPointer { bytes throws(RequestFault) in
            framing.isGiven
              ? try framing.takeBody(UnsafeRawBufferPointer(bytes), &body)
              : try framing.take(UnsafeRawBufferPointer(bytes), &output)
          }
          piece = piece.dropFirst(taken)
        } catch { read.fault = error }
        guard framing.isOver, let head = framing.head else { continue }
        read.heads.append(head)
        read.outputs.append(String(decoding: output, as: UTF8.self))
        read.bodies.append(String(decoding: body, as: UTF8.self))
        (output, body) = ([], [])
        framing.begin()
      }
    }
    return read
  }

  private static let start = "GET / HTTP/1.1\r\nHost: a\r\n"

  @Test(arguments: [
    start + "\r\n" + start + "\r\n",
    "\r\n\nGET / HTTP/1.0\nA:\nB: \t x : y\n\nGET / HTTP/1.0\n\n",
    "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n: no head\r\n\r\n" + start + "\r\n",
    "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      + "3;a=b\r\n: \r\r\n0\r\nX: y\r\nY: GET /evil HTTP/1.1\r\nHost: evil\r\n\r\n" + start + "\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n" + start + "\r\n",
    // Blanks before a length are none of it.
    "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length:\(String(repeating: " \t", count: 40))5\r\n\r\nA\r\n:b"
      + start
      + "\r\n",
  ]) func requestsAreReadOneAfterTheOther(_ text: String) {
    let whole = Self.read(text)
    #expect(whole.heads.count == 2 && whole.fault == nil, "\(whole)")
    for size in [1, 2, 3, 7] {
      let cut = Self.read(text, by: size)
      #expect(cut.heads == whole.heads && cut.bodies == whole.bodies && cut.fault == nil, "\(size)")
    }
  }

  /// Of a head only what libsoup has to know, and nothing of a long body, or one that is as long as it comes.
  @Test func libsoupReadsWhatHasOneMeaning() {
    let text = """
      PUT /a%0Ab HTTP/1.1\r\nHost: a\r\nX:  \u{E4} \r\nTransfer-Encoding: Chunked\r\nExpect: 100-continue\r\n\
      Connection: close, x\r\n\r\n3;a=b\r\nabc\r\n0\r\nX: y\r\nZ: z\r\n\r\n
      """
    let read = Self.read(text)
    #expect(
      read.outputs == [
        """
        POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n
        """
      ], "\(read)")
    #expect(read.bodies == ["abc"])
    let head = read.heads.first
    #expect(head?.method == "PUT" && head?.target == "/a%0Ab" && head?.awaitsContinue == true)
    // Each character is a byte.
    #expect(head?.headers.starts(with: ["host", "a", "x", "\u{C3}\u{A4}", "transfer-encoding"]) == true)
  }

  @Test func aHandshakeKeepsItsFields() {
    let fields = "upgrade: websocket\r\nsec-websocket-key: k==\r\nsec-websocket-version: 13\r\n"
    let read = Self.read(Self.start + "Connection: Upgrade\r\nX-Y: z\r\n" + fields + "\r\n")
    let wanted = "GET / HTTP/1.1\r\nHost: localhost\r\n\(fields)Connection: upgrade\r\n\r\n"
    #expect(read.outputs == [wanted], "\(read)")
  }

  @Test(arguments: [
    ("/", "/", "a"), ("/a%2Fb?c=%00", "/a%2Fb?c=%00", "a"), ("/\u{E4}", "/%C3%A4", "a"),
    ("http://b.org", "/", "b.org"), ("HTTP://b:80/x?y", "/x?y", "b:80"), ("https://b?y", "/?y", "b"),
  ]) func aTargetIsReadAsItCame(_ target: String, _ path: String, _ host: String) {
    let head = Self.read("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").heads.first
    #expect(head?.target == path && head?.headers == ["host", host], "\(String(describing: head))")
  }

  /// A length that one reader sees and another does not makes a request of a body.
  @Test(arguments: [
    "Content-Length : 5", "Content-Length\u{B}: 5", "\rContent-Length: 5", "Content-Length", " folded: 5",
    "\tfolded", ": 5", "a b: 5", "a\0: 5", "a: \0", "a: b\rContent-Length: 5", "\u{E4}: 5",
    // Lengths that are none, or several.
    "Content-Length: -5", "Content-Length: +5", "Content-Length: 5, 5", "Content-Length:",
    "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 9223372036854775808",
    "Transfer-Encoding: chunked\r\nContent-Length: 5", "Transfer-Encoding: chunked, identity",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Host: a", "Host: b",
  ]) func aHeadThatHasNoMeaningOrSeveralIsAFault(_ line: String) {
    let text = Self.start + "\r\n" + Self.start + "\(line)\r\n\r\n"
    for size in [1, 3, .max] {
      let read = Self.read(text, by: size)
      #expect(read.fault == .malformed && read.heads.count == 1, "\(size)")
    }
  }

  @Test(arguments: [
    ("GET /\r\n", RequestFault.malformed), ("GET / HTTP/2.0\r\n", .malformed),
    (" / HTTP/1.1\r\n", .malformed),
    ("G(T / HTTP/1.1\r\nHost: a\r\n", .malformed), ("GET  / HTTP/1.1\r\nHost: a\r\n", .malformed),
    ("GET / HTTP/1.1 \r\nHost: a\r\n", .malformed), ("GET a HTTP/1.1\r\nHost: a\r\n", .malformed),
    ("GET /#a HTTP/1.1\r\nHost: a\r\n", .malformed), ("GET /a\\b HTTP/1.1\r\nHost: a\r\n", .malformed),
    ("GET /\u{7F} HTTP/1.1\r\nHost: a\r\n", .malformed),
    ("GET http:///a HTTP/1.1\r\nHost: a\r\n", .malformed), ("GET / HTTP/1.1\r\n", .malformed),
    ("GET / HTTP/1.1\r\nHost:\r\n", .malformed),
    ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n", .malformed),
    ("OPTIONS * HTTP/1.1\r\nHost: a\r\n", .noPlace), ("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n", .noTunnels),
  ]) func whatIsNotAnsweredByAHandlerIsAFault(_ head: String, _ fault: RequestFault) {
    for size in [1, .max] { #expect(Self.read(head + "\r\n", by: size).fault == fault, "\(size)") }
  }

  @Test func aHeadWithoutAnEndIsAFault() {
    #expect(Self.read(Self.start + "A: " + String(repeating: "a", count: 65_000)).fault == nil)
    for size in [1000, .max] {
      let long =
        Self.start + String(repeating: "A: " + String(repeating: "a", count: 30_000) + "\r\n", count: 3)
      #expect(Self.read(long, by: size).fault == .longHead)
    }
  }

  /// They would be read for as long as they come.
  @Test func emptyLinesWithoutAnEndAreAFault() {
    let few = String(repeating: "\r\n", count: 16), text = Self.start + "\r\n"
    #expect(Self.read(few + text + few + text).heads.count == 2)
    for size in [1, .max] { #expect(Self.read(few + "\n" + text, by: size).fault == .malformed) }
  }

  @Test(arguments: ["zz", "", "0x5", "-5", "5\nhello", "10000000000000005", "5\r\nhelloXX5"])
  func whatIsNoChunkIsAFault(_ chunk: String) {
    let text =
      "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n\(chunk)\r\n0\r\n\r\n"
    for size in [1, 5, .max] { #expect(Self.read(text, by: size).fault == .malformed, "\(size)") }
  }
}
