// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// The state an app keeps for its next run: `Library/Application Support/saved-state.nbv`.
enum SavedState {
  private static func path(_ container: Container) -> String {
    container.applicationSupport + "/saved-state.nbv"
  }

  static func save(_ state: Value, _ container: Container) throws {
    try container.create()
    try SmallFile.replace(path(container), with: state.archived())
  }

  static func load(_ container: Container) throws -> Value {
    guard let bytes = try SmallFile.read(path(container)) else { return .null }
    return try Value(archive: bytes)
  }
}
