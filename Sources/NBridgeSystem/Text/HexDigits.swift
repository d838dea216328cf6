// SPDX-License-Identifier: MIT

/// What stands behind a `%` in a URL (RFC 3986, 2.1).
public enum HexDigits {
  /// The byte that two digits are; nil for all else, as a sign, which Swift's own reading takes.
  public static func byte(_ digits: some Collection<UInt8>) -> UInt8? {
    guard digits.count == 2 else { return nil }
    var value: UInt8 = 0
    for digit in digits {
      guard let part = part(digit) else { return nil }
      value = value << 4 | part
    }
    return value
  }

  private static func part(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
