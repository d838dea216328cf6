// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeScript

/// Finds files of tests.
enum TestFiles {
  static func find(_ operands: [String]) throws -> ScriptFolder.Found {
    if let missing = operands.first(where: { !Path.exists($0) }) {
      throw UsageError("there is no '\(missing)'")
    }
    var found = ScriptFolder.files(operands.isEmpty ? ["."] : operands, where: CountedModule.isTest)
    // Of one of several folders nothing would be missed.
    for folder in operands where operands.count > 1 && Path.isFolder(folder) {
      guard ScriptFolder.files([folder], where: CountedModule.isTest).files.isEmpty else { continue }
      found.problems.append("there is no file of tests in '\(folder)', NAME.test.js")
    }
    return found
  }
}
