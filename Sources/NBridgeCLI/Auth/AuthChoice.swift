// SPDX-License-Identifier: MIT

internal import AuthPlugin
internal import NBridge
internal import NBridgePlugin

/// What decides on authentication, by the command line. Without a flag the person at the terminal does;
/// without a terminal there is no person to ask.
enum AuthChoice {
  /// What `--auth` takes: those of the outcomes that make sense every time.
  private static let outcomes: [AuthOutcome] = [
    .pass, .fail, .cancel, .fallback, .lockout, .notEnrolled, .notAvailable, .timeout, .prompt,
  ]
  private static var names: String {
    // Every start reads it: `joined` would look for conformances.
    var names = ""
    for outcome in outcomes { names += (names.isEmpty ? "" : ", ") + outcome.rawValue }
    return names
  }

  static let outcome = OptionSpec(
    "auth", value: "OUTCOME", "What comes of authentication: \(names). By default the terminal asks.")
  static let policy = OptionSpec(
    "auth-policy", value: "FILE", "Decides on authentication by the rules of a file.")

  /// Reads the flags; a policy's file is out of reach for the script from then on.
  static func read(
    _ arguments: ParsedArguments, _ options: inout RuntimeOptions, prompter: any AuthPrompter
  ) throws -> AuthSetup {
    let setup = try read(arguments, prompter)
    options.sealedNames += setup.sealedNames
    return setup
  }

  private static func read(_ arguments: ParsedArguments, _ prompter: any AuthPrompter) throws -> AuthSetup {
    switch (arguments.last("auth"), arguments.last("auth-policy")) {
    case (nil, nil): return AuthSetup(always: .prompt, prompter: prompter)
    case (_?, _?): throw UsageError("--auth and --auth-policy can't both decide; give one")
    case (nil, let file?): return try AuthSetup(file: file, prompter: prompter)
    case (let name?, nil):
      if name == "system" {
        throw UsageError(
          "--auth system is kept for real readers, which this version has not; use one of \(names)")
      }
      guard let outcome = outcomes.first(where: { $0.rawValue == name }) else {
        throw UsageError("--auth must be one of \(names), not '\(name)'")
      }
      return AuthSetup(always: outcome, prompter: prompter)
    }
  }
}
