// SPDX-License-Identifier: MIT

/// How much a record matters, the least first.
public enum LogLevel: String, Codable, CaseIterable, Sendable, Comparable {
  /// Each step, for a developer who looks for one fault.
  case trace
  /// What helps developers.
  case debug
  /// What happens in the normal course.
  case info
  /// Normal, but worth being seen.
  case notice
  /// Something that may become an error.
  case warning
  /// Something failed, the program goes on.
  case error
  /// The program can't go on, or data is at risk.
  case critical

  /// Its place in the order, from 0 on.
  package var rank: Int {
    switch self {
    case .trace: 0
    case .debug: 1
    case .info: 2
    case .notice: 3
    case .warning: 4
    case .error: 5
    case .critical: 6
    }
  }

  /// The level of a rank; nil for one that there is not.
  package init?(rank: Int) {
    guard Self.allCases.indices.contains(rank) else { return nil }
    self = Self.allCases[rank]
  }

  /// By how much they matter.
  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
}
