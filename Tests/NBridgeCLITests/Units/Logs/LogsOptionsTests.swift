// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgeCLI
@testable import NBridgeLogs

@Suite struct LogsOptionsUnitTests {
  @Test func optionsMakeOneFilter() throws {
    let options = LogsCommand.options
    let arguments = try ParsedArguments(
      ["--filter", "level>=error", "--source", "chat"], options: options)
    let filter = try LogsOptions.filter(arguments, "timeout") { _ in "chat" }
    #expect(filter.text == "timeout level>=error source:chat")
    let none = try ParsedArguments([], options: options)
    #expect(try LogsOptions.filter(none) { _ in nil }.isEmpty)
  }
}
