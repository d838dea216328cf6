// SPDX-License-Identifier: MIT

internal import NBridgeScript

/// The files of a new plugin: a package that builds, with one action of each kind and a watch.
struct PluginTemplate {
  /// As in `WeatherPlugin`.
  let name: String
  /// What scripts call it.
  let service: String
  /// Where the SDK was when the plugin was made.
  let sdk: String
  /// What it has besides actions and a watch.
  var parts: [TemplatePart] = []

  private static let wordsOfSwift: Set = ["Any", "Protocol", "Self", "Swift", "Type"]
  private static let wordsOfJavaScript: Set = [
    "arguments", "async", "await", "break", "case", "catch", "class", "const", "continue", "debugger",
    "default", "delete", "do", "else", "enum", "eval", "export", "extends", "false", "finally", "for",
    "function", "if", "implements", "import", "in", "instanceof", "interface", "let", "new", "null",
    "package", "private", "protected", "public", "return", "static", "super", "switch", "this", "throw",
    "true", "try", "typeof", "var", "void", "while", "with", "yield",
  ]
  /// What the sources import, or what a package beside the SDK may not be called.
  private static let modules: Set = [
    "cnbridgechecksum", "cnbridgefoundationtypes", "cnbridgeglib", "cnbridgeicu", "cnbridgejavascriptcore",
    "cnbridgelinux", "cnbridgeplugin", "cnbridgesqlite", "cnbridgexxhash", "cnbridgezlib", "dispatch",
    "foundation", "foundationessentials", "glibc", "jsengine", "packagedescription", "synchronization",
    "testing", "xctest",
  ]

  /// What is said of a name whose package could not be built, or whose service could not be named in a
  /// script; nil for any other.
  static func otherUse(of name: String, _ service: String) -> String? {
    if wordsOfSwift.contains(name) {
      return "'\(name)' can't be a plugin's name: Swift has another use for it"
    }
    if wordsOfJavaScript.contains(service) {
      return "'\(service)' can't be a plugin's name: JavaScript has another use for it"
    }
    let module = name.lowercased()
    if module.hasPrefix("nbridge") || modules.contains(module) {
      return "'\(name)' can't be a plugin's name: the SDK has a module of that name"
    }
    // Its package would have a module of this name, too.
    if module == "cnbridge" {
      return "'\(name)' can't be a plugin's name: the SDK has a module CNBridgePlugin"
    }
    return nil
  }

  /// Path and text of each file.
  var files: [(path: String, text: String)] {
    [
      ("Package.swift", manifest), ("plugin.json", record), ("README.md", readme), ("demo.js", demo),
      (".gitignore", ".build\n"),
      ("Sources/\(name)Plugin/\(name)Plugin.swift", plugin),
      ("Sources/\(name)Library/Entry.swift", entry),
      ("Tests/\(name)PluginTests/\(name)PluginTests.swift", tests),
    ] + parts.flatMap { $0.files(name, service) }
  }

  private var manifest: String {
    """
    // swift-tools-version: 6.2

    import PackageDescription

    // `nbridge plugin build` says where its SDK is; an editor that does not finds it where it was first.
    let sdk = Context.environment["NBRIDGE_SDK"] ?? "\(sdk)"

    let package = Package(
      name: "\(name)",
      products: [
        .library(name: "\(name)", type: .dynamic, targets: ["\(name)Library"])
      ],
      dependencies: [.package(name: "nbridge", path: sdk)],
      targets: [
        // The plugin itself: link it into a program, test it …
        .target(
          name: "\(name)Plugin", \(dependencies)),
        // … or load it: its table for `nbridge run --plugin`.
        .target(name: "\(name)Library", dependencies: ["\(name)Plugin"]),
    \(parts.contains(.c) ? "    .target(name: \"C\(name)\"),\n" : "")\
        .testTarget(
          name: "\(name)PluginTests",
          dependencies: ["\(name)Plugin", .product(name: "NBridgeTesting", package: "nbridge")]),
      ]
    )

    """
  }

