// SPDX-License-Identifier: MIT

internal import CNBridgeICU

/// International domain names as URLs have them (WHATWG URL, 3.3, on Unicode UTS #46).
enum DomainName {
  // Opened once, never closed, and safe to use from any thread (ICU, uidna.h).
  private nonisolated(unsafe) static let idna: OpaquePointer? = {
    var error = U_ZERO_ERROR
    let options =
      UInt32(UIDNA_CHECK_BIDI) | UInt32(UIDNA_CHECK_CONTEXTJ) | UInt32(UIDNA_NONTRANSITIONAL_TO_ASCII)
      | UInt32(UIDNA_NONTRANSITIONAL_TO_UNICODE)
    return icu_uidna_open(options, &error)
  }()

  /// Lengths and hyphens are not checked by URLs, so these errors don't count.
  private static let tolerated =
    UInt32(UIDNA_ERROR_EMPTY_LABEL) | UInt32(UIDNA_ERROR_LABEL_TOO_LONG)
    | UInt32(UIDNA_ERROR_DOMAIN_NAME_TOO_LONG)
    | UInt32(UIDNA_ERROR_LEADING_HYPHEN) | UInt32(UIDNA_ERROR_TRAILING_HYPHEN)
    | UInt32(UIDNA_ERROR_HYPHEN_3_4)

  /// For each label ICU moves all that stands behind it: so many units in all take a fifth of a second.
  private static let mostMoved = 1 << 31
  private static func isDot(_ unit: UInt16) -> Bool { [0x2E, 0x3002, 0xFF0E, 0xFF61].contains(unit) }

  /// The ASCII form of a domain; nil for what is none, or is longer than any.
  static func toASCII(_ domain: String) -> String? {
    guard let idna else { return nil }
    let units = Array(domain.utf16)
    guard units.count <= 1 << 20, units.count * units.count(where: isDot) <= mostMoved else { return nil }
    // Punycode can be longer than the text: ICU says how long.
    var capacity = units.count + 64
    while true {
      var target = [UInt16](repeating: 0, count: capacity)
      var info = UIDNAInfo()
      var error = U_ZERO_ERROR
      let count = Int(
        icu_uidna_name_to_ascii(idna, units, Int32(units.count), &target, Int32(capacity), &info, &error))
      if error == U_BUFFER_OVERFLOW_ERROR, count > capacity {
        capacity = count
        continue
      }
      guard error.rawValue <= U_ZERO_ERROR.rawValue, UInt32(info.errors) & ~tolerated == 0 else { return nil }
      return String(decoding: target[..<count], as: UTF16.self)
    }
  }
}
