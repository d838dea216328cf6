// SPDX-License-Identifier: MIT

/// Which nBridge this is.
public enum NBridgeVersion {
  /// As `1.0.0` (semver.org).
  public static let current = "0.1.0"
}
