import Glibc
import NBridgePlugin
import Synchronization

/// An open serial device. Its methods may run at once: writers take turns, readers share what comes in.
final class Port: HandleObject {
  static let handle = HandleType("port", "An open serial device.")

  /// Does not block, so that no thread waits for it.
  let descriptor: Int32
  private let turns = Turns()

  private struct Input {
    var bytes: [UInt8] = []
    var isAtEnd = false
  }
  private let input = Mutex(Input())
  /// So much is kept for readers; the device keeps the rest.
  private static let most = 1 << 16

  init(path: String, _ baud: Baud) throws {
    descriptor = Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure("open", path) }
    do { try makeRaw(baud) } catch {
      Glibc.close(descriptor)
      throw BridgeError("not_serial", "'\(path)' is no serial device")
    }
  }

  private init(taking descriptor: Int32) { self.descriptor = descriptor }

  /// The controlling side of a new pseudo-terminal, and the path of its device.
  static func pseudoTerminal() throws -> (port: Port, path: String) {
    let port = Port(taking: Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC))
    var (number, locked): (Int32, Int32) = (0, 0)
    // TIOCSPTLCK and TIOCGPTN (asm-generic/ioctls.h), which Swift does not import.
    guard port.descriptor >= 0, ioctl(port.descriptor, 0x4004_5431, &locked) == 0,
      ioctl(port.descriptor, 0x8004_5430, &number) == 0
    else { throw failure("make", "a pseudo-terminal") }
    try port.makeRaw(.b9600)
    return (port, "/dev/pts/\(number)")
  }

  private func makeRaw(_ baud: Baud) throws {
    var mode = termios()
    guard tcgetattr(descriptor, &mode) == 0 else { throw Self.failure("read the mode of", "it") }
    cfmakeraw(&mode)
    mode.c_cflag |= tcflag_t(CLOCAL | CREAD)
    cfsetspeed(&mode, baud.speed)
    guard tcsetattr(descriptor, TCSANOW, &mode) == 0 else { throw Self.failure("set the mode of", "it") }
  }

  func close() { Glibc.close(descriptor) }

  // MARK: - Writing

  func write(_ bytes: Bytes) async throws {
    await turns.take()
    defer { turns.give() }
    var written = 0
    while written < bytes.count {
      try Task.checkCancellation()
      let count = bytes.withUnsafeBytes { memory in
        let rest = UnsafeRawBufferPointer(rebasing: memory[written...])
        return Glibc.write(descriptor, rest.baseAddress, rest.count)
      }
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        try await Readiness.wait(for: .writable, of: descriptor)
      } else if errno != EINTR {
        throw Self.failure("write to", "the device")
      }
    }
  }

  // MARK: - Reading

  /// The first line that has come in whole; nil when there is none yet.
  func takeLine() throws -> String? {
    try input.withLock { input in
      try fill(&input)
      if let end = input.bytes.firstIndex(of: UInt8(ascii: "\n")) {
        defer { input.bytes.removeFirst(end + 1) }
        let isPaired = end > 0 && input.bytes[end - 1] == UInt8(ascii: "\r")
        return String(decoding: input.bytes[..<(isPaired ? end - 1 : end)], as: UTF8.self)
      }
      guard input.bytes.count < Self.most else {
        throw BridgeError(.tooLarge, "a line has more than \(Self.most) bytes")
      }
      guard input.isAtEnd, !input.bytes.isEmpty else { return nil }
      defer { input.bytes = [] }
      return String(decoding: input.bytes, as: UTF8.self)
    }
  }

  /// All that has come in; nil when nothing has.
  func takeBytes() throws -> Bytes? {
    try input.withLock { input in
      try fill(&input)
      defer { input.bytes = [] }
      return input.bytes.isEmpty ? nil : Bytes(input.bytes)
    }
  }

  /// Whether the device is gone.
  var isAtEnd: Bool { input.withLock(\.isAtEnd) }

  /// Reads what the device has now.
  private func fill(_ input: inout Input) throws {
    while !input.isAtEnd, input.bytes.count < Self.most {
      let count = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { room in
        let count = read(descriptor, room.baseAddress, room.count)
        if count > 0 { input.bytes += room.prefix(count) }
        return count
      }
      if count == 0 || count < 0 && errno == EIO { input.isAtEnd = true }
      if count < 0, errno == EAGAIN { return }
      if count < 0, errno != EINTR, errno != EIO { throw Self.failure("read from", "the device") }
    }
  }

  private static func failure(_ verb: String, _ subject: String) -> BridgeError {
    let code: BridgeError.Code =
      switch errno {
      case ENOENT: .notFound
      case EACCES: .permissionDenied
      default: .ioError
      }
    return .system(verb, subject, code)
  }
}

extension Baud {
  /// As termios counts.
  var speed: speed_t {
    switch self {
    case .b1200: speed_t(B1200)
    case .b9600: speed_t(B9600)
    case .b19200: speed_t(B19200)
    case .b38400: speed_t(B38400)
    case .b57600: speed_t(B57600)
    case .b115200: speed_t(B115200)
    }
  }
}
