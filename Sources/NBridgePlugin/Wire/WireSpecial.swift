// SPDX-License-Identifier: MIT

internal import FoundationEssentials

/// Foundation's types that have a JavaScript twin: they cross as that, not as their own `Codable` says.
enum WireSpecial {
  /// Whether `type` is one of them.
  @inline(__always)
  static func has<T>(_ type: T.Type) -> Bool { type == Date.self || type == Data.self }

  /// Decodes `type`, which is one of them. Kept out of the way of the others: an optional of a type that only the caller
  /// knows costs a look-up.
  @inline(never)
  static func decode<T: Decodable>(_ type: T.Type, from decoder: WireDecoder) throws -> T {
    let special: Any = type == Date.self ? try date(decoder) : try Data(decoder.bytes())
    guard let value = special as? T else { throw decoder.mismatch("\(type)") }
    return value
  }

  /// Encodes `value` when it is one of them; answers whether it was.
  @inline(__always)
  static func encode<T: Encodable>(_ value: T, to sink: WireSink) throws -> Bool {
    if T.self == Date.self, let date = value as? Date {
      sink.writeDate(milliseconds: date.timeIntervalSince1970 * 1000)
      return true
    }
    if T.self == Data.self, let data = value as? Data {
      try sink.writeBytes(Bytes(data))
      return true
    }
    return false
  }

  private static func date(_ decoder: WireDecoder) throws -> Date {
    let milliseconds = try decoder.milliseconds()
    guard milliseconds.isFinite else { throw decoder.mismatch("a valid Date") }
    return Date(timeIntervalSince1970: milliseconds / 1000)
  }
}
