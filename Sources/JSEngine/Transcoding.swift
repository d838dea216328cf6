// SPDX-License-Identifier: MIT

/// UTF-8 ↔ UTF-16, sixteen units at a time while the text is ASCII (Unicode 15, §3.9, for the rest).
enum Transcoding {
  /// Writes UTF-16 as UTF-8. Needs 3 bytes a unit. Answers the bytes written, or nil at a lone surrogate.
  static func narrow(_ source: UnsafeBufferPointer<UInt16>, into target: UnsafeMutableBufferPointer<UInt8>)
    -> Int?
  {
    guard let input = source.baseAddress, let output = target.baseAddress else { return 0 }
    let count = source.count
    var read = 0
    var written = 0
    while read < count {
      while read + 16 <= count {
        let units = UnsafeRawPointer(input + read).loadUnaligned(as: SIMD16<UInt16>.self)
        guard (units & 0xFF80) == SIMD16<UInt16>.zero else { break }
        UnsafeMutableRawPointer(output + written)
          .storeBytes(of: SIMD16<UInt8>(truncatingIfNeeded: units), as: SIMD16<UInt8>.self)
        read += 16
        written += 16
      }
      guard read < count else { break }
      let unit = input[read]
      read += 1
      switch unit {
      case 0..<0x80:
        output[written] = UInt8(truncatingIfNeeded: unit)
        written += 1
      case 0x80..<0x800:
        output[written] = 0xC0 | UInt8(truncatingIfNeeded: unit >> 6)
        output[written + 1] = 0x80 | UInt8(truncatingIfNeeded: unit & 0x3F)
        written += 2
      case 0xD800..<0xDC00:
        guard read < count, 0xDC00..<0xE000 ~= input[read] else { return nil }
        let scalar = 0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(input[read] & 0x3FF))
        read += 1
        output[written] = 0xF0 | UInt8(truncatingIfNeeded: scalar >> 18)
        output[written + 1] = 0x80 | UInt8(truncatingIfNeeded: scalar >> 12 & 0x3F)
        output[written + 2] = 0x80 | UInt8(truncatingIfNeeded: scalar >> 6 & 0x3F)
        output[written + 3] = 0x80 | UInt8(truncatingIfNeeded: scalar & 0x3F)
        written += 4
      case 0xDC00..<0xE000:
        return nil
      default:
        output[written] = 0xE0 | UInt8(truncatingIfNeeded: unit >> 12)
        output[written + 1] = 0x80 | UInt8(truncatingIfNeeded: unit >> 6 & 0x3F)
        output[written + 2] = 0x80 | UInt8(truncatingIfNeeded: unit & 0x3F)
        written += 3
      }
    }
    return written
  }

  /// Writes UTF-8 as UTF-16. Needs one unit a byte. What is not UTF-8 becomes U+FFFD.
  static func widen(_ source: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt16>)
    -> Int
  {
    guard let input = source.baseAddress, let output = target.baseAddress else { return 0 }
    let count = source.count
    var read = 0
    while read + 16 <= count {
      let bytes = UnsafeRawPointer(input + read).loadUnaligned(as: SIMD16<UInt8>.self)
      guard (bytes & 0x80) == SIMD16<UInt8>.zero else { break }
      UnsafeMutableRawPointer(output + read)
        .storeBytes(of: SIMD16<UInt16>(truncatingIfNeeded: bytes), as: SIMD16<UInt16>.self)
      read += 16
    }
    var written = read
    var rest = UnsafeBufferPointer(rebasing: source[read...]).makeIterator()
    var decoder = UTF8()
    decoding: while true {
      switch decoder.decode(&rest) {
      case .scalarValue(let scalar):
        for unit in UTF16.encode(scalar).unsafelyUnwrapped {  // every scalar has a UTF-16 form
          output[written] = unit
          written += 1
        }
      case .error:
        output[written] = 0xFFFD
        written += 1
      case .emptyInput:
        break decoding
      }
    }
    return written
  }
}
