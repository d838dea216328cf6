// swift-tools-version: 6.2

import PackageDescription

// `nbridge plugin build` says where its SDK is; an editor that does not finds the repository.
let sdk = Context.environment["NBRIDGE_SDK"] ?? "../../.."

let package = Package(
  name: "Image",
  products: [
    .library(name: "Image", type: .dynamic, targets: ["ImageLibrary"])
  ],
  dependencies: [.package(name: "nbridge", path: sdk)],
  targets: [
    .target(
      name: "ImagePlugin", dependencies: [.product(name: "NBridgePlugin", package: "nbridge")]),
    .target(name: "ImageLibrary", dependencies: ["ImagePlugin"]),
    .testTarget(
      name: "ImagePluginTests",
      dependencies: ["ImagePlugin", .product(name: "NBridgeTesting", package: "nbridge")]),
  ]
)
