// SPDX-License-Identifier: MIT

/// The body of an answer as it comes in, before its encodings are taken off. Confined to the engine's thread,
/// but ``drop()``.
protocol Answer: AnyObject, Sendable {
  /// Reads without waiting: nil where it would wait, 0 at the end.
  func read(_ room: UnsafeMutableRawBufferPointer) throws(AnswerFault) -> Int?

  /// Waits until it can be read, has ended or failed, or is cancelled.
  func wait() async

  /// Nobody reads the rest: the server is to send no more of it. From any thread.
  func drop()
}