  /// What the plugin's target needs.
  private var dependencies: String {
    let product = ".product(name: \"NBridgePlugin\", package: \"nbridge\")"
    let all = parts.contains(.c) ? "\"C\(name)\", \(product)" : product
    let scripts = parts.contains(.script) ? ",\n      resources: [.embedInCode(\"js\")]" : ""
    return "dependencies: [\(all)]" + scripts
  }

  private var record: String {
    """
    {
      "service": "\(service)",
      "version": "0.1.0",
      "help": "What \(name) does, in one sentence.",
      "library": "lib\(name).so"
    }

    """
  }

  private var plugin: String {
    """
    import NBridgePlugin

    /// What scripts see as `nbridge.\(service)`. The declaration in `body` is the single source:
    /// of the checks of arguments, of the JavaScript face, of its TypeScript types, of the permission names
    /// and of the help.
    public struct \(name)Plugin: Plugin {
      public static let manifest = PluginManifest(
        service: "\(service)", version: "0.1.0", help: "What \(name) does, in one sentence."\(script))

      public init() {}

      public var body: PluginBody {
        // Answers inside the call, on the engine's thread: the fastest kind. It must not block.
        Immediate("hello", "Greets somebody.") { (options: Hello, call) in
          Greeting(text: "Hello, \\(options.name)!", polite: options.style == .polite)
        }
        .positional("name").parameter("name", "Whom to greet.")

        // May await; starts on the engine's thread.
        Action("later", "Answers after a while.") { (options: Later, call) async throws in
          guard options.milliseconds >= 0 else {
            throw BridgeError(
              .invalidParameter, "option.milliseconds must be 0 or more, not \\(options.milliseconds)")
          }
          try await Task.sleep(for: .milliseconds(options.milliseconds))
          return options.value
        }
        .positional("value")

        // Runs on a thread of its own: for what computes long or blocks.
        Detached("primes", "Counts the primes below a number.") { (options: Below, call) in
          guard options.limit <= 100_000_000 else {
            throw BridgeError(.tooLarge, "option.limit must be at most 100,000,000, not \\(options.limit)")
          }
          return try Primes.count(below: options.limit) { try call.checkCancellation() }
        }
        .positional("limit").errors(.tooLarge)
        .range("limit", 0...)

        // A stream of events: `for await (const tick of nbridge.\(service).ticks())`.
        Watch("ticks", "Counts up, once per interval.") { (options: Ticks, call) in
          Ticker(interval: .milliseconds(options.interval), limit: options.count)
        }
        .range("interval", 0...).range("count", 0...)
        .parameter("interval", "Milliseconds from one to the next.")
    \(parts.map(\.declarations).joined())  }
    }

    struct Hello: Codable {
      var name: String
      @Default var style = Style.plain
    }

    enum Style: String, Codable, CaseIterable { case plain, polite }

    struct Greeting: Codable {
      var text: String
      var polite: Bool
    }

    struct Later: Codable {
      /// Any value that crosses the bridge.
      var value: Value
      var milliseconds: Int
    }

    struct Below: Codable { var limit: Int }

    struct Ticks: Codable {
      @Default var interval = 1000
      /// How many ticks; without end when not given.
      var count: Int?
    }

    struct Tick: Codable { var number: Int }

    enum Primes {
      static func count(below limit: Int, check: () throws -> Void) throws -> Int {
        guard limit > 2 else { return 0 }
        var isComposite = [Bool](repeating: false, count: limit)
        var found = 0
        for number in 2..<limit where !isComposite[number] {
          found += 1
          try check()
          for multiple in stride(from: number * number, to: limit, by: number) {
            isComposite[multiple] = true
          }
        }
        return found
      }
    }

    /// Ends by itself after `limit`, or when the script stops the watch: then its task is cancelled.
    struct Ticker: AsyncSequence, AsyncIteratorProtocol, Sendable {
      let interval: Duration
      let limit: Int?
      private var number = 0

      init(interval: Duration, limit: Int?) {
        self.interval = interval
        self.limit = limit
      }

      func makeAsyncIterator() -> Ticker { self }

      mutating func next() async throws -> Tick? {
        if let limit, number >= limit { return nil }
        if number > 0 { try await Task.sleep(for: interval) }
        number += 1
        return Tick(number: number)
      }
    }

    """
  }

