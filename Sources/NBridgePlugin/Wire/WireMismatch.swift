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

  /// What the `init(from:)` of a type threw for the value at `place`.
  init<T>(_ error: DecodingError, at place: String, of type: T.Type) {
    if let names = Self.cases(type) {
      self.init(path: place, reason: "must be one of \(names)")
      return
    }
    switch error {
    case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
      .valueNotFound(_, let context):
      let path = context.codingPath.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }
      self.init(path: place + path.joined(), reason: "is not valid: \(context.debugDescription)")
    @unknown default:
      self.init(path: place, reason: "is not valid: \(error)")
    }
  }

  /// The values of an enum that tells them, as a list.
  private static func cases<T>(_ type: T.Type) -> String? {
    func all<C: CaseIterable>(_ type: C.Type) -> [any RawRepresentable] {
      type.allCases.compactMap { $0 as? any RawRepresentable }
    }
    guard let values = (type as? any CaseIterable.Type).map({ all($0) }), !values.isEmpty else { return nil }
    return values.map { value in
      (value.rawValue as? String).map { "'\($0)'" } ?? "\(value.rawValue)"
    }.joined(separator: ", ")
  }

  func bridgeError(root: String) -> BridgeError {
    BridgeError(.invalidParameter, "\(Self.shortened(root + path)) \(reason)")
  }

  /// A long path keeps its two ends.
  private static func shortened(_ path: String) -> String {
    path.count > 80 ? "\(path.prefix(48))...\(path.suffix(24))" : path
  }
}
