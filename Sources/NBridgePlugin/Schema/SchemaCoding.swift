// SPDX-License-Identifier: MIT

/// A shape as JSON Schema (draft 2020-12), for tools and for the table of loaded plugins.
///
/// What JSON lacks is told by `format`: `bigint`, `date`, `bytes`, `undefined`. An object that a plugin keeps
/// is a reference to its type: `{"$ref": "#/handles/database"}`. A stream of the script's is
/// `{"format": "stream", "items": …}`, a function `{"format": "callback", "value": …, "answer": …}`.
extension Schema: Codable {
  fileprivate enum Key: String, CodingKey {
    case type, format, items, properties, required, additionalProperties, anyOf
    case values = "enum"
    case reference = "$ref"
    case value, answer
    case defaultValue = "default"
    case minimum, maximum, pattern, title
  }

  /// Writes the JSON Schema.
  public func encode(to encoder: any Encoder) throws {
    var target = encoder.container(keyedBy: Key.self)
    switch self {
    case .any: break
    case .undefined: try target.encode("undefined", forKey: .format)
    case .boolean: try target.encode("boolean", forKey: .type)
    case .number: try target.encode("number", forKey: .type)
    case .integer: try target.encode("integer", forKey: .type)
    case .string: try target.encode("string", forKey: .type)
    case .bigint: try target.put("integer", format: "bigint")
    case .date: try target.put("string", format: "date")
    case .bytes: try target.put("string", format: "bytes")
    case .oneOf(let names):
      try target.encode("string", forKey: .type)
      try target.encode(names, forKey: .values)
    case .array(let element):
      try target.encode("array", forKey: .type)
      try target.encode(element, forKey: .items)
    case .dictionary(let element):
      try target.encode("object", forKey: .type)
      try target.encode(element, forKey: .additionalProperties)
    case .optional(let wrapped): try target.encode([wrapped, .null], forKey: .anyOf)
    case .union(let shapes): try target.encode(shapes, forKey: .anyOf)
    case .null: try target.encode("null", forKey: .type)
    case .stream(let element):
      try target.encode("stream", forKey: .format)
      try target.encode(element, forKey: .items)
    case .callback(let value, let answer):
      try target.encode("callback", forKey: .format)
      try target.encode(value, forKey: .value)
      try target.encode(answer, forKey: .answer)
    case .handle(let name): try target.encode(Self.handles + name, forKey: .reference)
    case .object(let fields): try target.put(fields)
    case .named(let name, let shape):
      try shape.encode(to: encoder)
      try target.encode(name, forKey: .title)
    }
  }

  /// Reads a JSON Schema that uses the same words. Others, as `description`, are passed over.
  public init(from decoder: any Decoder) throws {
    let source = try decoder.container(keyedBy: Key.self)
    if let reference = try source.decodeIfPresent(String.self, forKey: .reference) {
      guard reference.hasPrefix(Self.handles) else {
        throw SchemaError("'\(reference)' refers to nothing; only \(Self.handles)TYPE is known")
      }
      self = .handle(String(reference.dropFirst(Self.handles.count)))
    } else if let names = try source.decodeIfPresent([String].self, forKey: .values) {
      self = .oneOf(names)
    } else if let shapes = try source.decodeIfPresent([Schema].self, forKey: .anyOf) {
      let present = shapes.filter { $0 != .null }
      let shape = present.count == 1 ? present[0] : .union(present)
      self = present.count < shapes.count ? .optional(shape) : shape
    } else {
      self = try Self.typed(source)
    }
  }

  private static let handles = "#/handles/"

  private static func typed(_ source: KeyedDecodingContainer<Key>) throws -> Schema {
    let format = try source.decodeIfPresent(String.self, forKey: .format)
    switch try source.decodeIfPresent(String.self, forKey: .type) {
    case nil: return try untyped(source, format)
    case "boolean": return .boolean
    case "number": return .number
    case "integer": return format == "bigint" ? .bigint : .integer
    case "string": return format == "date" ? .date : format == "bytes" ? .bytes : .string
    case "null": return .null
    case "array": return .array(try source.decodeIfPresent(Schema.self, forKey: .items) ?? .any)
    case "object":
      let shape = try object(source)
      guard case .object(let fields) = shape, !fields.isEmpty,
        let name = try? source.decodeIfPresent(String.self, forKey: .title)
      else { return shape }
      return .named(name, shape)
    case let other?: throw SchemaError("'\(other)' is no type of JSON Schema")
    }
  }

  private static func untyped(_ source: KeyedDecodingContainer<Key>, _ format: String?) throws -> Schema {
    switch format {
    case "undefined": return .undefined
    case "stream": return .stream(try source.decodeIfPresent(Schema.self, forKey: .items) ?? .any)
    case "callback":
      return .callback(
        try source.decodeIfPresent(Schema.self, forKey: .value) ?? .undefined,
        try source.decodeIfPresent(Schema.self, forKey: .answer) ?? .undefined)
    default: return .any
    }
  }

  private static func object(_ source: KeyedDecodingContainer<Key>) throws -> Schema {
    guard source.contains(.properties) else {
      return .dictionary(try source.decodeIfPresent(Schema.self, forKey: .additionalProperties) ?? .any)
    }
    let required = try source.decodeIfPresent([String].self, forKey: .required) ?? []
    let properties = try source.nestedContainer(keyedBy: AnyKey.self, forKey: .properties)
    return .object(
      try properties.allKeys.map { key in
        let isOptional = !required.contains(key.stringValue)
        var schema = try properties.decode(Schema.self, forKey: key)
        if isOptional, case .optional(let wrapped) = schema { schema = wrapped }
        let facts = try properties.nestedContainer(keyedBy: Key.self, forKey: key)
        var field = Field(name: key.stringValue, schema: schema, isOptional: isOptional)
        if let value = try facts.decodeIfPresent(Value.self, forKey: .defaultValue) {
          field = Field(name: key.stringValue, schema: schema, default: value)
        }
        field.rule = Rule(
          minimum: try facts.decodeIfPresent(Double.self, forKey: .minimum),
          maximum: try facts.decodeIfPresent(Double.self, forKey: .maximum),
          unanchored: try facts.decodeIfPresent(String.self, forKey: .pattern))
        return field
      })
  }

  /// A key of any name.
  fileprivate struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

extension Schema {
  /// A member's shape, with what else is known of it.
  fileprivate struct FieldShape: Encodable {
    let field: Field

    init(_ field: Field) { self.field = field }

    func encode(to encoder: any Encoder) throws {
      try (field.isOptional ? .optional(field.schema) : field.schema).encode(to: encoder)
      var target = encoder.container(keyedBy: Key.self)
      try target.encodeIfPresent(field.defaultValue, forKey: .defaultValue)
      try target.encodeIfPresent(field.rule?.minimum, forKey: .minimum)
      try target.encodeIfPresent(field.rule?.maximum, forKey: .maximum)
      try target.encodeIfPresent(field.rule?.anchored, forKey: .pattern)
    }
  }
}

extension KeyedEncodingContainer<Schema.Key> {
  fileprivate mutating func put(_ type: String, format: String) throws {
    try encode(type, forKey: .type)
    try encode(format, forKey: .format)
  }

  fileprivate mutating func put(_ fields: [Schema.Field]) throws {
    try encode("object", forKey: .type)
    var properties = nestedContainer(keyedBy: Schema.AnyKey.self, forKey: .properties)
    for field in fields {
      try properties.encode(Schema.FieldShape(field), forKey: Schema.AnyKey(stringValue: field.name))
    }
    try encode(fields.filter { !$0.isOptional }.map(\.name), forKey: .required)
  }
}
