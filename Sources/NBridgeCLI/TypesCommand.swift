// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgePlugin

/// `nbridge types`: prints what tools and editors want to know of the plugins.
enum TypesCommand: Command {
  static let name = "types"
  static let summary = "Prints the TypeScript declarations of the bridge and its plugins."
  static let operands = "[SERVICE…]"
  static let options = [
    OptionSpec("facades", "Prints the plugins' JavaScript for a page instead: facades.js."),
    OptionSpec("table", "Prints a Markdown table of the actions instead."),
  ]
  static let examples: [(line: String, does: String)] = [
    ("nbridge types > nbridge.d.ts", "for an editor that checks scripts"),
    ("nbridge types --table preference", "the actions of one plugin"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    var plugins = BuiltInPlugins.all
    if !arguments.operands.isEmpty { plugins = try arguments.operands.map { try find($0, among: plugins) } }
    let output = StandardOutput()
    if arguments.has("facades") {
      output.write(try PluginDescription.facades(plugins))
    } else if arguments.has("table") {
      output.write(try plugins.map { try PluginDescription.table($0) }.joined(separator: "\n"))
    } else {
      output.write(try PluginDescription.typeScript(plugins))
    }
    output.flush()
    return .success
  }

  private static func find(_ service: String, among plugins: [any Plugin]) throws -> any Plugin {
    if let found = plugins.first(where: { type(of: $0).manifest.service == service }) { return found }
    let near = NearestName.of(service, among: BuiltInPlugins.services)
    throw UsageError("there is no plugin '\(service)'" + (near.map { "; did you mean '\($0)'?" } ?? ""))
  }
}
