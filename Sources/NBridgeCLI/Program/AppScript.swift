// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge

/// Which script starts an app.
enum AppScript {
  /// The script that a path names: of a folder, the one that starts the app there.
  ///
  /// - Throws: ``AppProblem`` for a folder without an app.
  static func named(by path: String) throws -> String {
    guard Path.isFolder(path) else { return path }
    let folder = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    guard try hasApp(folder) else {
      throw AppProblem(
        "'\(folder)' has no app.json, which would declare \"id\", \"schemes\" and \"main\"")
    }
    if let main = try AppManifest.find(forScript: folder + "/app.json", explicit: nil).main {
      return "\(folder)/\(main)"
    }
    let names = ["main.js", "main.ts", "main.mjs", "index.js", "index.ts", "index.mjs"]
    guard let found = names.first(where: { access("\(folder)/\($0)", F_OK) == 0 }) else {
      throw AppProblem(
        "'\(folder)/app.json' names no \"main\" script, and there is no main.js or index.js")
    }
    return "\(folder)/\(found)"
  }

  /// Whether an `app.json` stands there.
  static func hasApp(_ folder: String) throws -> Bool { try AppManifest.isThere(folder + "/app.json") }
}

/// Why there is no app to start.
struct AppProblem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
