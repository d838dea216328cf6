// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// A file of records that wait for a viewer: the greeting, then lines. Its owner holds it locked, so a
/// program that finds one without a lock knows that its owner has ended. Used by one thread.
final class Spool {
  private let path: String
  private let hello: [UInt8]
  private var file: Descriptor?
  private var size = 0
  private(set) var readOffset = 0
  /// The number behind the last record in it.
  private(set) var next = 0
  private let limit: Int

  init(_ path: String, _ hello: [UInt8], limit: Int) {
    (self.path, self.hello, self.limit) = (path, hello, limit)
  }

  var isEmpty: Bool { file == nil }
  var bytes: Int { file == nil ? 0 : size - hello.count }
  var isRead: Bool { file == nil || readOffset >= size }

  /// Appends records; answers how many old ones had to go.
  func append(_ chunk: LogChunk) throws -> Int {
    let dropped = size + chunk.bytes.count > limit && size > hello.count ? try cut() : 0
    try open()
    try write(chunk.bytes)
    next = chunk.next
    return dropped
  }

  func appendEnd() { if file != nil { try? write(ViewerWire.end) } }

  /// The next records to send, whole lines; nil when all were read.
  func read(atMost count: Int) -> [UInt8]? {
    guard !isRead, let file else { return nil }
    var count = count
    while true {
      guard let bytes = try? file.read(count, at: readOffset) else { return nil }
      if let end = bytes.lastIndex(of: 0x0A) {
        readOffset += end + 1
        return Array(bytes[...end])
      }
      guard bytes.count == count else { return nil }
      count *= 4
    }
  }

  /// From the first record again.
  func rewind() { readOffset = hello.count }

  /// All in it is where it belongs.
  func clear() {
    guard file != nil else { return }
    unlink(path)
    (file, size, readOffset) = (nil, 0, 0)
  }

  private func open() throws {
    guard file == nil else { return }
    let made: Descriptor
    do { made = try Descriptor.open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW) } catch {
      throw failure(error)
    }
    file = made
    FileLock(made).tryTake()
    // This run's earlier sink may have left some.
    var status = stat()
    fstat(made.number, &status)
    (size, readOffset) = (Int(status.st_size), hello.count)
    guard size == 0 else { return }
    do { try write(hello) } catch {
      // Records without the greeting would have no sender.
      clear()
      throw error
    }
  }

  private func write(_ bytes: [UInt8]) throws {
    guard let file else { return }
    do { try file.write(bytes) } catch {
      // Half a record is none.
      try? file.truncate(to: size)
      throw failure(error)
    }
    size += bytes.count
  }

  private func failure(_ error: SystemError) -> BridgeError {
    BridgeError(SystemError("keep records in", path, code: error.code))
  }

  /// Drops the older half; answers how many records that were.
  private func cut() throws -> Int {
    let count = size - hello.count
    guard let bytes = try? file?.read(count, at: hello.count), bytes.count == count,
      let end = bytes[(bytes.count / 2)...].firstIndex(of: 0x0A)
    else { return 0 }
    let dropped = bytes[...end].reduce(0) { $1 == 0x0A ? $0 + 1 : $0 }
    let read = readOffset
    clear()
    try open()
    try write(Array(bytes[(end + 1)...]))
    readOffset = max(hello.count, read - (end + 1))
    return dropped
  }
}
