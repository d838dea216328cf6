// SPDX-License-Identifier: MIT

/// Bytes that are taken from the front.
struct ByteQueue {
  var bytes: [UInt8] = []
  var start = 0
  var isEmpty: Bool { start == bytes.count }
  mutating func drop(_ count: Int) {
    start += count
    if isEmpty { (bytes, start) = ([], 0) }
  }
  mutating func take(_ room: UnsafeMutableRawBufferPointer) -> Int {
    let size = min(room.count, bytes.count - start)
    room.copyBytes(from: bytes[start..<start + size])
    drop(size)
    return size
  }
}
