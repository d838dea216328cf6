// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeScript

/// Finds files of tests.
enum TestFiles {
  static func find(_ operands: [String]) throws -> ScriptFolder.Found {
    if let missing = operands.first(where: { !Path.exists($0) }) {
      throw UsageError("there is no '\(missing)'")
    }
    return ScriptFolder.files(operands.isEmpty ? ["."] : operands, where: CountedModule.isTest)
  }
}
