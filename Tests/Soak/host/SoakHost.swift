// SPDX-License-Identifier: MIT

import AppPlugin
import DocumentsPlugin
import FoundationEssentials
import Glibc
import HttpPlugin
import LoggerPlugin
import NBridge
import NBridgePlugin
import PasteboardPlugin
import PreferencePlugin
import ProcessPlugin

/// Hours of a program's life: `nbridge-soak SCRIPT HOURS [real]`. The clock is virtual and jumps from timer
/// to timer, unless the hours are real. Prints what the process holds after each hour, and fails when it
/// holds more at the end than it did before.
@main
enum SoakHost {
  static func main() throws {
    let words = CommandLine.arguments
    guard 3...4 ~= words.count, let hours = Int(words[2]), hours > 0, words.count == 3 || words[3] == "real"
    else {
      print("usage: nbridge-soak SCRIPT HOURS [real]")
      exit(2)
    }
    let isReal = words.count == 4
    let folder = "/tmp/nbridge-soak-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let options = options(folder, hours: hours, isReal: isReal)
    let looks = LookingPlugin()
    let script = try String(contentsOfFile: words[1], encoding: .utf8)
    let status = try Runtime(options, plugins: plugins() + [looks]).run(.text(script, url: "day.js"))
    guard status == .success else { exit(1) }
    let growth = Growth(looks.all)
    print(growth)
    if !growth.isFlat {
      try? FileManager.default.removeItem(atPath: folder)
      exit(1)
    }
  }

  private static func options(_ folder: String, hours: Int, isReal: Bool) -> RuntimeOptions {
    var options = RuntimeOptions()
    options.container = "\(folder)/container"
    options.shared = SharedFolders(below: "\(folder)/shared")
    if !isReal { options.clock = VirtualClock() }
    options.arguments = ["\(hours)", isReal ? "real" : "virtual"]
    options.permissions = PermissionSet(["*", "process.run:/usr/bin"])
    options.checksLeaks = true
    options.patience = nil
    options.workerPlugins = { plugins() }
    return options
  }

  @Sendable private static func plugins() -> [any Plugin] {
    [
      AppPlugin(), PreferencePlugin(), PasteboardPlugin(), DocumentsPlugin(), LoggerPlugin(), HttpPlugin(),
      ProcessPlugin(lendsInput: false),
    ]
  }
}
