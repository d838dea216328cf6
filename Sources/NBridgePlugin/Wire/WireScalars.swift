// SPDX-License-Identifier: MIT

/// Reads the scalars of a tape: numbers and strings.
extension WireTape {
  /// The integer at a node; nil when it is none or does not fit.
  package func integer<T: FixedWidthInteger>(_ index: Int, as type: T.Type) -> T? {
    let node = self[index]
    guard node.kind == .integer else {
      guard node.kind == .number, let double = double(index) else { return nil }
      return T(exactly: double)
    }
    var at = Int(node.start)
    let stop = Int(node.stop)
    let negative = text[at] == 0x2D
    if negative { at += 1 }
    guard stop - at <= 18 else { return T(String(decoding: text[Int(node.start)..<stop], as: UTF8.self)) }
    var value: Int64 = 0
    while at < stop {
      value = value &* 10 &+ Int64(text[at] &- 0x30)
      at += 1
    }
    return T(exactly: negative ? -value : value)
  }

  /// The number at a node; nil when it is none.
  package func double(_ index: Int) -> Double? {
    let node = self[index]
    if node.kind == .integer, node.stop - node.start <= 15 {
      guard let integer = integer(index, as: Int64.self) else { return nil }
      if integer == 0, text[Int(node.start)] == 0x2D { return -0.0 }
      return Double(integer)
    }
    guard node.kind == .number || node.kind == .integer else { return nil }
    return Self.parseDouble(UnsafeBufferPointer(rebasing: text[Int(node.start)..<Int(node.stop)]))
  }

  /// Up to 15 digits and a power of ten up to 22 are exact in one operation (Clinger 1990); the rest is
  /// for `strtod`.
  private static func parseDouble(_ digits: UnsafeBufferPointer<UInt8>) -> Double? {
    var mantissa: Int64 = 0
    var scale = 0
    var seenPoint = false
    var count = 0
    let negative = digits.first == 0x2D
    for byte in digits.dropFirst(negative ? 1 : 0) {
      if byte == 0x2E {
        seenPoint = true
      } else if byte &- 0x30 < 10, count < 16 {
        mantissa = mantissa &* 10 &+ Int64(byte &- 0x30)
        if mantissa != 0 { count += 1 }
        if seenPoint { scale += 1 }
      } else {
        count = 99
        break
      }
    }
    if count <= 15, scale <= 22 {
      let value = Double(mantissa) / powers[scale]
      return negative ? -value : value
    }
    return Double(String(decoding: digits, as: UTF8.self))
  }

  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
  ]

  /// The text of a string node. Throws at a lone surrogate, which JSON can say and UTF-8 can't.
  package func string(_ index: Int) throws(WireError) -> String {
    let node = self[index]
    let raw = UnsafeBufferPointer(rebasing: text[Int(node.start)..<Int(node.stop)])
    if node.kind == .string { return String(decoding: raw, as: UTF8.self) }
    var problem: WireError?
    let text = String(unsafeUninitializedCapacity: raw.count) { room in
      do throws(WireError) { return try Self.unescape(raw, into: room, offset: Int(node.start)) } catch {
        problem = error
        return 0
      }
    }
    if let problem { throw problem }
    return text
  }

  /// Copies what stands between escapes in one go; answers how many bytes there are. None gets longer.
  private static func unescape(
    _ raw: UnsafeBufferPointer<UInt8>, into room: UnsafeMutableBufferPointer<UInt8>, offset: Int
  ) throws(WireError) -> Int {
    guard let base = raw.baseAddress, let target = room.baseAddress else { return 0 }
    var at = 0, count = 0
    while at < raw.count {
      let next = ByteScan.special(in: base, from: at, to: raw.count)
      (target + count).update(from: base + at, count: next - at)
      count += next - at
      at = next
      guard at < raw.count else { break }
      guard raw[at] == 0x5C else {
        target[count] = raw[at]
        (at, count) = (at + 1, count + 1)
        continue
      }
      guard at + 1 < raw.count else { throw WireError("a bad escape", at: offset + at) }
      if raw[at + 1] == 0x75 {
        let (scalar, after) = try unicodeEscape(raw, at)
        for byte in UTF8.encode(scalar).unsafelyUnwrapped {  // every scalar has a UTF-8 form
          target[count] = byte
          count += 1
        }
        at = after
      } else {
        guard let plain = plain(raw[at + 1]) else { throw WireError("a bad escape", at: offset + at) }
        target[count] = plain
        (at, count) = (at + 2, count + 1)
      }
    }
    return count
  }

  /// What stands behind `\` for itself, or for another (RFC 8259, section 7).
  private static func plain(_ letter: UInt8) -> UInt8? {
    switch letter {
    case 0x22, 0x5C, 0x2F: letter
    case 0x62: 0x08
    case 0x66: 0x0C
    case 0x6E: 0x0A
    case 0x72: 0x0D
    case 0x74: 0x09
    default: nil
    }
  }

  private static func unicodeEscape(_ raw: UnsafeBufferPointer<UInt8>, _ at: Int) throws(WireError) -> (
    Unicode.Scalar, next: Int
  ) {
    let first = try hexUnit(raw, at + 2)
    var next = at + 6
    var scalar = first
    if 0xD800..<0xDC00 ~= first, next + 1 < raw.count, raw[next] == 0x5C, raw[next + 1] == 0x75 {
      let second = try hexUnit(raw, next + 2)
      if 0xDC00..<0xE000 ~= second {
        scalar = 0x10000 + ((first & 0x3FF) << 10 | second & 0x3FF)
        next += 6
      }
    }
    guard let valid = Unicode.Scalar(scalar) else {
      throw WireError("holds a lone surrogate, half of a character, which text can't carry", at: nil)
    }
    return (valid, next)
  }

  private static func hexUnit(_ raw: UnsafeBufferPointer<UInt8>, _ at: Int) throws(WireError) -> UInt32 {
    guard at + 4 <= raw.count else { throw WireError("a bad escape", at: nil) }
    var value: UInt32 = 0
    for byte in raw[at..<at + 4] {
      switch byte {
      case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
      case 0x41...0x46: value = value << 4 | UInt32(byte - 0x37)
      case 0x61...0x66: value = value << 4 | UInt32(byte - 0x57)
      default: throw WireError("a bad escape", at: nil)
      }
    }
    return value
  }

  /// Whether the string at a node is `name`, escapes resolved.
  @inline(__always)
  package func matches(_ index: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
    let node = self[index]
    if node.kind == .string {
      guard Int(node.stop &- node.start) == name.count else { return false }
      guard let base = text.baseAddress, let other = name.baseAddress else { return name.isEmpty }
      let start = base + Int(node.start)
      // Names are short: a call of memcmp costs more than the loop.
      for at in 0..<name.count where start[at] != other[at] { return false }
      return true
    }
    guard node.kind == .escapedString, let text = try? string(index) else { return false }
    return text.utf8.elementsEqual(name)
  }
}
