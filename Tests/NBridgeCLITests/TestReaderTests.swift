// SPDX-License-Identifier: MIT

import Testing

/// `nbridge test` whose output nobody reads to its end.
@Suite struct TestReaderTests {
  @Test(arguments: ["lines", "dots", "tap", "junit"])
  func theStatusIsTheTestsOwnWhoeverReads(_ reporter: String) throws {
    for (text, status) in [("throw 1", 1), ("", 0)] {
      let many = (0..<3000).map { "test('t\($0)', () => {});" }.joined(separator: "\n")
      let line = """
        for end in true 'head -n 1'; do
          { "$NBRIDGE" test --reporter \(reporter); echo $? > code; } | $end > /dev/null; cat code
        done
        """
      let result = try CommandRunner.run(["a.test.js": "\(many)\ntest('last', () => { \(text) })"], line)
      #expect(result.output == "\(status)\n\(status)\n", "\(result)")
    }
  }
}
