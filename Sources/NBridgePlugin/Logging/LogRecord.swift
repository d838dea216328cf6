// SPDX-License-Identifier: MIT

/// One thing that a plugin wants to have on record.
package struct LogRecord: Sendable {
  package var level: LogLevel
  /// The sender: a plugin's service name, or `console`.
  package var service: String
  package var message: String
  /// A JSON object in UTF-8; empty for none.
  package var fields: [UInt8]
  /// `file:line` of the code that wrote it.
  package var place: String

  package init(level: LogLevel, service: String, message: String, fields: [UInt8] = [], place: String = "") {
    (self.level, self.service, self.message, self.fields, self.place) = (
      level, service, message, fields, place
    )
  }
}
