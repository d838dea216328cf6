// SPDX-License-Identifier: MIT

internal import CNBridgeGLib

/// Names and addresses of hosts in one way of writing, so that what a permission forbids has no second name.
enum HostAddress {
  /// Without the dot that ends a full name; an address as the system writes it, one of IPv4 in the clothes of
  /// IPv6 (RFC 4291, 2.5.5.2) as one of IPv4.
  static func canonical(_ host: String) -> String {
    guard let address = g_inet_address_new_from_string(host) else {
      let name = host.lowercased()
      return name.count > 1 && name.hasSuffix(".") ? String(name.dropLast()) : name
    }
    defer { g_object_unref(UnsafeMutableRawPointer(address)) }
    return text(of: address)
  }

  /// Whether that is the system's way of writing an address; none with a zone.
  static func isAddress(_ canonical: String) -> Bool {
    guard let address = g_inet_address_new_from_string(canonical) else { return false }
    g_object_unref(UnsafeMutableRawPointer(address))
    return !canonical.contains("%")
  }

  static func text(of address: UnsafeMutablePointer<GInetAddress>) -> String {
    let bytes = bytes(of: address)
    if bytes.count == 16, bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
      return bytes[12...].map(String.init).joined(separator: ".")
    }
    guard let text = g_inet_address_to_string(address) else { return "" }
    defer { g_free(text) }
    return String(cString: text)
  }

  static func bytes(of address: UnsafeMutablePointer<GInetAddress>) -> [UInt8] {
    guard let start = g_inet_address_to_bytes(address) else { return [] }
    return (0..<Int(g_inet_address_get_native_size(address))).map { start[$0] }
  }

  /// How permissions name a host: this machine by one name, however it is reached.
  static func permitted(_ canonical: String) -> String {
    if canonical == "localhost" || canonical.hasSuffix(".localhost") { return "127.0.0.1" }
    guard let address = g_inet_address_new_from_string(canonical) else { return canonical }
    defer { g_object_unref(UnsafeMutableRawPointer(address)) }
    let isHere = g_inet_address_get_is_loopback(address) != 0 || g_inet_address_get_is_any(address) != 0
    return isHere ? "127.0.0.1" : canonical
  }
}
