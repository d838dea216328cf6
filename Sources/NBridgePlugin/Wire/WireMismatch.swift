// SPDX-License-Identifier: MIT

/// A value that is not what the declaration says, and where it stands.
struct WireMismatch: Error {
  /// The path under the root, as `.items[3].name`.
  let path: String
  /// The rest of the sentence.
  let reason: String

  init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }

  init(path: String, expected: String, found: String) {
    self.init(path: path, reason: "must be \(expected), not \(found)")
  }

  /// What a hand-written `init(from:)` threw.
  init(_ error: DecodingError) {
    switch error {
    case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
      .valueNotFound(_, let context):
      let path = context.codingPath.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }
      self.init(path: path.joined(), reason: "is not valid: \(context.debugDescription)")
    @unknown default:
      self.init(path: "", reason: "is not valid: \(error)")
    }
  }

  func bridgeError(root: String) -> BridgeError {
    BridgeError(.invalidParameter, "\(root)\(path) \(reason)")
  }
}
