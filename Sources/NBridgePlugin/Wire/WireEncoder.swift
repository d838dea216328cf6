// SPDX-License-Identifier: MIT

/// Writes `Codable` values to the wire. One word, so that `any Encoder` needs no box.
struct WireEncoder: Encoder {
  let sink: WireSink

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Encodes one value into an empty sink.
  package static func encode<T: Encodable>(_ value: T, into sink: WireSink) throws {
    try WireEncoder(sink: sink).encode(value)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(WireKeyedEncoding(sink: sink, depth: openOrFail(0x7B, 0x7D)))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    WireUnkeyedEncoding(sink: sink, depth: openOrFail(0x5B, 0x5D))
  }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// `Encoder.container` can't throw. The guard in `encode` keeps depth below the limit, except for a type
  /// that opens hundreds of containers in one `encode(to:)`.
  private func openOrFail(_ start: UInt8, _ close: UInt8) -> Int {
    do { return try sink.openContainer(start, close) } catch { preconditionFailure("\(error)") }
  }
}

extension WireEncoder: SingleValueEncodingContainer {
  func encodeNil() throws { sink.writeNull() }
  func encode(_ value: Bool) throws { sink.write(value) }
  func encode(_ value: String) throws { sink.write(value) }
  func encode(_ value: Double) throws { sink.write(value) }
  func encode(_ value: Float) throws { sink.write(Double(value)) }
  func encode(_ value: Int) throws { try sink.write(value) }
  func encode(_ value: Int8) throws { try sink.write(value) }
  func encode(_ value: Int16) throws { try sink.write(value) }
  func encode(_ value: Int32) throws { try sink.write(value) }
  func encode(_ value: Int64) throws { sink.writeBigInt(value) }
  func encode(_ value: UInt) throws { try sink.write(value) }
  func encode(_ value: UInt8) throws { try sink.write(value) }
  func encode(_ value: UInt16) throws { try sink.write(value) }
  func encode(_ value: UInt32) throws { try sink.write(value) }
  func encode(_ value: UInt64) throws { sink.writeBigInt(value) }

  func encode<T: Encodable>(_ value: T) throws {
    if try WireSpecial.encode(value, to: sink) { return }
    let depth = sink.depth
    if depth >= WireLimit.depth - 1 {
      throw BridgeError(.unknownError, "a result is nested deeper than \(WireLimit.depth)")
    }
    let start = sink.count
    try value.encode(to: self)
    sink.closeContainers(to: depth)
    if sink.count == start { sink.put("{}") }  // a type that encodes nothing is an empty object
  }
}

/// Writes the members of an object.
private struct WireKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let sink: WireSink
  let depth: Int

  var codingPath: [any CodingKey] { [] }

  @inline(__always)
  private func member(_ key: Key) -> WireEncoder {
    sink.nextMember(at: depth)
    sink.write(key.stringValue)
    sink.put(0x3A)
    return WireEncoder(sink: sink)
  }

  func encodeNil(forKey key: Key) throws { try member(key).encodeNil() }
  func encode(_ value: Bool, forKey key: Key) throws { try member(key).encode(value) }
  func encode(_ value: String, forKey key: Key) throws { try member(key).encode(value) }
  func encode(_ value: Double, forKey key: Key) throws { try member(key).encode(value) }
  func encode(_ value: Float, forKey key: Key) throws { try member(key).encode(value) }
  func encode(_ value: Int, forKey key: Key) throws { try member(key).encode(value) }
  func encode(_ value: Int8, forKey key: Key) throws { try member(key).encode(value) }
  func encode(_ value: Int16, forKey key: Key) throws { try member(key).encode(value) }
  func encode(_ value: Int32, forKey key: Key) throws { try member(key).encode(value) }
  func encode(_ value: Int64, forKey key: Key) throws { try member(key).encode(value) }
  func encode(_ value: UInt, forKey key: Key) throws { try member(key).encode(value) }
  func encode(_ value: UInt8, forKey key: Key) throws { try member(key).encode(value) }
  func encode(_ value: UInt16, forKey key: Key) throws { try member(key).encode(value) }
  func encode(_ value: UInt32, forKey key: Key) throws { try member(key).encode(value) }
  func encode(_ value: UInt64, forKey key: Key) throws { try member(key).encode(value) }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try member(key).encode(value) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key)
    -> KeyedEncodingContainer<Nested>
  { member(key).container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    member(key).unkeyedContainer()
  }
  func superEncoder() -> any Encoder { WireEncoder(sink: sink) }
  func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}

/// Writes the elements of an array.
private struct WireUnkeyedEncoding: UnkeyedEncodingContainer {
  let sink: WireSink
  let depth: Int
  var count = 0

  init(sink: WireSink, depth: Int) {
    self.sink = sink
    self.depth = depth
  }

  var codingPath: [any CodingKey] { [] }

  private mutating func element() -> WireEncoder {
    sink.nextMember(at: depth)
    count += 1
    return WireEncoder(sink: sink)
  }

  mutating func encodeNil() throws { try element().encodeNil() }
  mutating func encode(_ value: Bool) throws { try element().encode(value) }
  mutating func encode(_ value: String) throws { try element().encode(value) }
  mutating func encode(_ value: Double) throws { try element().encode(value) }
  mutating func encode(_ value: Int) throws { try element().encode(value) }
  mutating func encode<T: Encodable>(_ value: T) throws { try element().encode(value) }
  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type)
    -> KeyedEncodingContainer<Nested>
  { element().container(keyedBy: type) }
  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }
  mutating func superEncoder() -> any Encoder { element() }
}
