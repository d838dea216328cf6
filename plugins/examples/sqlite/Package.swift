// swift-tools-version: 6.2

import PackageDescription

// `nbridge plugin build` says where its SDK is; an editor that does not finds the repository.
let sdk = Context.environment["NBRIDGE_SDK"] ?? "../../.."

let package = Package(
  name: "Sqlite",
  products: [
    .library(name: "Sqlite", type: .dynamic, targets: ["SqliteLibrary"])
  ],
  dependencies: [.package(name: "nbridge", path: sdk)],
  targets: [
    // The system's library, found by pkg-config.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(
      name: "SqlitePlugin",
      dependencies: ["CSQLite", .product(name: "NBridgePlugin", package: "nbridge")]),
    .target(name: "SqliteLibrary", dependencies: ["SqlitePlugin"]),
    .testTarget(
      name: "SqlitePluginTests",
      dependencies: ["SqlitePlugin", .product(name: "NBridgeTesting", package: "nbridge")]),
  ]
)
