// SPDX-License-Identifier: MIT

/// How a stub lets an evaluation end.
package enum AuthOutcome: String, Sendable, CaseIterable {
  case pass, fail, cancel, fallback, lockout
  case notEnrolled = "not-enrolled"
  case notAvailable = "not-available"
  case passcodeNotSet = "passcode-not-set"
  case systemCancel = "system-cancel"
  case appCancel = "app-cancel"
  case notInteractive = "not-interactive"
  case invalidContext = "invalid-context"
  case timeout
  /// The evaluation stays open until a caller cancels it.
  case hang
  /// The person at the terminal is asked.
  case prompt
}

/// One step of a sequence.
struct AuthStep: Sendable, Equatable {
  var outcome: AuthOutcome
  /// With which factor; nil for the one that the policy begins with.
  var factor: AuthFactor?
  /// Milliseconds until it is so.
  var delay = 0
  /// Milliseconds until the person cancels, if it is not decided by then; nil for never.
  var cancelAfter: Int?
  /// The biometrics enrolled from this step on; nil for no change.
  var enrolled: [String]?

  init(_ outcome: AuthOutcome) { self.outcome = outcome }
}
