// SPDX-License-Identifier: MIT

/// Where a script's output goes.
public protocol ScriptOutput: AnyObject, Sendable {
  /// Writes text that a person reads as the result.
  func write(_ text: String)
  /// Writes text about the run: warnings, errors, traces.
  func writeError(_ text: String)
  /// Writes bytes to stdout, or to stderr, behind what was written before.
  ///
  /// - Parameter done: called once, on any thread, maybe before this returns: with nil when the bytes are
  ///   written, else with the system's number for why not (`EPIPE`). It must not write.
  func write(_ bytes: [UInt8], toErrors: Bool, _ done: @escaping @Sendable (Int32?) -> Void)
  /// Writes what waits.
  func flush()
  /// The same before the loop sleeps: bytes whose writer waits for them need not be waited for here.
  func flushBeforeSleep()
  /// Whether colours are welcome.
  var colours: Bool { get }
  /// Whether colours are welcome on the error stream.
  var errorColours: Bool { get }
}

extension ScriptOutput {
  /// Writes the text that the bytes stand for in UTF-8.
  public func write(_ bytes: [UInt8], toErrors: Bool, _ done: @escaping @Sendable (Int32?) -> Void) {
    let text = String(decoding: bytes, as: UTF8.self)
    if toErrors { writeError(text) } else { write(text) }
    done(nil)
  }

  /// Writes what waits.
  public func flushBeforeSleep() { flush() }
}
