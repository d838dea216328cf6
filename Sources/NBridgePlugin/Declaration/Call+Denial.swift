// SPDX-License-Identifier: MIT

extension Call {
  /// The error of what ``allows(_:)`` does not allow: it says what to add to the app's permissions, or which
  /// entry of them forbids it, as `"!process.run"` does whatever else they allow. Any thread.
  ///
  /// - Parameters:
  ///   - what: what the script wanted, as it is told: `'run' of '/usr/bin/git'`.
  ///   - permission: what was asked for, as `process.run:/usr/bin/git`.
  ///   - entry: what to add, where that is another text than the permission.
  ///   - details: what the script finds in `error.details`; nil for nothing.
  public func denial(
    of what: String, permission: String, adding entry: String? = nil, details: Value? = nil
  ) -> BridgeError {
    if let forbids = app.host.forbidding(permission) {
      return BridgeError(
        .permissionDenied,
        "\(what) is not permitted: \"\(forbids)\" in \"permissions\" of app.json (or in --permissions) "
          + "forbids it", details: details)
    }
    return BridgeError(
      .permissionDenied,
      """
      \(what) is not permitted; to allow it, add "\(entry ?? permission)" to "permissions" in app.json (or \
      to --permissions)
      """, details: details)
  }
}
