// SPDX-License-Identifier: MIT

/// The shape of a value, derived from its Swift type.
public indirect enum Schema: Sendable, Equatable {
  case undefined, any, null, boolean, number, integer, bigint, string, date, bytes
  /// An object that the plugin keeps, by its type's name.
  case handle(String)
  /// A stream of the script's; in options only.
  case stream(Schema)
  /// A function of the script's, of what it is given and what it answers; in options only.
  case callback(Schema, Schema)
  case oneOf([String])
  case array(Schema)
  case dictionary(Schema)
  case optional(Schema)
  case object([Field])
  /// One of several shapes.
  case union([Schema])
  /// An object whose type has a name.
  case named(String, Schema)

  /// The shape that Swift's synthesised `Codable` gives an enum with payloads: an object with one key, the
  /// case's name, that holds the payload as an object.
  ///
  /// ```swift
  /// extension Shape: SchemaDescribed {
  ///   static var schema: Schema {
  ///     .cases([("circle", [.init(name: "radius", schema: .number)]), ("point", [])])
  ///   }
  /// }
  /// ```
  public static func cases(_ cases: [(name: String, payload: [Field])]) -> Schema {
    .union(cases.map { .object([Field(name: $0.name, schema: .object($0.payload))]) })
  }

  /// A member of an object.
  public struct Field: Sendable, Equatable {
    /// The key.
    public var name: String
    /// The value's shape.
    public var schema: Schema
    /// Whether it may be absent or null.
    public var isOptional: Bool
    /// What it is when it is absent; nil when that has no value.
    public private(set) var defaultValue: Value?
    /// What it has to keep to besides its shape; of options only.
    public var rule: Rule?

    /// Makes a member; the name of a payload without a label is `_0`, `_1` …
    public init(name: String, schema: Schema, isOptional: Bool = false) {
      self.name = name
      self.schema = schema
      self.isOptional = isOptional
    }

    /// Makes a member that has a value when it is absent.
    public init(name: String, schema: Schema, default value: Value) {
      self.init(name: name, schema: schema, isOptional: true)
      defaultValue = value
    }
  }
}

extension Schema {
  /// Which members come from the script bit by bit: streams, and functions by whether their answer is asked
  /// for.
  package var inlets: [String: InletKind] {
    guard case .object(let fields) = bare else { return [:] }
    return fields.reduce(into: [:]) { inlets, field in
      switch field.schema {
      case .stream, .optional(.stream): inlets[field.name] = .stream
      case .callback(_, let answer), .optional(.callback(_, let answer)):
        inlets[field.name] = answer == .undefined ? .listener : .callback
      default: break
      }
    }
  }

  /// What `Bridge/js/streams.js` makes of what the script gives.
  package enum InletKind: String, Sendable {
    case stream, callback, listener
  }
}

/// A type that describes itself, for types of which `Codable` alone does not tell enough.
public protocol SchemaDescribed {
  /// The type's shape.
  static var schema: Schema { get throws }
}

/// A type whose shape can't be derived without guessing.
public struct SchemaError: Error, CustomStringConvertible {
  private var path = ""
  private let reason: String

  init(_ reason: String) { self.reason = reason }

  /// The same, in a member of that name.
  func under(_ name: String) -> SchemaError {
    var error = self
    error.path = path.isEmpty ? name : "\(name).\(path)"
    return error
  }

  /// Where it is, what is wrong, and what to do about it.
  public var description: String { path.isEmpty ? reason : "the field '\(path)': \(reason)" }
}

extension Schema {
  /// Derives the shape of `type` by decoding one from nothing and recording what it asks for.
  ///
  /// Costs tens of microseconds: for tools and help, not for calls.
  public static func of<T: Decodable>(_ type: T.Type) throws -> Schema {
    try SchemaRecorder.describe(type).schema.bare
  }

  /// The same with the type's name, if it is an object's.
  package static func named<T: Decodable>(_ type: T.Type) throws -> Schema {
    try SchemaRecorder.describe(named: type).schema
  }

  /// Without the name of its type.
  package var bare: Schema {
    if case .named(_, let schema) = self { return schema.bare }
    return self
  }
}

extension Optional: SchemaDescribed where Wrapped: Decodable {
  /// The wrapped type's shape, or absent.
  public static var schema: Schema { get throws { .optional(try Schema.named(Wrapped.self)) } }
}
extension Array: SchemaDescribed where Element: Decodable {
  /// A list.
  public static var schema: Schema { get throws { .array(try Schema.named(Element.self)) } }
}
extension Set: SchemaDescribed where Element: Decodable {
  /// A list.
  public static var schema: Schema { get throws { .array(try Schema.named(Element.self)) } }
}
extension Dictionary: SchemaDescribed where Key == String, Value: Decodable {
  /// An object with any keys.
  public static var schema: Schema { get throws { .dictionary(try Schema.named(Value.self)) } }
}
extension Value: SchemaDescribed {
  /// Anything.
  public static var schema: Schema { .any }
}
extension Bytes: SchemaDescribed {
  /// Bytes.
  public static var schema: Schema { .bytes }
}
