// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The guide of embedding, whose program is built.
extension PluginCommandTests {
  @Test func theGuidesProgramIsTheOneThatIsBuilt() throws {
    let guide = try PagesTests.Page(PagesTests.guides + "Embedding.md")
    let source = try String(
      contentsOfFile: CommandRunner.root + "/Tests/Example/Example.swift", encoding: .utf8)
    let shown = source.replacingOccurrences(of: "// SPDX-License-Identifier: MIT\n\n", with: "")
    #expect(
      guide.blocks("swift") == [shown]
        && shown.split(
          separator: "\n", omittingEmptySubsequences: false
        ).count <= 31)
    try withRunner { runner in
      let result = try runner.shell("'\(CommandRunner.built("nbridge-example"))'")
      #expect(result.output == "Hello, Ada!\n", "\(result.errors)")
    }
  }
}
