// SPDX-License-Identifier: MIT

internal import JSEngine

/// Names for completion, and the types of values.
extension InteractiveSession {
  /// The members of what a path of names leads to from the global object, without running a getter; the
  /// globals for an empty path.
  package func members(of path: [String]) -> [String] { texts("members", list(path)) }

  /// The members of every `string`, `number`, `array` or `regex`.
  package func members(ofKind kind: String) -> [String] { texts("membersOfKind", runtime.context.make(kind)) }

  private func texts(_ name: String, _ argument: JSValue) -> [String] {
    guard let found = try? call(name, argument) else { return [] }
    return (0..<min(5000, found["length"].integer)).compactMap { found["\($0)"].string }
  }

  /// The type of what `_` holds, in TypeScript's words.
  package var typeOfLast: String {
    (try? call("typeOf", runtime.context.global["_"]))?.string ?? "any"
  }

  /// The service's types, or one action's, as `nbridge.d.ts` has them; nil when there is none of that name.
  package func types(of name: String) -> String? {
    let parts = name.split(separator: ".").map(String.init)
    guard let service = parts.first, runtime.plugins.services.contains(service) else { return nil }
    let found = parts.count == 1 ? methods(of: service) : method(name).map { [$0] } ?? []
    return found.isEmpty ? nil : found.flatMap(\.signatures).joined(separator: "\n")
  }
}
