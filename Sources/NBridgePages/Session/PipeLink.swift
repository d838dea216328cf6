// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeHost
internal import NBridgeSystem

/// A stream socket from a page in a window: each message has its length and kind in front, 32 bits each, as
/// `Sources/nbridge-window/extension.c` writes them. Confined to the engine's thread.
final class PipeLink: PageLink {
  weak var listener: (any PageLinkListener)?
  private let socket: Descriptor
  private let loop: EventLoop
  private var reading: DescriptorSource?
  private var writing: DescriptorSource?
  private var received: [UInt8] = []
  /// What the socket has not taken: from `sent` on.
  private var waiting: [UInt8] = []
  private var sent = 0
  private var isClosing = false

  private enum Kind {
    static let text: UInt32 = 1
    static let bytes: UInt32 = 2
  }
  private static let head = 8
  /// So much is read at a time: others have their turns.
  private static let atOnce = 1 << 20

  /// - Parameter socket: one that never waits.
  init(_ socket: Descriptor, _ loop: EventLoop) {
    (self.socket, self.loop) = (socket, loop)
    reading = loop.watch(socket.number) { [weak self] in self?.read() }
  }

  deinit { close() }

  private func close() {
    reading?.close()
    writing?.close()
    (reading, writing) = (nil, nil)
  }

  // MARK: - Out

  func send(_ message: [UInt8]) { message.withUnsafeBytes { put(Kind.bytes, $0) } }

  func send(_ text: String) {
    var text = text
    text.withUTF8 { put(Kind.text, UnsafeRawBufferPointer($0)) }
  }

  func close(_ code: UInt16) {
    isClosing = true
    if waiting.isEmpty { end() }
  }

  private func put(_ kind: UInt32, _ payload: UnsafeRawBufferPointer) {
    guard reading != nil, !isClosing else { return }
    withUnsafeBytes(of: UInt32(payload.count).littleEndian) { waiting.append(contentsOf: $0) }
    withUnsafeBytes(of: kind.littleEndian) { waiting.append(contentsOf: $0) }
    waiting.append(contentsOf: payload)
    if writing == nil { write() }
  }

  private func write() {
    while sent < waiting.count {
      let count = waiting.withUnsafeBytes {
        Glibc.send(
          socket.number, $0.baseAddress?.advanced(by: sent), waiting.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        writing = writing ?? loop.watch(socket.number, writes: true) { [weak self] in self?.write() }
        return
      } else if errno != EINTR {
        return end()
      }
    }
    (waiting, sent) = ([], 0)
    writing?.close()
    writing = nil
    if isClosing { end() }
  }

  // MARK: - In

  private func read() {
    var room = [UInt8](repeating: 0, count: 256 << 10)
    var left = Self.atOnce
    while left > 0 {
      let count = recv(socket.number, &room, room.count, 0)
      if count < 0, errno == EAGAIN || errno == EINTR { break }
      if count <= 0 { return end() }
      received.append(contentsOf: room[..<count])
      left -= count
    }
    takeMessages()
  }

  private func takeMessages() {
    var at = 0
    while reading != nil, received.count - at >= Self.head {
      let (count, kind) = received.withUnsafeBytes {
        (
          UInt64($0.loadUnaligned(fromByteOffset: at, as: UInt32.self).littleEndian),
          $0.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self).littleEndian
        )
      }
      guard count <= PageLinks.longest, kind == Kind.text || kind == Kind.bytes else { return end() }
      guard received.count - at - Self.head >= Int(count) else { break }
      let message = Array(received[at + Self.head..<at + Self.head + Int(count)])
      at += Self.head + Int(count)
      if kind == Kind.text {
        listener?.link(self, said: String(decoding: message, as: UTF8.self))
      } else {
        message.withUnsafeBytes { listener?.link(self, brought: $0) }
      }
    }
    received.removeFirst(min(at, received.count))
  }

  private func end() {
    guard reading != nil else { return }
    close()
    listener?.linkEnded(self)
  }
}
