// SPDX-License-Identifier: MIT

/// A decoder that has nothing to decode: it notes what a type asks for and hands out empty values.
final class SchemaRecorder: Decoder {
  var schema: Schema?
  private var fields: [Schema.Field] = []
  /// Fields that a superclass asks for the shape of, by their places.
  private var inner: [(place: Int, recorder: SchemaRecorder)] = []
  /// Whether the type asked which keys there are: then they are its content, and not known.
  fileprivate var asksForKeys = false
  /// The members with a default, by their places.
  private var defaulted: [Int] = []
  private let defaults = DefaultsRead()
  /// The types that are being described, the outermost first.
  @TaskLocal private static var types: [ObjectIdentifier] = []

  private init() {}

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The shape of `type`, and an empty value of it to go on decoding with.
  static func describe<T: Decodable>(_ type: T.Type) throws -> (schema: Schema, example: T) {
    if let scalar = scalar(type) { return scalar }
    let id = ObjectIdentifier(type)
    guard !types.contains(id) else {
      throw SchemaError("'\(type)' holds itself, and a shape must end; conform it to SchemaDescribed")
    }
    return try $types.withValue(types + [id]) {
      if let known = try DefaultsRead.with(nil, { try known(type) }) { return known }
      return try record(type, SchemaRecorder())
    }
  }

  /// The same with the type's name, if it is an object's that has one in ASCII.
  static func describe<T: Decodable>(named type: T.Type) throws -> (schema: Schema, example: T) {
    let (schema, example) = try describe(type)
    guard case .object(let fields) = schema, !fields.isEmpty else { return (schema, example) }
    let name = String(describing: type).filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    guard name.first?.isLetter == true else { return (schema, example) }
    return (.named(name, schema), example)
  }

  /// Decodes an empty value, and takes the shape from what the type asks for.
  private static func record<T: Decodable>(_ type: T.Type, _ recorder: SchemaRecorder) throws -> (Schema, T) {
    let example: T
    do { example = try recorder.make(type) } catch is DecodingError { throw unclear(type, recorder) }
    if let schema = recorder.schema { return (schema, example) }
    if recorder.asksForKeys, recorder.fields.isEmpty { throw unclear(type, recorder) }
    try recorder.takeDefaults(of: example)
    return (recorder.shape, example)
  }

  /// Decodes an empty value; its defaults are noted, unless it is one itself.
  private func make<T: Decodable>(_ type: T.Type) throws -> T {
    if type is any DefaultOption.Type { return try T(from: self) }
    return try DefaultsRead.with(defaults) { try T(from: self) }
  }

  private func takeDefaults(of example: Any) throws {
    for (place, value) in zip(defaulted, try defaults.values(of: example, count: defaulted.count)) {
      fields[place] = Schema.Field(name: fields[place].name, schema: fields[place].schema, default: value)
    }
  }

  /// What was asked for by now.
  private var shape: Schema {
    if let schema { return schema }
    var fields = fields
    for (place, recorder) in inner { fields[place].schema = recorder.shape }
    return .object(fields)
  }

  /// A recorder of what a field holds, for a superclass.
  fileprivate func inner(_ name: String) -> SchemaRecorder {
    let recorder = SchemaRecorder()
    inner.append((fields.count, recorder))
    fields.append(Schema.Field(name: name, schema: .any))
    return recorder
  }

  /// Why the shape of a type can't be derived, and what to do.
  private static func unclear<T>(_ type: T.Type, _ recorder: SchemaRecorder) -> SchemaError {
    if type is any RawRepresentable.Type {
      return SchemaError("'\(type)' does not tell its values; conform it to CaseIterable")
    }
    if recorder.asksForKeys {
      return SchemaError(
        "'\(type)' does not tell its keys (an enum with payloads, a dictionary with keys that are no "
          + "strings?); "
          + "conform it to SchemaDescribed, or use [String: …]")
    }
    return SchemaError(
      """
      '\(type)' can't be made of an empty value; conform it to SchemaDescribed, \
      or declare a String and convert it
      """
    )
  }

  /// The types that most fields have: looking for conformances costs a pass over all that there are.
  private static func scalar<T: Decodable>(_ type: T.Type) -> (Schema, T)? {
    func pair<S>(_ schema: Schema, _ value: S) -> (Schema, T)? { (value as? T).map { (schema, $0) } }
    switch ObjectIdentifier(type) {
    case ObjectIdentifier(String.self): return pair(.string, "")
    case ObjectIdentifier(Bool.self): return pair(.boolean, false)
    case ObjectIdentifier(Int.self): return pair(.integer, 0 as Int)
    case ObjectIdentifier(Double.self): return pair(.number, 0 as Double)
    default: return nil
    }
  }

