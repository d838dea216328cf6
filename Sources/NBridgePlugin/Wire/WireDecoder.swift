// SPDX-License-Identifier: MIT

/// Reads `Codable` values from the wire. Two words without references, so that `any Decoder` needs no box and
/// copies count nothing. Valid while ``decode(_:_:_:root:)`` runs, as the text is.
struct WireDecoder: Decoder {
  let storage: UnsafeMutablePointer<WireSource>
  let node: Int

  var source: WireSource { @inline(__always) _read { yield storage.pointee } }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Decodes the whole text; what is wrong is named by its path under `root`.
  ///
  /// - Parameter names: refuses members that the type has no name for; nil lets them pass.
  package static func decode<T: Decodable>(
    _ type: T.Type, _ text: UnsafeBufferPointer<UInt8>, _ attachments: [Bytes] = [], root: String,
    names: (any MemberCheck)? = nil
  ) throws -> T {
    // Not `withUnsafeMutablePointer` and its kin: what is generic over the caller's type costs a look-up
    // each.
    let storage = try WireSource.make(text, attachments, root)
    defer { WireSource.destroy(storage) }
    storage.pointee.names = names
    do {
      let value = try WireDecoder(storage: storage, node: 0).decode(type)
      try names?.check(storage.pointee)
      return value
    } catch let error as WireMismatch {
      throw error.bridgeError(root: root)
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let object = source.object(at: node) else { throw mismatch("an object") }
    if source.tape.mayHaveHalves { try checkKeys(of: object) }
    return KeyedDecodingContainer(WireKeyedContainer(storage: storage, object: object))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    if let (tag, payload) = source.tag(at: node), tag == .set || tag == .map {
      return WireUnkeyedContainer(storage: storage, node: payload + 1, index: 0)
    }
    guard source.tape[node].kind == .array else { throw mismatch("an array") }
    return WireUnkeyedContainer(storage: storage, node: node + 1, index: 0)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  func mismatch(_ expected: String, found: String? = nil) -> WireMismatch {
    WireMismatch(path: source.path(to: node), expected: expected, found: found ?? kindName)
  }

  /// What is there, in JavaScript's words, without its value.
  var kindName: String {
    if let (tag, _) = source.tag(at: node) {
      switch tag {
      case .undefined: return "undefined"
      case .number: return "a number that is not finite"
      case .bigInt: return "a BigInt"
      case .date: return "a Date"
      case .bytes: return "bytes"
      case .map: return "a Map"
      case .set: return "a Set"
      case .object: return "an object"
      case .handle: return "an object of a plugin"
      case .channel: return "a stream or function"
      }
    }
    switch source.tape[node].kind {
    case .null: return "null"
    case .true, .false: return "a boolean"
    case .integer, .number: return "a number"
    case .string, .escapedString: return "a string"
    case .array: return "an array"
    case .object, .end, .replaced: return "an object"
    }
  }
}

// MARK: - Scalars

extension WireDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool {
    source.tape[node].kind == .null || source.tag(at: node)?.tag == .undefined
  }

  func decode(_ type: Bool.Type) throws -> Bool {
    switch source.tape[node].kind {
    case .true: return true
    case .false: return false
    default: throw mismatch("a boolean")
    }
  }

  func decode(_ type: String.Type) throws -> String {
    let kind = source.tape[node].kind
    guard kind == .string || kind == .escapedString else { throw mismatch("a string") }
    do { return try source.tape.string(node) } catch {
      throw WireMismatch(path: source.path(to: node), reason: error.reason)
    }
  }

  func decode(_ type: Double.Type) throws -> Double {
    if let value = source.tape.double(node) { return value }
    if let (tag, payload) = source.tag(at: node), tag == .number {
      switch try? source.tape.string(payload) {
      case "NaN": return .nan
      case "Infinity": return .infinity
      case "-Infinity": return -.infinity
      case "-0": return -0.0
      default: break
      }
    }
    throw mismatch("a number")
  }

  func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

  private func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
    if let value = source.tape.integer(node, as: type) { return value }
    if let (tag, payload) = source.tag(at: node), tag == .bigInt || tag == .number,
      let digits = try? source.tape.string(payload)
    {
      if let value = T(digits) { return value }
    }
    let name = T.bitWidth == 64 ? "an integer" : "an integer from \(T.min) to \(T.max)"
    guard let number = source.tape.double(node) else { throw mismatch(name) }
    let found =
      number != number.rounded() ? "a number with a fraction" : "a \(number < 0 ? "smaller" : "larger") one"
    throw WireMismatch(path: source.path(to: node), expected: name, found: found)
  }

  func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    do { return try WireSpecial.has(type) ? WireSpecial.decode(type, from: self) : T(from: self) } catch let
      error
      as DecodingError
    { throw WireMismatch(error, at: source.path(to: node), of: type) }
  }

  /// What stands for a member that says nothing; nil when it has no default.
  func absent<T: Decodable>(_ type: T.Type) throws -> T? {
    try source.names?.value(at: node, storage.pointee)?.decode(type)
  }

  /// The bytes beside the text that this node points to.
  func bytes() throws -> Bytes {
    guard let (tag, payload) = source.tag(at: node), tag == .bytes,
      let index = source.tape.integer(payload, as: Int.self), source.attachments.indices.contains(index)
    else { throw mismatch("bytes (an ArrayBuffer or a view of one)") }
    return source.attachment(index, tag: payload)
  }

  /// Milliseconds since 1970 of a Date; NaN for an invalid one.
  func milliseconds() throws -> Double {
    guard let (tag, payload) = source.tag(at: node), tag == .date else { throw mismatch("a Date") }
    return source.tape.double(payload) ?? .nan
  }
}

