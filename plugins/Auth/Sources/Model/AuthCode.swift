// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Why an evaluation failed: the names of Apple's `LAError` as codes.
enum AuthCode: String, Codable, Sendable, CaseIterable {
  case authenticationFailed = "authentication_failed"
  case userCancel = "user_cancel"
  case userFallback = "user_fallback"
  case systemCancel = "system_cancel"
  case appCancel = "app_cancel"
  case passcodeNotSet = "passcode_not_set"
  case biometryNotAvailable = "biometry_not_available"
  case biometryNotEnrolled = "biometry_not_enrolled"
  case biometryLockout = "biometry_lockout"
  case notInteractive = "not_interactive"
  case invalidContext = "invalid_context"
  case timeout

  /// After so many failures of biometrics in a row they are locked.
  static let maxFailures = 5

  static let errors = allCases.map { BridgeError.Code($0.rawValue) }

  /// The code that the ancestor of 2022 would have answered.
  private var legacyCode: BridgeError.Code? {
    switch self {
    case .biometryNotAvailable, .biometryNotEnrolled: .noBiometrics
    case .userCancel: .userCancel
    default: nil
    }
  }

  private var message: String {
    switch self {
    case .authenticationFailed: "the authentication failed"
    case .userCancel: "the person cancelled the authentication"
    case .userFallback:
      "the person chose the fallback, which the policy 'biometrics' has not: offer your own way in"
    case .systemCancel: "the system cancelled the authentication: the program was stopped, or ends"
    case .appCancel: "the program itself cancelled the authentication"
    case .passcodeNotSet: "no passcode is set"
    case .biometryNotAvailable: "there is no reader for fingers or faces"
    case .biometryNotEnrolled: "no finger and no face is enrolled"
    case .biometryLockout:
      """
      biometrics are locked after \(Self.maxFailures) failures, until a passcode is given: \
      use the policy 'biometricsOrPasscode' or 'passcode', or run 'nbridge auth unlock'
      """
    case .notInteractive:
      "nobody can be asked: there is no terminal; give --auth or --auth-policy to decide without one"
    case .invalidContext: "this app has an authentication under way already, and whenBusy is 'refuse'"
    case .timeout: "nobody authenticated in time"
    }
  }

  /// - Parameter message: what to say instead of the usual.
  func error(_ message: String? = nil) -> BridgeError {
    BridgeError(
      BridgeError.Code(rawValue), message ?? self.message,
      details: legacyCode.flatMap { try? Value(encoding: ["legacyCode": $0.rawValue]) })
  }
}
