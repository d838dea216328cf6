// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeSystem

/// One end of a connection that never waits: what came and is not read yet, and what waits to be sent.
/// Confined to the inspector's thread.
final class Connection {
  let socket: Descriptor
  private var received: [UInt8] = []
  /// What of that was understood.
  private var understood = 0
  private var outgoing: [UInt8] = []
  private(set) var isOver = false
  /// Whether it ends when everything is sent.
  private(set) var isEnding = false

  /// More is not kept for one that does not read.
  private static let maxWaiting = 1 << 28

  init(_ socket: Descriptor) {
    self.socket = socket
    socket.neverWait()
  }

  /// What is waited for.
  var events: Poller.Readiness {
    if isEnding { return .writable }
    return outgoing.isEmpty ? .readable : [.readable, .writable]
  }

  /// Reads what there is.
  func receive() {
    TCPSocket.answersAtOnce(socket.number)
    while !isOver, !isEnding {
      let count = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { memory in
        let count = read(socket.number, memory.baseAddress, memory.count)
        if count > 0 { received += UnsafeRawBufferPointer(rebasing: memory[..<count]) }
        return count
      }
      if count > 0 { continue }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      end()
    }
  }

  /// What came and was not understood yet.
  var incoming: ArraySlice<UInt8> { received[understood...] }

  /// So much of it was understood.
  func consume(_ count: Int) {
    understood += count
    guard understood == received.count || understood > 1 << 16 else { return }
    received.removeFirst(understood)
    understood = 0
  }

  func send(_ bytes: [UInt8]) {
    guard !isOver, !isEnding else { return }
    outgoing += bytes
    if outgoing.count > Self.maxWaiting { return end() }
    flush()
  }

  /// Sends what can be sent now.
  func flush() {
    while !outgoing.isEmpty, !isOver {
      let count = outgoing.withUnsafeBytes {
        Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        outgoing.removeFirst(count)
      } else if count < 0, errno == EINTR {
        continue
      } else if count < 0, errno == EAGAIN {
        return
      } else {
        end()
      }
    }
    if isEnding { end() }
  }

  /// Ends it behind what waits to be sent.
  func endBehind() {
    isEnding = true
    flush()
  }

  func end() {
    isOver = true
    socket.close()
  }
}
