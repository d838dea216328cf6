// SPDX-License-Identifier: MIT

/// The head of a request (RFC 9112): what a debugger asks before it speaks WebSocket. One with a body is none
/// of those.
struct HTTPRequest: Equatable {
  var method: String
  var path: String
  /// By their names in lower case. One that says a name twice is no request.
  var headers: [String: String] = [:]

  static let maxLength = 1 << 14

  enum Found: Equatable {
    case request(HTTPRequest, Int)
    case incomplete
    case wrong
  }

  static func find(in bytes: ArraySlice<UInt8>) -> Found {
    let mark = Array("\r\n\r\n".utf8)
    guard let end = bytes.prefix(maxLength).firstRange(of: mark) else {
      return bytes.count < maxLength ? .incomplete : .wrong
    }
    let head = bytes[..<end.lowerBound]
    guard head.allSatisfy({ $0 == 9 || $0 == 10 || $0 == 13 || 0x20...0x7E ~= $0 }) else { return .wrong }
    let lines = String(decoding: head, as: UTF8.self).split(
      separator: "\r\n", omittingEmptySubsequences: false)
    let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, words[1].hasPrefix("/"), words[2].hasPrefix("HTTP/1.") else {
      return .wrong
    }
    var request = HTTPRequest(method: String(words[0]), path: String(words[1].prefix { $0 != "?" }))
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else { return .wrong }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      let name = line[..<colon].lowercased()
      // Which of two counts, another reader may see otherwise.
      guard request.headers[name] == nil else { return .wrong }
      request.headers[name] = String(value.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
    return .request(request, end.upperBound - bytes.startIndex)
  }

  /// Whether it asks to speak WebSocket.
  var isUpgrade: Bool { headers["upgrade"]?.lowercased() == "websocket" }

  /// Whether the request names this machine by a number or as `localhost`. A page of the web that had its own
  /// name lead here names that one (DNS rebinding).
  var namesThisMachine: Bool {
    guard let host = headers["host"] else { return false }
    if host.hasPrefix("[") {
      let name = host.dropFirst().prefix { $0 != "]" }
      return name.contains(":") && name.allSatisfy { $0.isHexDigit || $0 == ":" } && host.contains("]")
    }
    let name = host.split(separator: ":", omittingEmptySubsequences: false)[0].lowercased()
    if name == "localhost" || name == "localhost6" { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { $0.allSatisfy(\.isNumber) && UInt8($0) != nil }
  }

  /// Whether a page asks, of the web, of a file or of a browser's extension: a debugger is none, but for
  /// those that are part of a browser.
  var isOfPage: Bool {
    guard let origin = headers["origin"]?.lowercased() else { return false }
    return !origin.hasPrefix("devtools://") && !origin.hasPrefix("chrome-devtools://")
  }
}
