// SPDX-License-Identifier: MIT

/// What kind of key a pair is, by the names of Web Cryptography.
package enum KeyFamily: String, Sendable {
  case rsa = "RSA"
  case p256 = "P-256"
  case p384 = "P-384"
  case p521 = "P-521"
  case ed25519 = "Ed25519"
  case x25519 = "X25519"
  case ed448 = "Ed448"
  case x448 = "X448"

  /// OpenSSL's name of the kind.
  var name: StaticString {
    switch self {
    case .rsa: "RSA"
    case .p256, .p384, .p521: "EC"
    case .ed25519: "ED25519"
    case .x25519: "X25519"
    case .ed448: "ED448"
    case .x448: "X448"
    }
  }

  /// OpenSSL's name of a curve whose points have two coordinates (SEC 2); nil for others.
  var group: StaticString? {
    switch self {
    case .p256: "prime256v1"
    case .p384: "secp384r1"
    case .p521: "secp521r1"
    case .rsa, .ed25519, .x25519, .ed448, .x448: nil
    }
  }

  /// Whether public keys are points with two coordinates.
  package var hasPoints: Bool { group != nil }

  /// How many bytes a coordinate has, or a key of the curves with one; 0 for RSA.
  package var size: Int {
    switch self {
    case .rsa: 0
    case .p256, .ed25519, .x25519: 32
    case .p384: 48
    case .p521: 66
    case .ed448: 57
    case .x448: 56
    }
  }
}
