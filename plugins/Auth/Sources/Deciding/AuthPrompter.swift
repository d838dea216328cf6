// SPDX-License-Identifier: MIT

/// What somebody is asked.
package struct AuthQuestion: Sendable {
  /// What the app calls itself.
  package var app: String
  /// Its name on this machine.
  package var id: String
  package var policy: AuthPolicy
  package var reason: String
  package var biometry: BiometryType
  /// What the person may authenticate with now: the passcode only, when biometrics are locked.
  package var factors: [AuthFactor]
  package var fallbackTitle: String?
  package var cancelTitle: String?
}

/// What was answered.
package struct AuthAnswer: Sendable {
  package var outcome: AuthOutcome
  package var factor: AuthFactor?

  package init(_ outcome: AuthOutcome, _ factor: AuthFactor? = nil) {
    (self.outcome, self.factor) = (outcome, factor)
  }
}

/// Asks whoever sits in front. Any thread.
package protocol AuthPrompter: Sendable {
  /// Whether anybody can be asked.
  var canAsk: Bool { get }
  /// Asks, and answers when the person does. Returns soon when its task is cancelled; what it answers then
  /// counts for nothing.
  func ask(_ question: AuthQuestion) async -> AuthAnswer
}
