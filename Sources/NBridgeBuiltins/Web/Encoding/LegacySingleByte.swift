// SPDX-License-Identifier: MIT

/// The single-byte encodings (Encoding standard, section 9), named as the standard does.
enum LegacySingleByte: String {
  case ibm866
  case iso8859Part2 = "iso-8859-2"
  case iso8859Part3 = "iso-8859-3"
  case iso8859Part4 = "iso-8859-4"
  case iso8859Part5 = "iso-8859-5"
  case iso8859Part6 = "iso-8859-6"
  case iso8859Part7 = "iso-8859-7"
  case iso8859Part8 = "iso-8859-8"
  case iso8859Part8Logical = "iso-8859-8-i"
  case iso8859Part10 = "iso-8859-10"
  case iso8859Part13 = "iso-8859-13"
  case iso8859Part14 = "iso-8859-14"
  case iso8859Part15 = "iso-8859-15"
  case iso8859Part16 = "iso-8859-16"
  case koi8r = "koi8-r"
  case koi8u = "koi8-u"
  case macintosh
  case windows874 = "windows-874"
  case windows1250 = "windows-1250"
  case windows1251 = "windows-1251"
  case windows1252 = "windows-1252"
  case windows1253 = "windows-1253"
  case windows1254 = "windows-1254"
  case windows1255 = "windows-1255"
  case windows1256 = "windows-1256"
  case windows1257 = "windows-1257"
  case windows1258 = "windows-1258"
  case macCyrillic = "x-mac-cyrillic"

  /// The UTF-16 units of bytes 0x80 to 0xFF, U+FFFD for what is unmapped. nil when the C library lacks it.
  func table() -> [UInt16]? {
    guard let reader = CharacterReader(charset) else { return nil }
    var units: [UInt16] = []
    units.reserveCapacity(128)
    for byte in UInt32(0x80)...0xFF {
      units.append(Self.unit(of: reader.codePoint(byte, bytes: 1), byte: byte))
    }
    for (byte, unit) in patches { units[byte - 0x80] = unit }
    return units
  }

  /// The standard maps every C1 byte that a code page leaves open to the control character of that number.
  private static func unit(of point: UInt32, byte: UInt32) -> UInt16 {
    if let unit = UInt16(exactly: point), unit != 0 { return unit }
    return byte < 0xA0 ? UInt16(truncatingIfNeeded: byte) : 0xFFFD
  }

  /// The C library's name of the table that is closest.
  private var charset: String {
    switch self {
    case .ibm866, .koi8r, .koi8u, .macintosh: rawValue.uppercased()
    case .iso8859Part8Logical: "ISO-8859-8"  // the same bytes; only the direction of the text differs
    case .windows874: "CP1162"
    case .macCyrillic: "MAC-UK"
    default: rawValue.hasPrefix("windows-") ? "CP" + rawValue.dropFirst(8) : rawValue.uppercased()
    }
  }

  /// Where the standard's index has another character than glibc.
  private var patches: [(byte: Int, unit: UInt16)] {
    switch self {
    case .koi8u: [(0xAE, 0x045E), (0xBE, 0x040E)]  // as KOI8-RU
    case .macintosh: [(0xC6, 0x2206), (0xF0, 0xF8FF)]  // INCREMENT, Apple's logo
    case .windows1255: [(0xCA, 0x05BA)]
    case .macCyrillic: [(0xFF, 0x20AC)]  // the euro, since Mac OS 9
    default: []
    }
  }
}
