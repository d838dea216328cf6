// SPDX-License-Identifier: MIT

internal import CNBridgeFoundationTypes

/// Foundation's types that have a JavaScript twin: they cross as that, not as their own `Codable` says. The
/// SDK knows them without being linked to Foundation: see `CNBridgeFoundationTypes`.
enum WireSpecial {
  private nonisolated(unsafe) static let date = nbridge_date_type()  // an address, never read through
  private nonisolated(unsafe) static let data = nbridge_data_type()  // the same

  @inline(__always)
  private static func address<T>(_ type: T.Type) -> UnsafeRawPointer? {
    unsafeBitCast(type as Any.Type, to: UnsafeRawPointer?.self)
  }

  /// Whether `type` is one of them.
  @inline(__always)
  static func has<T>(_ type: T.Type) -> Bool {
    let address = address(type)
    return address == date || address == data
  }

  static func isDate<T>(_ type: T.Type) -> Bool { address(type) == date }

  /// Decodes `type`, which is one of them. Kept out of the way of the others: an optional of a type that only
  /// the caller knows costs a look-up.
  @inline(never)
  static func decode<T: Decodable>(_ type: T.Type, from decoder: WireDecoder) throws -> T {
    if isDate(type) {
      let milliseconds = try decoder.milliseconds()
      guard milliseconds.isFinite else {
        throw decoder.mismatch("a Date with a time", found: "an invalid one")
      }
      return try T(from: LoneDouble(milliseconds / 1000 - sinceReference))
    }
    guard let collection = type as? any RangeReplaceableCollection<UInt8>.Type,
      let value = make(collection, try decoder.bytes()) as? T
    else { throw decoder.mismatch("\(type)") }
    return value
  }

  private static func make<C: RangeReplaceableCollection<UInt8>>(_ type: C.Type, _ bytes: Bytes) -> C {
    bytes.withUnsafeBytes { C($0) }
  }

  /// Encodes `value` when it is one of them; answers whether it was.
  @inline(__always)
  static func encode<T: Encodable>(_ value: T, to sink: WireSink) throws -> Bool {
    guard has(T.self) else { return false }
    try encodeSpecial(value, to: sink)
    return true
  }

  @inline(never)
  private static func encodeSpecial<T: Encodable>(_ value: T, to sink: WireSink) throws {
    if isDate(T.self) {
      let kept = LoneDoubleEncoder()
      try value.encode(to: kept)
      sink.writeDate(milliseconds: (kept.value + sinceReference) * 1000)
    } else if let bytes = value as? any Collection<UInt8> {
      try sink.writeBytes(Bytes(bytes))
    }
  }

  /// From 1970, JavaScript's reference date, to 2001, Foundation's.
  private static let sinceReference = 978_307_200.0
}

/// A decoder of one number: what Date's `Codable` asks for, the seconds since its reference date.
private struct LoneDouble: Decoder, SingleValueDecodingContainer {
  let value: Double
  init(_ value: Double) { self.value = value }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw other }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw other }
  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { false }
  func decode(_ type: Double.Type) -> Double { value }
  func decode(_ type: Bool.Type) throws -> Bool { throw other }
  func decode(_ type: String.Type) throws -> String { throw other }
  func decode(_ type: Float.Type) throws -> Float { throw other }
  func decode(_ type: Int.Type) throws -> Int { throw other }
  func decode(_ type: Int8.Type) throws -> Int8 { throw other }
  func decode(_ type: Int16.Type) throws -> Int16 { throw other }
  func decode(_ type: Int32.Type) throws -> Int32 { throw other }
  func decode(_ type: Int64.Type) throws -> Int64 { throw other }
  func decode(_ type: UInt.Type) throws -> UInt { throw other }
  func decode(_ type: UInt8.Type) throws -> UInt8 { throw other }
  func decode(_ type: UInt16.Type) throws -> UInt16 { throw other }
  func decode(_ type: UInt32.Type) throws -> UInt32 { throw other }
  func decode(_ type: UInt64.Type) throws -> UInt64 { throw other }
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    guard let number = value as? T else { throw other }
    return number
  }

  private var other: BridgeError {
    BridgeError(.unknownError, "this Foundation's Date is not written as one number")
  }
}

/// Keeps the one number that Date's `Codable` writes.
private final class LoneDoubleEncoder: Encoder, SingleValueEncodingContainer {
  private(set) var value = 0.0

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    preconditionFailure("Date writes one number")
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { preconditionFailure("Date writes one number") }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() throws { throw other }
  func encode(_ value: Double) { self.value = value }
  func encode(_ value: Bool) throws { throw other }
  func encode(_ value: String) throws { throw other }
  func encode(_ value: Float) throws { throw other }
  func encode(_ value: Int) throws { throw other }
  func encode(_ value: Int8) throws { throw other }
  func encode(_ value: Int16) throws { throw other }
  func encode(_ value: Int32) throws { throw other }
  func encode(_ value: Int64) throws { throw other }
  func encode(_ value: UInt) throws { throw other }
  func encode(_ value: UInt8) throws { throw other }
  func encode(_ value: UInt16) throws { throw other }
  func encode(_ value: UInt32) throws { throw other }
  func encode(_ value: UInt64) throws { throw other }
  func encode<T: Encodable>(_ value: T) throws {
    guard let number = value as? Double else { throw other }
    self.value = number
  }

  private var other: BridgeError {
    BridgeError(.unknownError, "this Foundation's Date is not written as one number")
  }
}
