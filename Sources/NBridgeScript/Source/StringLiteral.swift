// SPDX-License-Identifier: MIT

/// What a string literal means (ECMA-262, 12.9.4).
enum StringLiteral {
  static func value(_ literal: String) -> String {
    let inner = literal.dropFirst().dropLast()
    guard inner.utf8.contains(0x5C) else { return String(inner) }
    var units: [UInt16] = []
    var rest = Array(inner.utf16)[...]
    while let unit = rest.popFirst() {
      guard unit == 0x5C, let escaped = rest.popFirst() else {
        units.append(unit)
        continue
      }
      units += value(of: escaped, &rest)
    }
    return String(decoding: units, as: UTF16.self)
  }

  private static func value(of escaped: UInt16, _ rest: inout ArraySlice<UInt16>) -> [UInt16] {
    switch escaped {
    case 0x6E: return [0x0A]
    case 0x72: return [0x0D]
    case 0x74: return [0x09]
    case 0x62: return [0x08]
    case 0x76: return [0x0B]
    case 0x66: return [0x0C]
    case 0x30: return [0]
    case 0x0D:
      if rest.first == 0x0A { rest.removeFirst() }
      return []
    case 0x0A, 0x2028, 0x2029: return []
    case 0x78: return number(&rest, digits: 2)
    case 0x75 where rest.first == 0x7B:
      rest.removeFirst()
      let digits = rest.prefix { $0 != 0x7D }
      rest = rest.dropFirst(digits.count + 1)
      let scalar = UInt32(String(decoding: digits, as: UTF16.self), radix: 16).flatMap(UnicodeScalar.init)
      return scalar.map { Array(String($0).utf16) } ?? []
    case 0x75: return number(&rest, digits: 4)
    default: return [escaped]
    }
  }

  private static func number(_ rest: inout ArraySlice<UInt16>, digits: Int) -> [UInt16] {
    let text = String(decoding: rest.prefix(digits), as: UTF16.self)
    rest = rest.dropFirst(digits)
    return UInt16(text, radix: 16).map { [$0] } ?? []
  }
}
