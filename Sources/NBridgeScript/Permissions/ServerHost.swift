// SPDX-License-Identifier: MIT

internal import Glibc

/// Names and addresses of hosts as entries of permissions have them, written as those of requests are (URL
/// standard, 3.5): an entry that forbids has no second spelling that it misses.
enum ServerHost {
  /// Without brackets and in small letters, without the dot of a whole name, an address as the system writes
  /// it, one of IPv4 in the clothes of IPv6 (RFC 4291, 2.5.5.2) as one of IPv4; nil for what is none.
  ///
  /// - Parameter text: an address of IPv6 has brackets around it.
  static func canonical(_ text: Substring) -> String? {
    if text.hasPrefix("[") {
      return text.hasSuffix("]") ? address(AF_INET6, String(text.dropFirst().dropLast())) : nil
    }
    let name = text.lowercased()
    let host = name.hasSuffix(".") ? String(name.dropLast()) : name
    guard !host.isEmpty, host.utf8.allSatisfy(isPlain) else { return nil }
    return endsInNumber(host) ? address(AF_INET, host) : host
  }

  /// Whether that, or the beginning of more, is a number of an address of IPv4 that the system writes in
  /// another way.
  static func isOtherNumber(_ text: Substring) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let isNumber = { (part: Substring) in
      part.allSatisfy(\.isNumber) || part.hasPrefix("0x") && part.dropFirst(2).allSatisfy(\.isHexDigit)
    }
    guard parts.allSatisfy(isNumber) else { return false }
    return parts.contains { $0.hasPrefix("0") && $0.count > 1 || $0.count > 3 || Int($0) ?? 0 > 255 }
  }

  /// As it stands before a port.
  static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

  /// Whether it is this machine, by whatever address of its own.
  static func isThisMachine(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") && endsInNumber(host)
      || ["0.0.0.0", "::1", "::"].contains(host)
  }

  /// A host whose last part is a number is an address of IPv4, however it is written, or nothing.
  private static func endsInNumber(_ host: String) -> Bool {
    let last = host.split(separator: ".", omittingEmptySubsequences: false).last ?? ""
    return !last.isEmpty && (last.allSatisfy(\.isNumber) || last.hasPrefix("0x"))
  }

  /// What stands in a URL's host as it is: no escapes, nothing that would end it, no letters that it would
  /// write in another way (IDNA).
  private static func isPlain(_ byte: UInt8) -> Bool {
    0x21...0x7E ~= byte && !"#%/:<>?@[\\]^|*\"`{}".utf8.contains(byte)
  }

  private static func address(_ family: Int32, _ text: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 16)
    if family == AF_INET6 {
      guard inet_pton(AF_INET6, text, &bytes) == 1 else { return nil }
      let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
      if isMapped { return bytes[12...].map(String.init).joined(separator: ".") }
    } else {
      var address = in_addr()
      guard inet_aton(text, &address) != 0 else { return nil }
      withUnsafeBytes(of: address) { bytes.replaceSubrange(0..<4, with: $0) }
    }
    var room = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(family, bytes, &room, socklen_t(room.count)) != nil else { return nil }
    return String(decoding: room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// A port behind a host.
enum ServerPort {
  /// Whether a port may begin so; any, where nothing is there.
  static func isBeginning(_ digits: Substring) -> Bool {
    digits.utf8.allSatisfy { 0x30...0x39 ~= $0 } && !digits.hasPrefix("0") && Int(digits) ?? 0 <= 65535
  }

  /// Without zeros before it; nil for what is none.
  static func canonical(_ text: Substring) -> String? {
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = UInt16(text) else {
      return nil
    }
    return String(number)
  }
}
