// SPDX-License-Identifier: MIT

/// What has come of a body and was not read yet, in the order in which it came.
struct ReceivedBytes {
  private var bytes: [UInt8] = []
  /// How many of these were read.
  private var start = 0

  /// How many bytes wait to be read.
  var count: Int { bytes.count - start }

  /// How many bytes are held for them: at most twice as many, however they come and go.
  var held: Int { bytes.count }

  mutating func append(_ piece: UnsafeBufferPointer<UInt8>) { bytes += piece }

  /// Reads as much as there is room for; answers how much.
  mutating func take(_ room: UnsafeMutableRawBufferPointer) -> Int {
    let size = min(room.count, count)
    bytes.withUnsafeBytes {
      room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<(start + size)]))
    }
    start += size
    dropRead()
    return size
  }

  private mutating func dropRead() {
    if count == 0 {
      bytes.removeAll(keepingCapacity: true)
    } else if start > count {
      bytes.removeFirst(start)
    } else {
      return
    }
    start = 0
  }
}
