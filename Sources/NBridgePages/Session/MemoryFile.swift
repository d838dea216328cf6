// SPDX-License-Identifier: MIT

internal import CNBridgePassing
internal import Glibc
internal import NBridgeSystem

/// A file in memory (memfd_create(2)).
enum MemoryFile {
  /// One with these bytes; nil where there can be none.
  static func holding(_ bytes: UnsafeRawBufferPointer) -> Descriptor? {
    let number = nb_memory_file()
    guard number >= 0 else { return nil }
    let file = Descriptor(taking: number)
    var done = 0
    while done < bytes.count {
      let count = write(number, bytes.baseAddress.map { $0 + done }, bytes.count - done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      done += count
    }
    return file
  }
}

/// Files that come over a socket.
enum PassedFiles {
  /// Reads what is there, as recv(2) does, and the files with it. Never waits.
  static func receive(from socket: Descriptor, into room: inout [UInt8]) -> (count: Int, files: [Descriptor])
  {
    var numbers = [Int32](repeating: -1, count: Int(NB_PASSED))
    var came: Int32 = 0
    let count = room.withUnsafeMutableBytes { room in
      room.baseAddress.map { nb_receive_passed(socket.number, $0, room.count, &numbers, &came) } ?? 0
    }
    return (count, numbers.prefix(Int(came)).map { Descriptor(taking: $0) })
  }
}
