// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// The tests' harness as `make install` has built it: with it a plugin's first test need not build the
/// runtime that the harness runs.
///
/// The installation keeps in `testing` of the SDK: `libNBridgeTesting.a`, all that the harness needs but what
/// a plugin's own build makes of the SDK; `Modules`, what the compiler reads of it; `compile.flags` and
/// `link.flags`, an argument on each line; `compiler`, the words of the compiler that made it.
struct BuiltTesting {
  /// What tells the SDK's manifest that the harness is given.
  static let variable = "NBRIDGE_TESTING"

  /// What `swift test` gets to find it.
  let arguments: [String]

  /// Nil where it was not built, or by another compiler: one reads no modules of another.
  ///
  /// - Parameter scratch: a folder for what the compiler says.
  init?(sdk: String, scratch: String) {
    let folder = sdk + "/testing"
    guard let compile = Self.lines(folder + "/compile.flags"), let link = Self.lines(folder + "/link.flags"),
      Path.exists(folder + "/libNBridgeTesting.a"),
      let made = Self.lines(folder + "/compiler"), !made.isEmpty, made == Self.compiler(scratch)
    else { return nil }
    let maps = Path.names(in: sdk + "/Sources").filter { $0.hasPrefix("CNBridge") }.compactMap { name in
      ["", "/include"].map { "\(sdk)/Sources/\(name)\($0)/module.modulemap" }.first(where: Path.exists)
    }
    let compiler =
      ["-I", folder + "/Modules"] + maps.flatMap { ["-Xcc", "-fmodule-map-file=" + $0] } + compile
    arguments =
      compiler.flatMap { ["-Xswiftc", $0] }
      + ([folder + "/libNBridgeTesting.a"] + link).flatMap { ["-Xlinker", $0] }
  }

  /// What `swift --version` says.
  private static func compiler(_ scratch: String) -> [String]? {
    let file = scratch + "/nbridge-compiler"
    guard (try? Path.makeFolders(scratch)) != nil,
      let child = try? ChildProcess.start("swift", ["--version"], streams: [1: .file(file), 2: .nothing]),
      child.wait() == 0
    else { return nil }
    return lines(file)
  }

  private static func lines(_ file: String) -> [String]? {
    guard let bytes = try? SmallFile.read(file) else { return nil }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
