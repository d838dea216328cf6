// SPDX-License-Identifier: MIT

/// Something of another process or thread that a loop has to listen to: its messages come by a descriptor.
package protocol LoopRemote: AnyObject {
  /// Whether an answer is awaited, so that a short look before sleeping may save two switches.
  var isAwaited: Bool { get }
  /// The processor that the other side was last seen on; -1 where it is not known.
  var processor: Int32 { get }
  /// Takes what has come by now, without waiting; on the loop's thread. Answers whether anything had.
  func takeArrived() -> Bool
  /// Says that the short look before sleeping found nothing.
  func noteNothingCame()
  /// Whether nothing is on its way: a clock that jumps may go on. Asks the other side when it does not know.
  var isQuiet: Bool { get }
}

extension LoopRemote {
  package func noteNothingCame() {}
}
