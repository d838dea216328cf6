// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// The message over the socket to the app that is to open a URL.
struct URLMessage: Codable, Sendable {
  var url: String
  var source: URLSource
  var annotation: Value?
}

/// The app that sends a URL, as it says itself.
struct URLSource: Codable, Sendable {
  var id: String
  var name: String
}

/// The answer that comes back.
struct URLReply: Codable, Sendable {
  var handled: Bool
}

/// A URL that an app was asked to open.
struct OpenedURL: Codable, Sendable {
  /// The number by which the answer names the URL.
  var number: Int
  var url: String
  var source: URLSource
  var annotation: Value?
}
