// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin

/// Reading and replacing files as a whole.
enum WholeFile {
  /// More than this can't cross the bridge at once (bytes).
  static let limit = 1 << 30

  static func read(_ file: OpenFile, _ progress: Progress? = nil) throws -> Bytes {
    let status = try file.demandRegular("read")
    guard status.st_size <= limit else {
      throw BridgeError(
        .tooLarge,
        "can't read '\(file.path.shown)' at once: it has \(status.st_size) bytes, and the limit is "
          + "\(limit); use "
          + "readRange or chunks")
    }
    progress?.expect(Int(status.st_size))
    return try Bytes(capacity: Int(status.st_size)) { room in
      var done = 0
      while done < room.count {
        let piece = UnsafeMutableRawBufferPointer(
          rebasing: room[done..<min(room.count, done + Progress.step)])
        let count = try file.read(into: piece, at: done)
        progress?.add(count)
        done += count
        if count < piece.count { break }
      }
      return done
    }
  }
}
