// SPDX-License-Identifier: MIT

/// What of a script is counted.
public enum CoverageKind: String, Codable, Sendable {
  case statement, function, branch
}
