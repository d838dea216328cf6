// SPDX-License-Identifier: MIT

/// A function that the script hands to an action: a parameter of its options.
///
/// ```swift
/// struct Choice: Codable { var better: Callback<Pair, Bool> }
///
/// Action("sort", "Sorts by a function of the script's.") { (options: Choice, call) in
///   let isBetter = try await options.better(Pair(first: 1, second: 2))
///   …
/// }
/// ```
///
/// It may be called until the call is over, also several times at once; each call waits for the function's
/// answer, and for the promise if it answers one. What the function throws is thrown here. An answer of the
/// wrong type throws ``BridgeError/Code/invalidParameter``. Once the call is over it throws
/// ``BridgeError/Code/closed``, or ``BridgeError/Code/cancelled``, and the function is not called.
///
/// `Output` is `Void` for a function whose answer does not matter.
public struct Callback<Input: Codable & Sendable, Output: Sendable>: Sendable {
  /// nil for an example of the type's shape.
  private let inlet: Inlet?
  private let name: String

  private func value(_ input: Input) throws -> Value { try Value(encoding: input) }

  private var open: Inlet {
    get throws {
      guard let inlet else { throw BridgeError.callIsOver }
      return inlet
    }
  }
}

extension Callback where Output: Decodable {
  /// Calls the function and waits for its answer.
  public func callAsFunction(_ input: Input, isolation: isolated (any Actor)? = #isolation) async throws
    -> Output
  {
    try decode(try await open.answer(to: value(input), isolation: isolation))
  }

  /// The same on a thread that may wait: in a ``Detached`` handler.
  public func callBlocking(_ input: Input) throws -> Output {
    try decode(open.answerBlocking(to: value(input)))
  }

  private func decode(_ answer: Value) throws -> Output {
    try answer.text.withUnsafeBufferPointer {
      try WireDecoder.decode(Output.self, $0, answer.attachments, root: "option.\(name)()")
    }
  }
}

extension Callback where Output == Void {
  /// Calls the function and waits until it has come back.
  public func callAsFunction(_ input: Input, isolation: isolated (any Actor)? = #isolation) async throws {
    _ = try await open.answer(to: value(input), isolation: isolation)
  }

  /// The same on a thread that may wait: in a ``Detached`` handler.
  public func callBlocking(_ input: Input) throws { _ = try open.answerBlocking(to: value(input)) }
}

extension Callback: Codable {
  /// Takes the function that the script gave.
  public init(from decoder: any Decoder) throws {
    guard let wire = decoder as? WireDecoder else { throw BridgeError.ofTheScript }
    if let (inlet, name) = try? wire.inlet("a function") {
      (self.inlet, self.name) = (inlet, name)
    } else if wire.isExample {
      (inlet, name) = (nil, "")
    } else {
      throw wire.mismatch("a function")
    }
  }

  /// A function can't be handed on.
  public func encode(to encoder: any Encoder) throws { throw BridgeError.ofTheScript }
}

extension Callback: SchemaDescribed {
  /// A function of the shapes of its parameter and its answer.
  public static var schema: Schema {
    get throws {
      func shape(_ type: any Decodable.Type) throws -> Schema { try Schema.of(type) }
      let answer = try (Output.self as? any Decodable.Type).map { try shape($0) }
      return .callback(try Schema.of(Input.self), answer ?? .undefined)
    }
  }
}

extension WireDecoder {
  /// Whether it is the emptiest function: what a shape is recorded with.
  fileprivate var isExample: Bool {
    guard let (tag, _) = source.tag(at: node) else { return false }
    return tag == .channel
  }
}
