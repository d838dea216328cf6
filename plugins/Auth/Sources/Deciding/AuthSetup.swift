// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
package import NBridgeSystem

/// The rules and the prompter that decide, chosen by the person who starts the program: never by its script,
/// nor by its `app.json`.
package struct AuthSetup: Sendable {
  package var rules: AuthRules
  /// Asks people; nil when there is no person to ask.
  package var prompter: (any AuthPrompter)?
  package var clock: any AuthClock = SystemAuthClock()
  /// Whether a person's decision is on the disk before the script hears of it.
  package var isDurable = true
  /// The file that the rules were read from.
  var file: PolicyPlace?
  /// The name of the policy in messages.
  var name: String

  /// The same outcome for each evaluation.
  package init(always outcome: AuthOutcome, prompter: (any AuthPrompter)? = nil) {
    rules = AuthRules(always: outcome)
    self.prompter = prompter
    name = "--auth \(outcome.rawValue)"
  }

  /// As a file says.
  ///
  /// - Throws: `invalid_parameter` with the file and the line; `not_found`, `io_error`.
  package init(file path: String, prompter: (any AuthPrompter)? = nil) throws {
    let place = try PolicyPlace(path)
    rules = try AuthPolicyFile.parse(place.content, path: path)
    self.prompter = prompter
    file = place
    name = "--auth-policy \(path)"
  }

  /// The names that no script may reach or replace: of the policy's file, and of what leads to it.
  package var sealedNames: [RealPath] { file?.trail.places ?? [] }
}
