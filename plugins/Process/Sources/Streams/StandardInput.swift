// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// The program's stdin: read by a thread of its own, which starts with the first reader and reads only while
/// one waits. What no reader asked for stays in the pipe.
final class StandardInput: Sendable {
  let source: ByteSource
  private let wake: WakeFile
  private let isStarted = Atomic<Bool>(false)
  private let isOver = Atomic<Bool>(false)

  init() {
    let wake = WakeFile()
    self.wake = wake
    source = ByteSource("stdin", ahead: 0) { wake.set() }
  }

  /// Begins to read, once.
  func start() throws {
    guard !isStarted.exchange(true, ordering: .acquiringAndReleasing) else { return }
    guard wake.isOpen, PlainThread.start("nb-stdin", { [self] in run() }) else {
      throw BridgeError(.ioError, "can't read stdin: the system gives no descriptor or no thread")
    }
  }

  /// Reads no more.
  func stop() {
    isOver.store(true, ordering: .releasing)
    wake.set()
  }

  private func run() {
    while !isOver.load(ordering: .acquiring), !source.isEnded {
      let room = source.room
      if room == 0 {
        wake.wait()
        continue
      }
      // Not set to never wait: that would reach all programs that have the same open file.
      let isReady = Poller.wait(forAnyOf: [STDIN_FILENO, wake.number])
      if isReady[1] { wake.take() } else if isReady[0] { read(room) }
    }
  }

  private func read(_ room: Int) {
    withUnsafeTemporaryAllocation(byteCount: room, alignment: 16) { memory in
      let count = Glibc.read(STDIN_FILENO, memory.baseAddress, room)
      if count > 0 { return source.append(UnsafeRawBufferPointer(rebasing: memory[0..<count])) }
      if count == 0 { return source.end() }
      if errno == EINTR || errno == EAGAIN { return }
      source.end(.system("read", "stdin"))
    }
  }
}
