// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// A request as `fetch` writes it: of one address, without redirects.
struct ExchangeOptions: Codable, Sendable {
  /// As URL serializes it, with the scheme http or https.
  var url: String
  var method: String
  /// Names and values in turn, each character one byte.
  var headers: [String]
  /// The whole body, empty for one that is said to be; nil for none.
  var body: Bytes?
  /// The body, read as the server takes it.
  var stream: Incoming<Bytes>?
}
