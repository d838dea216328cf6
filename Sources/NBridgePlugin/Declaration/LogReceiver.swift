// SPDX-License-Identifier: MIT

/// A plugin that takes what other plugins put on record: the logger. Called on any thread.
package protocol LogReceiver: Plugin {
  func receive(_ record: LogRecord)
}
