// SPDX-License-Identifier: MIT

/// What a call hands over. The text lies in the engine's scratch memory: decode before the first suspension.
package struct WireInput {
  package let text: UnsafeBufferPointer<UInt8>
  package let attachments: [Bytes]

  package init(text: UnsafeBufferPointer<UInt8>, attachments: [Bytes]) {
    self.text = text
    self.attachments = attachments
  }

  /// No option was given.
  package static var none: WireInput { WireInput(text: .init(start: nil, count: 0), attachments: []) }

  /// Reads the options; none given reads as an empty object.
  ///
  /// - Parameter names: of the type; refuses options that it has no name for.
  package func decode<T: Decodable>(_ type: T.Type, _ names: (any MemberCheck)? = nil) throws -> T {
    guard text.isEmpty else {
      return try WireDecoder.decode(type, text, attachments, root: "option", names: names)
    }
    let empty: StaticString = "{}"
    return try WireDecoder.decode(
      type, UnsafeBufferPointer(start: empty.utf8Start, count: empty.utf8CodeUnitCount), root: "option",
      names: names)
  }
}

/// What a call answers. Scalars go as engine values; the rest is text in the sink.
package enum WireOutput: Sendable {
  case undefined
  case bool(Bool)
  case number(Double)
  case string(String)
  case bytes(Bytes)
  /// The sink holds it.
  case text
}
