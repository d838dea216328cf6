// SPDX-License-Identifier: MIT

import Glibc
import NBridgeSystem
import Synchronization

@testable import NBridgeInspector

/// A server at a real socket that answers with the bytes a test gives it, so that it may lie as it likes.
/// Each connection has a thread.
final class RawServer: Sendable {
  /// A request as it came over the wire.
  struct Request: Sendable {
    let method: String
    let path: String
    /// By their names in small letters.
    let headers: [String: String]
    let body: [UInt8]
    var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// What is done for a request, one step after the other.
  enum Step: Sendable {
    case send(String)
    case bytes([UInt8])
    /// Waits until the test opens the gate.
    case wait(Gate)
    case close
    /// Goes on as a WebSocket: for each frame, those that go back.
    case webSocket(@Sendable (WebSocketFrame) -> [WebSocketFrame])
    /// Agrees to a WebSocket and says this with the same bytes; nil for an end at once.
    case webSocketWith([WebSocketFrame]?)
    /// Agrees to a WebSocket that is compressed, and says these bytes.
    case compressedSocket([UInt8])
    /// Sends until the other end has gone.
    case forever([UInt8])
  }

  /// Something that a server waits for.
  final class Gate: Sendable {
    private let wake = WakeFile()
    private let isOpen = Atomic<Bool>(false)
    func open() {
      isOpen.store(true, ordering: .releasing)
      wake.set()
    }
    func wait() { while !isOpen.load(ordering: .acquiring) { wake.wait(milliseconds: 20) } }
  }

  let port: UInt16
  private let listener: Descriptor
  private let answer: @Sendable (Request) -> [Step]
  private let seen = Mutex<[Request]>([])
  private let connections = Mutex<Int>(0)

  var origin: String { "http://127.0.0.1:\(port)" }
  /// What was asked so far.
  var requests: [Request] { seen.withLock(\.self) }
  /// How many connections came so far.
  var connectionCount: Int { connections.withLock(\.self) }

  init(_ answer: @escaping @Sendable (Request) -> [Step]) throws {
    self.answer = answer
    listener = try TCPSocket.listening("127.0.0.1", port: 0, queue: 200)
    port = TCPSocket.port(of: listener.number) ?? 0
    PlainThread.start("server") { [weak self, listener] in
      while let number = try? Self.accepted(listener.number) {
        guard let server = self else { return }
        server.connections.withLock { $0 += 1 }
        PlainThread.start("connection") { server.serve(number) }
      }
    }
  }

  deinit {
    shutdown(listener.number, Int32(SHUT_RDWR))
    listener.close()
  }

  private static func accepted(_ listener: Int32) throws -> Int32 {
    let number = accept(listener, nil, nil)
    guard number >= 0 else { throw SystemError.last("accept") }
    var yes: Int32 = 1
    setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    return number
  }

  private func serve(_ number: Int32) {
    let connection = Descriptor(taking: number)
    var input = Input(number)
    while let request = input.next() {
      seen.withLock { $0.append(request) }
      for step in answer(request) {
        switch step {
        case .send(let text): if !write(Array(text.utf8), to: number) { return }
        case .bytes(let bytes): if !write(bytes, to: number) { return }
        case .wait(let gate): gate.wait()
        case .close: return connection.close()
        case .webSocketWith(let frames):
          guard greet(number, request, frames ?? []), frames != nil else { return connection.close() }
          while input.nextFrame().map({ $0.kind != .close }) == true {}
          return
        case .compressedSocket(let bytes):
          guard greet(number, request, [], "Sec-WebSocket-Extensions: permessage-deflate\r\n"),
            write(bytes, to: number)
          else { return connection.close() }
        case .webSocket(let reply): return serveSocket(number, request, &input, reply)
        case .forever(let bytes): while write(bytes, to: number) {}
        }
      }
    }
  }

