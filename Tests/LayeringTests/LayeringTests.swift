// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Arrows point one way: which module may import which. SwiftPM does not stop an undeclared import, so the
/// sources are read.
@Suite struct LayeringTests {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The modules of this package that each may import.
  static let allowed: [String: Set<String>] = [
    "Sources/JSEngine": ["CNBridgeJavaScriptCore", "CNBridgeGLib"],
    "Sources/NBridgeSystem": ["CNBridgeLinux", "CNBridgeGLib"],
    "Sources/NBridgePlugin": ["NBridgeSystem", "CNBridgePlugin", "CNBridgeFoundationTypes", "CNBridgeLinux"],
    "Sources/NBridgeScript": ["NBridgePlugin", "NBridgeSystem", "CNBridgeGLib", "CNBridgeChecksum"],
    "Sources/NBridgeIsolation": ["NBridgeSystem", "CNBridgePlugin", "CNBridgeLinux"],
    "Sources/nbridge-plugin-host": ["NBridgeIsolation"],
    "Sources/NBridgeHost": [
      "NBridgeScript", "NBridgePlugin", "NBridgeIsolation", "NBridgeSystem", "CNBridgePlugin", "CNBridgeGLib",
    ],
    "Sources/NBridgeRecording": [
      "NBridgeHost", "NBridgeScript", "NBridgePlugin", "NBridgeSystem", "CNBridgeGLib",
    ],
    "Sources/NBridgeBuiltins": [
      "JSEngine", "NBridgeRecording", "NBridgeHost", "NBridgeScript", "NBridgePlugin", "NBridgeSystem",
      "NBridgeCompression", "NBridgeCrypto", "NBridgeStore", "CNBridgeGLib", "CNBridgeICU",
    ],
    "Sources/NBridgeCompression": ["NBridgeSystem", "CNBridgeZlib"],
    "Sources/EmbedScripts": [],
    "Sources/NBridgeInspector": ["NBridgeScript", "NBridgeSystem", "CNBridgeGLib"],
    "Sources/NBridge": [
      "JSEngine", "NBridgeBuiltins", "NBridgeRecording", "NBridgeHost", "NBridgeScript", "NBridgePlugin",
      "NBridgeSystem", "NBridgeInspector", "NBridgePage", "CNBridgeGLib",
    ],
    "Sources/NBridgeSoup": ["NBridgePlugin", "NBridgeSystem", "CNBridgeGLib"],
    "Sources/NBridgePages": [
      "NBridge", "NBridgeHost", "NBridgePlugin", "NBridgeSystem", "NBridgeSoup", "NBridgePage",
      "CNBridgeGLib", "CNBridgePassing",
    ],
    "Sources/NBridgeTerminal": ["NBridgeHost", "NBridgeScript", "NBridgeSystem", "CNBridgeGLib"],
    "Sources/NBridgeCLI": [
      "NBridge", "NBridgeBuiltins", "NBridgeRecording", "NBridgeHost", "NBridgeScript", "NBridgePlugin",
      "NBridgeSystem", "NBridgeInspector", "NBridgeTesting",
      "NBridgeTerminal", "NBridgeLogs", "NBridgePages", "CNBridgeGLib", "CNBridgeLinux",
      "AppPlugin", "PreferencePlugin", "PasteboardPlugin", "DocumentsPlugin", "PeersPlugin", "LoggerPlugin",
      "ProcessPlugin", "AuthPlugin", "HttpPlugin", "WindowPlugin",
    ],
    "Sources/NBridgeLogs": [
      "NBridgeHost", "NBridgePlugin", "NBridgeSystem", "NBridgeStore", "NBridgeTerminal", "LoggerPlugin",
      "CNBridgeGLib", "CNBridgeLinux",
    ],
    "Sources/nbridge": ["NBridgeCLI"],
    "Sources/NBridgeTesting": ["NBridge", "NBridgeHost", "NBridgeScript", "NBridgePlugin", "NBridgeSystem"],
    "plugins/Window/Sources": ["NBridgePlugin", "NBridgeSystem", "CNBridgeGLib"],
    "plugins/App/Sources": ["NBridgePlugin", "NBridgeSystem", "CNBridgeGLib"],
    "Sources/NBridgeStore": [
      "NBridgePlugin", "NBridgeSystem", "CNBridgeGLib", "CNBridgeLinux", "CNBridgeSQLite",
    ],
    "plugins/Preference/Sources": ["NBridgePlugin", "NBridgeSystem", "NBridgeStore", "CNBridgeGLib"],
    "plugins/Pasteboard/Sources": ["NBridgePlugin", "NBridgeSystem", "NBridgeStore", "CNBridgeGLib"],
    "plugins/Documents/Sources": ["NBridgePlugin", "NBridgeSystem", "CNBridgeGLib", "CNBridgeLinux"],
    "Sources/NBridgeCrypto": ["NBridgePlugin", "NBridgeSystem"],
    "plugins/Peers/Sources": [
      "NBridgePlugin", "NBridgeSystem", "NBridgeStore", "NBridgeCrypto", "CNBridgeGLib", "CNBridgeLinux",
      "CNBridgeXXHash",
    ],
    "plugins/Logger/Sources": ["NBridgePlugin", "NBridgeSystem", "CNBridgeGLib"],
    "plugins/Process/Sources": ["NBridgePlugin", "NBridgeSystem", "CNBridgeLinux"],
    "plugins/Http/Sources": [
      "NBridgePlugin", "NBridgeSystem", "NBridgeCompression", "NBridgeCrypto", "NBridgeSoup", "CNBridgeGLib",
    ],
    "plugins/Auth/Sources": ["NBridgePlugin", "NBridgeSystem", "NBridgeStore", "CNBridgeGLib"],
    "www": [],
  ]
  static let ours: Set<String> = [
    "CNBridgeJavaScriptCore", "CNBridgeGLib", "CNBridgeLinux", "CNBridgeICU", "CNBridgeSQLite",
    "CNBridgePassing", "CNBridgeXXHash", "CNBridgeChecksum", "CNBridgeZlib", "JSEngine", "NBridgePlugin",
    "NBridgeCompression", "NBridgeSystem",
    "NBridgeIsolation", "NBridgeScript", "NBridgeHost", "NBridgeRecording", "NBridgeBuiltins", "NBridge",
    "NBridgeInspector", "NBridgePage", "NBridgeCLI", "NBridgeLogs", "NBridgeTesting",
    "NBridgeTerminal", "NBridgeStore", "NBridgeSoup", "NBridgePages",
    "NBridgeCrypto", "AppPlugin", "PreferencePlugin", "PasteboardPlugin", "DocumentsPlugin", "PeersPlugin",
    "LoggerPlugin", "ProcessPlugin", "AuthPlugin", "HttpPlugin", "WindowPlugin", "CNBridgePlugin",
  ]

