// SPDX-License-Identifier: MIT

/// Something of another process or thread that a loop has to listen to: its messages come by a descriptor.
package protocol LoopRemote: AnyObject {
  /// Takes what has come by now, without waiting; on the loop's thread.
  func takeArrived()
  /// Whether nothing is on its way: a clock that jumps may go on. Asks the other side when it does not know.
  var isQuiet: Bool { get }
}
