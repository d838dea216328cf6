// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

let package = Package(
  name: "Bench",
  products: [.library(name: "Bench", type: .dynamic, targets: ["BenchLibrary"])],
  dependencies: [.package(name: "nbridge", path: Context.environment["NBRIDGE_SDK"] ?? "../../..")],
  targets: [
    .target(name: "BenchPlugin", dependencies: [.product(name: "NBridgePlugin", package: "nbridge")]),
    .target(name: "BenchLibrary", dependencies: ["BenchPlugin"]),
  ]
)
