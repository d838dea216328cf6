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

  /// Whether no byte is above 0x7F.
  @inline(__always)
  static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = UnsafeRawPointer(bytes.baseAddress) else { return true }
    var at = 0
    while at + 32 <= bytes.count {
      var bits = base.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      bits |= base.loadUnaligned(fromByteOffset: at + 8, as: UInt64.self)
      bits |= base.loadUnaligned(fromByteOffset: at + 16, as: UInt64.self)
      bits |= base.loadUnaligned(fromByteOffset: at + 24, as: UInt64.self)
      guard bits & 0x8080_8080_8080_8080 == 0 else { return false }
      at += 32
    }
    var bits: UInt8 = 0
    while at < bytes.count {
      bits |= base.load(fromByteOffset: at, as: UInt8.self)
      at += 1
    }
    return bits < 0x80
  }

  /// Writes Latin-1 as UTF-8. Needs 2 bytes a unit. Answers the bytes written.
  static func expand(_ source: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>)
    -> Int
  {
    guard let input = source.baseAddress, let output = target.baseAddress else { return 0 }
    let count = source.count
    var read = 0
    var written = 0
    while read < count {
      while read + 16 <= count {
        let units = UnsafeRawPointer(input + read).loadUnaligned(as: SIMD16<UInt8>.self)
        guard (units & 0x80) == SIMD16<UInt8>.zero else { break }
        UnsafeMutableRawPointer(output + written).storeBytes(of: units, as: SIMD16<UInt8>.self)
        read += 16
        written += 16
      }
      guard read < count else { break }
      let unit = input[read]
      read += 1
      if unit >= 0x80 {
        output[written] = 0xC0 | unit >> 6
        written += 1
      }
      output[written] = unit < 0x80 ? unit : 0x80 | unit & 0x3F
      written += 1
    }
    return written
  }

  /// Writes UTF-8 as UTF-16. Needs one unit a byte. Each maximal part of what is not UTF-8 becomes one U+FFFD
  /// (Encoding standard, UTF-8 decoder); with `isFatal` the answer is nil instead.
  static func widen(
    _ source: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt16>,
    isFatal: Bool = false
  ) -> Int? {
    guard let input = source.baseAddress, let output = target.baseAddress else { return 0 }
    let count = source.count
    var read = 0
    var written = 0
    while read < count {
      while read + 16 <= count {
        let bytes = UnsafeRawPointer(input + read).loadUnaligned(as: SIMD16<UInt8>.self)
        guard (bytes & 0x80) == SIMD16<UInt8>.zero else { break }
        UnsafeMutableRawPointer(output + written)
          .storeBytes(of: SIMD16<UInt16>(truncatingIfNeeded: bytes), as: SIMD16<UInt16>.self)
        read += 16
        written += 16
      }
      guard read < count else { break }
      let lead = input[read]
      if lead < 0x80 {
        output[written] = UInt16(lead)
        read += 1
        written += 1
        continue
      }
      let (scalar, length) = sequence(input + read, count - read)
      if scalar == 0, isFatal { return nil }
      read += length
      if scalar < 0x10000 {
        output[written] = scalar == 0 ? 0xFFFD : UInt16(truncatingIfNeeded: scalar)
        written += 1
      } else {
        output[written] = UInt16(truncatingIfNeeded: 0xD7C0 + (scalar >> 10))
        output[written + 1] = UInt16(truncatingIfNeeded: 0xDC00 + (scalar & 0x3FF))
        written += 2
      }
    }
    return written
  }

  /// Reads one sequence that starts with a byte above 0x7F. Answers its scalar, 0 for a malformed one, and
  /// how many bytes it takes (Unicode 15, table 3-7).
  @inline(__always)
  private static func sequence(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> (scalar: UInt32, length: Int) {
    let lead = bytes[0]
    let following: Int
    var low: UInt8 = 0x80
    var high: UInt8 = 0xBF
    var scalar: UInt32
    switch lead {
    case 0xC2...0xDF: (following, scalar) = (1, UInt32(lead & 0x1F))
    case 0xE0...0xEF:
      (following, scalar) = (2, UInt32(lead & 0x0F))
      if lead == 0xE0 { low = 0xA0 }
      if lead == 0xED { high = 0x9F }
    case 0xF0...0xF4:
      (following, scalar) = (3, UInt32(lead & 0x07))
      if lead == 0xF0 { low = 0x90 }
      if lead == 0xF4 { high = 0x8F }
    default: return (0, 1)
    }
    var length = 1
    while length <= following {
      guard length < count, bytes[length] >= low, bytes[length] <= high else { return (0, length) }
      scalar = scalar << 6 | UInt32(bytes[length] & 0x3F)
      (low, high) = (0x80, 0xBF)
      length += 1
    }
    return (scalar, length)
  }

  /// Writes UTF-16 as UTF-8, each lone surrogate as U+FFFD. Needs 3 bytes a unit. Answers the bytes written.
  static func narrowLossily(
    _ source: UnsafeBufferPointer<UInt16>, into target: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    if let written = narrow(source, into: target) { return written }
    var written = 0
    for scalar in String(decoding: source, as: UTF16.self).utf8 {
      target[written] = scalar
      written += 1
    }
    return written
  }
}
