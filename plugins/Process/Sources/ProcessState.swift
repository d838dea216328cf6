// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// What a program's scripts have open. Nothing starts before it is used.
final class ProcessState: Sendable {
  let output = Output()
  let children = Children()
  private let lendsInput: Bool
  private let standardInput = Mutex<StandardInput?>(nil)

  init(lendsInput: Bool) { self.lendsInput = lendsInput }

  func input() throws -> StandardInput {
    guard lendsInput else {
      throw BridgeError(
        .unavailable, "stdin is not the script's: the prompt reads it; run the script with nbridge run")
    }
    return standardInput.withLock { input in
      if let input { return input }
      let made = StandardInput()
      input = made
      return made
    }
  }

  /// An output of a child.
  func source(_ child: Int?, _ errors: Bool?) throws -> ByteSource {
    let child = try children[child ?? -1]
    return errors == true ? child.errors : child.output
  }

  func stop() {
    standardInput.withLock { input in
      input?.stop()
      input = nil
    }
    children.stop()
  }
}