  private static func known<T: Decodable>(_ type: T.Type) throws -> (Schema, T)? {
    if WireSpecial.has(type) {
      let isDate = WireSpecial.isDate(type)
      let example: StaticString = isDate ? #"{"$nb":["d",0]}"# : #"{"$nb":["b",0,"Uint8Array"]}"#
      let text = UnsafeBufferPointer(start: example.utf8Start, count: example.utf8CodeUnitCount)
      return (isDate ? .date : .bytes, try WireDecoder.decode(type, text, [Bytes([])], root: "example"))
    }
    if let bytes = Bytes([]) as? T { return (.bytes, bytes) }
    if let value = Value.null as? T { return (.any, value) }
    if let cases = type as? any CaseIterable.Type, let known = enumeration(cases, T.self) { return known }
    guard let described = type as? any SchemaDescribed.Type else { return nil }
    let schema = try described.schema
    if let empty = Optional<Int>.none as? T { return (schema, empty) }
    let sink = WireSink(capacity: 64)
    try schema.writeExample(into: sink)
    do { return (schema, try WireDecoder.decode(type, sink.text, [Bytes([])], root: "example")) } catch {
      throw SchemaError(
        """
        '\(type)' can't be made of the empty value that its schema allows: \
        \((error as? BridgeError)?.message ?? "\(error)")
        """
      )
    }
  }

  private static func enumeration<T>(_ type: any CaseIterable.Type, _: T.Type) -> (Schema, T)? {
    func cases<C: CaseIterable>(_ type: C.Type) -> [Any] { type.allCases.map { $0 } }
    let all = cases(type)
    guard let first = all.first as? T else { return nil }
    let values = all.compactMap { ($0 as? any RawRepresentable)?.rawValue }
    let names = values.compactMap { $0 as? String }
    if names.count == all.count { return (.oneOf(names), first) }
    guard values.count == all.count, values.allSatisfy({ $0 is any BinaryInteger }) else { return nil }
    return (.integer, first)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RecordingContainer(recorder: self))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw SchemaError(
      "a type that is a list does not tell of what; conform it to SchemaDescribed, or use an array")
  }
  func singleValueContainer() -> any SingleValueDecodingContainer { RecordingScalar(recorder: self) }

  fileprivate func note<T: Decodable>(_ name: String, _ type: T.Type, optional: Bool) throws -> T {
    let (schema, example): (Schema, T)
    do { (schema, example) = try Self.describe(named: type) } catch let error as SchemaError {
      throw error.under(name)
    }
    if type is any DefaultOption.Type { defaulted.append(fields.count) }
    if case .optional(let inner) = schema {
      fields.append(Schema.Field(name: name, schema: inner, isOptional: true))
    } else {
      fields.append(Schema.Field(name: name, schema: schema, isOptional: optional))
    }
    return example
  }
}

private struct RecordingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let recorder: SchemaRecorder
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] {
    recorder.asksForKeys = true
    return []
  }
  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) throws -> Bool { false }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try recorder.note(key.stringValue, type, optional: false)
  }
  private func maybe<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
    try recorder.note(key.stringValue, type, optional: true)
  }
  // Without these, the defaults would ask `decodeNil` and record the key as required.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try maybe(type, key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try maybe(type, key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try maybe(type, key) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try maybe(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try maybe(type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try maybe(type, key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try maybe(type, key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try maybe(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try maybe(type, key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try maybe(type, key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try maybe(type, key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try maybe(type, key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try maybe(type, key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try maybe(type, key) }
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try maybe(type, key) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  { throw unclear(key) }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw unclear(key) }
  func superDecoder() throws -> any Decoder { recorder.inner("super") }
  func superDecoder(forKey key: Key) throws -> any Decoder { recorder.inner(key.stringValue) }

  /// An enum with payloads decodes this way; its shape would be a guess.
  private func unclear(_ key: Key) -> SchemaError {
    SchemaError(
      """
      the shape of '\(key.stringValue)' can't be derived (an enum with payloads?); \
      conform it to SchemaDescribed
      """
    )
  }
}

private struct RecordingScalar: SingleValueDecodingContainer {
  let recorder: SchemaRecorder
  var codingPath: [any CodingKey] { [] }
  func decodeNil() -> Bool { false }
  private func note<T>(_ schema: Schema, _ value: T) -> T {
    recorder.schema = schema
    return value
  }
  func decode(_ type: Bool.Type) -> Bool { note(.boolean, false) }
  func decode(_ type: String.Type) -> String { note(.string, "") }
  func decode(_ type: Double.Type) -> Double { note(.number, 0) }
  func decode(_ type: Float.Type) -> Float { note(.number, 0) }
  func decode(_ type: Int.Type) -> Int { note(.integer, 0) }
  func decode(_ type: Int8.Type) -> Int8 { note(.integer, 0) }
  func decode(_ type: Int16.Type) -> Int16 { note(.integer, 0) }
  func decode(_ type: Int32.Type) -> Int32 { note(.integer, 0) }
  func decode(_ type: Int64.Type) -> Int64 { note(.bigint, 0) }
  func decode(_ type: UInt.Type) -> UInt { note(.integer, 0) }
  func decode(_ type: UInt8.Type) -> UInt8 { note(.integer, 0) }
  func decode(_ type: UInt16.Type) -> UInt16 { note(.integer, 0) }
  func decode(_ type: UInt32.Type) -> UInt32 { note(.integer, 0) }
  func decode(_ type: UInt64.Type) -> UInt64 { note(.bigint, 0) }
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let (schema, example) = try SchemaRecorder.describe(named: type)
    recorder.schema = schema
    return example
  }
}
