// SPDX-License-Identifier: MIT

/// How far a connection has come with what it sends.
struct SendingProgress {
  /// Bytes that the system has taken, and those of them that the other end has not.
  var taken: Int, unsent: Int

  /// Whether the other end has taken something: while it does, a connection that ends is not given up.
  func hasComeOn(since last: SendingProgress) -> Bool { taken > last.taken || unsent < last.unsent }
}
