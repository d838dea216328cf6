// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Hands on what a plugin's process writes to its stdout or stderr, behind what the program printed, and
/// keeps the end of it. The process has a pipe and not the program's own stream: who has a terminal can
/// change its settings, who has a file can empty it, and who has a pipe can read from it.
///
/// A reader of the program that takes nothing holds up the plugin, not the program.
final class StreamRelay: @unchecked Sendable {
  // Sendable because all but `unwritten` is touched on the engine's thread only, or by the thread that starts
  // the process before that one has it.
  private let pipe: Descriptor
  private let stream: OutputStream
  private let loop: EventLoop
  private let host: any AppHost
  private var source: DescriptorSource?
  private var end: [UInt8] = []
  private var room = [UInt8](repeating: 0, count: 4096)
  /// Whether it waits until less is unwritten.
  private var isPaused = false
  private let unwritten = Atomic<Int>(0)

  private static let keptEnd = 4096
  /// So much of it at a time: the script has its turns.
  private static let atOnce = 16 << 10
  private static let mostUnwritten = 64 << 10

  init(_ pipe: Descriptor, to stream: OutputStream, _ loop: EventLoop, _ host: any AppHost) {
    (self.pipe, self.stream, self.loop, self.host) = (pipe, stream, loop, host)
  }

  /// Begins to listen; on the engine's thread.
  func attach() {
    isPaused = false
    source = loop.watch(pipe.number) { [weak self] in
      // Its end is readable for ever.
      if self?.handOn() != true { self?.detach() }
    }
  }

  func detach() {
    source?.close()
    source = nil
  }

  /// Hands on what is there. Answers whether to listen on.
  ///
  /// - Parameter isLast: whether the process writes no more.
  @discardableResult
  func handOn(isLast: Bool = false) -> Bool {
    var left = isLast ? 1 << 20 : Self.atOnce
    while left > 0 {
      if !isLast, unwritten.load(ordering: .relaxed) > Self.mostUnwritten {
        isPaused = true
        // It may have been written just before that was noted.
        return unwritten.load(ordering: .sequentiallyConsistent) <= Self.mostUnwritten
      }
      let count = room.withUnsafeMutableBytes { read(pipe.number, $0.baseAddress, $0.count) }
      if count == 0 { return false }
      if count < 0 { return errno == EAGAIN || errno == EINTR }
      left -= count
      show(Array(room[..<count]))
    }
    return true
  }

  private func show(_ bytes: [UInt8]) {
    end += bytes
    if end.count > Self.keptEnd { end.removeFirst(end.count - Self.keptEnd) }
    unwritten.add(bytes.count, ordering: .relaxed)
    host.write(Bytes(bytes), to: stream) { [weak self] _ in self?.isWritten(bytes.count) }
  }

  private func isWritten(_ count: Int) {
    let (before, after) = unwritten.subtract(count, ordering: .sequentiallyConsistent)
    guard before > Self.mostUnwritten, after <= Self.mostUnwritten else { return }
    loop.post { [weak self] in if let self, isPaused, source == nil { attach() } }
  }

  /// The last 20 lines.
  var lastLines: String {
    String(decoding: end, as: UTF8.self).split(separator: "\n").suffix(20).joined(separator: "\n")
  }
}

/// Those of one process; none where it has the program's own streams.
struct StreamRelays {
  private let output: StreamRelay?
  private let errors: StreamRelay?

  init(_ process: any PluginProcess, _ loop: EventLoop, _ host: any AppHost) {
    output = process.streams.map { StreamRelay($0.output, to: .output, loop, host) }
    errors = process.streams.map { StreamRelay($0.errors, to: .errors, loop, host) }
  }

  /// Begins to listen; on the engine's thread.
  func attach() {
    output?.attach()
    errors?.attach()
  }

  func detach() {
    output?.detach()
    errors?.detach()
  }

  /// Hands on what is there.
  func handOn(isLast: Bool = false) {
    output?.handOn(isLast: isLast)
    errors?.handOn(isLast: isLast)
  }

  /// The same for stdout alone: what the process printed before it answered comes before what the script
  /// prints then.
  func handOnOutput() { output?.handOn() }

  /// The last 20 lines of stderr.
  var lastLines: String { errors?.lastLines ?? "" }
}
