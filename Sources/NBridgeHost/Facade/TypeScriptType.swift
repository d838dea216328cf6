// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// A shape in TypeScript's words.
package enum TypeScriptType {
  /// As people read it.
  package static func of(_ schema: Schema) -> String { of(schema, in: nil) }

  /// - Parameter scope: the plugin's, in whose declarations it stands; nil where people read it.
  static func of(_ schema: Schema, in scope: TypeScriptScope?) -> String {
    switch schema {
    case .undefined: "void"
    case .any: "NBridgeValue"
    case .null: "null"
    case .boolean: "boolean"
    case .number, .integer: "number"
    case .bigint: "bigint"
    case .string: "string"
    case .date: "Date"
    case .bytes: "Uint8Array"
    case .oneOf(let names): names.isEmpty ? "never" : names.map(\.quotedForScript).joined(separator: " | ")
    case .array(let element): "Array<\(of(element, in: scope))>"
    case .dictionary(let element): "{ [key: string]: \(of(element, in: scope)) }"
    case .optional(let wrapped): "\(of(wrapped, in: scope)) | null"
    case .object(let fields): object(fields, in: scope)
    case .union(let shapes): shapes.map { of($0, in: scope) }.joined(separator: " | ")
    case .stream(let element): "NBridgeSequence<\(of(element, in: scope))>"
    case .callback(let value, let answer): callback(value, answer, in: scope)
    case .handle(let type): scope?.handle(type) ?? type.capitalisedFirst
    case .named(let name, let shape): scope?.interface(name, shape) ?? of(shape, in: nil)
    }
  }

  private static func callback(_ value: Schema, _ answer: Schema, in scope: TypeScriptScope?) -> String {
    let result = of(answer, in: scope)
    return "(value: \(of(value, in: scope))) => "
      + (answer == .undefined ? "unknown" : "\(result) | Promise<\(result)>")
  }

  static func object(_ fields: [Schema.Field], in scope: TypeScriptScope?) -> String {
    if fields.isEmpty { return "{}" }
    return "{ \(fields.map { member($0, in: scope) }.joined(separator: "; ")) }"
  }

  /// A member of an object, as `limit?: number`.
  static func member(_ field: Schema.Field, in scope: TypeScriptScope?) -> String {
    let name = field.name.isScriptName ? field.name : field.name.quotedForScript
    return "\(name)\(field.isOptional ? "?" : ""): \(told(field, in: scope))"
  }

  /// What every object has, as TypeScript's own declarations name it (`interface Object`).
  private static let inherited = [
    "constructor", "toString", "toLocaleString", "valueOf", "hasOwnProperty", "isPrototypeOf",
    "propertyIsEnumerable",
  ]

  private static func told(_ field: Schema.Field, in scope: TypeScriptScope?) -> String {
    let type = of(field.schema, in: scope)
    guard scope != nil, field.isOptional, inherited.contains(field.name) else { return type }
    // An object that leaves it out has the one that it inherits, and would not fit.
    return (type.contains("=>") ? "(\(type))" : type) + " | Object[\"\(field.name)\"]"
  }
}
