// SPDX-License-Identifier: MIT

/// Permissions that no plugin gives: what they open is the runtime's own.
package enum RuntimePermission {
  /// The items that an app's scripts keep by names.
  package static let localStorage = "localStorage"

  package static let all = [localStorage]
}
