// SPDX-License-Identifier: MIT

/// The rules for the names of peers.
enum PeerName {
  /// In bytes of UTF-8, as a DNS label's (RFC 6763, 4.1.1): a name must fit a network that announces it
  /// there.
  static let longest = 63

  /// Why a display name can't be; nil when it can.
  static func problem(_ name: String) -> String? {
    if name.isEmpty { return "is empty" }
    if name.utf8.count > longest { return "has \(name.utf8.count) bytes; at most \(longest) may be" }
    return name.unicodeScalars.contains(where: isControl) ? "holds control characters" : nil
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  /// The name of a peer that was given none: as much of its app's as fits, and is easy to read.
  static func made(of app: String) -> String {
    var clean = ""
    for scalar in app.unicodeScalars { clean.unicodeScalars.append(isControl(scalar) ? " " : scalar) }
    var name = ""
    for character in clean.prefix(20) {
      guard name.utf8.count + character.utf8.count <= longest else { break }
      name.append(character)
    }
    return name.allSatisfy(\.isWhitespace) ? "peer" : name
  }
}

/// The kind of thing that peers do together, as `"chess"`: only peers of one type find each other.
enum ServiceType {
  /// In bytes.
  static let longest = 15

  /// Why a service type can't be; nil when it can (RFC 6335, 5.1; lower case, because it names a folder
  /// here).
  static func problem(_ type: String) -> String? {
    let rule =
      """
      1 to 15 lower-case letters, digits and single hyphens inside, a letter among them, \
      as "chess" or "file-drop"
      """
    let bytes = Array(type.utf8)
    let isAllowed = bytes.allSatisfy { isLetter($0) || isDigit($0) || $0 == hyphen }
    let hasPairs = zip(bytes, bytes.dropFirst()).contains { $0 == hyphen && $1 == hyphen }
    guard (1...longest).contains(bytes.count), isAllowed, !hasPairs, bytes.contains(where: isLetter),
      bytes.first != hyphen, bytes.last != hyphen
    else { return "must be \(rule)" }
    return nil
  }

  private static let hyphen = UInt8(ascii: "-")
  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// What a peer tells of itself before it is invited.
enum DiscoveryInfo {
  /// All pairs together, in bytes as they stand in a DNS TXT record: what fits a packet (RFC 6763, 6.2).
  static let maximum = 1300

  /// Why it can't be; nil when it can (RFC 6763, 6.4: keys of printable ASCII without "="; a pair has at most
  /// 255 bytes).
  static func problem(_ info: [String: String]) -> String? {
    var total = 0
    for (key, value) in info {
      guard !key.isEmpty, key.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") })
      else {
        return "has a key that is not printable ASCII without '='"
      }
      let size = key.utf8.count + 1 + value.utf8.count
      if size > 255 {
        return "has \(size) bytes for '\(key.prefix(40))'; a key and its value have at most 254"
      }
      total += size + 1
    }
    return total > maximum ? "has \(total) bytes; at most \(maximum) may be" : nil
  }
}
