// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import NBridgePlugin
import NBridgeSystem

/// A page's socket in a test's hand: RFC 6455 as far as it is needed, and the frames of `js/remote.js`.
final class PageClient {
  private let wire: Wire
  let cookie: String
  let port: Int
  private let certificate: String?
  private(set) var sent: UInt32 = 0
  /// The last message that came.
  var received: UInt32 = 0
  /// Whether what comes is told to have come.
  var acknowledges = true

  struct Refused: Error { let head: String }

  init(
    _ port: Int, _ cookie: String, _ headers: [String: String] = [:], path: String = "/.nbridge/socket",
    certificate: String? = nil
  ) throws {
    wire = try Wire(port, certificate: certificate)
    (self.cookie, self.port, self.certificate) = (cookie, port, certificate)
    let scheme = certificate == nil ? "http" : "https"
    var fields = [
      "Host": "127.0.0.1:\(port)", "Origin": "\(scheme)://127.0.0.1:\(port)", "Cookie": cookie,
      "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ]
    for (name, value) in headers { fields[name] = value.isEmpty ? nil : value }
    let text = fields.map { "\($0): \($1)\r\n" }.joined()
    try wire.send(Array("GET \(path) HTTP/1.1\r\n\(text)\r\n".utf8))
    let head = try wire.receiveHead()
    guard head.hasPrefix("HTTP/1.1 101") else { throw Refused(head: head) }
  }

  // MARK: - WebSocket's own frames

  func send(_ payload: [UInt8], isText: Bool = false) throws {
    var frame: [UInt8] = [isText ? 0x81 : 0x82]
    if payload.count < 126 {
      frame.append(0x80 | UInt8(payload.count))
    } else if payload.count < 65536 {
      frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    } else {
      frame.append(0x80 | 127)
      for shift in stride(from: 56, through: 0, by: -8) { frame.append(UInt8(payload.count >> shift & 255)) }
    }
    // A mask of zeros leaves all as it is.
    try wire.send(frame + [0, 0, 0, 0] + payload)
  }

  enum Message: Equatable {
    case text(String)
    case binary([UInt8])
    case close(Int)
  }

  func receive() throws -> Message {
    while true {
      let head = try wire.receiveExactly(2)
      var count = Int(head[1] & 127)
      if count == 126 { count = try wire.receiveExactly(2).reduce(0) { $0 << 8 | Int($1) } }
      if count == 127 { count = try wire.receiveExactly(8).reduce(0) { $0 << 8 | Int($1) } }
      let payload = try wire.receiveExactly(count)
      switch head[0] & 15 {
      case 1: return .text(String(decoding: payload, as: UTF8.self))
      case 2: return .binary(payload)
      case 8: return .close(payload.count > 1 ? Int(payload[0]) << 8 | Int(payload[1]) : 0)
      default: continue
      }
    }
  }

  /// Throws away what is there. Answers how many bytes that were.
  func dropWhatHasCome() -> Int {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var all = 0
    while true {
      let count = recv(wire.number, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      if count <= 0 { return all }
      all += count
    }
  }

  var hasMore: Bool {
    var byte: UInt8 = 0
    return recv(wire.number, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) > 0
  }

  // MARK: - Messages of a page

  /// Says whose the socket is. Answers what the program says to that.
  func greet(_ ticket: String, received: UInt32 = 0) throws -> String {
    self.received = received
    try send(Array(#"{"ticket":"\#(ticket)","received":\#(received)}"#.utf8), isText: true)
    guard case .text(let answer) = try receive() else { throw BridgeError(.ioError, "no greeting") }
    return answer
  }

  /// Sends frames in a message of their own; the number is the next one where none is given.
  func say(_ frames: [Frame], number: UInt32? = nil) throws {
    sent = number ?? sent + 1
    try send(Self.word(sent) + Self.word(acknowledges ? received : 0) + frames.flatMap(\.bytes))
  }

  struct Frame {
    var kind: UInt8
    var what: UInt8 = 0
    var slot: UInt32 = 0
    var first: UInt32 = 0
    var second: UInt32 = 0
    var text = ""
    var parts: [[UInt8]] = []

    var bytes: [UInt8] {
      [kind, what, UInt8(parts.count & 255), UInt8(parts.count >> 8)]
        + [slot, first, second, UInt32(text.utf8.count)].flatMap(word)
        + parts.flatMap { word(UInt32($0.count)) } + Array(text.utf8) + parts.joined()
    }
  }

  static func word(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  struct Reply: Equatable, CustomStringConvertible {
    var kind: UInt8
    var what: UInt8
    var slot: UInt32
    var form: UInt32
    /// Its text, as it came.
    var raw: [UInt8]
    var parts: [[UInt8]]
    var text: String { String(decoding: raw, as: UTF8.self) }
    var description: String { "\(kind).\(what) slot \(slot) form \(form): \(text) \(parts)" }
  }

  private var waiting: [Reply] = []

  /// The next frame. What comes twice is dropped, as a page does.
  func next() throws -> Reply {
    while waiting.isEmpty {
      guard case .binary(let bytes) = try receive() else {
        throw BridgeError(.closed, "the session has ended")
      }
      let number = Self.number(bytes, 0)
      if number != 0 {
        if number <= received { continue }
        received = number
      }
      if acknowledges { try send(Self.word(0) + Self.word(received)) }
      waiting = Self.replies(bytes)
    }
    return waiting.removeFirst()
  }

  static func replies(_ bytes: [UInt8]) -> [Reply] {
    var replies: [Reply] = []
    var at = 8
    while at < bytes.count {
      let count = Int(bytes[at + 2]) | Int(bytes[at + 3]) << 8
      var end = at + 20 + 4 * count
      let size = Int(number(bytes, at + 16))
      let text = Array(bytes[end..<end + size])
      end += size
      var parts: [[UInt8]] = []
      for index in 0..<count {
        let length = Int(number(bytes, at + 20 + 4 * index))
        parts.append(Array(bytes[end..<end + length]))
        end += length
      }
      replies.append(
        Reply(
          kind: bytes[at], what: bytes[at + 1], slot: number(bytes, at + 4), form: number(bytes, at + 8),
          raw: text, parts: parts))
      at = end
    }
    return replies
  }

  static func number(_ bytes: [UInt8], _ at: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << ($1 * 8) }
  }

  // MARK: - Calls

  /// The places of actions in the catalogue, read out of the script that a page gets.
  lazy var places: [String: UInt32] = {
    let headers = ["Cookie": cookie]
    let answer = try? HTTPClient.get(
      "/.nbridge/bridge.js", "127.0.0.1:\(port)", headers, port: port, certificate: certificate)
    guard let script = answer?.body else { return [:] }
    var places: [String: UInt32] = [:]
    for line in script.split(separator: "\n") where line.hasPrefix("\"") && line.contains(": { index: ") {
      let name = line.dropFirst().prefix { $0 != "\"" }
      let number = line.split(separator: " ").drop { $0 != "index:" }.dropFirst().first ?? ""
      places[String(name)] = UInt32(number.prefix { $0.isNumber })
    }
    return places
  }()

  func call(
    _ name: String, _ text: String = "", slot: UInt32, timeout: UInt32 = 0, parts: [[UInt8]] = []
  ) -> Frame {
    Frame(kind: 1, slot: slot, first: places[name] ?? 9999, second: timeout, text: text, parts: parts)
  }
}

private func word(_ number: UInt32) -> [UInt8] { PageClient.word(number) }
