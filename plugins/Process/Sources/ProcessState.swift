// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// What a program's scripts have open. Nothing starts before it is used.
final class ProcessState: Sendable {
  let output = Output()
  let children = Children()
  private let lendsInput: Bool
  private let standardInput = Mutex<StandardInput?>(nil)

  init(lendsInput: Bool) { self.lendsInput = lendsInput }

  func input() throws -> StandardInput {
    try demandInput()
    return standardInput.withLock { input in
      if let input { return input }
      let made = StandardInput()
      input = made
      return made
    }
  }

  private func demandInput() throws {
    guard lendsInput else {
      throw BridgeError(
        .unavailable, "stdin is not the script's: the prompt reads it; run the script with nbridge run")
    }
  }

  /// Whether a child may read the program's own stdin.
  func checkLending(_ options: StartOptions, _ call: Call) throws {
    guard options.inherits == true else { return }
    try demandInput()
    guard call.allows("process.stdin") else {
      throw call.denial(of: "option.stdin: 'inherit'", permission: "process.stdin")
    }
  }

  /// Whether keys come one by one, until the program's end.
  func setRaw(_ isOn: Bool) throws {
    try demandInput()
    guard isatty(STDIN_FILENO) == 1 else {
      throw BridgeError(.unavailable, "stdin is no terminal: nothing else has a raw mode")
    }
    guard isOn else { return RawTerminal.leave() }
    do throws(SystemError) { try RawTerminal.enter() } catch { throw BridgeError(error) }
  }

  /// Sends a signal to the program itself, or to a child of it.
  func signal(_ options: SignalledOptions) throws {
    let number = options.signal == "0" ? 0 : try SignalNumber.number(of: options.signal ?? "SIGTERM")
    if options.pid == Int(getpid()) {
      kill(getpid(), number)
    } else if try !children.signal(process: options.pid, number) {
      guard Self.isThere(options.pid) else {
        throw BridgeError(.notFound, "there is no process \(options.pid)")
      }
      throw BridgeError(
        .permissionDenied,
        "'kill' of \(options.pid) is not permitted: it is neither this program nor a child of it that runs")
    }
  }

  /// Whether there is a process by a number; of groups, 0 and below, nothing is told.
  private static func isThere(_ number: Int) -> Bool {
    guard number > 0 else { return true }
    guard let id = pid_t(exactly: number) else { return false }
    return kill(id, 0) == 0 || errno != ESRCH
  }

  func stop() {
    standardInput.withLock { input in
      input?.stop()
      input = nil
    }
    if lendsInput { RawTerminal.leave() }
    children.stop()
  }
}
