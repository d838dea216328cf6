// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgeInspector

/// What comes over the inspector's sockets: whole, in pieces, and damaged.
@Suite struct FrameTests {
  // MARK: - The engine's

  @Test func anEngineFrameIsFoundOnceAllOfItIsThere() {
    let frame = EngineFrame("SendMessageToTarget", target: 7, text: Array("{}".utf8))
    let bytes = frame.bytes
    for count in 0..<bytes.count { #expect(EngineFrame.find(in: bytes[..<count]) == .incomplete) }
    #expect(EngineFrame.find(in: (bytes + [1, 2])[...]) == .frame(frame, bytes.count))
    #expect(frame.target == 7 && frame.text == Array("{}".utf8))
  }

  @Test func aFrameIsFoundBehindOthers() {
    let frames = [EngineFrame(name: "GetTargetList"), EngineFrame("Setup", target: .max)]
    let bytes = frames.flatMap(\.bytes)
    guard case .frame(_, let first) = EngineFrame.find(in: bytes[...]) else { return #expect(Bool(false)) }
    #expect(EngineFrame.find(in: bytes[first...]) == .frame(frames[1], bytes.count - first))
  }

  @Test(
    arguments: [
      [0, 0, 0, 0, 1, 65, 0], [0xFF, 0xFF, 0xFF, 0xFF, 1], [0, 0, 0, 2, 0, 65, 0], [0, 0, 0, 2, 1, 65, 66],
    ] as [[UInt8]])
  func aDamagedEngineFrameIsTold(_ bytes: [UInt8]) {
    #expect(EngineFrame.find(in: bytes[...]) == .damaged)
  }

  @Test func parametersThatAreCutOffAreNone() {
    #expect(EngineFrame(name: "SetTargetList", parameters: [1, 2, 3]).target == nil)
    #expect(EngineFrame(name: "SendMessageToFrontend", parameters: Array(1...9)).text == nil)
  }

  // MARK: - WebSocket

  /// As a client sends it.
  private func masked(_ first: UInt8, _ payload: [UInt8], size: [UInt8]? = nil) -> [UInt8] {
    let mask: [UInt8] = [1, 2, 3, 4]
    let body = payload.enumerated().map { $0.element ^ mask[$0.offset & 3] }
    return [first] + (size ?? [0x80 | UInt8(payload.count)]) + mask + body
  }

  @Test func aMaskedFrameIsFoundOnceAllOfItIsThere() {
    let bytes = masked(0x81, Array("hello".utf8))
    for count in 0..<bytes.count { #expect(WebSocketFrame.find(in: bytes[..<count]) == .incomplete) }
    #expect(
      WebSocketFrame.find(in: bytes[...])
        == .frame(WebSocketFrame(kind: .text, payload: Array("hello".utf8)), bytes.count))
  }

  @Test(arguments: [126, 65535, 65536])
  func longFramesSayTheirLength(_ count: Int) {
    let payload = [UInt8](repeating: 7, count: count)
    let sent = WebSocketFrame(kind: .binary, payload: payload).bytes
    let head = sent.count - count
    #expect(head == (count < 65536 ? 4 : 10))
    var size = Array(sent[1..<head])
    size[0] |= 0x80
    let bytes = masked(0x82, payload, size: size)
    let frame = WebSocketFrame(kind: .binary, payload: payload)
    #expect(WebSocketFrame.find(in: bytes[...]) == .frame(frame, bytes.count))
  }

  @Test func whatIsAgainstTheProtocolIsWrong() {
    #expect(WebSocketFrame.find(in: [0x81, 0x05, 1, 2, 3, 4, 5]) == .wrong, "not masked")
    #expect(WebSocketFrame.find(in: masked(0xC1, [1])[...]) == .wrong, "a bit of an extension")
    #expect(WebSocketFrame.find(in: masked(0x83, [1])[...]) == .wrong, "an unknown kind")
    #expect(WebSocketFrame.find(in: masked(0x09, [1])[...]) == .wrong, "a ping in pieces")
    #expect(WebSocketFrame.find(in: [0x89, 0xFE, 0, 126, 0, 0, 0, 0]) == .wrong, "a long ping")
    #expect(WebSocketFrame.find(in: [0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 1]) == .wrong, "past all memory")
    #expect(WebSocketFrame.find(in: [0x81, 0xFF, 0, 0, 0, 0, 0x7F, 0, 0, 0]) == .wrong, "too long")
  }

  @Test func theHandshakeIsThatOfTheStandard() {
    // RFC 6455, section 1.3.
    #expect(WebSocketHandshake.accept(key: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  // MARK: - HTTP

  private func found(_ text: String) -> HTTPRequest.Found { HTTPRequest.find(in: Array(text.utf8)[...]) }

  @Test func aRequestIsFoundOnceItsHeadIsThere() {
    let text = "GET /json?t=1 HTTP/1.1\r\nHost: 127.0.0.1:9229\r\nX-A:  b \r\n\r\n"
    for count in 0..<text.utf8.count { #expect(found(String(text.utf8.prefix(count))!) == .incomplete) }
    let headers = ["host": "127.0.0.1:9229", "x-a": "b"]
    #expect(
      found(text + "rest")
        == .request(HTTPRequest(method: "GET", path: "/json", headers: headers), text.utf8.count))
  }

  @Test(arguments: [
    "GET /\r\n\r\n", "\r\n\r\n", "GET http://x/ HTTP/1.1\r\n\r\n", "GET / HTTP/2\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nhost: x\r\n\r\n",
    "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\n: x\r\n\r\n", "GET /\u{7} HTTP/1.1\r\n\r\n",
  ])
  func whatIsNoRequestIsWrong(_ text: String) { #expect(found(text) == .wrong) }

  @Test func aHeadWithoutEndIsGivenUp() {
    #expect(found("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: HTTPRequest.maxLength)) == .wrong)
  }

  @Test func onlyThisMachineIsNamed() {
    func names(_ host: String?) -> Bool {
      HTTPRequest(method: "GET", path: "/", headers: host.map { ["host": $0] } ?? [:]).namesThisMachine
    }
    for host in ["127.0.0.1:9229", "127.0.0.1", "localhost:1", "[::1]:9229", "LOCALHOST", "10.0.0.7:9229"] {
      #expect(names(host), "\(host)")
    }
    for host in [
      "evil.example", "127.0.0.1.evil.example:9229", "localhost.evil.example", "1.2.3", "", "256.1.1.1",
      "[evil", "+1.1.1.1", "[evil.example]", "[::1",
    ] {
      #expect(!names(host), "\(host)")
    }
    #expect(!names(nil))
  }

  @Test func aPageOfTheWebIsNoDebugger() {
    func isPage(_ origin: String?) -> Bool {
      HTTPRequest(method: "GET", path: "/", headers: origin.map { ["origin": $0] } ?? [:]).isOfPage
    }
    #expect(isPage("https://evil.example") && isPage("HTTP://x") && isPage("null"))
    #expect(isPage("file://") && isPage("chrome-extension://abc"))
    #expect(!isPage(nil) && !isPage("devtools://devtools"))
  }
}
