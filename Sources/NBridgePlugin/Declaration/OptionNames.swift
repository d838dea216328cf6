// SPDX-License-Identifier: MIT

internal import Synchronization

/// Which options a declaration knows, so that one that is misspelt is not passed over.
///
/// A call pays for a count only: whether each member that the script gave was asked for. The names themselves are derived
/// from the declared type when a member was left over.
package final class OptionNames: MemberCheck {
  private enum Names {
    case unasked
    /// A dictionary, any value, or a type that can't be described: whatever it is given is its own matter.
    case anything
    case fields([String])
  }
  private let names = Mutex(Names.unasked)
  private let describe: @Sendable () throws -> Schema

  package init<T: Decodable & Sendable>(_ type: T.Type) { describe = { try Schema.of(type) } }

  /// Throws for the first member of the object that no option is named like.
  package func check(_ source: borrowing WireSource) throws {
    guard let object = source.object(at: 0), source.leftOver(in: object), case .fields(let known) = fields
    else {
      return
    }
    var node = object + 1
    while source.tape[node].kind != .end {
      if let name = try? source.tape.string(node), !known.contains(name) {
        throw WireMismatch(path: "", reason: Self.unknown(name, among: known))
      }
      node = Int(source.tape[node + 1].next)
    }
  }

  /// The rest of a sentence about an option that there is none of.
  package static func unknown(_ name: String, among known: [String]) -> String {
    let name = String(name.prefix(64))
    return known.isEmpty
      ? "has no '\(name)'; there are no options"
      : "has no '\(name)'\(NearestName.hint(for: name, among: known))"
  }

  private var fields: Names {
    names.withLock { names in
      guard case .unasked = names else { return names }
      if case .object(let fields) = try? describe() {
        names = .fields(fields.map(\.name))
      } else {
        names = .anything
      }
      return names
    }
  }
}
