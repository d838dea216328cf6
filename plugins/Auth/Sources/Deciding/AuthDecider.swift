// SPDX-License-Identifier: MIT

internal import Synchronization

/// Which step of the rules is next. A sequence's place is this process's own.
final class AuthDecider: Sendable {
  private struct State {
    /// How many steps of each rule have been taken.
    var taken: [Int]
    var enrolled: [String]
  }

  let rules: AuthRules
  private let state: Mutex<State>

  init(_ rules: AuthRules) {
    self.rules = rules
    state = Mutex(State(taken: rules.rules.map { _ in 0 }, enrolled: rules.enrolled))
  }

  /// The biometrics that are enrolled now.
  var enrolled: [String] { state.withLock(\.enrolled) }

  /// The step for an evaluation; nil when no rule is for it.
  func next(app: String, policy: AuthPolicy, reason: String) -> AuthStep? {
    guard
      let index = rules.rules.firstIndex(where: { $0.isFor(app: app, policy: policy, reason: reason) })
    else { return nil }
    let rule = rules.rules[index]
    return state.withLock { state in
      let count = state.taken[index]
      state.taken[index] += 1
      let step = rule.steps[rule.repeats ? count % rule.steps.count : min(count, rule.steps.count - 1)]
      if let enrolled = step.enrolled { state.enrolled = enrolled }
      return step
    }
  }
}
