// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// An error as a line of JSON.
package struct ErrorLine: Encodable {
  package struct Frame: Encodable {
    package var function: String
    package var file: String
    package var line: Int
    package var column: Int

    package init(function: String, file: String, line: Int, column: Int) {
      self.function = function
      self.file = file
      self.line = line
      self.column = column
    }

    package init(_ frame: StackFrame) {
      self.init(function: frame.function, file: frame.url, line: frame.line, column: frame.column)
    }
  }

  /// An error that led to another.
  package struct Related: Encodable {
    /// `cause`; `error` for one of several that an AggregateError stands for; `error` and `suppressed` for
    /// the two of a SuppressedError.
    package var relation: String
    package var name: String?
    package var message: String
    package var code: String?
    package var properties: String?
    package var stack: [Frame]
    package var related: [Related]?

    package init(
      relation: String, name: String?, message: String, code: String?, properties: String?, stack: [Frame],
      related: [Related]?
    ) {
      (self.relation, self.name, self.message, self.code) = (relation, name, message, code)
      (self.properties, self.stack, self.related) = (properties, stack, related)
    }
  }

  package var name: String?
  package var message: String
  package var code: String?
  package var service: String?
  package var action: String?
  package var details: String?
  package var unhandled = false
  package var file: String?
  package var line: Int?
  package var column: Int?
  package var source: String?
  package var stack: [Frame] = []
  package var causes: [String] = []
  package var properties: String?
  package var related: [Related]?

  package init(
    name: String?, message: String, code: String? = nil, service: String? = nil, action: String? = nil,
    details: String? = nil, unhandled: Bool = false, file: String?, line: Int?, column: Int? = nil,
    source: String? = nil, stack: [Frame] = [], causes: [String] = [], properties: String? = nil,
    related: [Related]? = nil
  ) {
    (self.properties, self.related) = (properties, related)
    (self.name, self.message, self.code) = (name, message, code)
    (self.service, self.action, self.details) = (service, action, details)
    (self.unhandled, self.stack, self.causes) = (unhandled, stack, causes)
    (self.file, self.line, self.column, self.source) = (file, line, column, source)
  }

  package var text: String {
    guard let value = try? Value(encoding: self) else { return "{}\n" }
    return String(decoding: value.text, as: UTF8.self) + "\n"
  }
}
