// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// A Unix socket in a folder of this user's, and messages over it: a length of four bytes, then an archived
/// value.
struct LocalSocket: ~Copyable {
  private let socket: Descriptor
  var descriptor: Int32 { socket.number }

  /// The largest message: a URL and what goes with it.
  static let largest = 4 << 20

  private init(_ socket: Descriptor) { self.socket = socket }
  init(taking descriptor: Int32) { socket = Descriptor(taking: descriptor) }

  /// Makes a socket that listens under a name in a folder.
  static func listening(_ name: String, in folder: String) throws -> Descriptor {
    do { return try UnixSocket.listening(name, in: folder, queue: 64) } catch { throw BridgeError(error) }
  }

  /// Connects; nil when no process listens there any more, or none takes the connection for so many
  /// milliseconds. A message has as long to be sent.
  static func connected(_ name: String, in folder: String, milliseconds: Int) throws -> LocalSocket? {
    let made: Descriptor
    do { made = try UnixSocket.make() } catch { throw BridgeError(error) }
    let socket = LocalSocket(made)
    var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: max(1, milliseconds % 1000 * 1000))
    setsockopt(socket.descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let status: Int32
    do { status = try UnixAddress.with(name, in: folder) { connect(made.number, $0, $1) } } catch {
      throw BridgeError(error)
    }
    guard status == 0 else { return nil }
    return socket
  }

  /// Whether the process at the other end is one of the same user.
  var isOwn: Bool { UnixSocket.isOwn(descriptor) }

  /// Waits until the other end has gone, or this one was shut down.
  func waitForEnd() { Poller.wait(for: descriptor, .hungUp) }

  /// Sends a message; false when the other end has gone.
  func send(_ value: Value) -> Bool { Self.send(value, over: descriptor) }

  static func send(_ value: Value, over descriptor: Int32) -> Bool {
    let archive = value.archived()
    guard archive.count <= largest else { return false }
    let message = withUnsafeBytes(of: UInt32(archive.count).littleEndian) { Array($0) } + archive
    return message.withUnsafeBytes { memory in
      var done = 0
      while done < memory.count {
        let count = Glibc.send(
          descriptor, memory.baseAddress.map { $0 + done }, memory.count - done, Int32(MSG_NOSIGNAL))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        done += count
      }
      return true
    }
  }

  /// Waits for a message, milliseconds at the most; nil when there came none, or no whole one.
  func receive(milliseconds: Int) -> Value? {
    let end = MonotonicTime.milliseconds + milliseconds
    guard let head = read(4, until: end) else { return nil }
    let count = head.reversed().reduce(0) { $0 << 8 | Int($1) }
    guard count <= Self.largest, let archive = read(count, until: end) else { return nil }
    return try? Value(archive: archive)
  }

  private func read(_ count: Int, until end: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      guard Poller.wait(for: descriptor, milliseconds: end - MonotonicTime.milliseconds) else { return nil }
      let got = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress.map { $0 + done }, count - done)
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return nil }
      done += got
    }
    return bytes
  }
}
