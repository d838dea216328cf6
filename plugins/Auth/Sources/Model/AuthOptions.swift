// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import NBridgePlugin

/// The factors that a person may authenticate with.
package enum AuthPolicy: String, Codable, Sendable, CaseIterable {
  /// A finger or a face, nothing else.
  case biometrics
  /// A finger or a face, or else the passcode.
  case biometricsOrPasscode
  /// The passcode.
  case passcode

  var takesBiometrics: Bool { self != .passcode }
  var takesPasscode: Bool { self != .biometrics }
}

/// The kind of reader that there is.
package enum BiometryType: String, Codable, Sendable, CaseIterable {
  case fingerprint, face, none
}

/// What a second evaluation does while one is under way.
enum BusyRule: String, Codable, Sendable, CaseIterable {
  /// The second evaluation waits for its turn.
  case wait
  /// The second evaluation is rejected with `invalid_context`.
  case refuse
}

/// The options of `evaluatePolicy`.
struct EvaluateOptions: Codable, Sendable {
  var policy: AuthPolicy
  var reason: String
  var fallbackTitle: String?
  var cancelTitle: String?
  var reuseSeconds: Double?
  var whenBusy: BusyRule?

  /// As long as Apple's `LATouchIDAuthenticationMaximumAllowableReuseDuration`: five minutes.
  static let longestReuse = 300.0
  private static let longestReason = 1000
  private static let longestTitle = 100

  /// - Throws: `invalid_parameter` for a question that could be put to no person.
  func check() throws {
    guard reason.contains(where: { !$0.isWhitespace }) else {
      throw BridgeError(
        .invalidParameter, "option.reason must say what the authentication is for; it is empty")
    }
    guard reason.utf8.count <= Self.longestReason else {
      throw BridgeError(
        .invalidParameter,
        "option.reason must have at most \(Self.longestReason) bytes, not \(reason.utf8.count)")
    }
    for (name, title) in [("fallbackTitle", fallbackTitle), ("cancelTitle", cancelTitle)] {
      guard let title, title.utf8.count > Self.longestTitle else { continue }
      throw BridgeError(
        .invalidParameter,
        "option.\(name) must have at most \(Self.longestTitle) bytes, not \(title.utf8.count)")
    }
    if let reuseSeconds, !(0...Self.longestReuse ~= reuseSeconds) {
      throw BridgeError(
        .invalidParameter, "option.reuseSeconds must be 0 to \(Int(Self.longestReuse)), not \(reuseSeconds)")
    }
  }
}

/// The option of `canEvaluatePolicy`.
struct PolicyOptions: Codable, Sendable {
  var policy: AuthPolicy
}

/// The answer of `evaluatePolicy`.
struct AuthSuccess: Codable, Sendable {
  /// Always true: everything else is an error.
  var success = true
  /// How it was decided: `stub` (by a policy, no person was asked) or `prompt` (by the person at the
  /// terminal); `mock` when a file answered instead (`--mock`), and nothing was decided.
  var method: AuthMethod
  /// When it was decided.
  var time: Date
}

/// How an evaluation was decided.
package enum AuthMethod: String, Codable, Sendable, CaseIterable {
  case stub, prompt, mock
}

/// The answer of `canEvaluatePolicy`.
struct Availability: Codable, Sendable, Equatable {
  var available: Bool
  var biometryType: BiometryType
  /// The code that `evaluatePolicy` would be rejected with.
  var reason: String?
}

/// What a watch of states tells.
struct AuthState: Codable, Sendable, Equatable {
  var biometryType: BiometryType
  /// Whether a finger or a face is enrolled.
  var enrolled: Bool
  /// Whether only a passcode helps, after five failures.
  var locked: Bool
  var passcodeSet: Bool
  /// As `domainState()` tells it.
  var domainState: String?
}
