// SPDX-License-Identifier: MIT

/// What names of fields and methods have, a token (RFC 9110, 5.6.2).
enum FieldName {
  static func hasRoom(for byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
