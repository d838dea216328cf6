// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeSystem

/// A body that comes by a pipe, whose beginning is kept: a server that goes away in order has often been sent
/// some of it already. Confined to the engine's thread.
final class KeptUpload {
  let pipe: UploadPipe
  private var beginning: [UInt8] = []
  /// How many bytes the pipe gave.
  private var count = 0

  private static let mostKept = 64 << 10

  init(_ pipe: UploadPipe) { self.pipe = pipe }

  /// Whether it can be read from its start.
  var isWhole: Bool { count == beginning.count }

  /// Whether nothing of it was read.
  var isUntouched: Bool { count == 0 }

  /// Reads from a place on; what is kept, then what the pipe has.
  func read(_ place: Int, _ room: UnsafeMutableRawBufferPointer) -> Http2Upload.Step {
    if place < beginning.count {
      let size = min(room.count, beginning.count - place)
      room.copyBytes(from: beginning[place..<(place + size)])
      return .bytes(size, isLast: false)
    }
    while true {
      let size = Glibc.read(pipe.readingEnd.number, room.baseAddress, room.count)
      if size >= 0 {
        keep(UnsafeRawBufferPointer(rebasing: room[..<size]))
        return .bytes(size, isLast: size == 0)
      }
      if errno == EINTR { continue }
      return errno == EAGAIN ? .waits : .failed
    }
  }

  private func keep(_ piece: UnsafeRawBufferPointer) {
    if isWhole, count + piece.count <= Self.mostKept { beginning += piece } else { beginning = [] }
    count += piece.count
  }
}
