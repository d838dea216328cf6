// SPDX-License-Identifier: MIT

import Glibc
import NBridgeSystem
import Testing

@Suite struct DescriptorTests {
  let place = Place()

  @Test func whatIsOpenedIsClosedOnExec() throws {
    let file = try Descriptor.open(place.file("a"), O_RDONLY)
    #expect(fcntl(file.number, F_GETFD) & FD_CLOEXEC != 0)
    #expect(fcntl(try file.duplicated().number, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test func itIsClosedWithItsLastOwner() throws {
    var file: Descriptor? = try Descriptor.open(place.path, O_RDONLY)
    let second = try #require(file)
    let link = "/proc/self/fd/\(second.number)"
    file = nil
    #expect(RealPath(link) == RealPath(place.path))
    withExtendedLifetime(second) {}
  }

  @Test func itIsClosedOnce() throws {
    let file = try Descriptor.open(place.path, O_RDONLY)
    file.close()
    #expect(file.number == -1 && !file.isOpen)
    // A second close must not take away what has that number by now.
    let others = try (0..<8).map { _ in try Descriptor.open(place.path, O_RDONLY) }
    file.close()
    #expect(others.allSatisfy { isOpen($0.number) })
  }

  @Test(arguments: [
    ("nothing", O_RDONLY, ENOENT), ("file/below", O_RDONLY, ENOTDIR),
    ("file", O_RDONLY | O_DIRECTORY, ENOTDIR),
    ("file", O_WRONLY | O_CREAT | O_EXCL, EEXIST), ("link", O_RDONLY | O_NOFOLLOW, ELOOP),
  ])
  func whatCannotBeOpenedSaysWhy(_ name: String, _ flags: Int32, _ code: Int32) throws {
    try place.file("file")
    symlink("file", place["link"])
    let error = #expect(throws: SystemError.self) { try Descriptor.open(place[name], flags) }
    #expect(error == SystemError("open", place[name], code: code))
  }

  @Test func namesNeedNotBeUTF8() throws {
    let folder = try Descriptor.open(place.path, O_RDONLY | O_DIRECTORY)
    let name: [UInt8] = [0xFF, 0x61]
    let made = try Descriptor.open(name, in: folder.number, O_WRONLY | O_CREAT | O_EXCL)
    #expect(RealPath(descriptor: made.number)?.name.elementsEqual(name) == true)
    _ = (name + [0]).withUnsafeBufferPointer {
      $0.withMemoryRebound(to: CChar.self) { $0.baseAddress.map { unlinkat(folder.number, $0, 0) } }
    }
  }

  @Test(
    arguments: [
      ("file", nil), ("inner", nil), ("outer", EXDEV), ("../file", EXDEV), ("/etc/passwd", EXDEV),
      ("nothing", ENOENT),
    ] as [(String, Int32?)])
  func nothingOutsideIsReached(_ path: String, _ code: Int32?) throws {
    try place.file("file")
    symlink("file", place["inner"])
    symlink("/etc/passwd", place["outer"])
    let folder = try Descriptor.open(place.path, O_RDONLY | O_DIRECTORY)
    var found: Int32?
    do {
      _ = try Descriptor.open(Array(path.utf8), beneath: folder.number, O_RDONLY)
    } catch { found = error.code }
    #expect(found == code)
  }

  // MARK: - Bytes

  @Test func allIsWrittenAndRead() throws {
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
    let file = try Descriptor.open(place["a"], O_RDWR | O_CREAT)
    try file.write(bytes)
    try file.sync()
    #expect(try file.read(bytes.count + 1, at: 0) == bytes)
    let again = try Descriptor.open(place["a"], O_RDONLY)
    #expect(try again.readToEnd() == bytes)
  }

  @Test(arguments: [(0, 3, "abc"), (2, 2, "cd"), (4, 9, "ef"), (6, 1, ""), (99, 1, "")])
  func whatStandsAtAnOffsetIsRead(_ offset: Int, _ count: Int, _ text: String) throws {
    let file = try Descriptor.open(place.file("a", "abcdef"), O_RDONLY)
    #expect(try file.read(count, at: offset) == Array(text.utf8))
  }

  @Test func writingAtAnOffsetLeavesTheRest() throws {
    let file = try Descriptor.open(place.file("a", "abcdef"), O_RDWR)
    try file.write(Array("XY".utf8), at: 2)
    try file.truncate(to: 5)
    #expect(try file.readToEnd() == Array("abXYe".utf8))
  }

  @Test(arguments: [(6, true), (5, false), (0, false)])
  func moreThanTheLimitIsNotRead(_ limit: Int, _ fits: Bool) throws {
    let file = try Descriptor.open(place.file("a", "abcdef"), O_RDONLY)
    #expect((try file.readToEnd(atMost: limit) != nil) == fits)
  }

  @Test func aPipeGivesWhatThereIs() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let (reader, writer) = (Descriptor(taking: ends[0]), Descriptor(taking: ends[1]))
    try writer.write(Array("abc".utf8))
    #expect(try reader.read(atMost: 100) == Array("abc".utf8))
    writer.close()
    #expect(try reader.read(atMost: 100) == [])
  }

  @Test func aRefusedWriteSaysWhy() throws {
    let file = try Descriptor.open(place.file("a", "x"), O_RDONLY)
    #expect(throws: SystemError("write", code: EBADF)) { try file.write([1]) }
    #expect(throws: SystemError("read", code: EBADF)) { try Descriptor(taking: -1).read(atMost: 1) }
  }
}
