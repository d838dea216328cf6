// SPDX-License-Identifier: MIT

/// The head of a request as it came over the wire, if all who read it agree on what it says.
struct RequestHead: Equatable {
  let method: String
  /// The path and what follows it, as it came.
  let target: String
  /// Names in small letters and values in turn, each character one byte.
  let headers: [String]
  /// The version is HTTP/1.1 or HTTP/1.0.
  let isOld: Bool
  let body: Body
  /// Whether the client sends the body when it is asked for it (RFC 9110, 10.1.1).
  let awaitsContinue: Bool

  enum Body: Equatable {
    /// In bytes; 0 for none.
    case length(Int)
    case chunked
  }

  /// Whether the body is longer than some bytes, or nobody knows how long.
  func hasBody(above most: Int) -> Bool {
    switch body {
    case .length(let count): count > most
    case .chunked: true
    }
  }

  /// Whether the connection ends with the answer (RFC 9112, 9.3). By HTTP/1.0 always: libsoup does not say
  /// that it keeps one.
  var isLast: Bool { isOld || words(of: "connection", in: headers).contains("close") }

  /// Reads the lines of a head, without the empty one at its end.
  init(_ lines: [UInt8]) throws(RequestFault) {
    var parts = lines.split(separator: Self.lineFeed, omittingEmptySubsequences: true)[...]
    guard let first = parts.popFirst() else { throw .malformed }
    let (method, place, isOld) = try Self.start(try Self.line(first))
    var headers: [String] = []
    headers.reserveCapacity(parts.count * 2)
    for part in parts {
      let (name, value) = try Self.field(try Self.line(part))
      headers.append(name)
      headers.append(value)
    }
    if method == "CONNECT" { throw .noTunnels }
    target = try Self.target(place, &headers)
    (self.method, self.headers, self.isOld) = (method, headers, isOld)
    body = try Self.body(headers, isOld)
    awaitsContinue =
      !isOld && body != .length(0) && words(of: "expect", in: headers).contains("100-continue")
  }

  // MARK: - Lines

  private static let lineFeed: UInt8 = 0x0A
  private static let carriageReturn: UInt8 = 0x0D

  /// Without the carriage return at its end. Neither another one nor a zero may stand there: what some take
  /// for the end others don't (RFC 9112, 2.2).
  private static func line(_ bytes: ArraySlice<UInt8>) throws(RequestFault) -> ArraySlice<UInt8> {
    let line = bytes.last == carriageReturn ? bytes.dropLast() : bytes
    if line.contains(where: { $0 == carriageReturn || $0 == 0 }) { throw .malformed }
    return line
  }

  /// `GET /path HTTP/1.1`.
  private static func start(_ line: ArraySlice<UInt8>) throws(RequestFault)
    -> (method: String, place: ArraySlice<UInt8>, isOld: Bool)
  {
    let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(FieldName.hasRoom) else {
      throw .malformed
    }
    let version = words[2]
    guard version.count == 8, version.starts(with: Array("HTTP/1.".utf8)), let minor = version.last else {
      throw .malformed
    }
    switch minor {
    case UInt8(ascii: "0"): return (text(words[0]), words[1], true)
    // Who speaks a later one understands this, too (RFC 9110, 6.2).
    case UInt8(ascii: "1")...UInt8(ascii: "9"): return (text(words[0]), words[1], false)
    default: throw .malformed
    }
  }

