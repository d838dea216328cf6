// SPDX-License-Identifier: MIT

internal import AppPlugin
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin

/// `nbridge open`: hands a URL to the app that handles it.
enum OpenCommand: Command {
  static let name = "open"
  static let mostOperands: Int? = nil
  static let summary = "Hands a URL to the app that handles its scheme, and starts it if it does not run."
  static let operands = "URL"
  static let options = [
    OptionSpec("annotation", value: "JSON", "Goes with the URL; what is secret goes by a pasteboard."),
    OptionSpec("timeout", value: "SECONDS", "How long the app has to start and to answer; by default 30."),
  ]
  static let examples: [(line: String, does: String)] = [
    (
      "nbridge open 'notes://new?title=milk'",
      "opens a new note in the app that declares \"notes\" in its app.json"
    ),
    ("nbridge open notes:sync --annotation '{\"full\": true}'", "gives it a value as well"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    guard arguments.operands.count == 1, let url = arguments.operands.first else {
      throw UsageError("open needs one URL: nbridge open 'notes://new'")
    }
    let seconds = try arguments.number("timeout") ?? Double(URLDelivery.patience) / 1000
    let delivery = URLDelivery(try SharedPlaces.ofUser(), from: "nbridge", named: "nbridge open")
    let outcome = try delivery.open(
      url, annotation: try arguments.last("annotation").map(annotation),
      milliseconds: Int(min(seconds * 1000, 1e9)))
    guard let outcome else {
      // The URL itself stays out of what is printed: there may be a secret in it.
      throw HandOverProblem(
        "no app handles '\(url.prefix { $0 != ":" }):'; 'nbridge app list' shows which schemes apps handle")
    }
    let output = StandardOutput()
    defer { output.flush() }
    guard outcome.handled else {
      output.writeError("nbridge: '\(outcome.app ?? "")' did not handle it\n")
      return .failure
    }
    return .success
  }

  private static func annotation(_ text: String) throws -> Value {
    let value = Value(text: Array(text.utf8))
    if let problem = value.syntaxProblem { throw UsageError("--annotation must be JSON: \(problem)") }
    return value
  }
}

/// Why a URL could not be handed over, in words for the person at the terminal.
struct HandOverProblem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// The folders that the user's apps share.
enum SharedPlaces {
  static func ofUser() throws -> SharedFolders {
    guard let folders = SharedFolders.ofUser() else {
      throw HandOverProblem(SharedFolders.missing("what apps share"))
    }
    return folders
  }
}
