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
    guard message.utf8.count <= 10_000 else { return "" }
    if let elsewhere = Self.elsewhere(message) { return elsewhere }
    if misses.isEmpty { return "" }
    let words = Set(message.split { !Self.isPartOfName($0) })
    guard let miss = misses.last(where: { words.contains(Substring($0.name)) }) else { return "" }
    return "; \(miss.owner) has no '\(miss.name)'" + NearestName.hint(for: miss.name, among: miss.known)
  }

  /// Where what other runtimes have as globals is here.
  private static let placesElsewhere = [
    "process": #"import process from "node:process"; nbridge.args and nbridge.process have the same"#,
    "Buffer": #"import { Buffer } from "node:buffer""#,
    "setImmediate": #"import { setImmediate } from "node:timers""#,
    "clearImmediate": #"import { clearImmediate } from "node:timers""#,
    "global": "globalThis", "require": "import, or require in a file that is named .cjs",
    "module": "export, or module in a file that is named .cjs",
    "exports": "export, or exports in a file that is named .cjs",
    "__filename": "import.meta.filename", "__dirname": "import.meta.dirname",
    "document": "a page: nbridge run PAGE.html",
    "indexedDB": "localStorage, nbridge.preference, or nbridge.documents",
    "SharedArrayBuffer": "postMessage with a transfer list: engines share no memory",
    "WebSocketStream": "WebSocket", "Temporal": "Date and Intl.DateTimeFormat",
    "Deno": "nbridge.documents for files, nbridge.process for programs; nbridge.http.serve",
    "Bun": "nbridge.documents for files, nbridge.process for programs; nbridge.http.serve",
  ]

  private static func elsewhere(_ message: String) -> String? {
    let head = "Can't find variable: "  // the engine's words
    guard message.hasPrefix(head) else { return nil }
    return placesElsewhere[String(message.dropFirst(head.count))].map { "; here it is \($0)" }
  }

  private static func isPartOfName(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_" || character == "$"
  }
}
