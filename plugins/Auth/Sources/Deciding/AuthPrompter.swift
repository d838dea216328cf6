// SPDX-License-Identifier: MIT

/// A question to the person at the terminal.
package struct AuthQuestion: Sendable {
  /// The name that the app gives itself.
  package var app: String
  /// Its name on this machine.
  package var id: String
  package var policy: AuthPolicy
  package var reason: String
  package var biometry: BiometryType
  /// The factors that the person may authenticate with now: the passcode only, when biometrics are locked.
  package var factors: [AuthFactor]
  package var fallbackTitle: String?
  package var cancelTitle: String?
}

/// The person's answer.
package struct AuthAnswer: Sendable {
  package var outcome: AuthOutcome
  package var factor: AuthFactor?

  package init(_ outcome: AuthOutcome, _ factor: AuthFactor? = nil) {
    (self.outcome, self.factor) = (outcome, factor)
  }
}

/// Asks the person in front of the program. Any thread.
package protocol AuthPrompter: Sendable {
  /// Whether there is a person who can be asked.
  var canAsk: Bool { get }
  /// Asks, and answers when the person does. Returns soon when its task is cancelled; what it answers then
  /// counts for nothing.
  func ask(_ question: AuthQuestion) async -> AuthAnswer
}
