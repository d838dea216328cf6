// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridgePlugin

/// A Unix socket in a folder of this user's, and messages over it: a length of four bytes, then an archived
/// value.
struct LocalSocket: ~Copyable {
  let descriptor: Int32

  /// POLLRDHUP (poll(2)), which glibc shows to GNU programs only.
  private static let hangUp: Int16 = 0x2000

  /// The largest message: a URL and what goes with it.
  static let largest = 4 << 20

  private init(_ descriptor: Int32) { self.descriptor = descriptor }
  init(taking descriptor: Int32) { self.descriptor = descriptor }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Makes a socket that listens under a name in a folder.
  static func listening(_ name: String, in folder: String) throws -> LocalSocket {
    let socket = LocalSocket(try made())
    let status = try UnixAddress.with(name, in: folder) { bind(socket.descriptor, $0, $1) }
    guard status == 0, listen(socket.descriptor, 64) == 0 else {
      throw BridgeError(.ioError, "can't listen in '\(folder)': \(String(cString: strerror(errno)))")
    }
    return socket
  }

  /// Connects; nil when nobody listens there any more, or nobody takes it for so many milliseconds. What is
  /// sent has as long.
  static func connected(_ name: String, in folder: String, milliseconds: Int) throws -> LocalSocket? {
    let socket = LocalSocket(try made())
    var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: max(1, milliseconds % 1000 * 1000))
    setsockopt(socket.descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let status = try UnixAddress.with(name, in: folder) { connect(socket.descriptor, $0, $1) }
    guard status == 0 else { return nil }
    return socket
  }

  private static func made() throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else {
      throw BridgeError(.ioError, "can't make a socket: \(String(cString: strerror(errno)))")
    }
    return descriptor
  }

  /// Whether who is at the other end is the same user.
  var isOwn: Bool { UnixAddress.isOwn(descriptor) }

  /// Waits until the other end has gone, or this one was shut down.
  func waitForEnd() {
    var poller = pollfd(fd: descriptor, events: Self.hangUp, revents: 0)
    while poll(&poller, 1, -1) < 0, errno == EINTR {}
  }

  /// Sends a message; false when nobody is there any more.
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
    let end = Ticks.now + milliseconds
    guard let head = read(4, until: end) else { return nil }
    let count = head.reversed().reduce(0) { $0 << 8 | Int($1) }
    guard count <= Self.largest, let archive = read(count, until: end) else { return nil }
    return try? Value(archive: archive)
  }

  private func read(_ count: Int, until end: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&poller, 1, Int32(clamping: max(0, end - Ticks.now)))
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { return nil }
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

/// Milliseconds of a clock that nobody sets.
enum Ticks {
  static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
