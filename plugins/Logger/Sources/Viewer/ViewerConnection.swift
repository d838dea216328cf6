// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// A connection to the viewer. Never blocks; used by one thread.
final class ViewerConnection {
  let descriptor: Int32
  private var output: [[UInt8]] = []
  private var head = 0
  private var offset = 0
  private var input: [UInt8] = []
  private(set) var queued = 0
  /// Which record the viewer wants next: all before are kept. Nil until it has answered the greeting.
  private(set) var next: Int?
  private(set) var isBroken = false

  /// Nil when nobody listens, or somebody else does.
  init?(_ name: String, in folder: String, hello: [UInt8]) {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    let status = (try? UnixAddress.with(name, in: folder) { connect(descriptor, $0, $1) }) ?? -1
    guard status == 0, UnixAddress.isOwn(descriptor) else {
      close(descriptor)
      return nil
    }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    put(hello)
  }

  deinit { close(descriptor) }

  func put(_ bytes: [UInt8]) {
    output.append(bytes)
    queued += bytes.count
  }

  var wantsToWrite: Bool { head < output.count }

  func write() {
    while head < output.count, !isBroken {
      let chunk = output[head]
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
      output[head] = []
      (head, offset) = (head + 1, 0)
      if head == output.count { (output, head) = ([], 0) }
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
