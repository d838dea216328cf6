// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import NBridge
import NBridgePlugin
import StressPlugins

/// Calls of all kinds under random schedules, with plugins linked and loaded in turn: `nbridge-stress SCRIPT SCHEDULES`.
/// Each schedule makes a hundred calls; so many schedules share an engine. What goes wrong is printed with its seed.
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
    for seed in 1...rounds where try !run(script, seed, isLoaded: seed % 2 == 0) { exit(1) }
    print("\(rounds * each) schedules, \(rounds * each * 100) calls and what they set going: all settled")
  }

  /// One engine's schedules. Answers whether all went well.
  static func run(_ script: String, _ seed: Int, isLoaded: Bool) throws -> Bool {
    let output = Said()
    var options = RuntimeOptions()
    options.output = output
    options.clock = VirtualClock()
    options.checksLeaks = true
    options.container = "/tmp/nbridge-stress-\(getpid())"
    options.arguments = ["\(seed)", "\(each)", "100"]
    var linked: [any Plugin] = [AttackedPlugin(), ProbePlugin()]
    if isLoaded {
      let plugins = linked
      options.libraries = try plugins.map { plugin in try PluginLibrary(exporting: { plugin }) }
      linked = []
    }
    let status = try Runtime(options, plugins: linked).run(.text(script, url: "stress.js"))
    if status == .success, output.text == "all settled true\n" { return true }
    print("seed \(seed), \(isLoaded ? "loaded" : "linked"): status \(status.code)\n\(output.text)")
    return false
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
