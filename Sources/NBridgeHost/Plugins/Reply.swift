// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// How an answer is handed to JavaScript. `www/nbridge.js` has the same list.
package enum ReplyKind: Int32, Sendable {
  /// The value itself: undefined, a boolean, a number, a string, bytes.
  case value = 0
  /// JSON.
  case text = 1
  /// JSON with tagged values.
  case tagged = 2
  /// The answer comes later, to the slot beside.
  case pending = 3
  /// A BridgeError as tagged JSON.
  case failure = 4
  /// An array: tagged JSON, then the bytes it points to.
  case mixed = 5
  /// A watch's events: a JSON array.
  case events = 6
  case taggedEvents = 7
  case mixedEvents = 8
  /// A plugin asks something of a stream or function in a call's option: JSON, or an array as above.
  case asks = 9
}

/// An answer, off the engine: ready to become a JavaScript value on the engine's thread.
package struct Reply: Sendable {
  package var kind: ReplyKind
  package var payload: Payload

  package enum Payload: Sendable {
    case undefined
    case bool(Bool)
    case number(Double)
    case string(String)
    case text([UInt8])
    case bytes(Bytes)
    case mixed([UInt8], [Bytes])
  }

  /// Takes a handler's output; the sink is empty again afterwards.
  package init(_ output: WireOutput, _ sink: WireSink) {
    switch output {
    case .undefined: self.init(kind: .value, payload: .undefined)
    case .bool(let value): self.init(kind: .value, payload: .bool(value))
    case .number(let value): self.init(kind: .value, payload: .number(value))
    case .string(let value): self.init(kind: .value, payload: .string(value))
    case .bytes(let value): self.init(kind: .value, payload: .bytes(value))
    case .text: self.init(sink)
    }
  }

  /// Takes the text of a sink, and empties it.
  package init(_ sink: WireSink, events: Bool = false) {
    let text = Array(sink.text)
    if sink.attachments.isEmpty {
      let kind: ReplyKind = sink.isTagged ? (events ? .taggedEvents : .tagged) : (events ? .events : .text)
      self.init(kind: kind, payload: .text(text))
    } else {
      self.init(kind: events ? .mixedEvents : .mixed, payload: .mixed(text, sink.attachments))
    }
    sink.reset()
  }

  package init(_ error: any Error, action: BoundAction?) {
    let sink = WireSink()
    ErrorText.write(BridgeError(wrapping: error), action: action, into: sink)
    self.init(kind: .failure, payload: .text(Array(sink.text)))
  }

  package init(kind: ReplyKind, payload: Payload) {
    self.kind = kind
    self.payload = payload
  }

  /// The answer as a value for another plugin, or the failure.
  package var result: Result<Value, any Error> {
    if kind == .failure, case .text(let text) = payload {
      return .failure(text.withUnsafeBufferPointer { BridgeError(foreign: $0) })
    }
    return Result {
      switch payload {
      case .undefined: .undefined
      case .bool(let value): try Value(encoding: value)
      case .number(let value): try Value(encoding: value)
      case .string(let value): try Value(encoding: value)
      case .bytes(let value): try Value(encoding: value)
      case .text(let text): Value(text: text)
      case .mixed(let text, let bytes): Value(text: text, attachments: bytes)
      }
    }
  }

  /// The answer as a handler's output, its text put into `sink`.
  package func output(into sink: WireSink) -> WireOutput {
    switch payload {
    case .undefined: return .undefined
    case .bool(let value): return .bool(value)
    case .number(let value): return .number(value)
    case .string(let value): return .string(value)
    case .bytes(let value): return .bytes(value)
    case .text(let text):
      text.withUnsafeBufferPointer { sink.put(foreign: $0, [], isTagged: kind == .tagged) }
    case .mixed(let text, let bytes):
      text.withUnsafeBufferPointer { sink.put(foreign: $0, bytes, isTagged: true) }
    }
    return .text
  }

  /// The error's code, for traces; nil for what is no failure.
  var failureCode: String? {
    guard kind == .failure, case .text(let text) = payload else { return nil }
    return Self.failureCode(in: text)
  }

  /// Its message, for a failure.
  var failureMessage: String? {
    struct Failure: Decodable { let message: String }
    // A failure whose details hold a date is tagged, which does not matter here.
    guard kind == .failure, case .text(let text) = payload else { return nil }
    return (try? Value(text: text).decode(Failure.self).message) ?? "a call failed at the end"
  }

  /// The code in the text of a failure.
  static func failureCode(in text: [UInt8]) -> String? {
    struct Failure: Decodable { let code: String }
    return try? Value(text: text).decode(Failure.self).code
  }
}

/// A bridge error as the text that `www/nbridge.js` makes a `BridgeError` of.
package enum ErrorText {
  package static func write(_ error: BridgeError, action: BoundAction?, into sink: WireSink) {
    sink.put("{")
    error.writeMembers(into: sink)
    if let action {
      sink.put(#","service":"#)
      sink.write(action.service)
      sink.put(#","action":"#)
      sink.write(action.declaration.spokenName ?? action.declaration.key)
    }
    sink.put("}")
  }
}
