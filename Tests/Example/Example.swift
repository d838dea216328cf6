// SPDX-License-Identifier: MIT

import NBridge
import NBridgePlugin

/// A Swift program with a script in it: the script calls the program.
@main
struct Example: Plugin {
  static let manifest = PluginManifest(service: "example", version: "1.0.0", help: "This program.")

  var body: PluginBody {
    Action("greet", "Greets somebody by name.") { (options: Name, call) in "Hello, \(options.name)!" }
      .positional("name")
  }

  static func main() throws {
    let runtime = try Runtime(plugins: [Example()])
    let status = runtime.run(.text("console.log(await nbridge.example.greet('Ada'))", url: "example.js"))
    precondition(status == .success)
  }
}

struct Name: Codable, Sendable { var name: String }
