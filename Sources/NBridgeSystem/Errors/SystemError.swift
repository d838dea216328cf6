// SPDX-License-Identifier: MIT

internal import Glibc

/// A call of the system's that failed: what could not be done, to what, and the number that says why
/// (errno(3)).
///
/// Its text is for people, as it stands: `can't open '/etc/shadow': Permission denied`.
public struct SystemError: Error, Hashable, Sendable {
  /// What could not be done: `open`, `make the folder`.
  public let verb: String
  /// What it was to be done to, mostly a path; nil where there is nothing to name.
  public let subject: String?
  /// The number, as `ENOENT`.
  public let code: Int32

  /// An error whose number is known.
  public init(_ verb: String, _ subject: String? = nil, code: Int32) {
    (self.verb, self.subject, self.code) = (verb, subject, code)
  }

  /// What the call that this thread made last failed with. To be asked for at once: the next call changes it.
  public static func last(_ verb: String, _ subject: String? = nil) -> SystemError {
    SystemError(verb, subject, code: errno)
  }

  /// The system's words for why: `Permission denied`.
  public var reason: String { Self.reason(of: code) }

  /// The system's words for a number.
  public static func reason(of code: Int32) -> String { String(cString: strerror(code)) }

  /// The system's words for what the call that this thread made last failed with, for messages with words
  /// of their own.
  public static var lastReason: String { reason(of: errno) }
}

extension SystemError: CustomStringConvertible {
  /// `can't open '/etc/shadow': Permission denied`.
  public var description: String {
    subject.map { "can't \(verb) '\($0)': \(reason)" } ?? "can't \(verb): \(reason)"
  }
}
