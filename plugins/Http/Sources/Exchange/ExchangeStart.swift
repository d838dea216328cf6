// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// The beginning of an answer.
struct ExchangeStart: Codable, Sendable {
  var status: Int
  var reason: String
  /// Names and values in turn, each character one byte.
  var headers: [String]
  /// What is there of the body already.
  var body: Bytes?
  /// Has the rest of the body; nil when that is all.
  var rest: Handle<Exchange>?
}
