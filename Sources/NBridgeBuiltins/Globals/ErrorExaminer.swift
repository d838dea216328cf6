// SPDX-License-Identifier: MIT

package import JSEngine
internal import NBridgePlugin

extension Builtins {
  /// What was thrown, with what led to it, told without running code of its own; nil when the engine can't
  /// tell, as at the end of its stack.
  package func examined(_ thrown: JSValue) -> JSException? {
    guard !isExamining else { return nil }
    isExamining = true
    defer { isExamining = false }
    guard let text = try? context.call(load("examine")["examine"], thrown).string,
      let told = try? Value(text: Array(text.utf8)).decode(ToldError.self)
    else { return nil }
    return told.exception
  }
}

/// What examine.js tells.
private struct ToldError: Decodable {
  var name: String?
  var title: String?
  var message: String
  var stack: String
  var shown: String?
  var keys: [String]?
  var makers: [String]?
  var url: String?
  var line: Double?
  var column: Double?
  var code: String?
  var service: String?
  var action: String?
  var details: String?
  var properties: String?
  var cause: [ToldError]?
  var error: [ToldError]?
  var suppressed: [ToldError]?
  var errors: [ToldError]?
  var count: Double?
  var isTold: Bool?

  var exception: JSException {
    var exception = JSException(name: name, message: message, stack: stack)
    (exception.title, exception.shown) = (title == name ? nil : title, shown)
    (exception.keys, exception.makers) = (keys ?? [], makers ?? [])
    (exception.url, exception.line, exception.column) = (url, line.map { Int($0) }, column.map { Int($0) })
    exception.attributes = [("code", code), ("service", service), ("action", action)].compactMap {
      name, value in
      value.map { JSException.Attribute(name: name, value: $0) }
    }
    (exception.details, exception.properties) = (details, properties)
    exception.cause = (cause ?? []).map(\.exception)
    exception.error = (error ?? []).map(\.exception)
    exception.suppressed = (suppressed ?? []).map(\.exception)
    exception.errors = (errors ?? []).map(\.exception)
    exception.errorCount = count.flatMap { Int(exactly: $0) } ?? 0
    exception.isTold = isTold ?? false
    exception.causes = Self.chain(from: exception)
    return exception
  }

  private static func chain(from exception: JSException) -> [String] {
    exception.cause.flatMap { [$0.description] + $0.causes }
  }
}
