// SPDX-License-Identifier: MIT

/// What libFuzzer calls: no input may crash the codec, and what it accepts must survive a second pass.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWire(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  struct Shape: Codable {
    var text: String?
    var number: Double?
    var list: [Int]?
    var bytes: Bytes?
    var any: Value?
  }
  let input = UnsafeBufferPointer(start: data, count: size)
  if let value = try? Value(archive: Array(input)) { _ = value.kind }
  guard String(validating: input, as: UTF8.self) != nil, (try? WireSource(input)) != nil else { return 0 }
  // A loaded plugin's description of itself, and its errors.
  if let plugin = try? Value(text: Array(input)).decode(PluginDescriptor.self) {
    precondition((try? Value(encoding: plugin)) != nil, "a description can't be written again")
  }
  _ = BridgeError(foreign: input)
  let bytes = [Bytes([1])]
  _ = try? WireDecoder.decode([String: Value].self, input, bytes, root: "option")
  guard let shape = try? WireDecoder.decode(Shape.self, input, bytes, root: "option") else { return 0 }
  guard let again = try? Value(encoding: shape) else { return 0 }
  precondition(again.syntaxProblem == nil, "what was written can't be read")
  if (shape.number?.isNaN ?? true) == false {
    let number = try? again.decode(Shape.self).number
    precondition(number == shape.number, "a number changed")
  }
  return 0
}
