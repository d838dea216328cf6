// SPDX-License-Identifier: MIT

internal import FoundationEssentials

/// Foundation's types that have a JavaScript twin: they cross as that, not as their own `Codable` says.
enum WireSpecial {
  /// Decodes `type` when it is one of them.
  @inline(__always)
  static func decode<T: Decodable>(_ type: T.Type, from decoder: WireDecoder) throws -> T? {
    if type == Date.self { return try date(decoder) as? T }
    if type == Data.self { return try Data(decoder.bytes()) as? T }
    return nil
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
