// SPDX-License-Identifier: MIT

internal import Synchronization

/// Which options a declaration knows, so that one that is misspelt is not passed over: neither among the
/// options themselves nor in the objects and lists that stand in them.
///
/// A call pays for a look only: whether each member that the script gave was asked for. The names themselves
/// are derived from the declared type when a member was left over.
package final class OptionNames: MemberCheck {
  /// The declared shape; nil inside for a type that can't be described: whatever it is given is its own
  /// matter.
  private let schema = Mutex<Schema??>(nil)
  private let describe: @Sendable () throws -> Schema

  package init<T: Decodable & Sendable>(_ type: T.Type) { describe = { try Schema.of(type) } }

  /// Throws for the first member that the decoder did not ask for and that is named like no option.
  package func check(_ source: borrowing WireSource) throws {
    guard source.hasLeftOver(at: 0), let known else { return }
    try Self.check(0, known, source)
  }

  package func value(of member: String, in object: Int, _ source: borrowing WireSource) -> Value? {
    guard case .object(let fields)? = shape(at: object, source)?.schema else { return nil }
    return fields.first { $0.name == member }?.defaultValue
  }

  package func value(at node: Int, _ source: borrowing WireSource) -> Value? {
    shape(at: node, source)?.field?.defaultValue
  }

  /// The shape of what stands at a node, and as which member it is known.
  private func shape(at target: Int, _ source: borrowing WireSource)
    -> (schema: Schema, field: Schema.Field?)?
  {
    guard var schema = known else { return nil }
    var (node, field) = (0, Schema.Field?.none)
    while node != target {
      if let object = source.object(at: node), object != node {
        node = object
        continue
      }
      schema = Self.plain(schema)
      guard let (step, child) = source.step(from: node, towards: target) else { return nil }
      switch schema {
      case .array(let inner), .stream(let inner), .dictionary(let inner): (schema, field) = (inner, nil)
      case .object(let fields):
        field = fields.first { $0.name == step.dropFirst() }
        guard let found = field?.schema else { return nil }
        schema = found
      default: return nil
      }
      node = child
    }
    return (Self.plain(schema), field)
  }

  private static func plain(_ schema: Schema) -> Schema {
    switch schema {
    case .optional(let inner), .named(_, let inner): plain(inner)
    default: schema
    }
  }

  /// What is any value, or one of several shapes, may have any members.
  private static func check(_ node: Int, _ schema: Schema, _ source: borrowing WireSource) throws {
    switch schema {
    case .optional(let inner), .named(_, let inner): try check(node, inner, source)
    case .array(let inner), .stream(let inner):
      guard source.tape[node].kind == .array else { return }
      var element = node + 1
      while source.tape[element].kind != .end {
        try check(element, inner, source)
        element = Int(source.tape[element].next)
      }
    case .dictionary(let inner): try members(node, source) { _, value in try check(value, inner, source) }
    case .object(let fields):
      try members(node, source) { name, value in
        if let field = fields.first(where: { $0.name == name }) {
          try check(value, field.schema, source)
        } else if source.tape[value].use == .none {
          throw WireMismatch(path: source.path(to: node), reason: unknown(name, among: fields.map(\.name)))
        }
      }
    case .undefined, .any, .null, .boolean, .number, .integer, .bigint, .string, .date, .bytes, .oneOf,
      .union, .handle, .callback:
      break
    }
  }

  /// Calls `body` with the name of each member of an object, and where its value is.
  private static func members(
    _ node: Int, _ source: borrowing WireSource, _ body: (String, Int) throws -> Void
  ) throws {
    guard let object = source.object(at: node) else { return }
    source.tape.settleKeys(of: object)
    var member = object + 1
    while source.tape[member].kind != .end {
      if source.tape[member].kind != .replaced, let name = try? source.tape.string(member) {
        try body(name, member + 1)
      }
      member = Int(source.tape[member + 1].next)
    }
  }

  /// The rest of a sentence about an option that there is none of.
  package static func unknown(_ name: String, among known: [String]) -> String {
    let name = String(name.prefix(64))
    return known.isEmpty
      ? "has no '\(name)'; there are no options"
      : "has no '\(name)'\(NearestName.hint(for: name, among: known))"
  }

  private var known: Schema? {
    schema.withLock { schema in
      if let schema { return schema }
      let found = try? describe()
      schema = .some(found)
      return found
    }
  }
}

extension Value {
  /// Reads it as settings, which are named `root` in errors: a member that the type has no name for is
  /// refused, at every level.
  package func decode<T: Decodable & Sendable>(settings type: T.Type, named root: String) throws -> T {
    try text.withUnsafeBufferPointer {
      try WireDecoder.decode(T.self, $0, attachments, root: root, names: OptionNames(T.self))
    }
  }
}
