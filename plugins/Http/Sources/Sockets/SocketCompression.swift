// SPDX-License-Identifier: MIT

internal import NBridgeCompression

/// What both ends of a WebSocket agree on about compression, permessage-deflate (RFC 7692, section 7.1).
struct SocketCompression: Equatable {
  /// The power of two of the window that this end compresses with, from 8; the other end's may be any.
  var window = 15
  /// Whether this end's messages may refer to those before them.
  var keepsWindow = true

  /// What a client offers.
  static let offer = "permessage-deflate; client_max_window_bits"

  /// Accepts, for a server, the first offer that it can keep.
  ///
  /// - Parameter header: the client's Sec-WebSocket-Extensions.
  /// - Returns: nil where there is none; `answer` is the server's header.
  static func accepting(_ header: String) -> (agreed: SocketCompression, answer: String)? {
    for offer in header.split(separator: ",") {
      guard let given = parameters(of: offer) else { continue }
      var agreed = SocketCompression()
      var answer = "permessage-deflate"
      if given["server_no_context_takeover"] != nil {
        agreed.keepsWindow = false
        answer += "; server_no_context_takeover"
      }
      if let bits = given["server_max_window_bits"] {
        // zlib has no window of 256 bytes.
        guard let number = bits.flatMap(windowBits), MessageDeflater.windows.contains(number) else {
          continue
        }
        agreed.window = number
        answer += "; server_max_window_bits=\(number)"
      }
      return (agreed, answer)
    }
    return nil
  }

  /// What a server agreed to of ``offer``; nil for no compression.
  ///
  /// - Parameter header: the server's Sec-WebSocket-Extensions.
  static func agreed(_ header: String) throws(FrameFault) -> SocketCompression? {
    if header.allSatisfy({ $0 == " " }) { return nil }
    guard !header.contains(","), let given = parameters(of: header[...]) else {
      throw FrameFault(.protocolError, "it wants extensions that nobody offered")
    }
    var agreed = SocketCompression()
    agreed.keepsWindow = given["client_no_context_takeover"] == nil
    if let bits = given["client_max_window_bits"] {
      guard let number = bits.flatMap(windowBits) else {
        throw FrameFault(.protocolError, "it wants a window of no size that there is")
      }
      agreed.window = number
    }
    return agreed
  }

  /// Nil where zlib can't: then messages are sent as they are, as any may be.
  func deflater() throws -> MessageDeflater? {
    guard MessageDeflater.windows.contains(window) else { return nil }
    return try MessageDeflater(window: window, keepsWindow: keepsWindow)
  }

  /// The parameters of one offer by their names, with nil for no value; nil for another extension, a
  /// parameter that stands there twice, and one that nobody knows.
  private static func parameters(of offer: Substring) -> [String: String?]? {
    let parts = offer.split(separator: ";", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
    guard parts.first?.lowercased().split(separator: " ").first == "permessage-deflate" else { return nil }
    var found: [String: String?] = [:]
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(trimmed)
      guard let name = pair.first?.lowercased(), found[name] == nil, known.contains(name) else { return nil }
      let value = pair.count > 1 ? unquoted(pair[1]) : nil
      guard isValid(name, value) else { return nil }
      found[name] = .some(value)
    }
    return found
  }

  /// RFC 7692, 7.1: a takeover has no value, a server's window has one, a client's may have one.
  private static func isValid(_ name: String, _ value: String?) -> Bool {
    if name.hasSuffix("takeover") { return value == nil }
    guard let value else { return name == "client_max_window_bits" }
    return windowBits(value) != nil
  }

  private static let known = [
    "server_no_context_takeover", "client_no_context_takeover", "server_max_window_bits",
    "client_max_window_bits",
  ]

  private static func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0 == " " || $0 == "\t" }
    let end = start.lastIndex { $0 != " " && $0 != "\t" }
    return end.map { String(start[...$0]) } ?? ""
  }

  /// A value may be a token or stand in quotes (RFC 6455, 9.1).
  private static func unquoted(_ text: String) -> String {
    let isQuoted = text.count > 1 && text.hasPrefix("\"") && text.hasSuffix("\"")
    return isQuoted ? String(text.dropFirst().dropLast()) : text
  }

  /// Without zeros before it (RFC 7692, 7.1.2).
  private static func windowBits(_ text: String) -> Int? {
    guard let number = Int(text), 8...15 ~= number, text == "\(number)" else { return nil }
    return number
  }
}
