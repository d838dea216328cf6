// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// The names that scripts looked for in the bridge and that are not there: a misspelt plugin or method is
/// `undefined`, and only the error that comes of it tells. Confined to the engine's thread.
package final class MissedNames {
  private struct Miss {
    let owner: String
    let name: String
    let known: [String]
  }

  private var misses: [Miss] = []
  /// A script that looks for names without end fills no memory.
  private static let limit = 64

  /// Notes that `owner`, as `nbridge.documents`, has no `name`; `known` are the names that it has.
  package func note(_ name: String, of owner: String, known: [String]) {
    guard misses.count < Self.limit, name.utf8.count <= 200 else { return }
    misses.append(Miss(owner: owner, name: name, known: known))
  }

  /// What an error's message leaves out, as `"; nbridge has no 'x'; did you mean 'y'?"`: empty where it names
  /// nothing that was missed.
  package func hint(for message: String) -> String {
    guard !misses.isEmpty, message.utf8.count <= 10_000 else { return "" }
    let words = Set(message.split { !Self.isPartOfName($0) })
    guard let miss = misses.last(where: { words.contains(Substring($0.name)) }) else { return "" }
    return "; \(miss.owner) has no '\(miss.name)'" + NearestName.hint(for: miss.name, among: miss.known)
  }

  private static func isPartOfName(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_" || character == "$"
  }
}
