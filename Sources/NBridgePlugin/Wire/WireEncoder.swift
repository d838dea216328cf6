// SPDX-License-Identifier: MIT

/// Writes `Codable` values to the wire. Two words without a reference, so that `any Encoder` needs no box
/// and copies count nothing. Valid while ``encode(_:into:)`` runs.
struct WireEncoder: Encoder {
  let sink: SinkReference
  /// How many containers were open where its value begins.
  let depth: Int

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Encodes one value into an empty sink.
  package static func encode<T: Encodable>(_ value: T, into sink: WireSink) throws {
    try withExtendedLifetime(sink) {
      try WireEncoder(sink: SinkReference(sink), depth: sink.depth).encode(value)
    }
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
    // A superclass that writes by the same encoder adds to what is there.
    if sink({ $0.depth }) > depth { return sink { $0.reopenContainer(at: depth + 1, close) } }
    do { return try sink { try $0.openContainer(start, close) } } catch { preconditionFailure("\(error)") }
  }
}

extension WireSink {
  /// Writes one value behind what is there.
  package func encode(_ value: some Encodable) throws { try WireEncoder.encode(value, into: self) }
}

/// A sink that the caller keeps alive.
struct SinkReference {
  private let reference: Unmanaged<WireSink>

  init(_ sink: WireSink) { reference = .passUnretained(sink) }

  @inline(__always)
  func callAsFunction<R>(_ body: (WireSink) throws -> R) rethrows -> R {
    try reference._withUnsafeGuaranteedRef(body)
  }
}

extension WireEncoder: SingleValueEncodingContainer {
  func encodeNil() throws { sink { $0.writeNull() } }
  func encode(_ value: Bool) throws { sink { $0.write(value) } }
  func encode(_ value: String) throws { sink { $0.write(value) } }
  func encode(_ value: Double) throws { sink { $0.write(value) } }
  func encode(_ value: Float) throws { sink { $0.write(Double(value)) } }
  func encode(_ value: Int) throws { try sink { try $0.write(value) } }
  func encode(_ value: Int8) throws { try sink { try $0.write(value) } }
  func encode(_ value: Int16) throws { try sink { try $0.write(value) } }
  func encode(_ value: Int32) throws { try sink { try $0.write(value) } }
  func encode(_ value: Int64) throws { sink { $0.writeBigInt(value) } }
  func encode(_ value: UInt) throws { try sink { try $0.write(value) } }
  func encode(_ value: UInt8) throws { try sink { try $0.write(value) } }
  func encode(_ value: UInt16) throws { try sink { try $0.write(value) } }
  func encode(_ value: UInt32) throws { try sink { try $0.write(value) } }
  func encode(_ value: UInt64) throws { sink { $0.writeBigInt(value) } }

  func encode<T: Encodable>(_ value: T) throws {
    if try sink({ try WireSpecial.encode(value, to: $0) }) { return }
    let depth = sink { $0.depth }
    if depth >= WireLimit.depth - 1 {
      throw BridgeError(.unknownError, "a result is nested deeper than \(WireLimit.depth)")
    }
    let start = sink { $0.count }
    try value.encode(to: self)
    sink { sink in
      sink.closeContainers(to: depth)
      if sink.count == start { sink.put("{}") }  // a type that encodes nothing is an empty object
    }
  }
}

/// Writes the members of an object.
private struct WireKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let sink: SinkReference
  let depth: Int

  var codingPath: [any CodingKey] { [] }

  @inline(__always)
  private func member(_ key: Key) -> WireEncoder { member(named: key.stringValue) }

  @inline(__always)
  private func member(named name: String) -> WireEncoder {
    sink { sink in
      sink.nextMember(at: depth)
      sink.writeKey(name, at: depth)
    }
    return WireEncoder(sink: sink, depth: depth)
  }

  /// For a superclass, which may write nothing.
  private func other(named name: String) -> WireEncoder {
    defer { sink { $0.mayLackValue(at: depth) } }
    return member(named: name)
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
  func superEncoder() -> any Encoder { other(named: "super") }
  func superEncoder(forKey key: Key) -> any Encoder { other(named: key.stringValue) }
}

/// Writes the elements of an array.
private struct WireUnkeyedEncoding: UnkeyedEncodingContainer {
  let sink: SinkReference
  let depth: Int
  var count = 0

  init(sink: SinkReference, depth: Int) {
    self.sink = sink
    self.depth = depth
  }

  var codingPath: [any CodingKey] { [] }

  private mutating func element() -> WireEncoder {
    sink { $0.nextMember(at: depth) }
    count += 1
    return WireEncoder(sink: sink, depth: depth)
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
  mutating func superEncoder() -> any Encoder {
    defer { sink { $0.mayLackValue(at: depth) } }
    return element()
  }
}
