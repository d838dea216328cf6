// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// An error as a line of JSON.
struct ErrorLine: Encodable {
  struct Frame: Encodable {
    var function: String
    var file: String
    var line: Int
    var column: Int
  }

  var name: String?
  var message: String
  var code: String?
  var service: String?
  var action: String?
  var details: String?
  var unhandled = false
  var file: String?
  var line: Int?
  var column: Int?
  var source: String?
  var stack: [Frame] = []
  var causes: [String] = []

  var text: String {
    guard let value = try? Value(encoding: self) else { return "{}\n" }
    return String(decoding: value.text, as: UTF8.self) + "\n"
  }
}
