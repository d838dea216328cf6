// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Inside of a module arrows between folders point one way, too: a folder knows another when a file in it
/// names a type that is declared in the other at the top of a file.
@Suite struct FolderTests {
  /// Modules whose folders still know each other in a circle.
  static let tangled: Set<String> = []

  struct File {
    let folder: String
    /// The names of the types at its top that others see.
    let declared: Set<String>
    /// The names of types that only the file sees, and of types inside of others, which hide a type of the
    /// same name elsewhere.
    let hidden: Set<String>
    let words: Set<String>
  }

  static func files(of module: String) -> [File] {
    LayeringTests.sources(in: module).map { path, text in
      let code = withoutCommentsAndStrings(text)
      let types = code.matches(of: declaration).map {
        (
          name: String($0.3), isInner: !$0.1.isEmpty, modifiers: $0.2
        )
      }
      let isSeen = { (type: (name: String, isInner: Bool, modifiers: Substring)) in
        !type.isInner && !type.modifiers.contains("private")
      }
      return File(
        folder: path.dropFirst(module.count + 1).split(separator: "/").dropLast().joined(separator: "/"),
        declared: Set(types.filter(isSeen).map(\.name)),
        hidden: Set(
          types.filter { !isSeen($0) }.map(\.name)),
        words: Set(code.matches(of: /[A-Za-z_][A-Za-z_0-9]*/).map { String($0.0) }))
    }
  }

  private nonisolated(unsafe) static let declaration =  // a constant, which many threads may read
    /(?m)^( *)((?:@\w+(?:\([^)]*\))?\s+|[a-z]+ )*?)(?:struct|class|enum|protocol|actor|typealias) ([A-Z]\w*)/

  private static func withoutCommentsAndStrings(_ text: String) -> String {
    text.replacing(/\/\/[^\n]*/, with: "").replacing(/"""[\s\S]*?"""/, with: "")
      .replacing(/"(?:\\.|[^"\\\n])*"/, with: "")
  }

  /// Which folders each knows.
  static func arrows(_ files: [File]) -> [String: Set<String>] {
    let hidden = Dictionary(grouping: files, by: \.folder).mapValues {
      $0.reduce(
        into: Set<String>()
      ) { $0.formUnion($1.hidden) }
    }
    var arrows: [String: Set<String>] = [:]
    for file in files {
      let words = file.words.subtracting(hidden[file.folder] ?? [])
      for other in files where other.folder != file.folder && !other.declared.isDisjoint(with: words) {
        arrows[file.folder, default: []].insert(other.folder)
      }
    }
    return arrows
  }

  /// A way that leads from a folder back to itself; nil when there is none.
  static func circle(_ arrows: [String: Set<String>]) -> [String]? {
    for start in arrows.keys.sorted() {
      var ways: [[String]] = [[start]]
      var seen: Set<String> = []
      while let way = ways.popLast(), let last = way.last {
        for next in (arrows[last] ?? []).sorted() {
          if next == start { return way + [next] }
          if seen.insert(next).inserted { ways.append(way + [next]) }
        }
      }
    }
    return nil
  }

  @Test(arguments: LayeringTests.allowed.keys.filter { $0 != "www" }.sorted())
  func foldersKnowEachOtherOneWay(_ module: String) {
    let circle = Self.circle(Self.arrows(Self.files(of: module)))
    if Self.tangled.contains(module) {
      #expect(circle != nil, "\(module) has no circle any more: take it off the list")
    } else {
      #expect(
        circle == nil,
        "\(module): \((circle ?? []).map { $0.isEmpty ? "its root" : $0 }.joined(separator: " → "))")
    }
  }

  @Test func aCircleIsFound() {
    let file = { (folder: String, declared: String, words: Set<String>) in
      File(folder: folder, declared: [declared], hidden: [], words: words)
    }
    let oneWay = [file("a", "A", ["B"]), file("b", "B", ["C"]), file("c", "C", [])]
    #expect(Self.circle(Self.arrows(oneWay)) == nil)
    #expect(Self.circle(Self.arrows(oneWay + [file("c", "D", ["A"])])) == ["a", "b", "c", "a"])
  }
}
