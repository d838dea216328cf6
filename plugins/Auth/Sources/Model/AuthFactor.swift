// SPDX-License-Identifier: MIT

/// The means with which a person authenticates.
package enum AuthFactor: String, Codable, Sendable, CaseIterable {
  case biometrics, passcode
}
