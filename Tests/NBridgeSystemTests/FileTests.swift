// SPDX-License-Identifier: MIT

import Glibc
import NBridgeSystem
import Testing

@Suite struct FileTests {
  let place = Place()

  // MARK: - MemoryMap

  @Test func whatIsWrittenToASharedMapIsTheFiles() throws {
    let file = try Descriptor.open(place.file("a", "abcdefgh"), O_RDWR)
    do {
      let map = try MemoryMap(file.number, count: 8)
      #expect(map.count == 8 && map.start.load(fromByteOffset: 2, as: UInt8.self) == UInt8(ascii: "c"))
      map.start.storeBytes(of: UInt8(ascii: "X"), as: UInt8.self)
    }
    #expect(try file.read(3, at: 0) == Array("Xbc".utf8))
  }

  @Test func whatIsWrittenToAMapOfItsOwnIsNot() throws {
    let file = try Descriptor.open(place.file("a", "abc"), O_RDONLY)
    let map = try MemoryMap(file.number, count: 3, .own)
    file.close()
    map.start.storeBytes(of: UInt8(ascii: "X"), as: UInt8.self)
    #expect(map.start.load(as: UInt8.self) == UInt8(ascii: "X"))
    let again = try Descriptor.open(place["a"], O_RDONLY)
    #expect(try again.readToEnd() == Array("abc".utf8))
  }

  @Test func aMapThatWasHandedOverStays() throws {
    let file = try Descriptor.open(place.file("a", "abc"), O_RDONLY)
    let memory = try MemoryMap(file.number, count: 3, isWritable: false).handedOver()
    #expect(Array(memory) == Array("abc".utf8))
    #expect(munmap(memory.baseAddress, memory.count) == 0)
  }

  @Test func whatIsReadOnlyIsNotMappedForWriting() throws {
    let file = try Descriptor.open(place.file("a", "abc"), O_RDONLY)
    var code: Int32 = 0
    do { _ = try MemoryMap(file.number, count: 3) } catch { code = error.code }
    #expect(code == EACCES)
  }

  // MARK: - FileIdentity

  @Test func aFileIsTheSameUnderAllItsNames() throws {
    let (one, other) = (try place.file("one"), try place.file("other"))
    link(one, place["second"])
    let file = try Descriptor.open(one, O_RDONLY)
    #expect(FileIdentity(one) == FileIdentity(place["second"]))
    #expect(FileIdentity(one) == FileIdentity(descriptor: file.number))
    #expect(FileIdentity(one) != FileIdentity(other))
    #expect(FileIdentity(place["nothing"]) == FileIdentity())
  }

  @Test func aFileWithoutANameIsUnlinked() throws {
    let file = try Descriptor.open(place.file("one"), O_RDONLY)
    #expect(!FileIdentity(descriptor: file.number).isUnlinked)
    unlink(place["one"])
    #expect(FileIdentity(descriptor: file.number).isUnlinked)
    #expect(FileIdentity(place["one"]).isUnlinked)
  }

  // MARK: - Names

  @Test func hiddenNamesAreLeftOut() throws {
    for name in ["b", ".c", "a"] { try place.file(name) }
    defer { unlink(place[".c"]) }
    #expect(FolderNames.of(place.path).sorted() == ["a", "b"])
    #expect(FolderNames.of(place["nothing"]).isEmpty)
  }

  @Test func randomNamesAreHexadecimalAndDiffer() {
    let names = (0..<1000).map { _ in RandomName.make() }
    #expect(Set(names).count == 1000)
    #expect(names.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
  }

  @Test func roomThatWasAskedForIsFreeAgain() throws {
    for _ in 0..<2000 { try DescriptorRoom.demand(8, to: "open it") }
  }

  // MARK: - Clocks

  @Test func theUnitsOfTheClockAgree() {
    let (before, now) = (MonotonicTime.milliseconds, MonotonicTime.nanoseconds)
    let (micro, after) = (MonotonicTime.microseconds, MonotonicTime.milliseconds)
    #expect(before <= now / 1_000_000 && now / 1000 <= micro && micro / 1000 <= after)
    #expect(abs(MonotonicTime.coarseNanoseconds - now) < 1_000_000_000)
  }

  @Test(arguments: [(0, 0, "1970-01-01T00:00:00.000Z"), (1_700_000_000, 7, "2023-11-14T22:13:20.007Z")])
  func wallTimeIsISO8601(_ seconds: Int, _ milliseconds: Int, _ text: String) {
    #expect(WallTime.text(seconds: seconds, milliseconds: milliseconds) == text)
  }
}