  static func sources(in folder: String) -> [(path: String, text: String)] {
    let base = root.appendingPathComponent(folder)
    let files = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
    // What the examples' own builds leave lies beside them.
    return files.filter { $0.hasSuffix(".swift") && !$0.contains("/.") }.compactMap { file in
      (try? String(contentsOf: base.appendingPathComponent(file), encoding: .utf8)).map {
        ("\(folder)/\(file)", $0)
      }
    }
  }

  @Test(arguments: allowed.keys.sorted())
  func importsPointOneWay(_ folder: String) {
    let files = Self.sources(in: folder)
    #expect(!files.isEmpty)
    for (path, text) in files {
      for line in text.split(separator: "\n") where line.contains("import ") && !line.hasPrefix("///") {
        let words = line.split(separator: " ")
        guard let at = words.firstIndex(of: "import"), at <= 1, at + 1 < words.count else { continue }
        let module = String(words[at + 1])
        if Self.ours.contains(module) {
          #expect(Self.allowed[folder]?.contains(module) == true, "\(path) imports \(module)")
        }
      }
    }
  }

  @Test func everyFolderOfSourcesHasItsFence() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.root.path + "/Sources")
    // C: module maps, and a program that the package manager does not build.
    for folder in folders where !folder.hasPrefix("C") && folder != "nbridge-window" {
      #expect(Self.allowed["Sources/\(folder)"] != nil, "Sources/\(folder) has no rule")
    }
  }

  @Test func librariesDoNotPrint() {
    for folder in Self.allowed.keys where folder != "Sources/nbridge" {
      for (path, text) in Self.sources(in: folder) {
        let prints = text.split(separator: "\n").contains {
          $0.trimmingCharacters(
            in: .whitespaces
          ).hasPrefix("print(")
        }
        #expect(!prints, "\(path) prints")
      }
    }
  }

  @Test func uncheckedClaimsCarryTheirProof() {
    for folder in Self.allowed.keys {
      for (path, text) in Self.sources(in: folder) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated()
        where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
          let near = lines[max(0, index - 3)...min(lines.count - 1, index + 2)]
          #expect(near.contains { $0.contains("//") }, "\(path):\(index + 1) gives no proof")
        }
      }
    }
  }

  @Test func filesStaySmall() {
    for folder in Self.allowed.keys {
      for (path, text) in Self.sources(in: folder) {
        #expect(
          text.split(separator: "\n", omittingEmptySubsequences: false).count <= 401, "\(path) is too long")
      }
    }
  }

  /// Longer lines are cut when a file is read side by side with another, and in a terminal.
  @Test(arguments: ["Package.swift", "Sources", "plugins", "www", "Tests"])
  func linesStayShort(_ place: String) throws {
    let base = Self.root.appendingPathComponent(place)
    let files =
      place.hasSuffix(".swift")
      ? [(path: place, text: try String(contentsOf: base, encoding: .utf8))] : Self.sources(in: place)
    #expect(!files.isEmpty)
    for (path, text) in files {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      let long = lines.indices.filter { lines[$0].count > 110 }.map { $0 + 1 }
      #expect(long.isEmpty, "\(path) has lines of more than 110 columns: \(long)")
    }
  }

  /// The system's setenv moves the list under others that read it; tests run beside each other.
  @Test func noTestChangesTheEnvironment() {
    for place in ["Tests", "plugins"] {
      for (path, text) in Self.sources(in: place)
      where path.contains("Tests/") && !path.contains("Tests/Kills") {
        #expect(!text.contains("setenv" + "(") && !text.contains("putenv" + "("), "\(path)")
      }
    }
  }

  /// The compiler wraps a function that stands in a lock once more at every access, and the wraps stay:
  /// memory grows, and at last a call is too deep for the stack. In a struct it is left as it is.
  @Test(arguments: ["Sources", "plugins", "Tests"])
  func noFunctionStandsInALockByItself(_ place: String) {
    for (path, text) in Self.sources(in: place) {
      let found = text.split(separator: "\n").filter { line in
        guard let lock = line.firstRange(of: "Mutex<(") else { return false }
        return line[lock.upperBound...].contains("->")
      }
      #expect(found.isEmpty, "\(path): \(found)")
    }
  }

  /// Scripts that are part of the program, of plugins and of the samples. `facades.js` is made of the
  /// declarations.
  @Test(arguments: [("Sources", 60), ("plugins", 10), ("www", 5)])
  func scriptsStaySmall(_ folder: String, _ fewest: Int) throws {
    let base = Self.root.appendingPathComponent(folder)
    let files = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
    let scripts = files.filter { $0.hasSuffix(".js") && $0 != "facades.js" && !$0.contains("/.") }
    #expect(scripts.count >= fewest)
    for file in scripts {
      let text = try String(contentsOf: base.appendingPathComponent(file), encoding: .utf8)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count <= 401, "\(folder)/\(file) is too long")
    }
  }

  /// A class that inherits and has none of its own gets one that asks the iterator of arrays, which is a
  /// script's to change.
  @Test func classesThatInheritHaveConstructorsOfTheirOwn() throws {
    var count = 0
    for folder in ["Sources/NBridgeBuiltins", "Sources/NBridge/Bridge/js", "www"] {
      let base = Self.root.appendingPathComponent(folder)
      let files = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
      for file in files where file.hasSuffix(".js") {
        let text = try String(contentsOf: base.appendingPathComponent(file), encoding: .utf8)
        for (name, body) in Self.derivedClasses(in: text) {
          count += 1
          #expect(body.contains("constructor("), "\(folder)/\(file): class \(name)")
        }
      }
    }
    #expect(count > 40)
  }

  /// By the indentation of their ends.
  private static func derivedClasses(in text: String) -> [(name: String, body: String)] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.compactMap { index in
      let line = lines[index]
      guard let start = line.firstRange(of: " extends ")?.lowerBound,
        line[..<start].contains(/\bclass( \w+)?$/), let brace = line[start...].firstIndex(of: "{")
      else { return nil }
      let rest = line[line.index(after: brace)...]
      if rest.last == "}" { return (String(line), String(rest)) }
      let end = line.prefix(while: \.isWhitespace) + "}"
      let body = lines[(index + 1)...].prefix { !$0.hasPrefix(end) }
      return (String(line), body.joined(separator: "\n"))
    }
  }

  @Test func embeddedScriptsAreASCII() throws {
    for folder in [
      "Sources/NBridgeBuiltins/Globals/js", "Sources/NBridgeBuiltins/Node/js",
      "Sources/NBridgeBuiltins/Page/js", "Sources/NBridgeBuiltins/TestGlobals/js",
      "Sources/NBridgeBuiltins/Web/js", "Sources/NBridge/Bridge/js", "Sources/nbridge-window/js", "www",
    ] {
      let base = Self.root.appendingPathComponent(folder)
      for file in try FileManager.default.contentsOfDirectory(atPath: base.path) where file.hasSuffix(".js") {
        let bytes = try Data(contentsOf: base.appendingPathComponent(file))
        #expect(bytes.allSatisfy { $0 < 0x80 }, "\(folder)/\(file) is not ASCII")
      }
    }
  }
}
