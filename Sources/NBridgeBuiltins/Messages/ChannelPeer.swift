// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeHost
internal import NBridgeSystem

/// Another program of the app, as it is written to: what its socket does not take waits here. Confined to the
/// engine's thread.
final class ChannelPeer {
  private let socket: Descriptor
  private let loop: EventLoop
  private let gone: () -> Void
  private var waiting = FIFO<[UInt8]>()
  /// So much of the first was written.
  private var sent = 0
  private var size = 0
  private var writing: DescriptorSource?
  private var leaving: DescriptorSource?

  /// So many bytes may wait for it.
  private static let mostWaiting = 64 << 20
  /// In a turn of the loop, in bytes.
  private static let portion = 1 << 20

  /// - Parameters:
  ///   - socket: one that never waits.
  ///   - gone: called when nothing reaches it any more.
  init(_ socket: Descriptor, _ loop: EventLoop, gone: @escaping () -> Void) {
    (self.socket, self.loop, self.gone) = (socket, loop, gone)
    // It says nothing here, so that what can be read is its end: who is written to seldom keeps no place.
    leaving = loop.watch(socket.number) { [weak self] in self?.end() }
  }

  var hasSentAll: Bool { waiting.isEmpty }
  /// The socket's number, to wait until it takes more.
  var number: Int32 { socket.number }

  /// Whether more waits than may. A frame that is longer than all that may wait does so alone.
  var isFull: Bool { size > Self.mostWaiting && waiting.count > 1 }

  func send(_ frame: [UInt8]) {
    waiting.append(frame)
    size += frame.count
    if writing == nil { write() }
  }

  /// Writes what the socket takes now, up to a turn's portion.
  func write() {
    // One that reads as fast as this writes is not to hold up the script.
    var left = Self.portion
    while let frame = waiting.first, left > 0 {
      let count = frame.withUnsafeBytes { bytes in
        Glibc.send(
          socket.number, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL)
        )
      }
      if count < 0 {
        if errno == EINTR { continue }
        guard errno == EAGAIN else { return end() }
        return goOnLater()
      }
      left -= count
      sent += count
      if sent == frame.count {
        (sent, size) = (0, size - frame.count)
        _ = waiting.popFirst()
      }
    }
    if !waiting.isEmpty { return goOnLater() }
    writing?.close()
    writing = nil
  }

  private func goOnLater() {
    if writing != nil { return }
    writing = loop.watch(socket.number, writes: true) { [weak self] in self?.write() }
  }

  /// Waits for it to take what is left, as long as it takes something within a second.
  ///
  /// - Parameter end: when that is over, in milliseconds of the monotonic clock.
  func finish(by end: Int) {
    while !waiting.isEmpty {
      var event = pollfd(fd: socket.number, events: Int16(POLLOUT), revents: 0)
      let left = end - MonotonicTime.milliseconds
      guard left > 0, poll(&event, 1, Int32(min(left, 1000))) > 0 else { return }
      write()
    }
  }

  func close() {
    for source in [writing, leaving] { source?.close() }
    (writing, leaving) = (nil, nil)
    (waiting, size, sent) = (FIFO(), 0, 0)
    socket.close()
  }

  private func end() {
    close()
    gone()
  }
}