// MARK: - Containers

extension WireDecoder {
  /// A key that no text can be is no key that could be told, and its member would be lost.
  private func checkKeys(of object: Int) throws {
    var key = object + 1
    while source.tape[key].kind != .end {
      if source.tape[key].kind == .escapedString {
        do { _ = try source.tape.string(key) } catch {
          throw WireMismatch(path: source.path(to: key), reason: error.reason)
        }
      }
      key = Int(source.tape[key + 1].next)
    }
  }
}

/// The members of an object.
private struct WireKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let storage: UnsafeMutablePointer<WireSource>
  let object: Int

  private var source: WireSource { @inline(__always) _read { yield storage.pointee } }

  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] {
    var keys: [Key] = []
    var node = object + 1
    source.tape.settleKeys(of: object)
    while source.tape[node].kind != .end {
      if source.tape[node].kind != .replaced, let name = try? source.tape.string(node),
        let key = Key(stringValue: name)
      {
        keys.append(key)
      }
      node = Int(source.tape[node + 1].next)
    }
    return keys
  }

  func contains(_ key: Key) -> Bool { source.find(key.stringValue, in: object) != nil }

  @inline(__always)
  private func member(_ key: Key) throws -> WireDecoder { try member(named: key.stringValue) }

  @inline(__always)
  private func member(named name: String) throws -> WireDecoder {
    guard let node = source.find(name, in: object) else {
      throw WireMismatch(path: source.path(to: object) + ".\(name)", reason: "is missing")
    }
    storage.pointee.found(node, in: object)
    return WireDecoder(storage: storage, node: node)
  }

  /// What stands for a member that is absent.
  @inline(never)
  private func absent<T: Decodable>(_ type: T.Type, _ name: String) throws -> T {
    guard let value = source.names?.value(of: name, in: object, storage.pointee) else {
      throw WireMismatch(path: source.path(to: object) + ".\(name)", reason: "is missing")
    }
    return try value.decode(type)
  }

  private func present(_ key: Key) throws -> WireDecoder? {
    guard let node = source.find(key.stringValue, in: object) else { return nil }
    storage.pointee.found(node, in: object)
    let member = WireDecoder(storage: storage, node: node)
    return member.decodeNil() ? nil : member
  }

  func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).decode(type) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key).decode(type) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key).decode(type) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try member(key).decode(type) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key).decode(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try member(key).decode(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try member(key).decode(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try member(key).decode(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try member(key).decode(type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try member(key).decode(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try member(key).decode(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try member(key).decode(type) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try member(key).decode(type) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try member(key).decode(type) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard let node = source.find(key.stringValue, in: object) else {
      return try absent(type, key.stringValue)
    }
    storage.pointee.found(node, in: object)
    let member = WireDecoder(storage: storage, node: node)
    let next = Int(source.tape[member.node].next)
    defer { storage.pointee.hint = (object, next) }  // a nested object moved the hint
    return try member.decode(type)
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try present(key)?.decode(type)
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try present(key)?.decode(type)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try present(key)?.decode(type)
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try present(key)?.decode(type)
  }
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    // A `Value` keeps null apart from absent: it is the script's own.
    if type == Value.self { return contains(key) ? try decode(type, forKey: key) : nil }
    guard let member = try present(key) else { return nil }
    let next = Int(source.tape[member.node].next)
    defer { storage.pointee.hint = (object, next) }
    return try member.decode(type)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  { try member(key).container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder { try member(named: "super") }
  func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

/// The elements of an array.
private struct WireUnkeyedContainer: UnkeyedDecodingContainer {
  private let storage: UnsafeMutablePointer<WireSource>
  private var node: Int
  private var index: Int

  private var source: WireSource { @inline(__always) _read { yield storage.pointee } }

  init(storage: UnsafeMutablePointer<WireSource>, node: Int, index: Int) {
    self.storage = storage
    self.node = node
    self.index = index
  }

  var codingPath: [any CodingKey] { [] }
  var isAtEnd: Bool { source.tape[node].kind == .end }
  var currentIndex: Int { index }
  var count: Int? {
    var count = index
    var at = node
    while source.tape[at].kind != .end {
      count += 1
      at = Int(source.tape[at].next)
    }
    return count
  }

  private mutating func element() throws -> WireDecoder {
    guard !isAtEnd else {
      throw WireMismatch(path: source.path(to: node), reason: "the array ends before element \(index)")
    }
    let element = WireDecoder(storage: storage, node: node)
    node = Int(source.tape[node].next)
    index += 1
    return element
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, WireDecoder(storage: storage, node: node).decodeNil() else { return false }
    _ = try element()
    return true
  }
  mutating func decode(_ type: Bool.Type) throws -> Bool { try element().decode(type) }
  mutating func decode(_ type: String.Type) throws -> String { try element().decode(type) }
  mutating func decode(_ type: Double.Type) throws -> Double { try element().decode(type) }
  mutating func decode(_ type: Int.Type) throws -> Int { try element().decode(type) }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try element().decode(type) }
  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws
    -> KeyedDecodingContainer<Nested>
  { try element().container(keyedBy: type) }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try element().unkeyedContainer()
  }
  mutating func superDecoder() throws -> any Decoder { try element() }
}
