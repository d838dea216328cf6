// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeHost
internal import NBridgeSystem

/// What another program of the app writes. Confined to the engine's thread.
final class ChannelReader {
  private let socket: Descriptor
  private var source: DescriptorSource?
  private var received: [UInt8] = []
  private let take: (ChannelFrame) -> Void
  private let gone: () -> Void

  /// So much is read before others have their turn.
  private static let atOnce = 1 << 20

  /// - Parameters:
  ///   - socket: one that never waits.
  ///   - take: gets each frame.
  ///   - gone: called when nothing more comes, or what comes is none of ours.
  init(
    _ socket: Descriptor, _ loop: EventLoop, take: @escaping (ChannelFrame) -> Void,
    gone: @escaping () -> Void
  ) {
    (self.socket, self.take, self.gone) = (socket, take, gone)
    source = loop.watch(socket.number) { [weak self] in self?.read() }
  }

  /// The socket's number, to wait until something comes.
  var number: Int32 { socket.number }

  /// Takes what has come by now; nothing where there is none.
  func read() {
    if source == nil { return }
    let room = [UInt8](unsafeUninitializedCapacity: Self.atOnce) { room, count in
      count = max(0, recv(socket.number, room.baseAddress, room.count, 0))
    }
    if room.isEmpty {
      if errno == EAGAIN || errno == EINTR, !isOver { return }
      return end()
    }
    received.append(contentsOf: room)
    var start = 0
    while source != nil {
      switch ChannelFrame.first(in: received[start...]) {
      case .frame(let frame, let size):
        start += size
        take(frame)
      case .part:
        received.removeFirst(start)
        return
      case .garbage: return end()
      }
    }
  }

  /// Whether the other end has closed: a read of nothing that is no failure looks like one before.
  private var isOver: Bool {
    var byte: UInt8 = 0
    return recv(socket.number, &byte, 1, Int32(MSG_PEEK)) == 0
  }

  func close() {
    source?.close()
    source = nil
    socket.close()
  }

  private func end() {
    close()
    gone()
  }
}
