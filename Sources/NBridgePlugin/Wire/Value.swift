// SPDX-License-Identifier: MIT

/// Any JavaScript value that can cross the bridge, kept as it came: it costs nothing until it is looked at.
///
/// Use it for what a plugin stores or hands on without understanding it. Immutable, readable from any thread.
public struct Value: Sendable, Hashable {
  /// The value as wire text: JSON, with what JSON lacks tagged.
  package let text: [UInt8]
  /// The bytes that the text points to.
  package let attachments: [Bytes]

  package init(text: [UInt8], attachments: [Bytes] = []) {
    self.text = text
    self.attachments = attachments
  }

  /// `null`.
  public static let null = Value(text: Array("null".utf8))
  /// `undefined`.
  public static let undefined = Value(text: Array(#"{"$nb":["u"]}"#.utf8))

  /// Makes the JavaScript twin of a Swift value. Throws ``BridgeError`` when it has none.
  public init(encoding value: some Encodable) throws {
    let sink = WireSink()
    try WireEncoder.encode(value, into: sink)
    self.init(text: Array(sink.text), attachments: sink.attachments)
  }

  /// The answer of a handler, whose text is in `sink`.
  package init(_ output: WireOutput, _ sink: WireSink) throws {
    switch output {
    case .undefined: self = .undefined
    case .bool(let value): try self.init(encoding: value)
    case .number(let value): try self.init(encoding: value)
    case .string(let value): try self.init(encoding: value)
    case .bytes(let value): try self.init(encoding: value)
    case .text: self.init(text: Array(sink.text), attachments: sink.attachments)
    }
  }

  /// Reads it as a Swift type. Throws ``BridgeError/Code/invalidParameter`` naming the path that does not
  /// fit.
  public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
    try text.withUnsafeBufferPointer { try WireDecoder.decode(type, $0, attachments, root: "value") }
  }

  private static func parse(_ text: UnsafeBufferPointer<UInt8>, _ attachments: [Bytes]) throws -> WireSource {
    do { return try WireSource(text, attachments: attachments) } catch {
      throw BridgeError(.invalidParameter, "the value is not wire text: \(error)")
    }
  }

  /// What kind of value it is.
  public var kind: Kind {
    text.withUnsafeBufferPointer { text in
      guard let source = try? Self.parse(text, attachments) else { return .undefined }
      return Kind(source)
    }
  }

  /// The kinds of value that cross the bridge.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    case undefined, null, boolean, number, bigint, string, date, bytes, array, object, map, set

    /// The kind as part of a sentence: `an array`.
    package var words: String {
      switch self {
      case .undefined, .null, .bytes: rawValue
      case .array, .object: "an \(rawValue)"
      case .boolean, .number, .string: "a \(rawValue)"
      case .bigint: "a BigInt"
      case .date: "a Date"
      case .map: "a Map"
      case .set: "a Set"
      }
    }

    init(_ source: borrowing WireSource) {
      switch source.tag(at: 0)?.tag {
      case .undefined: self = .undefined
      case .number: self = .number
      case .bigInt: self = .bigint
      case .date: self = .date
      case .bytes: self = .bytes
      case .map: self = .map
      case .set: self = .set
      case .object, .handle, .channel: self = .object
      case nil:
        switch source.tape[0].kind {
        case .null: self = .null
        case .true, .false: self = .boolean
        case .integer, .number: self = .number
        case .string, .escapedString: self = .string
        case .array: self = .array
        case .object, .end, .replaced: self = .object
        }
      }
    }
  }
}

extension Value: Codable {
  /// Takes the value as it stands on the wire. Only the bridge's own decoder can.
  public init(from decoder: any Decoder) throws {
    guard let wire = decoder as? WireDecoder else {
      throw BridgeError(.invalidParameter, "a Value is decoded from the bridge only")
    }
    try wire.checkSurrogates()
    wire.source.tape.note(.whole, at: wire.node)
    let text = Array(wire.source.text(of: wire.node))
    self.init(text: text, attachments: wire.source.attachments)
  }

  /// Puts the value back on the wire as it came.
  public func encode(to encoder: any Encoder) throws {
    guard let wire = encoder as? WireEncoder else {
      throw BridgeError(.invalidParameter, "a Value is encoded for the bridge only")
    }
    try text.withUnsafeBufferPointer { text in
      if attachments.isEmpty { return wire.sink { $0.writeValue(text) } }
      let source = try Self.parse(text, attachments)
      try wire.sink { try $0.writeSubtree(of: source, at: 0) }
    }
  }
}

extension WireDecoder {
  /// A subtree that is not decoded still must be text: finds a lone surrogate in it.
  fileprivate func checkSurrogates() throws {
    var at = node
    let end = Int(source.tape[node].next)
    while at < end {
      if source.tape[at].kind == .escapedString {
        do { _ = try source.tape.string(at) } catch {
          throw WireMismatch(path: source.path(to: at), reason: error.reason)
        }
      }
      at += 1
    }
  }
}

extension Value {
  /// A key that the object has twice, or one in it; nil for none. A decoder takes the last one.
  ///
  /// - Parameter depths: whether objects in it are looked at, too.
  package func doubledKey(inDepths depths: Bool) -> String? {
    text.withUnsafeBufferPointer { text -> String? in
      do {
        let source = try WireSource(text)
        return source.tape.doubledKey(inDepths: depths)
      } catch { return nil }
    }
  }

  /// Why the text is no JSON; nil when it is.
  package var syntaxProblem: String? {
    text.withUnsafeBufferPointer { text -> String? in
      do {
        _ = try WireSource(text)
        return nil
      } catch { return "\(error)" }
    }
  }
}
