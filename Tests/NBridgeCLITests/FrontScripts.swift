// SPDX-License-Identifier: MIT

import Foundation

/// The scripts of `Fronts`, which do the same in a program and in a page.
enum FrontScripts {
  static let folder = CommandRunner.root + "/Tests/NBridgeCLITests/Fronts"
  private static let names = ["values", "errors", "calls"]

  /// What they print in a program.
  static func inProgram() throws -> [String] {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell(
      """
      for script in \(names.joined(separator: " ")); do
        timeout 60 "$NBRIDGE" run --permissions '*' --container box '\(folder)/'$script.mjs || exit 1
      done
      """)
    let lines = result.output.split(separator: "\n").map(String.init)
    // Each comes to its end.
    guard result.status == 0, lines.count(where: { $0 == "end" }) == names.count else { return [] }
    return lines
  }

  /// What a page has said, as it stands at the terminal.
  static func said(at terminal: String) -> [String] {
    terminal.split(separator: "\n").compactMap { line in
      line.hasPrefix("page: ") ? line.dropFirst(6).replacingOccurrences(of: "^@", with: "\u{0}") : nil
    }
  }
}
