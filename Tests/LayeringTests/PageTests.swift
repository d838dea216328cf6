// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Pages lead where they say, and the two that every reader begins with stay short.
@Suite struct PageTests {
  struct Page {
    /// From the package's folder on.
    let path: String
    let text: String

    /// The text without what is code: links in it are none.
    var prose: String {
      text.replacing(/(?m)^[ \t]*```[\s\S]*?^[ \t]*```/, with: "").replacing(/`[^`\n]*`/, with: "code")
    }

    /// The page's relative links, as they stand there.
    var links: [String] {
      prose.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }.filter {
        !$0.contains("://") && !$0.hasPrefix("mailto:")
      }
    }

    /// The texts that may stand behind `#` in a link to this page, as GitHub makes them of headings.
    var anchors: Set<String> {
      let code = text.replacing(/(?m)^[ \t]*```[\s\S]*?^[ \t]*```/, with: "")
      return Set(
        code.matches(of: /(?m)^#+ +(.*)$/).map { heading in
          heading.1.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
            .replacing(" ", with: "-")
        })
    }
  }

  static let pages: [Page] = {
    let root = LayeringTests.root.path
    let files = FileManager.default.enumerator(atPath: root)
    var found: [Page] = []
    while let file = files?.nextObject() as? String {
      // Files that builds leave, and tools keep.
      if file.hasPrefix(".") || file.contains("/.") { files?.skipDescendants() }
      guard file.hasSuffix(".md"),
        let text = try? String(
          contentsOfFile: "\(root)/\(file)", encoding: .utf8)
      else { continue }
      found.append(Page(path: file, text: text))
    }
    return found
  }()

  /// The faults of a page's links; empty when all lead somewhere.
  static func faults(of page: Page) -> [String] {
    let root = LayeringTests.root.standardizedFileURL
    let file = root.appendingPathComponent(page.path)
    return page.links.compactMap { link in
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let target =
        parts[0].isEmpty
        ? file
        : file.deletingLastPathComponent()
          .appendingPathComponent(parts[0]).standardizedFileURL
      guard target.path.hasPrefix(root.path + "/"), FileManager.default.fileExists(atPath: target.path) else {
        return "\(page.path): \(link) leads to no file"
      }
      guard parts.count == 2, target.pathExtension == "md" else { return nil }
      guard let text = try? String(contentsOf: target, encoding: .utf8) else {
        return "\(page.path): \(link) can't be read"
      }
      return Page(path: link, text: text).anchors.contains(parts[1])
        ? nil
        : """
        \(page.path): \(link) names no heading
        """
    }
  }

  @Test func everyLinkLeadsSomewhere() {
    #expect(Self.pages.count > 30, "pages are looked for in \(LayeringTests.root.path)")
    #expect(Self.pages.flatMap(Self.faults) == [])
  }

  @Test func aLinkThatLeadsNowhereIsFound() {
    let page = Page(
      path: "plugins/README.md",
      text: """
        # A
        [a](App/README.md) [b](#a-package) [c](Gone.md) [d](../README.md#gone)
        [e](https://x) `[f](no.md)`
        ```
        [g](no.md)
        ```

        """)
    #expect(
      Self.faults(of: page) == [
        "plugins/README.md: Gone.md leads to no file",
        """
        plugins/README.md: ../README.md#gone names no heading
        """,
      ])
  }

  /// No page is left that no other leads to.
  @Test func everyPageIsLinkedTo() {
    var reached: Set<String> = ["README.md"]
    var open = ["README.md"]
    while let path = open.popLast(), let page = Self.pages.first(where: { $0.path == path }) {
      let folder = URL(fileURLWithPath: "/" + path).deletingLastPathComponent()
      for link in page.links {
        let target = String(link.prefix { $0 != "#" })
        guard target.hasSuffix(".md") else { continue }
        let file = String(folder.appendingPathComponent(target).standardizedFileURL.path.dropFirst())
        if reached.insert(file).inserted { open.append(file) }
      }
    }
    #expect(Self.pages.map(\.path).filter { !reached.contains($0) } == [])
  }

  /// Prose is wrapped, so that a change shows as what it is. Rows of tables can't be, and code is as it is.
  @Test func proseIsWrapped() {
    // Those are written by `make bench` and its like.
    for page in Self.pages where !page.path.hasPrefix("Tests/Benchmarks/") {
      let text = page.text.replacing(/(?m)^[ \t]*```[\s\S]*?^[ \t]*```/, with: "")
      for line in text.split(separator: "\n") where !line.hasPrefix("|") && !line.hasPrefix("    ") {
        #expect(line.count <= 100, "\(page.path): \(line)")
      }
    }
  }

  @Test(arguments: [("README.md", 120), ("ARCHITECTURE.md", 150)])
  func whereEverybodyBeginsIsShort(_ path: String, _ most: Int) throws {
    let page = try #require(Self.pages.first { $0.path == path })
    let lines = page.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count <= most, "\(path) has \(lines.count) lines")
    // Rows of tables can't be wrapped.
    for line in lines where !line.hasPrefix("|") { #expect(line.count <= 100, "\(path): \(line)") }
  }
}
