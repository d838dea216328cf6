// swift-tools-version: 6.2

import PackageDescription

// `nbridge plugin build` says where its SDK is; an editor that does not finds the repository.
let sdk = Context.environment["NBRIDGE_SDK"] ?? "../../.."

let package = Package(
  name: "Serial",
  products: [
    .library(name: "Serial", type: .dynamic, targets: ["SerialLibrary"])
  ],
  dependencies: [.package(name: "nbridge", path: sdk)],
  targets: [
    .target(
      name: "SerialPlugin", dependencies: [.product(name: "NBridgePlugin", package: "nbridge")]),
    .target(name: "SerialLibrary", dependencies: ["SerialPlugin"]),
    .testTarget(
      name: "SerialPluginTests",
      dependencies: ["SerialPlugin", .product(name: "NBridgeTesting", package: "nbridge")]),
  ]
)
