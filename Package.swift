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
]

/// What is there of some files: an installed SDK has no tests.
func present(_ names: [String], in folder: String) -> [String] {
  names.filter { FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/\(folder)/\($0)") }
}

/// JavaScript that is compiled into the binary, so that a start reads no file.
let runtimeScripts: [Resource] = [
  .embedInCode("Globals/js"), .embedInCode("Bridge/js"), .embedInCode("Web/js"),
]

/// How each folder of the runtime works, told beside its sources. (SwiftPM passes DocC's folders over by itself.)
let runtimePages = [
  "Bridge", "Builtins", "EventLoop", "Modules", "Plugins", "Recording", "Repl", "Runtime", "Session",
].map { "\($0)/README.md" }

/// A plugin: its folder below `plugins` has `Sources`, `Tests`, a README, and `js` where it brings JavaScript of its own.
struct PluginTargets {
  let name: String
  var dependencies: [Target.Dependency] = []
  var testDependencies: [Target.Dependency] = []

  var path: String { "plugins/\(name)" }

  var target: Target {
    let scripts = present(["js"], in: path).map { Resource.embedInCode($0) }
    return .target(
      name: "\(name)Plugin", dependencies: ["NBridgePlugin", "CGLib"] + dependencies, path: path,
      exclude: present(["Tests", "README.md", "DESIGN.md", "plugin.json"], in: path), sources: ["Sources"],
      resources: scripts, swiftSettings: settings)
  }

  /// They lie beside the plugin.
  var tests: Target {
    .testTarget(
      name: "\(name)PluginTests",
      dependencies: [.byName(name: "\(name)Plugin"), "NBridgePlugin", "NBridgeTesting", "BothWays"]
        + testDependencies,
      path: "\(path)/Tests", swiftSettings: settings)
  }
}

let plugins = [
  PluginTargets(name: "App"),
  PluginTargets(name: "Preference", dependencies: ["NBridgeStore"], testDependencies: ["NBridgeStore"]),
  PluginTargets(name: "Pasteboard", dependencies: ["NBridgeStore"]),
  PluginTargets(name: "Documents", dependencies: ["CLinux"]),
  PluginTargets(
    name: "Peers", dependencies: ["NBridgeStore", "NBridgeCrypto", "CLinux", "CXXHash"],
    testDependencies: ["NBridgeCrypto"]),
  PluginTargets(name: "Logger"),
  PluginTargets(name: "Auth", dependencies: ["NBridgeStore"], testDependencies: ["DocumentsPlugin"]),
]

let package = Package(
  name: "nbridge",
  products: [
    .executable(name: "nbridge", targets: ["nbridge"]),
    .library(name: "NBridge", targets: ["NBridge"]),
    .library(name: "NBridgePlugin", targets: ["NBridgePlugin"]),
    .library(name: "NBridgeTesting", targets: ["NBridgeTesting"]),
  ],
  targets: [
    // The C edge: module maps, no logic.
    .systemLibrary(
      name: "CJavaScriptCore", pkgConfig: "javascriptcoregtk-4.1",
      providers: [.apt(["libjavascriptcoregtk-4.1-dev"])]),
    .systemLibrary(name: "CGLib", pkgConfig: "gio-unix-2.0", providers: [.apt(["libglib2.0-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CICU", pkgConfig: "icu-uc", providers: [.apt(["libicu-dev"])]),
    // Types and constants only: these libraries are opened when they are first needed (DynamicLibrary).
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CXXHash", providers: [.apt(["libxxhash-dev"])]),

    // The table of plugins in libraries of their own: a header, and the proof of its layout.
    .target(name: "CNBridgePlugin", exclude: ["plugin.map", "README.md"]),

    // The runtime: engine, SDK, bridge, command line.
    .target(
      name: "JSEngine", dependencies: ["CJavaScriptCore", "CGLib"], exclude: ["README.md"],
      swiftSettings: settings),
    // Foundation's Date and Data, known without linking Foundation.
    .target(name: "CFoundationTypes"),
    .target(
      name: "NBridgePlugin", dependencies: ["CNBridgePlugin", "CFoundationTypes", "CLinux"],
      exclude: ["README.md"], swiftSettings: settings),
    .target(
      name: "NBridge",
      dependencies: [
        "JSEngine", "NBridgePlugin", "CNBridgePlugin", "CGLib", "CICU", "NBridgePage",
      ],
      exclude: runtimePages, resources: runtimeScripts, swiftSettings: settings),
    .target(
      name: "NBridgePage", path: "www",
      exclude: present(
        [
          "sample.html", "sample.js", "app.json", "facades.js", "nbridge.d.ts", "biscuit.js", "handover",
          "chat", "filedrop",
        ], in: "www"),
      sources: ["NBridgePage.swift"],
      resources: [.embedInCode("nbridge.js")], swiftSettings: settings),
    // The terminal as an instrument: keys, screen, line editor.
    .target(name: "NBridgeTerminal", dependencies: ["NBridge", "CGLib"], swiftSettings: settings),
    .target(
      name: "NBridgeCLI",
      dependencies: [
        "NBridge", "NBridgePlugin", "NBridgeTesting", "NBridgeTerminal", "AppPlugin", "PreferencePlugin",
        "PasteboardPlugin",
        "DocumentsPlugin", "PeersPlugin", "LoggerPlugin",
        "AuthPlugin", "NBridgeStore", "CGLib", "CLinux",
      ],
      exclude: ["Process/README.md"], resources: [.embedInCode("Peers/js")],
      swiftSettings: settings),
    .executableTarget(
      name: "nbridge", dependencies: ["NBridgeCLI"], swiftSettings: settings,
      // Relative relocations take 20 KiB instead of 1.1 MiB, all of which each start reads (glibc 2.36 and later).
      linkerSettings: [
        .unsafeFlags(
          ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"],
          .when(configuration: .release))
      ]),
    .target(
      name: "NBridgeTesting", dependencies: ["NBridge", "NBridgePlugin"], resources: [.embedInCode("js")],
      swiftSettings: settings),

    // What several processes of a user share: databases, and the notice of a change.
    .target(
      name: "NBridgeStore", dependencies: ["NBridgePlugin", "CGLib", "CLinux", "CSQLite"],
      exclude: ["README.md"], swiftSettings: settings),

    // Keys and hashes by OpenSSL, which is opened when the first key is made.
    .target(
      name: "NBridgeCrypto", dependencies: ["NBridgePlugin"], exclude: ["README.md"], swiftSettings: settings),
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
      // Plugins that calls of all kinds, and attacks, are tried on; and a program that makes a million of them.
      .target(
        name: "StressPlugins", dependencies: ["NBridgePlugin"], path: "Tests/Stress/plugins",
        swiftSettings: settings),
      .executableTarget(
        name: "nbridge-stress", dependencies: ["NBridge", "NBridgePlugin", "StressPlugins"],
        path: "Tests/Stress/host", swiftSettings: settings),
      // Kills programs in the middle of plugins' operations.
      .executableTarget(
        name: "nbridge-kills", dependencies: ["NBridgePlugin"], path: "Tests/Kills/host",
        swiftSettings: settings),
      .target(
        name: "BothWays", dependencies: ["NBridgeTesting"], path: "Tests/BothWays", swiftSettings: settings),

      // Tests: one folder per module, plugins' own beside them.
      .testTarget(
        name: "JSEngineTests",
        dependencies: ["JSEngine", "CJavaScriptCore", "CGLib", "NBridgeTesting", "NBridge"],
        swiftSettings: settings),
      .testTarget(
        name: "NBridgePluginTests", dependencies: ["NBridgePlugin", "CNBridgePlugin"], swiftSettings: settings
      ),
      .testTarget(
        name: "NBridgeStoreTests", dependencies: ["NBridgeStore", "NBridgePlugin", "CGLib"],
        swiftSettings: settings),
      .testTarget(
        name: "NBridgeCryptoTests", dependencies: ["NBridgeCrypto", "NBridgePlugin"], swiftSettings: settings),
      .testTarget(
        name: "NBridgeTests",
        dependencies: ["NBridge", "NBridgePlugin", "NBridgeTesting", "BothWays", "StressPlugins"],
        swiftSettings: settings),
      .testTarget(
        name: "NBridgeTerminalTests", dependencies: ["NBridgeTerminal"], swiftSettings: settings),
      .testTarget(
        name: "NBridgeCLITests",
        dependencies: ["NBridgeCLI", "NBridgePlugin", "NBridgeTesting", "nbridge", "nbridge-example"],
        exclude: ["Plugins"],
        swiftSettings: settings),
      .testTarget(name: "LayeringTests", swiftSettings: settings),
    ] + plugins.map(\.tests)
}
