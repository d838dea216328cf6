// SPDX-License-Identifier: MIT

/// How a run ended, as a process status.
public struct ExitStatus: Sendable, Hashable {
  /// 0 for success.
  public let code: Int32
  /// Makes a status.
  public init(_ code: Int32) { self.code = code }
  /// All went well.
  public static let success = ExitStatus(0)
  /// An uncaught error, an unhandled rejection, a syntax error, a missing file.
  public static let failure = ExitStatus(1)
  /// The command line was wrong.
  public static let usage = ExitStatus(2)
  /// A top-level `await` that can never settle.
  public static let neverSettles = ExitStatus(13)
  /// The time limit.
  public static let timedOut = ExitStatus(124)
  /// ^C.
  public static let interrupted = ExitStatus(130)
  /// Nobody reads its output any more: 128 and the number of SIGPIPE, as of a program that the signal ends.
  public static let readerGone = ExitStatus(141)
}
