// SPDX-License-Identifier: MIT

extension Schema {
  /// Writes the emptiest value of this shape: what a type that describes itself is decoded from, so that the
  /// fields behind it can be recorded too.
  func writeExample(into sink: WireSink) throws {
    switch self {
    case .undefined, .any, .null, .optional, .handle: sink.writeNull()
    case .boolean: sink.write(false)
    case .number, .integer: try sink.write(0 as Int)
    case .bigint: sink.writeBigInt(0 as Int)
    case .string: sink.write("")
    case .date: sink.put(#"{"$nb":["d",0]}"#)
    case .bytes: sink.put(#"{"$nb":["b",0,"Uint8Array"]}"#)
    case .oneOf(let names): sink.write(names.first ?? "")
    case .array, .stream: sink.put("[]")
    case .callback: sink.put(#"{"$nb":["c",0,""]}"#)
    case .dictionary: sink.put("{}")
    case .union(let shapes): try (shapes.first ?? .null).writeExample(into: sink)
    case .named(_, let shape): try shape.writeExample(into: sink)
    case .object(let fields):
      sink.put("{")
      for (index, field) in fields.filter({ !$0.isOptional }).enumerated() {
        if index > 0 { sink.put(",") }
        sink.write(field.name)
        sink.put(":")
        try field.schema.writeExample(into: sink)
      }
      sink.put("}")
    }
  }
}
