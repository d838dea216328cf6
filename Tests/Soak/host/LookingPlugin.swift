// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import NBridgePlugin

/// What a process holds.
struct Look: Codable, Sendable {
  /// Resident memory, in KiB.
  var memory: Int
  var descriptors: Int
  var threads: Int
}

/// Looks at the process when the script says so. Used on the engine's thread only.
final class LookingPlugin: Plugin, @unchecked Sendable {
  static let manifest = PluginManifest(service: "soak", version: "1.0.0", help: "Looks at the process.")

  private(set) var all: [Look] = []

  var body: PluginBody {
    Immediate("look", "What the process holds now.") { [unowned self] (call) throws in
      let look = Look(
        memory: try Self.memory(), descriptors: try Self.count("/proc/self/fd"),
        threads: try Self.count("/proc/self/task"))
      all.append(look)
      return look
    }
  }

  private static func count(_ folder: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: folder).count
  }

  /// The second number of statm(5): resident pages.
  private static func memory() throws -> Int {
    let words = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * Int(getpagesize()) / 1024
  }
}
