// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeIsolation

/// What ends a process that goes on.
extension IsolatedRun {
  func limit(_ call: UInt64, _ seconds: Double) {
    loop.schedule(at: loop.deadline(after: Int(seconds * 1000))) { [weak self] in
      guard let self, open.contains(call), ending == nil else { return }
      ending = .tooLong(seconds: seconds)
      process?.signal(SIGKILL)
    }
  }

  /// Ends a process that was started again and does not come to its start's end.
  func limitStart(of process: any PluginProcess) {
    loop.schedule(at: loop.deadline(after: Self.restartLimit)) { [weak self] in
      guard let self, self.process === process, !hasStarted, ending == nil else { return }
      ending = .notStarted(seconds: Double(Self.restartLimit) / 1000)
      process.signal(SIGKILL)
    }
  }

  private static let restartLimit = 10_000

  /// Tells the plugin that a caller waits no more; a process that does not even hear that is ended.
  func cancel(_ call: UInt64) {
    guard let process else { return }
    try? send(FrameHead(.cancel, id: call))
    guard open.contains(call) else { return }
    pinged += 1
    var ping = FrameHead(.ping)
    ping.number = pinged
    try? send(ping)
    loop.schedule(at: loop.deadline(after: Self.hangLimit)) { [weak self] in
      guard let self, self.process === process, alive < ping.number, ending == nil else { return }
      ending = .hung(seconds: Double(Self.hangLimit) / 1000)
      process.signal(SIGKILL)
    }
  }

  private static let hangLimit = 5000

  /// An answer to a question of the process's goes out. One that asks and reads no answer is ended.
  func answered() {
    flush()
    guard let process, process.channel.waiting > Self.mostUnread, ending == nil else { return }
    ending = .nonsense("questions, and did not read the answers")
    process.signal(SIGKILL)
  }

  /// So many bytes of answers may wait for a process that does not read.
  static let mostUnread = 16 << 20
}