  private func greet(
    _ number: Int32, _ request: Request, _ frames: [WebSocketFrame], _ headers: String = ""
  ) -> Bool {
    let accept = WebSocketHandshake.accept(key: request.headers["sec-websocket-key"] ?? "")
    let head = """
      HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
      Sec-WebSocket-Accept: \(accept)\r\n\(headers)\r\n
      """
    return write(Array(head.utf8) + frames.flatMap(\.bytes), to: number)
  }

  private func serveSocket(
    _ number: Int32, _ request: Request, _ input: inout Input,
    _ reply: (WebSocketFrame) -> [WebSocketFrame]
  ) {
    let accept = WebSocketHandshake.accept(key: request.headers["sec-websocket-key"] ?? "")
    let chosen = request.headers["sec-websocket-protocol"].map { list in
      "Sec-WebSocket-Protocol: \(list.split(separator: ",").last?.drop { $0 == " " } ?? "")\r\n"
    }
    let head = """
      HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
      Sec-WebSocket-Accept: \(accept)\r\n\(chosen ?? "")\r\n
      """
    guard write(Array(head.utf8), to: number) else { return }
    while let frame = input.nextFrame() {
      for back in reply(frame) where !write(back.bytes, to: number) { return }
      if frame.kind == .close { return }
    }
  }

  private func write(_ bytes: [UInt8], to number: Int32) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(number, $0.baseAddress.map { $0 + done }, bytes.count - done, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  /// Reads requests, one after the other.
  private struct Input {
    private let number: Int32
    private var bytes: [UInt8] = []

    init(_ number: Int32) { self.number = number }

    mutating func next() -> Request? {
      guard let head = take(until: "\r\n\r\n") else { return nil }
      let lines = head.split(separator: "\r\n")
      let first = (lines.first ?? "").split(separator: " ")
      guard first.count == 3 else { return nil }
      var headers: [String: String] = [:]
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
      }
      guard let body = body(headers) else { return nil }
      return Request(method: String(first[0]), path: String(first[1]), headers: headers, body: body)
    }

    mutating func nextFrame() -> WebSocketFrame? {
      while true {
        switch WebSocketFrame.find(in: bytes[...]) {
        case .frame(let frame, let count):
          bytes.removeFirst(count)
          return frame
        case .incomplete: if !fill() { return nil }
        case .wrong: return nil
        }
      }
    }

    private mutating func body(_ headers: [String: String]) -> [UInt8]? {
      if headers["transfer-encoding"] == "chunked" {
        var whole: [UInt8] = []
        while let size = take(until: "\r\n"), let count = Int(size, radix: 16) {
          guard let piece = take(count + 2) else { return nil }
          if count == 0 { return whole }
          whole += piece.dropLast(2)
        }
        return nil
      }
      return take(Int(headers["content-length"] ?? "0") ?? 0)
    }

    private mutating func take(until end: String) -> String? {
      let pattern = Array(end.utf8)
      while true {
        if let found = bytes.firstRange(of: pattern) {
          let text = String(decoding: bytes[..<found.lowerBound], as: UTF8.self)
          bytes.removeFirst(found.upperBound)
          return text
        }
        if !fill() { return nil }
      }
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
      while bytes.count < count { if !fill() { return nil } }
      defer { bytes.removeFirst(count) }
      return Array(bytes[..<count])
    }

    private mutating func fill() -> Bool {
      var room = [UInt8](repeating: 0, count: 65536)
      let count = read(number, &room, room.count)
      guard count > 0 else { return false }
      bytes += room[..<count]
      return true
    }
  }
}

extension [RawServer.Step] {
  /// A whole answer.
  static func answer(_ status: String, _ headers: [String] = [], _ body: String = "") -> Self {
    let all = headers + ["Content-Length: \(body.utf8.count)"]
    return [.send("HTTP/1.1 \(status)\r\n\(all.joined(separator: "\r\n"))\r\n\r\n\(body)")]
  }

  static func ok(_ body: String) -> Self { answer("200 OK", ["Content-Type: text/plain"], body) }
}
