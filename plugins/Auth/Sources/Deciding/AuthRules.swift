// SPDX-License-Identifier: MIT

/// What decides on authentication: the readers and factors there are, and rules for what happens. Read before
/// the script begins; scripts can't change it.
package struct AuthRules: Sendable, Equatable {
  /// What happens to evaluations of some apps, policies and reasons.
  struct Rule: Sendable, Equatable {
    /// Names of apps, reasons: `*` stands for anything. nil for all.
    var app: String?
    var policy: AuthPolicy?
    var reason: String?
    /// The steps, one for each evaluation: at least one.
    var steps: [AuthStep]
    /// Whether the steps begin again when they are over; else the last one stays.
    var repeats = false

    func isFor(app: String, policy: AuthPolicy, reason: String) -> Bool {
      (self.app.map { Wildcard.matches($0, app) } ?? true) && (self.policy ?? policy) == policy
        && (self.reason.map { Wildcard.matches($0, reason) } ?? true)
    }
  }

  var biometry = BiometryType.fingerprint
  /// Names of fingers or faces.
  var enrolled = ["stub"]
  var hasPasscode = true
  /// Whether biometrics are taken to be locked, whatever the count of failures.
  var isLocked = false
  var rules: [Rule] = []

  /// The same outcome for each evaluation: the flag `--auth`.
  package init(always outcome: AuthOutcome) {
    var step = AuthStep(.pass)
    switch outcome {
    case .notEnrolled: enrolled = []
    case .notAvailable: (biometry, enrolled) = (.none, [])
    case .passcodeNotSet: hasPasscode = false
    case .lockout: isLocked = true
    default: step.outcome = outcome
    }
    rules = [Rule(steps: [step])]
  }

  /// Empty rules, for a file to fill.
  init() {}

  /// Whether each decision is left to the person at the terminal.
  var isPrompt: Bool { rules.allSatisfy { $0.steps.allSatisfy { $0.outcome == .prompt } } }
}

/// Patterns in which `*` stands for any text.
enum Wildcard {
  static func matches(_ pattern: String, _ text: String) -> Bool {
    let (pattern, text) = (Array(pattern.utf8), Array(text.utf8))
    var (at, place) = (0, 0)
    /// The last star, and how far the text was when it came.
    var star: (at: Int, place: Int)?
    while place < text.count {
      if at < pattern.count, pattern[at] == UInt8(ascii: "*") {
        star = (at, place)
        at += 1
      } else if at < pattern.count, pattern[at] == text[place] {
        (at, place) = (at + 1, place + 1)
      } else if let last = star {
        // The star takes one more.
        star = (last.at, last.place + 1)
        (at, place) = (last.at + 1, last.place + 1)
      } else {
        return false
      }
    }
    return pattern[at...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
