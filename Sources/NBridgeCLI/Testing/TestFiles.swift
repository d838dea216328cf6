// SPDX-License-Identifier: MIT

internal import NBridge

/// Finds files of tests.
enum TestFiles {
  static func find(_ operands: [String]) throws -> [String] {
    if let missing = operands.first(where: { !Path.exists($0) }) {
      throw UsageError("there is no '\(missing)'")
    }
    return ScriptFolder.files(operands.isEmpty ? ["."] : operands, where: isTest)
  }

  /// `NAME.test.js` and its kin.
  private static func isTest(_ name: String) -> Bool {
    let parts = name.split(separator: ".")
    return parts.count >= 3 && parts[parts.count - 2] == "test"
      && ["js", "mjs", "jsx", "ts", "mts", "tsx"].contains(parts[parts.count - 1])
  }
}
