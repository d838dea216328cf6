// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeTerminal

/// `nbridge types`: prints what tools and editors want to know of the plugins.
enum TypesCommand: Command {
  static let name = "types"
  static let summary = "Prints the TypeScript declarations of the bridge and its plugins."
  static let operands = "[SERVICE…]"
  static let options = [
    OptionSpec("facades", "Prints the plugins' JavaScript for a page instead: facades.js."),
    OptionSpec("plugin", value: "PATH", "Counts in a plugin's folder or library; may be given again."),
    OptionSpec("table", "Prints a Markdown table of the actions instead."),
  ]
  static let examples: [(line: String, does: String)] = [
    ("nbridge types > nbridge.d.ts", "for an editor that checks scripts"),
    ("nbridge types --table preference", "the actions of one plugin"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let contracts =
      arguments.operands.isEmpty
      ? try PluginContracts.all(arguments.all("plugin"))
      : try arguments.operands.map { try PluginContracts.find($0, arguments.all("plugin")) }
    let output = StandardOutput()
    // What their authors wrote stays text on the user's terminal. Their JavaScript in a file is as it is.
    if arguments.has("facades") {
      let facades = try PluginContract.facades(contracts)
      output.write(isatty(STDOUT_FILENO) == 0 ? facades : TextWidth.visible(facades))
    } else if arguments.has("table") {
      output.write(TextWidth.visible(try contracts.map { try $0.table() }.joined(separator: "\n")))
    } else {
      let types =
        arguments.operands.isEmpty ? try declarations(contracts) : try PluginContract.typeScript(contracts)
      output.write(TextWidth.visible(types))
    }
    output.flush()
    return .success
  }

  /// What an editor wants to know of plugins, and of what files of tests are given.
  static func declarations(_ contracts: [PluginContract]) throws -> String {
    try PluginContract.typeScript(contracts) + "\n" + TestTypes.declarations
  }
}
