// SPDX-License-Identifier: MIT

/// What somebody authenticates with.
package enum AuthFactor: String, Codable, Sendable, CaseIterable {
  case biometrics, passcode
}
