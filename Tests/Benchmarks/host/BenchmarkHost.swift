// SPDX-License-Identifier: MIT

import BenchPlugin
import Foundation
import NBridge
import NBridgePlugin

/// Runs the benchmark's scripts against a plugin with one action of each kind: linked in, or with
/// `--library FILE` loaded, with `--isolated FILE` in a process of its own; with `--record FILE` recorded.
/// With `--sessions COUNT` clients that come from outside make the calls.
@main
enum BenchmarkHost {
  static func main() throws {
    var files = Array(CommandLine.arguments.dropFirst())
    if files.count == 2, files[0] == "--sessions", let count = Int(files[1]) {
      exit(try SessionScale.run(count))
    }
    var options = RuntimeOptions()
    if files.first == "--library" {
      options.libraries = [try PluginLibrary(path: files[1])]
      files.removeFirst(2)
    }
    if files.first == "--isolated" {
      options.libraries = [try PluginLibrary(isolated: files[1])]
      files.removeFirst(2)
    }
    if files.first == "--record" {
      options.recording = files[1]
      files.removeFirst(2)
    }
    let text = try files.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined(separator: "\n")
    Allocator.keepLargeBlocks()  // as `nbridge run` does
    let runtime = try Runtime(options, plugins: options.libraries.isEmpty ? [BenchPlugin()] : [])
    exit(runtime.run(.text(text, url: files.last ?? "bench.js")).code)
  }
}
