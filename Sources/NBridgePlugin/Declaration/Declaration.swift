// SPDX-License-Identifier: MIT

/// What can stand in a plugin's `body`: ``Action``, ``Immediate``, ``Detached`` and ``Watch``.
public protocol PluginMember: Sendable {
  /// The declaration as data. Made by the initialisers of the members; nothing else makes one.
  var declaration: Declaration { get set }
}

/// One action or watch as data: everything the checks, the facade, the types and the help are made from.
public struct Declaration: Sendable {
  package let name: String
  package let help: String
  package internal(set) var options: TypeReference
  package let result: TypeReference
  /// What its calls tell of their progress; none for most.
  package var progress = TypeReference.none
  package var runner: Runner
  package var positional: [String] = []
  /// Whether one object of options may stand in the place of the first positional one.
  package var takesObject = false
  /// The options that the plugin's own script takes at places of their own: errors name them as it does.
  package var spoken: [String] = []
  package var parameters: [String: String] = [:]
  /// Whether options have to keep to more than their types.
  package var hasRules = false
  package var permission: String?
  package var errors: [BridgeError.Code] = []
  package var holdsOpen = true
  /// Whether a detached action mostly waits, for a disk or a network.
  package var isBlocking = false
  /// Whether only the plugin's own script sees it.
  package var isHidden = false
  /// The method of the plugin's own script that calls it, by whose name errors call it; nil for its own.
  package var spokenName: String?
  /// Whether it is about what a program has and a page has not: its terminal, its end.
  package var isOfProgram = false
  /// Whether what crosses is secret, so that recordings keep its shape only.
  package var isConfidential = false
  /// How an answer is marked that no native code gave; nil when it need not be.
  package var mockMark: MockMark?
  package var buffering = Buffering.wait(128)
  /// What makes it a method of an object that scripts hold; nil for an action of the service.
  package var handle: HandleMember?

  package init(name: String, help: String, options: TypeReference, result: TypeReference, runner: Runner) {
    (self.name, self.help, self.options, self.result, self.runner) = (name, help, options, result, runner)
  }

  /// Its name among all of the service's: `query`, or `database.query` for a method of an object.
  package var key: String { handle.map { "\($0.type).\(name)" } ?? name }
  /// Whether scripts find it on the service.
  package var isPublic: Bool { !isHidden && handle == nil }

  /// Where an action runs.
  package enum Kind: String, Sendable, Codable, CaseIterable {
    case immediate, async, detached, watch
  }

  package var kind: Kind {
    switch runner {
    case .immediate: .immediate
    case .async, .foreign: .async
    case .detached: .detached
    case .watch: .watch
    }
  }
}

/// What a member of an answer says when a file answered instead of native code (`--mock`).
package struct MockMark: Codable, Sendable, Equatable {
  package var member: String
  package var value: String
}

/// A type that is described only when its schema is asked for: deriving it costs more than a call.
package struct TypeReference: Sendable {
  package let isNone: Bool
  private let describe: @Sendable () throws -> Schema

  package init<T: Codable & Sendable>(_ type: T.Type) {
    isNone = false
    describe = { try Schema.named(type) }
  }

  private init() {
    isNone = true
    describe = { .undefined }
  }

  /// A type that is known by its JSON Schema only; nil for none.
  package init(_ schema: Value?) {
    isNone = schema == nil
    describe = { try schema?.decode(Schema.self) ?? .undefined }
  }

  /// The same with a rule for one member.
  func adding(_ rule: Schema.Rule, to name: String) -> TypeReference {
    TypeReference(isNone: isNone) { [self] in try namedSchema().adding(rule, to: name) }
  }

  private init(isNone: Bool, describe: @escaping @Sendable () throws -> Schema) {
    (self.isNone, self.describe) = (isNone, describe)
  }

  /// No options, or no result.
  package static let none = TypeReference()

  /// The type's description. Throws for a type that can't be described without guessing.
  package func schema() throws -> Schema { try describe().bare }

  /// The same with the type's name, if it is an object's.
  package func namedSchema() throws -> Schema { try describe() }
}

/// How an action is run, with its types erased.
package enum Runner: Sendable {
  case immediate(@Sendable (WireInput, Call, WireSink) throws -> WireOutput)
  case async(AsyncBody)
  /// An async action of a loaded plugin: the host knows how to ask for it.
  case foreign
  case detached(@Sendable (WireInput, Call, WireSink) throws -> WireOutput)
  case watch(@Sendable (WireInput, Call) throws -> any EventSource)

  package typealias AsyncBody =
    nonisolated(nonsending) @Sendable (WireInput, Call, WireSink) async throws -> WireOutput

  /// The same behind a look at what was handed over. What the host asks for by itself stays as it is.
  package func checking(_ check: @escaping @Sendable (WireInput) throws -> Void) -> Runner {
    switch self {
    case .immediate(let body):
      return .immediate { input, call, sink in
        try check(input)
        return try body(input, call, sink)
      }
    case .async(let body):
      return .async { input, call, sink in
        try check(input)
        return try await body(input, call, sink)
      }
    case .detached(let body):
      return .detached { input, call, sink in
        try check(input)
        return try body(input, call, sink)
      }
    case .watch(let start):
      return .watch { input, call in
        try check(input)
        return try start(input, call)
      }
    case .foreign: return self
    }
  }
}

/// Turns a result into output, decided once for each declaration instead of once for each call.
package enum ResultEncoding {
  package static func of<R: Encodable & Sendable>(_ type: R.Type)
    -> @Sendable (R, WireSink) throws -> WireOutput
  {
    if type == Double.self { return { value, _ in .number(unsafeBitCast(value, to: Double.self)) } }
    if type == Bool.self { return { value, _ in .bool(unsafeBitCast(value, to: Bool.self)) } }
    if type == Int.self {
      return { value, sink in
        let integer = unsafeBitCast(value, to: Int.self)
        guard integer.magnitude <= 1 << 53 else {
          try sink.write(integer)  // throws the error that says what to do
          return .text
        }
        return .number(Double(integer))
      }
    }
    if type == String.self { return { value, _ in (value as? String).map { .string($0) } ?? .undefined } }
    if type == Bytes.self { return { value, _ in (value as? Bytes).map { .bytes($0) } ?? .undefined } }
    return { value, sink in
      try WireEncoder.encode(value, into: sink)
      return .text
    }
  }
}
