// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The example plugins: packages of their own, outside of this one's build.
@Suite struct ExamplePluginTests {
  static let folder = "plugins/examples"
  static let names = ["image", "serial", "sqlite"]
  /// Their pages, whose commands are run here.
  static let pages = names.map { "\(folder)/\($0)/README.md" }

  /// All of their Swift.
  static func sources() throws -> [String] {
    let base = CommandRunner.root + "/" + folder
    let files = FileManager.default.enumerator(atPath: base)?.compactMap { $0 as? String } ?? []
    return try files.filter { $0.hasSuffix(".swift") && !$0.contains("/.") }.map {
      try String(contentsOfFile: "\(base)/\($0)", encoding: .utf8)
    }
  }

  @Test func eachIsThereAndHasAShortPage() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: "\(CommandRunner.root)/\(Self.folder)")
    #expect(folders.filter { !$0.hasPrefix(".") }.sorted() == Self.names)
    for page in Self.pages {
      let text = try PagesTests.Page(page).text
      #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 41, "\(page)")
    }
  }

  /// What each one's script prints.
  static let printed = [
    "image": """
    blurred 16777216 true true
    given up cancelled
    thumbnail 128 128 [ 'P6', '128 128', '255' ]
    read again true

    """,
    "serial": "HELLO!\nGR\u{DC}EZI!\n",
    "sqlite": """
    250 word 250
    500 word 500
    750 word 750
    1000 word 1000
    10 of 1000, read ahead at most true
    { changes: 1000, lastInsertRowid: 0 }
    still 1000
    constraint UNIQUE constraint failed: word.text { sqlite: 2067 }

    """,
  ]

  /// What one needs in a process of its own, besides what every plugin has there.
  static let grants = ["serial": "--grant serial:write:/dev/ptmx --grant serial:write:/dev/pts"]

  /// Builds them with an SDK as `make install` puts it in place, runs their scripts in both ways in which a
  /// library comes into a program, and tries the promises that every plugin keeps. What one needs of the SDK
  /// is built once.
  @Test func theyAreBuiltWithTheInstalledSDKAndDoWhatTheirPagesSay() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let isInstalled = CommandRunner.sdk != CommandRunner.root
    let sdk = isInstalled ? CommandRunner.sdk : runner.folder + "/prefix/share/nbridge/sdk"
    let prepared = try runner.shell(
      """
      \(isInstalled ? "" : "make -s -C '\(CommandRunner.root)' install-sdk PREFIX=\"$PWD/prefix\"")
      for name in \(Self.names.joined(separator: " ")); do
        tar -c --exclude=.build -C '\(CommandRunner.root)/\(Self.folder)' "$name" | tar -x
      done
      """)
    #expect(prepared.status == 0, "\(prepared.errors)")
    for name in Self.names {
      let began = ContinuousClock.now
      let result = try runner.shell(
        """
        set -e; export NBRIDGE_SDK='\(sdk)' SWIFTPM_BUILD_DIR="$PWD/build"; cd \(name)
        # The plan of the package before may pass for this one's; what it built is used all the same.
        rm -f "$SWIFTPM_BUILD_DIR"/*.yaml "$SWIFTPM_BUILD_DIR"/*/release/description.json
        nbridge plugin build > build.log || { cat build.log; exit 1; }
        \(try Self.demo(name))
        nbridge run --isolate \(name) \(Self.grants[name] ?? "") --plugin . demo.js
        nbridge plugin test --conformance --starts 100 .build/plugin/lib*.so
        """)
      let printed = try #require(Self.printed[name])
      #expect(result.status == 0, "\(result.output.suffix(3000)) \(result.errors.suffix(4000))")
      #expect(result.output.hasPrefix(printed + printed), "\(name): \(result.output) \(result.errors)")
      #expect(result.output.hasSuffix("all hold\n"), "\(name): \(result.output)")
      print("\(name): built and run in \(ContinuousClock.now - began)")
    }
  }

  /// The command of the page that runs the script.
  static func demo(_ name: String) throws -> String {
    let page = try PagesTests.Page("\(folder)/\(name)/README.md")
    let commands = try #require(page.blocks("sh").first).split(separator: "\n").map(String.init)
    #expect(commands.first == "nbridge plugin build" && commands.last == "nbridge plugin test")
    return try #require(commands.dropFirst().first)
  }
}
