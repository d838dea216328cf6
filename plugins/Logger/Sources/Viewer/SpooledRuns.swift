// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
package import NBridgeSystem

/// Records that ended programs left behind for a viewer.
package enum SpooledRuns {
  /// The folder in an app's container.
  package static let folder = "Library/Logs/waiting"
  /// So long the viewer may take to confirm anything, in milliseconds.
  private static let patience = 10_000
  private static let piece = 256 << 10
  /// In bytes: so much is looked through line by line.
  private static let nearby = 4096

  /// Brings one of them to the viewer that is there now, as the source that it was, from where the viewer
  /// has it on; false when that did not come to its end, and the file has to stay.
  static func deliver(_ file: Descriptor, to place: ViewerPlace) -> Bool {
    guard let bytes = contents(file), let end = bytes.firstIndex(of: 0x0A) else { return false }
    return send(Array(bytes[...end]), bytes[(end + 1)...], place)
  }

  /// The files whose owners have ended, open and locked.
  package static func abandoned(in folder: String) -> [(path: String, file: Descriptor)] {
    FolderNames.of(folder).filter { $0.hasSuffix(".jsonl") }.sorted().compactMap { name in
      let path = "\(folder)/\(name)"
      guard let file = try? Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else { return nil }
      var status = stat()
      guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == getuid(),
        FileLock(file).tryTake()
      else { return nil }
      return (path, file)
    }
  }

  /// All of a file.
  package static func contents(_ file: Descriptor) -> [UInt8]? {
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_size < 1 << 30,
      let bytes = try? file.read(Int(status.st_size), at: 0)
    else { return nil }
    return bytes.count == Int(status.st_size) ? bytes : nil
  }

  /// The number behind the last record of some whole lines.
  private static func next(_ lines: ArraySlice<UInt8>) -> Int {
    var end = lines.endIndex - 1
    while end > lines.startIndex {
      let start = lines[..<end].lastIndex(of: 0x0A).map { $0 + 1 } ?? lines.startIndex
      if let number = record(lines[start..<end]) { return number + 1 }
      end = start - 1
    }
    return 0
  }

  /// Where the first record of some whole lines stands that has this number or a higher one: they are in
  /// order, so halves are left out until a few lines remain.
  private static func start(of number: Int, in lines: ArraySlice<UInt8>) -> Int {
    var (low, high) = (lines.startIndex, lines.endIndex)
    while high - low > nearby {
      let middle = low + (high - low) / 2
      guard let end = lines[middle..<high].firstIndex(of: 0x0A), end + 1 < high,
        record(lines[(end + 1)...]).map({ $0 < number }) ?? false
      else {
        high = middle
        continue
      }
      low = end + 1
    }
    while let end = lines[low...].firstIndex(of: 0x0A), record(lines[low..<end]).map({ $0 < number }) ?? true
    {
      low = end + 1
    }
    return low
  }

  private static func record(_ line: ArraySlice<UInt8>) -> Int? {
    line.prefix(64).withUnsafeBufferPointer { ViewerWire.record(in: $0) }
  }

  private static func send(_ hello: [UInt8], _ records: ArraySlice<UInt8>, _ place: ViewerPlace) -> Bool {
    let whole = records.lastIndex(of: 0x0A).map { records[...$0] } ?? []
    // That this connection ends says nothing of the program, which ended long ago; how, is told behind its
    // records.
    guard
      let connection = ViewerConnection(
        ViewerWire.socketName, in: place.runtime, hello: hello + ViewerWire.end)
    else { return false }
    let isOrderly = whole.suffix(ViewerWire.end.count).elementsEqual(ViewerWire.end)
    let wanted = next(whole)
    var rest: ArraySlice<UInt8>?, confirmed = -1
    var end = MonotonicTime.milliseconds + patience
    while !connection.isBroken, MonotonicTime.milliseconds < end {
      connection.write()
      connection.read()
      if let next = connection.next {
        if rest == nil {
          rest = whole[start(of: next, in: whole)...]
          if !isOrderly { rest? += ViewerWire.lost }
        }
        if next > confirmed { (confirmed, end) = (next, MonotonicTime.milliseconds + patience) }
        if next >= wanted, rest?.isEmpty == true, !connection.wantsToWrite { return true }
      }
      while connection.queued < piece, let part = rest?.prefix(piece), !part.isEmpty {
        connection.put(Array(part))
        rest?.removeFirst(part.count)
      }
      Poller.wait(
        for: connection.descriptor, connection.wantsToWrite ? [.readable, .writable] : .readable,
        milliseconds: 100)
    }
    return false
  }
}