  /// What the manifest says of the plugin's own JavaScript.
  private var script: String {
    guard parts.contains(.script) else { return "" }
    let files = "files: [PackageResources.face_js], members: PackageResources.members_d_ts"
    return ",\n    script: PluginScript(\(files))"
  }

  private var entry: String {
    """
    import NBridgePlugin
    import \(name)Plugin

    /// All that the library shows: the plugin's table. No Swift type crosses its edge.
    @_cdecl("nbridge_plugin_entry")
    public func nbridgePluginEntry(abi: UInt32) -> UnsafeRawPointer? {
      PluginExport.table(of: \(name)Plugin(), abi: abi)
    }

    """
  }

  private var tests: String {
    """
    import NBridgeTesting
    import Testing
    import \(name)Plugin

    /// Each test runs with the plugin linked in and behind the table of loaded ones: both must
    /// behave the same.
    @Suite struct \(name)PluginTests {
      func run(_ way: PluginWay, _ script: String) async -> String {
        await ScriptHarness.$way.withValue(way) {
          let result = await ScriptHarness(plugins: [\(name)Plugin()]).run(script)
          return result.output + result.errors
        }
      }

      @Test(arguments: PluginWay.allCases) func helloGreets(_ way: PluginWay) async {
        let output = await run(way, "console.log(await nbridge.\(service).hello('Ada', { style: 'polite' }))")
        #expect(output == "{ text: 'Hello, Ada!', polite: true }\\n")
      }

      @Test(arguments: PluginWay.allCases) func aMissingNameIsRefused(_ way: PluginWay) async {
        let output = await run(
          way, "await nbridge.\(service).hello().catch((e) => console.log(e.code, e.message))")
        #expect(output == "invalid_parameter name must be a string, not undefined\\n")
      }

      @Test(arguments: PluginWay.allCases) func primesAreCounted(_ way: PluginWay) async {
        #expect(await run(way, "console.log(await nbridge.\(service).primes(100))") == "25\\n")
      }

      @Test(arguments: PluginWay.allCases) func ticksCome(_ way: PluginWay) async {
        let script = \"\"\"
          const ticks = nbridge.\(service).ticks({ interval: 1, count: 3 });
          for await (const { number } of ticks) console.log(number);
          \"\"\"
        #expect(await run(way, script) == "1\\n2\\n3\\n")
      }
    }

    """
  }

  private var demo: String {
    """
    // nbridge run --plugin . demo.js
    const { \(service) } = nbridge;

    console.log(await \(service).hello("Ada", { style: "polite" }));
    console.log(await \(service).later([1, 2, new Date(0)], { milliseconds: 20 }));
    console.log(await \(service).primes(1_000_000));
    for await (const { number } of \(service).ticks({ interval: 20, count: 3 })) console.log("tick", number);
    \(parts.map { $0.demo(service) }.joined())
    """
  }

  private var readme: String {
    """
    # \(name)

    A plugin for nBridge: `nbridge.\(service)`.

    ```sh
    nbridge plugin build                  # makes .build/plugin/lib\(name).so
    nbridge run --plugin . demo.js        # uses it
    nbridge plugin test                   # its own tests, then the conformance suite
    nbridge plugin install .              # for every script of this user
    ```

    `nbridge plugin describe .` prints the table of its calls for this page,
    `nbridge types --plugin .` its TypeScript types.

    """
  }
}
