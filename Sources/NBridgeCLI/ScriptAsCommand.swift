// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// `nbridge FILE`: a script's name where a command's could stand is `nbridge run FILE`.
enum ScriptAsCommand {
  private static let endings = ["js", "mjs", "cjs", "ts", "mts", "cts", "tsx", "jsx", "html", "htm"]

  /// Whether a word is meant as a script: it has a slash or a script's ending, is `-`, or a file is there.
  static func names(_ word: String) -> Bool {
    if word.hasPrefix("-") { return word == "-" }
    if word.hasSlash { return true }
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 && endings.contains(String(parts[parts.count - 1])) || isFile(word)
  }

  /// Whether a command line begins with options of `run`, or with `--`, instead of a command.
  static func beginsWithOptions(_ arguments: [String]) -> Bool {
    guard let first = arguments.first else { return false }
    return first.hasPrefix("-") && first != "-"
  }

  /// Throws ``UsageError`` when what stands behind `run`'s options is no script but a command.
  ///
  /// - Parameters:
  ///   - arguments: the command line, which begins with an option.
  ///   - parsed: the same, as `run` reads it.
  ///   - isCommand: whether a word is a command's, or the first of one's two.
  static func check(
    _ arguments: [String], _ parsed: ParsedArguments, isCommand: (String) -> Bool
  ) throws(UsageError) {
    guard let word = parsed.operands.first else {
      throw UsageError("there is no script behind '\(arguments[0])': nbridge \(arguments[0]) FILE")
    }
    let place = arguments.count - parsed.operands.count
    guard arguments[place - 1] != "--" else { return }
    if isCommand(word) {
      throw UsageError("options of '\(word)' stand behind it: nbridge \(word) \(arguments[0]) …")
    }
  }

  /// What is said of an option that `run` does not have where other programs run code by it.
  static func hint(for error: UsageError, _ arguments: [String]) -> UsageError {
    let others = ["-e": "eval", "--eval": "eval", "-p": "eval -p", "--print": "eval -p", "-c": "check"]
    guard let other = others[arguments[0]] else { return error }
    let operand = other == "check" ? "FILE" : "CODE"
    return UsageError("unknown option '\(arguments[0])'; did you mean nbridge \(other) \(operand)?")
  }

  private static func isFile(_ path: String) -> Bool {
    Path.exists(path) && !Path.isFolder(path)
  }
}
