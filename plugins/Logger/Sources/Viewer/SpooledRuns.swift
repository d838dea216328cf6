// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// Records that ended programs left behind for a viewer.
package enum SpooledRuns {
  /// The folder in an app's container.
  package static let folder = "Library/Logs/waiting"
  private static let patience = 10_000

  /// Brings those of an app to the viewer that is there now, each run as the source that it was.
  static func deliver(_ place: ViewerPlace) {
    for (path, file) in abandoned(in: place.spool) {
      defer { close(file) }
      guard let bytes = contents(file), let end = bytes.firstIndex(of: 0x0A) else { continue }
      if send(Array(bytes[...end]), Array(bytes[(end + 1)...]), place) { unlink(path) }
    }
  }

  /// The files whose owners have ended, open and locked.
  package static func abandoned(in folder: String) -> [(path: String, file: Int32)] {
    FolderNames.of(folder).filter { $0.hasSuffix(".jsonl") }.sorted().compactMap { name in
      let path = "\(folder)/\(name)"
      let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard file >= 0 else { return nil }
      var status = stat()
      if fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == getuid(),
        flock(file, LOCK_EX | LOCK_NB) == 0
      {
        return (path, file)
      }
      close(file)
      return nil
    }
  }

  /// All of a file.
  package static func contents(_ file: Int32) -> [UInt8]? {
    var status = stat()
    guard fstat(file, &status) == 0, status.st_size < 1 << 30 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
    return count == bytes.count ? bytes : nil
  }

  /// The number behind the last whole record.
  package static func next(_ bytes: [UInt8]) -> Int {
    var next = 0
    bytes.withUnsafeBufferPointer { memory in
      var start = 0
      while let end = memory[start...].firstIndex(of: 0x0A) {
        next = max(
          next, (ViewerWire.record(in: UnsafeBufferPointer(rebasing: memory[start..<end])) ?? -1) + 1)
        start = end + 1
      }
    }
    return next
  }

  private static func send(_ hello: [UInt8], _ records: [UInt8], _ place: ViewerPlace) -> Bool {
    guard let connection = ViewerConnection(ViewerWire.socketName, in: place.runtime, hello: hello) else {
      return false
    }
    let whole = records.lastIndex(of: 0x0A).map { Array(records[...$0]) } ?? []
    connection.put(whole)
    if !whole.suffix(ViewerWire.end.count).elementsEqual(ViewerWire.end) { connection.put(ViewerWire.lost) }
    let wanted = next(whole), end = MonotonicTime.milliseconds + patience
    while !connection.isBroken, MonotonicTime.milliseconds < end {
      connection.write()
      connection.read()
      if let next = connection.next, next >= wanted, !connection.wantsToWrite { return true }
      var file = pollfd(
        fd: connection.descriptor, events: Int16(POLLIN | (connection.wantsToWrite ? POLLOUT : 0)), revents: 0
      )
      poll(&file, 1, 100)
    }
    return false
  }
}
