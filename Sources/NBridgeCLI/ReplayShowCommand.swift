// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgeRecording

/// `nbridge replay show`: prints what a recording holds.
enum ReplayShowCommand: Command {
  static let name = "replay show"
  static let summary = "Prints a recording: each call with its answer, what came by itself, in order."
  static let operands = "FILE"
  static let mostOperands: Int? = nil

  static let options = [OptionSpec("full", "Shows values in full, not their first 200 characters.")]

  static let examples: [(line: String, does: String)] = [
    ("nbridge replay show run.rec", "prints what was recorded"),
    ("nbridge run --replay run.rec sample.js", "runs a script against it, without the plugins"),
  ]

  static let notes = """
    Marks as [redacted 1] stand for secrets: texts in members named like password, token, secret,
    authorization or one of "redact.keys" in app.json's settings of the logger. Look through a recording
    before it goes to others: what else the script was given is in it, random bytes too.
    """

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    guard arguments.operands.count == 1 else {
      throw UsageError("replay show needs one recording: nbridge replay show FILE")
    }
    let output = StandardOutput()
    defer { output.flush() }
    try Recording(path: arguments.operands[0]).show(limit: arguments.has("full") ? nil : 200) {
      output.write($0 + "\n")
    }
    return .success
  }
}
