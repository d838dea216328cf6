// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// The one error that crosses the bridge: a class `BridgeError extends Error` in JavaScript, this struct
/// here.
///
/// Throw it from an action to choose the code that the script sees. Any other error that an action throws
/// arrives as ``Code/unknownError`` with that error's description.
public struct BridgeError: Error, Sendable {
  /// What kind of failure it is; scripts `switch` on it.
  public var code: Code
  /// What failed, with which value, why, and what to do about it. Never a value the script handed over,
  /// unless it is a name or a path, or a number that a declared range refuses.
  public var message: String
  /// Facts for programs, as the action's documentation lists them. Bytes in it do not cross: an error is
  /// text.
  public var details: Value?
  /// The error underneath, as text.
  public var cause: String?

  /// Makes an error.
  public init(_ code: Code, _ message: String, details: Value? = nil, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.details = details
    self.cause = cause.map { String(describing: $0) }
  }

  /// Wraps whatever an action threw.
  package init(wrapping error: any Error) {
    if let bridge = error as? BridgeError {
      self = bridge
    } else if error is CancellationError {
      self.init(.cancelled, "the call was cancelled")
    } else if let system = error as? SystemError {
      self.init(system)
    } else if let missing = error as? MissingLibrary {
      self.init(missing)
    } else if let full = error as? TooManyFiles {
      self.init(full)
    } else {
      self.init(.unknownError, "the plugin failed: \(error)", cause: error)
    }
  }
}

extension BridgeError {
  /// An error code: lower case, words joined by `_`. Extensible: a plugin may define its own.
  public struct Code: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text that JavaScript sees.
    public let rawValue: String
    /// Makes a code of its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Makes a code of a literal.
    public init(stringLiteral value: String) { rawValue = value }
    /// The text that JavaScript sees.
    public var description: String { rawValue }
  }
}

extension BridgeError.Code {
  /// No plugin has that service name. (2022)
  public static let invalidService: Self = "invalid_service"
  /// The plugin has no such action. (2022)
  public static let invalidActionName: Self = "invalid_action_name"
  /// The option is missing, of the wrong type or can't cross; the message names the path. (2022)
  public static let invalidParameter: Self = "invalid_parameter"
  /// `app.json` does not allow it, or the system refused. (2022)
  public static let permissionDenied: Self = "permission_denied"
  /// The user said no. (2022)
  public static let userCancel: Self = "user_cancel"
  /// What would do it is not installed. (2022)
  public static let notInstalled: Self = "not_installed"
  /// There is no biometric reader, or no person is enrolled. (2022)
  public static let noBiometrics: Self = "no_biometrics"
  /// Anything that has no code of its own. (2022)
  public static let unknownError: Self = "unknown_error"
  /// What was asked for does not exist.
  public static let notFound: Self = "not_found"
  /// Another writer changed it meanwhile.
  public static let conflict: Self = "conflict"
  /// The deadline passed.
  public static let timeout: Self = "timeout"
  /// The call was cancelled by its signal, or the runtime ended.
  public static let cancelled: Self = "cancelled"
  /// It can't be done on this machine, or not now.
  public static let unavailable: Self = "unavailable"
  /// The object was closed: by `close()`, or with its session.
  public static let closed: Self = "closed"
  /// A function or stream that the script handed over threw.
  public static let scriptFailed: Self = "script_failed"
  /// The process that ran the plugin is gone; the details say how it ended.
  public static let pluginCrashed: Self = "plugin_crashed"
  /// Larger than the stated limit.
  public static let tooLarge: Self = "too_large"
  /// The system refused to read or write.
  public static let ioError: Self = "io_error"
}

extension BridgeError: CustomStringConvertible {
  /// `code: message`.
  public var description: String { "\(code): \(message)" }
}
