// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// What pages name as a path is there: pages that were true before files moved lead readers astray.
@Suite struct PagePathTests {
  /// What pages show of other places: an app's container, a plugin's package, types of content, made files.
  private static let elsewhere = [
    "Library/", "tmp/", "blobs/", ".shared/", ".build/", "text/", "application/", "Sources/X/", "plugins/X/",
    "Sources/Weather", "Tests/Weather", "facades.js", "www/facades.js",
    "share/", "demo.js", ".js",
  ]

  /// Every file and folder of the package, from its own folder on.
  private static let paths: Set<String> = {
    let files = FileManager.default.enumerator(atPath: LayeringTests.root.path)
    var found: Set<String> = []
    while let file = files?.nextObject() as? String {
      if file.hasPrefix(".") || file.contains("/.") { files?.skipDescendants() }
      found.insert(file)
    }
    return found
  }()

  /// The code in a page's prose that looks like a path: it has a slash, or ends as a source does.
  static func named(_ page: PageTests.Page) -> [String] {
    page.text.replacing(/(?m)^[ \t]*```[\s\S]*?^[ \t]*```/, with: "")
      .matches(of: /`([\w.+\-]+(?:\/[\w.+\-…]+)*\/?)`/).map { String($0.1) }
      .filter { name in
        (name.contains("/") || [".swift", ".js", ".md"].contains { name.hasSuffix($0) })
          && !elsewhere.contains { name.hasPrefix($0) }
      }
  }

  /// Whether a name leads somewhere: from the page on, from the package on, or as the end of a path that no
  /// other path has. A suite may be named without its `.swift`.
  private static func isThere(_ name: String, from page: String) -> Bool {
    let plain = name.hasSuffix("/") ? String(name.dropLast()) : name
    let folder = URL(fileURLWithPath: "/" + page).deletingLastPathComponent()
    let beside = String(folder.appendingPathComponent(plain).standardizedFileURL.path.dropFirst())
    return ["", ".swift"].contains { ending in
      if paths.contains(plain + ending) || paths.contains(beside + ending) { return true }
      let ends = paths.count { $0.hasSuffix("/\(plain)\(ending)") }
      return plain.contains("/") ? ends == 1 : ends > 0
    }
  }

  static func faults(of page: PageTests.Page) -> [String] {
    named(page).filter { !isThere($0, from: page.path) }.map { "\(page.path): `\($0)` leads to no file" }
  }

  @Test func everyPathThatAPageNamesIsThere() {
    let pages = PageTests.pages.filter { $0.path != "Tests/Benchmarks/RESULTS.md" }
    #expect(pages.flatMap(Self.named).count > 100)
    #expect(pages.flatMap(Self.faults) == [])
  }

  @Test func aPathThatLeadsNowhereIsFound() {
    let page = PageTests.Page(
      path: "Sources/NBridge/Bridge/README.md",
      text: """
        `Bridge.swift` `js/tagging.js` `../Runtime/Runtime.swift` `www/nbridge.js` `Bridge/js/tagging.js`
        `../Script` `js/tape2.js` `Gone.swift` `NBridge/Output` `a / b` `x.y` `https://a/b.js` `app.json`
        `Library/Logs` `Tests/NBridgeTests/BridgeTests` `Output/`
        ```
        `no/such.js`
        ```

        """)
    #expect(
      Self.faults(of: page)
        == ["../Script", "js/tape2.js", "Gone.swift", "NBridge/Output"].map {
          "Sources/NBridge/Bridge/README.md: `\($0)` leads to no file"
        })
  }
}
