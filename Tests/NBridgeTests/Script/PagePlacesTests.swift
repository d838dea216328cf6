// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgeScript

/// Where the scripts of a page stand in it.
@Suite struct PagePlacesTests {
  /// Columns are UTF-16 units, whatever stands before on the line.
  @Test func inlineScriptsKeepThePagesColumns() throws {
    let line = "\u{1F600}<script>a()</script>\u{E9}<script>b()</script>"
    let page = HTMLPageTests.page("\n\(line)\n<script>c()</script>")
    let lines = try page.scripts.map { try #require($0.source().text.split(separator: "\n").last) }
    #expect(lines.map { $0.prefix { $0 == " " }.count } == [10, 31, 8])
  }

  /// Space before scripts has an end; those for which there is none left have places of their own.
  @Test func manyScriptsTakeNoTime() throws {
    let script = "<script>1</script>"
    let page = HTMLPageTests.page(String(repeating: script, count: 60_000) + "\n" + script)
    let sources = try page.scripts.map { try $0.source() }
    #expect(sources.reduce(0) { $0 + $1.text.utf8.count } < 5 << 20)
    #expect(page.scripts[0].isPlaced && page.scripts[600].isPlaced && !page.scripts[10_000].isPlaced)
    #expect(sources[10_000].text == "1" && sources[10_000].url.hasPrefix("p/a.html#script:1-"))
    #expect(Set(sources.map(\.url)).count > 50_000 && page.scripts[60_000].isPlaced)
  }
}
