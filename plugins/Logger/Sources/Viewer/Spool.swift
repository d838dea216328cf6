// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// A file of records that wait for a viewer: the greeting, then lines. Its owner holds it locked, so who
/// finds one without a lock knows that its program has ended. Used by one thread.
final class Spool {
  private let path: String
  private let hello: [UInt8]
  private var file: Int32 = -1
  private var size = 0
  private(set) var readOffset = 0
  /// The number behind the last record in it.
  private(set) var next = 0
  private let limit: Int

  init(_ path: String, _ hello: [UInt8], limit: Int) {
    (self.path, self.hello, self.limit) = (path, hello, limit)
  }

  deinit { if file >= 0 { close(file) } }

  var isEmpty: Bool { file < 0 }
  var bytes: Int { file < 0 ? 0 : size - hello.count }
  var isRead: Bool { file < 0 || readOffset >= size }

  /// Appends records; answers how many old ones had to go.
  func append(_ chunk: LogChunk) throws -> Int {
    let dropped = size + chunk.bytes.count > limit && size > hello.count ? try cut() : 0
    try open()
    try write(chunk.bytes)
    next = chunk.next
    return dropped
  }

  func appendEnd() { if file >= 0 { try? write(ViewerWire.end) } }

  /// The next records to send, whole lines; nil when all were read.
  func read(atMost count: Int) -> [UInt8]? {
    guard !isRead else { return nil }
    var count = count
    while true {
      var bytes = [UInt8](repeating: 0, count: count)
      let got = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, readOffset) }
      guard got > 0 else { return nil }
      if let end = bytes[..<got].lastIndex(of: 0x0A) {
        readOffset += end + 1
        return Array(bytes[...end])
      }
      guard got == count else { return nil }
      count *= 4
    }
  }

  /// From the first record again.
  func rewind() { readOffset = hello.count }

  /// All in it is where it belongs.
  func clear() {
    guard file >= 0 else { return }
    unlink(path)
    close(file)
    (file, size, readOffset) = (-1, 0, 0)
  }

  private func open() throws {
    guard file < 0 else { return }
    file = Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure() }
    flock(file, LOCK_EX | LOCK_NB)
    // This run's earlier sink may have left some.
    var status = stat()
    fstat(file, &status)
    (size, readOffset) = (Int(status.st_size), hello.count)
    guard size == 0 else { return }
    do { try write(hello) } catch {
      // Records without the greeting would be nobody's.
      clear()
      throw error
    }
  }

  private func write(_ bytes: [UInt8]) throws {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(file, $0.baseAddress.map { $0 + done }, $0.count - done)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        let error = failure()
        // Half a record is none.
        ftruncate(file, size)
        throw error
      }
      done += count
    }
    size += done
  }

  private func failure() -> BridgeError {
    BridgeError(.ioError, "can't keep records in '\(path)': \(String(cString: strerror(errno)))")
  }

  /// Drops the older half; answers how many records that were.
  private func cut() throws -> Int {
    var bytes = [UInt8](repeating: 0, count: size - hello.count)
    let got = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, hello.count) }
    guard got == bytes.count, let end = bytes[(bytes.count / 2)...].firstIndex(of: 0x0A) else { return 0 }
    let dropped = bytes[...end].reduce(0) { $1 == 0x0A ? $0 + 1 : $0 }
    let read = readOffset
    clear()
    try open()
    try write(Array(bytes[(end + 1)...]))
    readOffset = max(hello.count, read - (end + 1))
    return dropped
  }
}
