// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost

/// One of `nbridge`'s commands.
protocol Command: Sendable {
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: String { get }
  /// What stands after the name, as `FILE [args…]`.
  static var operands: String { get }
  static var options: [OptionSpec] { get }
  /// Command lines that work, with what they do.
  static var examples: [(line: String, does: String)] { get }
  /// What else to know, between options and examples; empty for nothing.
  static var notes: String { get }
  /// Behind how many operands all that follows is the script's own; nil when options may stand anywhere.
  static var optionsEndBehind: Int? { get }
  /// How many operands there may be; nil when the command itself looks at them all.
  static var mostOperands: Int? { get }

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus
}

extension Command {
  static var optionsEndBehind: Int? { nil }
  static var notes: String { "" }
  /// As many as ``operands`` names; `…` stands for any number.
  static var mostOperands: Int? {
    operands.contains("…") ? nil : operands.split(separator: " ").count
  }

  /// The help text of the command.
  static var help: String {
    var text = "Usage: nbridge \(name) [options] \(operands)\n\n\(summary)\n\nOptions:\n"
    text += HelpTable.rows(
      (options.filter { !$0.isInternal } + [OptionSpec("help", short: "h", "Shows this help.")])
        .map { option in
          let short = option.short.map { "-\($0), " } ?? "    "
          return (short + option.shown, option.help)
        })
    if !notes.isEmpty { text += "\n\(notes)\n" }
    text += "\nExamples:\n"
    for example in examples { text += "  \(example.line)\n      \(example.does)\n" }
    return text
  }
}

/// Two columns.
enum HelpTable {
  static func rows(_ rows: [(String, String)]) -> String {
    let width = min(30, rows.map(\.0.count).max() ?? 0)
    return rows.map { left, right in
      let gap =
        left.count > width
        ? "\n" + String(repeating: " ", count: width + 4)
        : String(repeating: " ", count: width - left.count + 2)
      return "  \(left)\(gap)\(right)\n"
    }.joined()
  }
}
