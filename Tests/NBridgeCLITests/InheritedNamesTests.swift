// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// What the runtime's own scripts look for in objects of theirs no script adds by `Object.prototype`, and
/// what they note there none catches.
@Suite struct InheritedNamesTests {
  /// `return` is asked of iterators, as the language has it, and `location` of the global object.
  private static let known = ["location", "return"]

  @Test func noNameOfTheRuntimesOwnIsAskedOfObjectPrototype() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let script = try String(
      contentsOf: folder.appendingPathComponent("Scripts/inherited.mjs"), encoding: .utf8)
    let names = try Self.names(below: folder.deletingLastPathComponent().deletingLastPathComponent())
    #expect(names.count > 1000)
    let list = "[" + names.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    try runner.write(["inherited.mjs": script, "names.json": list])
    let result = try runner.shell("nbridge run inherited.mjs < names.json")
    #expect(result.status == 0, "\(result)")
    let found = result.output.split(separator: "\n").map(String.init).filter { !Self.known.contains($0) }
    #expect(found.isEmpty, "\(found)")
  }

  /// All names that stand behind a dot, or in front of a colon, in the scripts that are part of the program.
  private static func names(below root: URL) throws -> [String] {
    var names: Set<String> = []
    for folder in [
      "Sources/NBridgeBuiltins/Globals/js", "Sources/NBridgeBuiltins/Web/js", "Sources/NBridge/Bridge/js",
      "www", "plugins/Http/js", "plugins/Documents/js", "plugins/Process/js",
    ] {
      let base = root.appendingPathComponent(folder)
      for file in try FileManager.default.contentsOfDirectory(atPath: base.path) where file.hasSuffix(".js") {
        let text = try String(contentsOf: base.appendingPathComponent(file), encoding: .utf8)
        for match in text.matches(of: /\.([A-Za-z_]\w*)/) { names.insert(String(match.1)) }
        for match in text.matches(of: /\b([A-Za-z_]\w*)\s*[:,}=]/) { names.insert(String(match.1)) }
      }
    }
    // What settles a promise, and what becomes JSON or a property, asks for these by the language's rules.
    let ofTheLanguage: Set = [
      "then", "toJSON", "get", "set", "value", "writable", "enumerable", "configurable",
    ]
    return names.subtracting(ofTheLanguage).sorted()
  }
}
