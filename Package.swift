// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import Foundation
import PackageDescription

/// One list for every Swift target: a rule that holds for one holds for all.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
  // Lets the linker put functions next to each other that run at the start: see `startOrder`.
  .unsafeFlags(["-Xfrontend", "-function-sections"], .when(configuration: .release)),
]

/// The functions that a start runs, so that it reads a few pages in a row and not one here and one there.
/// `make order` writes it anew; a name that is gone does no harm. An installed SDK has none.
let startOrder = "\(Context.packageDirectory)/Sources/nbridge/start.order"
let orderFlags =
  FileManager.default.fileExists(atPath: startOrder)
  ? ["-Xlinker", "--symbol-ordering-file=\(startOrder)", "-Xlinker", "--no-warn-symbol-ordering"] : []

/// Whether `nbridge plugin test` brings the tests' harness, which `make install` has built, by arguments of
/// the compiler and the linker.
let isTestingGiven = Context.environment["NBRIDGE_TESTING"] == "given"

/// What is there of some files: an installed SDK has no tests.
func present(_ names: [String], in folder: String) -> [String] {
  names.filter { FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/\(folder)/\($0)") }
}

/// How folders of a module work, told beside their sources. (SwiftPM passes DocC's folders over by itself.)
func pages(_ folders: String...) -> [String] { folders.map { "\($0)/README.md" } }

/// A plugin: its folder below `plugins` has `Sources`, `Tests`, a README, and `js` where it brings JavaScript
/// of its own.
struct PluginTargets {
  let name: String
  var dependencies: [Target.Dependency] = []
  var testDependencies: [Target.Dependency] = []

  var path: String { "plugins/\(name)" }

  var target: Target {
    let scripts = present(["js"], in: path).map { Resource.embedInCode($0) }
    return .target(
      name: "\(name)Plugin", dependencies: ["NBridgePlugin", "NBridgeSystem", "CNBridgeGLib"] + dependencies,
      path: path,
      exclude: present(["Tests", "README.md", "DESIGN.md", "plugin.json"], in: path), sources: ["Sources"],
      resources: scripts, swiftSettings: settings)
  }

  /// They lie beside the plugin.
  var tests: Target {
    .testTarget(
      name: "\(name)PluginTests",
      dependencies: [
        .byName(name: "\(name)Plugin"), "NBridgePlugin", "NBridgeSystem", "NBridgeTesting", "BothWays",
        "TestSupport",
      ]
        + testDependencies,
      path: "\(path)/Tests", swiftSettings: settings)
  }
}

let plugins = [
  PluginTargets(name: "App", testDependencies: ["CNBridgeGLib"]),
  PluginTargets(name: "Preference", dependencies: ["NBridgeStore"], testDependencies: ["NBridgeStore"]),
  PluginTargets(name: "Pasteboard", dependencies: ["NBridgeStore"]),
  PluginTargets(name: "Documents", dependencies: ["CNBridgeLinux"]),
  PluginTargets(
    name: "Peers", dependencies: ["NBridgeStore", "NBridgeCrypto", "CNBridgeLinux", "CNBridgeXXHash"],
    testDependencies: ["NBridgeCrypto"]),
  PluginTargets(name: "Logger"),
  PluginTargets(name: "Process", dependencies: ["CNBridgeLinux"], testDependencies: ["TestEnvironment"]),
  // Its own script is `nbridge.http.serve`.
  PluginTargets(
    name: "Http", dependencies: ["NBridgeCompression", "NBridgeCrypto", "NBridgeSoup"],
    testDependencies: ["NBridge", "NBridgeInspector", "NBridgeCompression", "CNBridgeGLib"]),
  PluginTargets(name: "Window"),
  PluginTargets(name: "Auth", dependencies: ["NBridgeStore"], testDependencies: ["DocumentsPlugin"]),
]

let package = Package(
  name: "nbridge",
  products: [
    .executable(name: "nbridge", targets: ["nbridge"]),
    .executable(name: "nbridge-plugin-host", targets: ["nbridge-plugin-host"]),
    .library(name: "NBridge", targets: ["NBridge"]),
    .library(name: "NBridgePlugin", targets: ["NBridgePlugin"]),
    .library(name: "NBridgeSystem", targets: ["NBridgeSystem"]),
    .library(name: "NBridgeTesting", targets: [isTestingGiven ? "NBridgePlugin" : "NBridgeTesting"]),
  ],
  targets: [
    // The C edge: module maps, no logic.
    .systemLibrary(
      name: "CNBridgeJavaScriptCore", pkgConfig: "javascriptcoregtk-4.1",
      providers: [.apt(["libjavascriptcoregtk-4.1-dev"])]),
    .systemLibrary(name: "CNBridgeGLib", pkgConfig: "gio-unix-2.0", providers: [.apt(["libglib2.0-dev"])]),
    .systemLibrary(name: "CNBridgeLinux"),
    .systemLibrary(name: "CNBridgePassing"),
    .systemLibrary(name: "CNBridgeICU", pkgConfig: "icu-uc", providers: [.apt(["libicu-dev"])]),
    // Types and constants only: these libraries are opened when they are first needed (DynamicLibrary).
    .systemLibrary(name: "CNBridgeSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CNBridgeXXHash", providers: [.apt(["libxxhash-dev"])]),
    .systemLibrary(name: "CNBridgeChecksum", providers: [.apt(["libxxhash-dev"])]),
    .systemLibrary(name: "CNBridgeZlib", providers: [.apt(["zlib1g-dev"])]),

    // The table of plugins in libraries of their own: a header, and the proof of its layout.
    .target(name: "CNBridgePlugin", exclude: ["plugin.map", "README.md"]),

    // JavaScript that is compiled into the binary, so that a start reads no file.
    .plugin(
      name: "EmbedScripts", capability: .buildTool(), path: "Sources/EmbedScripts", exclude: ["embed.sh"]),

    // The runtime: engine, SDK, bridge, command line.
    .target(
      name: "JSEngine", dependencies: ["CNBridgeJavaScriptCore", "CNBridgeGLib"], exclude: ["README.md"],
      swiftSettings: settings),
    // Foundation's Date and Data, known without linking Foundation.
    .target(name: "CNBridgeFoundationTypes"),
    // What is asked of Linux, below all that is ours.
    .target(
      name: "NBridgeSystem", dependencies: ["CNBridgeLinux"], exclude: ["README.md"],
      swiftSettings: settings),
    .target(
      name: "NBridgePlugin",
      dependencies: ["NBridgeSystem", "CNBridgePlugin", "CNBridgeFoundationTypes", "CNBridgeLinux"],
      exclude: ["README.md"], swiftSettings: settings),
    // A plugin in a process of its own: the messages, and the program that runs it there.
    .target(
      name: "NBridgeIsolation", dependencies: ["NBridgeSystem", "CNBridgePlugin", "CNBridgeLinux"],
      exclude: ["README.md"], swiftSettings: settings),
    // What that program shows to the libraries of its plugin.
    .target(name: "CNBridgePluginHost"),
    .executableTarget(
      name: "nbridge-plugin-host", dependencies: ["NBridgeIsolation", "CNBridgePluginHost"],
      swiftSettings: settings,
      linkerSettings: [
        .unsafeFlags(["open", "open64"].flatMap { ["-Xlinker", "--export-dynamic-symbol=\($0)"] }),
        .unsafeFlags(
          ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"],
          .when(configuration: .release)),
      ]),
    // The runtime, from what knows no engine to the embedder's API: scripts, the host of plugins and their
    // sessions, recordings, the globals that JavaScript finds, and the program that connects them.
    .target(
      name: "NBridgeScript",
      dependencies: ["NBridgePlugin", "NBridgeSystem", "CNBridgeGLib", "CNBridgeChecksum"],
      exclude: ["Modules/README.md"],
      swiftSettings: settings),
    .target(
      name: "NBridgeHost",
      dependencies: [
        "NBridgeScript", "NBridgePlugin", "NBridgeIsolation", "NBridgeSystem", "CNBridgePlugin",
        "CNBridgeGLib",
      ],
      exclude: pages("EventLoop", "Plugins", "Session"), swiftSettings: settings),
    .target(
      name: "NBridgeRecording",
      dependencies: ["NBridgeHost", "NBridgeScript", "NBridgePlugin", "NBridgeSystem", "CNBridgeGLib"],
      exclude: ["README.md"], swiftSettings: settings),
    // Formats of compressed bytes; no engine.
    .target(
      name: "NBridgeCompression", dependencies: ["NBridgeSystem", "CNBridgeZlib"], exclude: ["README.md"],
      swiftSettings: settings),
    .target(
      name: "NBridgeBuiltins",
      dependencies: [
        "JSEngine", "NBridgeRecording", "NBridgeHost", "NBridgeScript", "NBridgePlugin", "NBridgeSystem",
        "NBridgeCompression", "NBridgeCrypto", "NBridgeStore", "CNBridgeGLib", "CNBridgeICU",
      ],
      exclude: pages("Builtins", "Page") + ["Globals/js", "Node/js", "Page/js", "TestGlobals/js", "Web/js"],
      swiftSettings: settings, plugins: ["EmbedScripts"]),
    // Lets debuggers into a program: their protocol, the engine's, and the way between.
    .target(
      name: "NBridgeInspector", dependencies: ["NBridgeScript", "NBridgeSystem", "CNBridgeGLib"],
      exclude: ["README.md"], swiftSettings: settings),
    .target(
      name: "NBridge",
      dependencies: [
        "JSEngine", "NBridgeBuiltins", "NBridgeRecording", "NBridgeHost", "NBridgeScript", "NBridgePlugin",
        "NBridgeSystem", "NBridgeInspector", "NBridgePage", "CNBridgeGLib",
      ],
      exclude: pages("Bridge", "Repl", "Runtime") + ["Bridge/js"], swiftSettings: settings,
      plugins: ["EmbedScripts"]),
    // libsoup, opened when the first request or page needs it.
    .target(
      name: "NBridgeSoup", dependencies: ["NBridgePlugin", "NBridgeSystem", "CNBridgeGLib"],
      exclude: ["README.md"], swiftSettings: settings),
    // Pages in browsers: their sessions, and the server that they come from.
    .target(
      name: "NBridgePages",
      dependencies: [
        "NBridge", "NBridgeHost", "NBridgePlugin", "NBridgeSystem", "NBridgeSoup", "NBridgePage",
        "CNBridgeGLib", "CNBridgePassing",
      ],
      exclude: ["README.md"], resources: [.embedInCode("js")], swiftSettings: settings),
    .target(
      name: "NBridgePage", path: "www",
      exclude: present(
        [
          "sample.html", "sample.js", "sample.css", "sample.png", "app.json", "facades.js", "nbridge.d.ts",
          "biscuit.js", "handover", "chat", "filedrop", "notes",
        ], in: "www"),
      sources: ["NBridgePage.swift"],
      resources: [.embedInCode("nbridge.js")], swiftSettings: settings),
    // The terminal as an instrument: keys, screen, line editor.
    .target(
      name: "NBridgeTerminal",
      dependencies: ["NBridgeSystem", "NBridgeHost", "NBridgeScript", "CNBridgeGLib"],
      swiftSettings: settings),
    // The viewer of logs: takes them, keeps them, looks in them, shows them.
    .target(
      name: "NBridgeLogs",
      dependencies: [
        "NBridgeHost", "NBridgePlugin", "NBridgeSystem", "NBridgeStore", "NBridgeTerminal", "LoggerPlugin",
        "CNBridgeGLib", "CNBridgeLinux",
      ],
      exclude: ["README.md"], swiftSettings: settings),
    .target(
      name: "NBridgeCLI",
      dependencies: [
        "NBridge", "NBridgeBuiltins", "NBridgeRecording", "NBridgeHost", "NBridgeScript", "NBridgePlugin",
        "NBridgeSystem", "NBridgeInspector",
        "NBridgeTesting", "NBridgeTerminal", "AppPlugin", "PreferencePlugin",
        "PasteboardPlugin",
        "DocumentsPlugin", "PeersPlugin", "LoggerPlugin",
        "ProcessPlugin", "AuthPlugin", "HttpPlugin", "WindowPlugin", "NBridgeLogs", "NBridgePages",
        "CNBridgeGLib",
        "CNBridgeLinux",
      ],
      exclude: ["Process/README.md"], resources: [.embedInCode("Peers/js")],
      swiftSettings: settings),
    .executableTarget(
      name: "nbridge", dependencies: ["NBridgeCLI"], exclude: present(["start.order"], in: "Sources/nbridge"),
      swiftSettings: settings,
      // Relative relocations take 20 KiB instead of 1.1 MiB, all of which each start reads (glibc 2.36 and
      // later).
      linkerSettings: [
        .unsafeFlags(
          ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"] + orderFlags,
          .when(configuration: .release))
      ]),
    .target(
      name: "NBridgeTesting",
      dependencies: ["NBridge", "NBridgeHost", "NBridgeScript", "NBridgePlugin", "NBridgeSystem"],
      resources: [.embedInCode("js")],
      swiftSettings: settings),

    // What several processes of a user share: databases, and the notice of a change.
    .target(
      name: "NBridgeStore",
      dependencies: ["NBridgePlugin", "NBridgeSystem", "CNBridgeGLib", "CNBridgeLinux", "CNBridgeSQLite"],
      exclude: ["README.md"], swiftSettings: settings),

    // Keys and hashes by OpenSSL, which is opened when the first key is made.
    .target(
      name: "NBridgeCrypto", dependencies: ["NBridgePlugin", "NBridgeSystem"], exclude: ["README.md"],
      swiftSettings: settings),
  ] + plugins.map(\.target)
)

// An installed SDK is these sources without what tests and measures them.
if FileManager.default.fileExists(atPath: Context.packageDirectory + "/Tests") {
  package.targets +=
    [
      .executableTarget(
        name: "nbridge-benchmark", dependencies: ["NBridge", "NBridgePlugin", "BenchPlugin"],
        path: "Tests/Benchmarks/host",
        swiftSettings: settings),

      .executableTarget(
        name: "nbridge-example", dependencies: ["NBridge", "NBridgePlugin"], path: "Tests/Example",
        swiftSettings: settings),
      .target(
        name: "BenchPlugin", dependencies: ["NBridgePlugin"],
        path: "Tests/Benchmarks/plugin/Sources/BenchPlugin", swiftSettings: settings),
      // Plugins that calls of all kinds, and attacks, are tried on; and a program that makes a million of
      // them.
      .target(
        name: "StressPlugins", dependencies: ["NBridgePlugin"], path: "Tests/Stress/plugins",
        swiftSettings: settings),
      .executableTarget(
        name: "nbridge-stress", dependencies: ["NBridge", "NBridgePlugin", "StressPlugins"],
        path: "Tests/Stress/host", swiftSettings: settings),
      // A program's day and hour: what it holds stays the same.
      .executableTarget(
        name: "nbridge-soak",
        dependencies: [
          "NBridge", "NBridgePlugin", "AppPlugin", "PreferencePlugin", "PasteboardPlugin", "DocumentsPlugin",
          "LoggerPlugin", "HttpPlugin", "ProcessPlugin",
        ],
        path: "Tests/Soak/host", swiftSettings: settings),
      // Kills programs in the middle of plugins' operations.
      .executableTarget(
        name: "nbridge-kills", dependencies: ["NBridgePlugin", "NBridgeSystem", "TestSupport"],
        path: "Tests/Kills/host", swiftSettings: settings),
      .target(
        name: "BothWays", dependencies: ["NBridgeTesting"], path: "Tests/BothWays", swiftSettings: settings),
      // What tests of all modules use; it knows none of them.
      // Variables that are there before a second thread is.
      .target(name: "TestEnvironment", path: "Tests/Environment"),
      .target(name: "TestSupport", path: "Tests/Support", swiftSettings: settings),

      // Tests: one folder per module, plugins' own beside them.
      .testTarget(
        name: "JSEngineTests",
        dependencies: [
          "JSEngine", "CNBridgeJavaScriptCore", "CNBridgeGLib", "NBridgeTesting", "NBridge", "TestSupport",
        ],
        swiftSettings: settings),
      .testTarget(
        name: "NBridgeSystemTests", dependencies: ["NBridgeSystem", "TestSupport"], swiftSettings: settings),
      .testTarget(
        name: "NBridgePluginTests", dependencies: ["NBridgePlugin", "CNBridgePlugin", "TestSupport"],
        swiftSettings: settings),
      .testTarget(
        name: "NBridgeStoreTests",
        dependencies: ["NBridgeStore", "NBridgePlugin", "NBridgeSystem", "CNBridgeGLib"],
        swiftSettings: settings),
      .testTarget(
        name: "NBridgeCryptoTests", dependencies: ["NBridgeCrypto", "NBridgePlugin", "NBridgeSystem"],
        swiftSettings: settings),
      .testTarget(
        name: "NBridgeCompressionTests", dependencies: ["NBridgeCompression", "NBridgeSystem"],
        swiftSettings: settings),
      .testTarget(
        name: "NBridgeInspectorTests",
        dependencies: ["NBridgeInspector", "NBridgeScript", "NBridgeSystem", "TestSupport"],
        swiftSettings: settings),
      .testTarget(
        name: "NBridgeTests",
        dependencies: [
          "NBridge", "NBridgeBuiltins", "NBridgeRecording", "NBridgeHost", "NBridgeScript", "NBridgePlugin",
          "NBridgeSystem", "NBridgeTesting", "BothWays", "TestSupport", "StressPlugins",
        ],
        swiftSettings: settings),
      .testTarget(
        name: "NBridgePagesTests",
        dependencies: [
          "NBridge", "NBridgeHost", "NBridgePages", "NBridgePlugin", "NBridgeSystem", "NBridgeTesting",
          "StressPlugins", "TestSupport", "CNBridgeGLib", "CNBridgePassing",
        ],
        swiftSettings: settings),
      .testTarget(
        name: "NBridgeTerminalTests", dependencies: ["NBridgeSystem", "NBridgeTerminal", "TestSupport"],
        swiftSettings: settings),
      .testTarget(
        name: "NBridgeLogsTests",
        dependencies: [
          "NBridgeLogs", "NBridgeTerminal", "NBridgePlugin", "NBridgeSystem", "NBridgeStore",
          "NBridgeTesting", "TestSupport", "LoggerPlugin", "CNBridgeGLib",
        ],
        swiftSettings: settings),
      .testTarget(
        name: "NBridgeCLITests",
        dependencies: [
          "NBridge", "NBridgeCLI", "NBridgeLogs", "NBridgeTerminal", "NBridgePlugin", "NBridgeSystem",
          "NBridgeTesting", "TestSupport", "AuthPlugin", "nbridge", "nbridge-example",
        ],
        exclude: ["Browsers", "Clients", "Fronts", "Node", "Plugins", "Scripts"],
        swiftSettings: settings),
      .testTarget(name: "LayeringTests", swiftSettings: settings),
    ] + plugins.map(\.tests)
}

// For the sanitizers: without the tests that start programs, or that never come near C.
if Context.environment["NBRIDGE_TESTS"] == "c" {
  let others = [
    "LayeringTests", "NBridgeCLITests", "NBridgeInspectorTests", "NBridgeLogsTests", "NBridgeTerminalTests",
    "nbridge-benchmark", "nbridge-example",
  ]
  package.targets.removeAll { others.contains($0.name) }
}