  /// No blank may stand before the colon, and no line goes on in the next one (RFC 9112, 5.1 and 5.2).
  private static func field(_ line: ArraySlice<UInt8>) throws(RequestFault) -> (name: String, value: String) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
      line[..<colon].allSatisfy(FieldName.hasRoom)
    else { throw .malformed }
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    var value = line[(colon + 1)...].drop(while: isBlank)
    while let last = value.last, isBlank(last) { value.removeLast() }
    return (text(line[..<colon].map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }[...]), text(value))
  }

  /// Each character one byte.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    var made = ""
    for byte in bytes { made.unicodeScalars.append(Unicode.Scalar(byte)) }
    return made
  }

  // MARK: - What it asks for

  /// The path and what follows it. What names a host, too (RFC 9112, 3.2.2), is taken for a request to that.
  private static func target(_ place: ArraySlice<UInt8>, _ headers: inout [String]) throws(RequestFault)
    -> String
  {
    guard place.allSatisfy(isOfTarget) else { throw .malformed }
    let indices = stride(from: 0, to: headers.count, by: 2).filter { headers[$0] == "host" }
    guard indices.count <= 1 else { throw .malformed }
    if place.first == UInt8(ascii: "/") { return escaped(place) }
    if place.elementsEqual("*".utf8) { throw .noPlace }
    let whole = escaped(place)
    guard let rest = ["http://", "https://"].first(where: { whole.lowercased().hasPrefix($0) }) else {
      throw .malformed
    }
    let named = whole.dropFirst(rest.count)
    let host = named.prefix { $0 != "/" && $0 != "?" }
    guard !host.isEmpty else { throw .malformed }
    if let index = indices.first {
      headers[index + 1] = String(host)
    } else {
      headers += ["host", String(host)]
    }
    let path = named.dropFirst(host.count)
    return path.first == "/" ? String(path) : "/" + path
  }

  /// Of what no URI has (RFC 3986, 2) much is sent all the same. A backslash would be a slash for scripts
  /// (URL standard, 4.4), and none for who looks at the path before.
  private static func isOfTarget(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte != 0x7F && byte != UInt8(ascii: "#") && byte != UInt8(ascii: "\\")
  }

  /// What is not ASCII, which some clients send as it is, is escaped.
  private static func escaped(_ place: ArraySlice<UInt8>) -> String {
    if place.allSatisfy({ $0 < 0x80 }) { return String(decoding: place, as: UTF8.self) }
    let digits = Array("0123456789ABCDEF".utf8)
    let bytes = place.flatMap { byte in
      byte < 0x80 ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// How long the body is, where all agree on it (RFC 9112, 6.3 and 11.2). A request by HTTP/1.1 says for
  /// whom it is (3.2).
  private static func body(_ headers: [String], _ isOld: Bool) throws(RequestFault) -> Body {
    var lengths: [String] = [], codings: [String] = [], hosts: [String] = []
    for index in stride(from: 0, to: headers.count - 1, by: 2) {
      switch headers[index] {
      case "content-length": lengths.append(headers[index + 1])
      case "transfer-encoding": codings.append(headers[index + 1].lowercased())
      case "host": hosts.append(headers[index + 1])
      default: continue
      }
    }
    if hosts.contains("") || (hosts.isEmpty && !isOld) { throw .malformed }
    guard codings.isEmpty else {
      guard codings == ["chunked"], lengths.isEmpty, !isOld else { throw .malformed }
      return .chunked
    }
    guard let length = lengths.first else { return .length(0) }
    guard lengths.count == 1, 1...18 ~= length.utf8.count, length.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
      let count = Int(length)
    else { throw .malformed }
    return .length(count)
  }

  // MARK: - For libsoup

  /// The head as libsoup is to read it. Of what a client has said only what it has to know is in there, each
  /// in the form that has one meaning.
  ///
  /// - Parameter withBody: whether it reads that, too.
  func canonical(withBody: Bool) -> String {
    let method = ["GET", "HEAD"].contains(self.method) ? self.method : "POST"
    var text = "\(method) / HTTP/1.\(isOld ? 0 : 1)\r\nHost: localhost\r\n"
    var length = 0
    if withBody, case .length(let count) = body { length = count }
    if length > 0 || method == "POST" { text += "Content-Length: \(length)\r\n" }
    let connection = words(of: "connection", in: headers)
    var kept = isLast ? ["close"] : []
    if connection.contains("upgrade"), !words(of: "upgrade", in: headers).isEmpty {
      kept.append("upgrade")
      for index in stride(from: 0, to: headers.count - 1, by: 2)
      where Self.ofHandshake.contains(headers[index]) {
        // libsoup reads no others there.
        let value = headers[index + 1].utf8.filter { 0x20...0x7E ~= $0 }
        text += "\(headers[index]): \(String(decoding: value, as: UTF8.self))\r\n"
      }
    }
    if !kept.isEmpty { text += "Connection: \(kept.joined(separator: ", "))\r\n" }
    return text + "\r\n"
  }

  private static let ofHandshake: Set<String> = [
    "upgrade", "sec-websocket-key", "sec-websocket-version", "sec-websocket-protocol",
  ]
}

/// The words of a header's list (RFC 9110, 5.6.1), in small letters.
private func words(of name: String, in headers: [String]) -> [String] {
  var found: [String] = []
  for index in stride(from: 0, to: headers.count - 1, by: 2) where headers[index] == name {
    found += headers[index + 1].lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
  }
  return found
}
