// SPDX-License-Identifier: MIT

internal import CNBridgePassing
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// A file in memory (memfd_create(2)).
enum MemoryFile {
  /// The first bytes of one that another process has made, without a copy where nobody can change it any
  /// more; nil where it has fewer, or is no file. One that could be cut while it is read would end this
  /// process.
  static func bytes(of file: Descriptor, _ count: Int) -> Bytes? {
    guard nb_file_size(file.number) >= count else { return nil }
    guard count > PageWriter.longPart, nb_is_sealed(file.number), let mapping = try? Mapping(file, count)
    else { return copied(file, count) }
    return Bytes(storage: Bytes.Storage(mapping.bytes, isLent: true) { withExtendedLifetime(mapping) {} })
  }

  private final class Mapping: @unchecked Sendable {  // nobody writes to it
    private let map: MemoryMap
    /// A process may have 65,530 (vm.max_map_count), and who passes one file again and again pays for one.
    private static let open = Atomic<Int>(0)
    private static let mostOpen = 4096

    init(_ file: Descriptor, _ count: Int) throws {
      guard Self.open.load(ordering: .relaxed) < Self.mostOpen else { throw SystemError("map", code: ENOMEM) }
      map = try MemoryMap(file.number, count: count, isWritable: false, .own)
      Self.open.add(1, ordering: .relaxed)
    }
    deinit { Self.open.subtract(1, ordering: .relaxed) }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: map.start, count: map.count) }
  }

  private static func copied(_ file: Descriptor, _ count: Int) -> Bytes? {
    var isWhole = false
    let made = Bytes(capacity: count) { room in
      isWhole = read(file, into: room)
      return isWhole ? count : 0
    }
    return isWhole ? made : nil
  }

  /// Fills the room from the file's start. False where there are fewer bytes.
  static func read(_ file: Descriptor, into room: UnsafeMutableRawBufferPointer) -> Bool {
    var done = 0
    while done < room.count {
      let got = pread(file.number, room.baseAddress.map { $0 + done }, room.count - done, off_t(done))
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return false }
      done += got
    }
    return true
  }

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
