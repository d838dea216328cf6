// SPDX-License-Identifier: MIT

/// Values of the program, as the engine tells of them and as debuggers want to hear it: both protocols have
/// one origin, and differ in details.
enum RemoteObjects {
  /// A `RemoteObject`.
  static func translated(_ object: JSON) -> JSON {
    var object = object
    if object["subtype"]?.string == "class" { object = object.with("subtype", nil) }
    if let described = described(object) { object = object.with("description", described) }
    if let preview = object["preview"] { object = object.with("preview", self.preview(preview)) }
    object = object.with("size", nil).with("classPrototype", nil)
    if let text = unserializable(object) {
      object = object.with("value", nil).with("unserializableValue", .string(text)).with(
        "description", .string(text))
    }
    return object
  }

  /// A list says its length in its description: `Array(3)`.
  private static func described(_ object: JSON) -> JSON? {
    guard let size = object["size"]?.int, let description = object["description"]?.string,
      !description.hasSuffix(")")
    else { return nil }
    let counted = ["array", "map", "set"]
    guard counted.contains(object["subtype"]?.string ?? "") else { return nil }
    return .string("\(description)(\(size))")
  }

  /// What JSON has no value for.
  private static func unserializable(_ object: JSON) -> String? {
    let description = object["description"]?.string
    switch object["type"]?.string {
    case "bigint": return description.map { $0.hasSuffix("n") ? $0 : $0 + "n" }
    case "number":
      let special = ["NaN", "Infinity", "-Infinity", "-0"]
      return special.contains(description ?? "") ? description : nil
    default: return nil
    }
  }

  private static func preview(_ preview: JSON) -> JSON {
    var preview = preview
    if preview["subtype"]?.string == "class" { preview = preview.with("subtype", nil) }
    if let described = described(preview) { preview = preview.with("description", described) }
    if preview["overflow"] == nil { preview = preview.with("overflow", false) }
    if preview["properties"] == nil { preview = preview.with("properties", .array([])) }
    return preview.with("lossless", nil).with("size", nil)
  }

  /// A `PropertyDescriptor`.
  static func property(_ property: JSON) -> JSON {
    var property = property
    for name in ["value", "get", "set", "symbol"] {
      if let object = property[name] { property = property.with(name, translated(object)) }
    }
    for name in ["configurable", "enumerable"] where property[name] == nil {
      property = property.with(name, false)
    }
    return property
  }

  /// What an evaluation answers: `{result, exceptionDetails}`.
  static func evaluated(_ answer: JSON) -> JSON {
    let result = translated(answer["result"] ?? .of(["type": "undefined"]))
    guard answer["wasThrown"]?.bool == true else { return .of(["result": result]) }
    return .of([
      "result": result,
      "exceptionDetails": .of([
        "exceptionId": .int(1), "text": "Uncaught", "lineNumber": .int(0), "columnNumber": .int(0),
        "exception": thrown(result),
      ]),
    ])
  }

  /// An error with its text, as debuggers show it: `TypeError: no`.
  private static func thrown(_ object: JSON) -> JSON {
    guard object["subtype"]?.string == "error", let name = object["className"]?.string,
      let text = object["description"]?.string, !text.hasPrefix(name)
    else { return object }
    return object.with("description", .string(text.isEmpty ? name : "\(name): \(text)"))
  }
}
