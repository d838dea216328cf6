// SPDX-License-Identifier: MIT

/// A call that a plugin makes of another.
package struct InvocationRequest: Sendable {
  /// The service of the plugin that calls.
  package let caller: String
  package let service: String
  package let action: String
  package let option: Value
  package let deadline: ContinuousClock.Instant?

  package init(
    caller: String, service: String, action: String, option: Value, deadline: ContinuousClock.Instant?
  ) {
    self.caller = caller
    self.service = service
    self.action = action
    self.option = option
    self.deadline = deadline
  }
}
