// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// A connection to the viewer. Never blocks; used by one thread.
final class ViewerConnection {
  private let socket: Descriptor
  var descriptor: Int32 { socket.number }
  private var output = FIFO<[UInt8]>()
  private var offset = 0
  private var input: [UInt8] = []
  private(set) var queued = 0
  /// Which record the viewer wants next: all before are kept. Nil until it has answered the greeting.
  private(set) var next: Int?
  private(set) var isBroken = false

  /// Nil when no process listens, or one of another user does.
  init?(_ name: String, in folder: String, hello: [UInt8]) {
    guard let made = try? UnixSocket.make(), (try? UnixSocket.connect(made, name, in: folder)) != nil,
      UnixSocket.isOwn(made.number)
    else { return nil }
    socket = made
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    put(hello)
  }

  func put(_ bytes: [UInt8]) {
    output.append(bytes)
    queued += bytes.count
  }

  var wantsToWrite: Bool { !output.isEmpty }

  func write() {
    while let chunk = output.first, !isBroken {
      let count = chunk.withUnsafeBytes {
        send(descriptor, $0.baseAddress.map { $0 + offset }, $0.count - offset, Int32(MSG_NOSIGNAL))
      }
      if count < 0 {
        if errno == EINTR { continue }
        if errno != EAGAIN { isBroken = true }
        return
      }
      offset += count
      queued -= count
      guard offset == chunk.count else { continue }
      _ = output.popFirst()
      offset = 0
    }
  }

  func read() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !isBroken {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count > 0 {
        input += buffer[..<count]
        continue
      }
      if count < 0, errno == EINTR { continue }
      if count == 0 || errno != EAGAIN { isBroken = true }
      break
    }
    while let end = input.firstIndex(of: 0x0A) {
      if let number = input[..<end].withUnsafeBufferPointer({ ViewerWire.next(in: $0) }) {
        next = max(next ?? 0, number)
      }
      input.removeSubrange(...end)
    }
    if input.count > 4096 { isBroken = true }
  }
}
