// SPDX-License-Identifier: MIT

import Glibc
import NBridgePlugin
import NBridgeSystem

/// A TCP connection in a test's hand, over TLS where a certificate is expected.
final class Wire {
  let number: Int32
  private var encrypted: EncryptedStream?

  /// - Parameter certificate: the path of the one that the other side has to show.
  init(_ port: Int, certificate: String? = nil) throws {
    number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var wait = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw SystemError.last("connect to", "\(port)") }
    encrypted = try certificate.map { try EncryptedStream(number, $0) }
  }

  deinit { close(number) }

  func send(_ bytes: [UInt8]) throws {
    if let encrypted { return try encrypted.send(bytes) }
    var at = 0
    while at < bytes.count {
      let count = bytes[at...].withUnsafeBytes {
        Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw SystemError.last("send to", "the server") }
      at += count
    }
  }

  /// What comes next, up to so many bytes; none at the end.
  func receive(_ most: Int = 1 << 16) throws -> [UInt8] {
    if let encrypted { return try encrypted.receive(most) }
    var bytes = [UInt8](repeating: 0, count: most)
    let count = recv(number, &bytes, most, 0)
    guard count >= 0 else { throw SystemError.last("hear from", "the server") }
    return Array(bytes[..<count])
  }

  func receiveExactly(_ count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let more = try receive(count - bytes.count)
      if more.isEmpty { throw BridgeError(.closed, "the server has closed") }
      bytes += more
    }
    return bytes
  }

  /// The head of an answer.
  func receiveHead() throws -> String {
    var bytes: [UInt8] = []
    while bytes.suffix(4) != [13, 10, 13, 10] { bytes += try receiveExactly(1) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Requests as no browser would make them.
enum HTTPClient {
  struct Answer {
    let head: String
    let body: String
    var status: Int { Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0 }

    func header(_ name: String) -> String? {
      let line = head.split(separator: "\r\n").first { $0.hasPrefix(name + ": ") }
      return line.map { String($0.dropFirst(name.count + 2)) }
    }
  }

  static func get(
    _ path: String, _ host: String, _ headers: [String: String] = [:], method: String = "GET",
    body: String = "",
    port: Int, certificate: String? = nil
  ) throws -> Answer {
    let wire = try Wire(port, certificate: certificate)
    var text = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    try wire.send(Array((text + "\r\n" + body).utf8))
    let head = try wire.receiveHead()
    var body: [UInt8] = []
    while case let more = try wire.receive(), !more.isEmpty { body += more }
    return Answer(head: head, body: String(decoding: body, as: UTF8.self))
  }
}
