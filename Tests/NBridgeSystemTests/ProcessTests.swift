// SPDX-License-Identifier: MIT

import Glibc
import NBridgeSystem
import Testing

@Suite struct ProcessTests {
  let place = Place()

  @Test(arguments: [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137)] as [(String, Int32)])
  func aProgramsEndIsItsStatus(_ script: String, _ status: Int32) throws {
    #expect(try ChildProcess.start("sh", ["-c", script]).wait() == status)
  }

  @Test func streamsLeadWhereTheyAreToLead() throws {
    let child = try ChildProcess.start(
      "sh", ["-c", "echo out; echo error >&2; cat"],
      streams: [0: .nothing, 1: .file(place["out"]), 2: .descriptor(1)])
    #expect(child.wait() == 0)
    let file = try Descriptor.open(place["out"], O_RDONLY)
    #expect(try file.readToEnd() == Array("out\nerror\n".utf8))
  }

  @Test func whatIsNotThereIsNotStarted() {
    let error = #expect(throws: ChildProcess.SpawnError.self) {
      try ChildProcess.start("/nothing/of/the/kind", [])
    }
    #expect(error?.code == ENOENT && error?.reason == "No such file or directory")
  }

  @Test func aDescriptorIsNotInherited() throws {
    let file = try Descriptor.open(place.path, O_RDONLY)
    let child = try ChildProcess.start("sh", ["-c", "test ! -e /proc/self/fd/\(file.number)"])
    #expect(child.wait() == 0)
  }

  @Test(arguments: [false, true]) func ofDescriptorsThatPassOnTheNamedAreInherited(_ inherits: Bool) throws {
    let file = try Descriptor.open(place.path, O_RDONLY)
    let number = dup(file.number)
    defer { close(number) }
    let script = "test -e /proc/self/fd/\(number)"
    #expect(try ChildProcess.start("sh", ["-c", script], inherits: inherits).wait() == (inherits ? 0 : 1))
    let bound = try ChildProcess.startBound("sh", ["-c", script], endsBy: SIGKILL, inherits: inherits)
    #expect(bound.wait() == (inherits ? 0 : 1))
    let streams: [Int32: ChildProcess.Stream] = [9: .descriptor(file.number)]
    #expect(try ChildProcess.start("sh", ["-c", "test -e /proc/self/fd/9"], streams: streams).wait() == 0)
  }

  @Test func aLibraryThatIsThereGivesItsFunctions() throws {
    let library = try DynamicLibrary("libc.so.6", of: "The C library", package: "libc6")
    let length: @convention(c) (UnsafePointer<CChar>) -> Int = try library.function("strlen")
    #expect(length("abc") == 3)
  }

  @Test func aMissingLibrarySaysWhatToInstall() {
    let error = #expect(throws: MissingLibrary.self) {
      _ = try DynamicLibrary("libnothing.so.9", of: "Nothing", package: "libnothing9")
    }
    #expect(error?.description.hasPrefix("Nothing is needed, and 'libnothing.so.9' can't be used: ") == true)
    #expect(error?.description.hasSuffix(" Run: sudo apt-get install libnothing9") == true)
  }

  @Test func aMissingFunctionSaysWhichOne() throws {
    let library = try DynamicLibrary("libc.so.6", of: "The C library", package: "libc6")
    let error = #expect(throws: MissingLibrary.self) {
      let _: @convention(c) () -> Void = try library.function("nothing_of_the_kind")
    }
    #expect(error?.description.contains("it has no 'nothing_of_the_kind'") == true)
  }

  @Test func whatFailedIsOpenedAgainWhatIsOpenIsNot() throws {
    let calls = Counter()
    let once = OpenedOnce { () throws(MissingLibrary) in
      if calls.next() == 1 { _ = try DynamicLibrary("libnothing.so.9", of: "Nothing", package: "none") }
      return 5
    }
    #expect(throws: MissingLibrary.self) { try once.get() }
    #expect(try once.get() == 5 && once.get() == 5)
    #expect(calls.next() == 3)
  }
}
