// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import NBridge
import NBridgePlugin
import StressPlugins

/// Calls of all kinds under random schedules, with plugins linked and loaded in turn:
/// `nbridge-stress SCRIPT SCHEDULES`. Each schedule makes a hundred calls; so many schedules share an engine.
/// Every third engine ends with calls and watches open. What goes wrong is printed with its seed.
@main
enum StressHost {
  static let each = 250

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let schedules = Int(arguments[2]) else {
      print("usage: nbridge-stress SCRIPT SCHEDULES")
      exit(2)
    }
    let script = try String(contentsOfFile: arguments[1], encoding: .utf8)
    let rounds = max(2, schedules / each)
    for seed in 1...2 where try !replays(script, seed, isLoaded: seed == 2) { exit(1) }
    for seed in 1...rounds where try !run(script, seed, isLoaded: seed % 2 == 0) { exit(1) }
    print("\(rounds * each) schedules, \(rounds * each * 100) calls and what they set going: all settled")
  }

  private static func options(_ output: Said) -> RuntimeOptions {
    var options = RuntimeOptions()
    options.output = output
    options.clock = VirtualClock()
    options.checksLeaks = true
    options.container = "/tmp/nbridge-stress-\(getpid())"
    return options
  }

  /// Records one engine's schedules and replays them without the plugins. Answers whether all came in the
  /// same order.
  static func replays(_ script: String, _ seed: Int, isLoaded: Bool) throws -> Bool {
    let path = "/tmp/nbridge-stress-\(getpid()).recording"
    defer { unlink(path) }
    guard try run(script, seed, isLoaded: isLoaded, recording: path) else { return false }
    let output = Said()
    var options = options(output)
    options.replay = try Recording(path: path)
    let status = try Runtime(options, plugins: []).run(.text(script, url: "stress.js"))
    let isSame = status == .success && output.text.hasPrefix("all settled true\nnbridge: replayed")
    print(
      isSame
        ? """
        replay: \(output.text.split(separator: "\n").last ?? "")
        """ : "replay of seed \(seed): \(output.text)")
    return isSame
  }

  /// One engine's schedules. Answers whether all went well.
  static func run(_ script: String, _ seed: Int, isLoaded: Bool, recording: String? = nil) throws -> Bool {
    let output = Said()
    var options = options(output)
    options.recording = recording
    let isLeftOpen = seed % 3 == 0
    options.checksLeaks = !isLeftOpen
    options.arguments = ["\(seed)", "\(each)", "100", isLeftOpen ? "20" : "0"]
    let restarter = RestartingPlugin()
    var linked: [any Plugin] = [AttackedPlugin(), ProbePlugin()]
    if isLoaded {
      let plugins = linked
      options.libraries = try plugins.map { plugin in try PluginLibrary(exporting: { plugin }) }
      linked = []
    }
    let runtime = try Runtime(options, plugins: linked + [restarter])
    restarter.runtime = runtime
    let status = try runtime.run(.text(script, url: "stress.js"))
    if status == .success, output.text == "all settled true\n" { return true }
    print("seed \(seed), \(isLoaded ? "loaded" : "linked"): status \(status.code)\n\(output.text)")
    return false
  }
}

/// Restarts the others in the middle of their calls. Used on the engine's thread only.
final class RestartingPlugin: Plugin, @unchecked Sendable {
  static let manifest = PluginManifest(service: "plugins", version: "1.0.0", help: "Restarts plugins.")
  weak var runtime: Runtime?

  struct Which: Codable { var service: String }

  var body: PluginBody {
    Immediate("restart", "Stops a plugin and starts it anew.") {
      [unowned self]
      (
        options: Which, call
      ) throws in
      try runtime?.restart(options.service) == true
    }
  }
}

/// Keeps what a run says. Used on one thread.
final class Said: ScriptOutput, @unchecked Sendable {
  // Sendable because plugins that write from elsewhere are none of these.
  private(set) var text = ""
  func write(_ text: String) { self.text += text }
  func writeError(_ text: String) { self.text += text }
  func flush() {}
  var colours: Bool { false }
  var errorColours: Bool { false }
}
