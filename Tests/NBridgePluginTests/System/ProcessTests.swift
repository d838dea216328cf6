// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import Testing

@testable import NBridgePlugin
@testable import NBridgeSystem

/// Programs, locks, sockets and libraries of the system.
@Suite struct ProcessTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  private func content(_ name: String) -> String {
    (try? String(contentsOfFile: folder.file(name), encoding: .utf8)) ?? ""
  }

  @Test(
    arguments: [("exit 0", 0), ("exit 7", 7), ("exit 255", 255), ("kill -9 $$", 137), ("kill -15 $$", 143)]
      as [(String, Int32)])
  func programsTellTheirEnd(_ script: String, _ status: Int32) throws {
    #expect(try ChildProcess.start("sh", ["-c", script]).wait() == status)
    #expect(try ChildProcess.startBound("sh", ["-c", script], endsBy: SIGKILL).wait() == status)
  }

  @Test func streamsLeadWhereTheyAreTold() throws {
    let status = try ChildProcess.start(
      "sh", ["-c", "cat; echo \"$0 $1\"; echo err >&2", "é", "a b"],
      streams: [0: .nothing, 1: .file(folder.file("out")), 2: .descriptor(1)]
    ).wait()
    #expect(status == 0)
    #expect(content("out") == "é a b\nerr\n")
    try ChildProcess.start("sh", ["-c", "echo gone"], streams: [1: .nothing]).wait()
    try ChildProcess.start("sh", ["-c", "echo $0"], streams: [1: .file(folder.file("name"))], as: "other")
      .wait()
    #expect(content("name") == "other\n")
    #expect(folder.mode("out") == 0o600)
  }

  @Test func programsThatAreNotThereAreNamed() {
    for start in [
      { try ChildProcess.start("/none/such", []) },
      { try ChildProcess.startBound("/none/such", [], endsBy: SIGKILL) },
    ] {
      do {
        _ = try start()
        Issue.record("it started")
      } catch {
        #expect((error as? ChildProcess.SpawnError)?.code == ENOENT)
        #expect((error as? ChildProcess.SpawnError)?.reason == "No such file or directory")
      }
    }
  }

  /// Signals that this process blocks or ignores are not the program's affair.
  @Test func programsBeginWithUsualSignals() throws {
    signal(SIGPIPE, SIG_IGN)
    let child = try ChildProcess.start(
      "sh", ["-c", "grep -E 'Sig(Blk|Ign)' /proc/self/status | tr -d '\\n\\t'"],
      streams: [1: .file(folder.file("signals"))])
    #expect(child.wait() == 0)
    #expect(content("signals").hasPrefix("SigBlk:0000000000000000"))
  }

  @Test func signalsReachThem() throws {
    let child = try ChildProcess.start("sleep", ["1000"], newSession: true)
    #expect(child.id > 0)
    child.signal(SIGTERM)
    #expect(child.wait() == 128 + SIGTERM)
    #expect(child.wait() == 1)
  }

  @Test func libraryFunctionsAreFound() throws {
    let library = try DynamicLibrary("libc.so.6", of: "the C library", package: "libc6")
    let length: @convention(c) (UnsafePointer<CChar>) -> Int = try library.function("strlen")
    #expect(length("four") == 4)
    let absent = #expect(throws: MissingLibrary.self) {
      let _: @convention(c) () -> Void = try library.function("no_such_function_at_all")
    }
    #expect(
      absent?.description == "the C library is needed, and 'libc.so.6' can't be used: "
        + "it has no 'no_such_function_at_all'. Run: sudo apt-get install libc6")
    let missing = #expect(throws: MissingLibrary.self) {
      _ = try DynamicLibrary("libnone.so.9", of: "None", package: "none")
    }
    #expect(missing?.description.hasSuffix("Run: sudo apt-get install none") == true)
    try folder.make("broken.so", "this is no library")
    let broken = #expect(throws: MissingLibrary.self) {
      _ = try DynamicLibrary(folder.file("broken.so"), of: "Broken", package: "b")
    }
    #expect(broken?.description.hasSuffix("Try again when that is mended") == true)
  }

  @Test func whatIsOpenedOnceIsKeptAndAFailureIsNot() async throws {
    final class Tries: Sendable { let count = Mutex<Int>(0) }
    let tries = Tries()
    let library = OpenedOnce<Int> { () throws(MissingLibrary) in
      let number = tries.count.withLock { count in
        count += 1
        return count
      }
      if number < 3 { throw MissingLibrary("lib", of: "L", package: "l", "\(number)") }
      return number
    }
    for number in 1...2 {
      #expect { try library.get() } throws: { "\($0)".contains(": \(number).") }
    }
    await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<20 { group.addTask { try? library.get() } }
      for await found in group { #expect(found == 3) }
    }
    #expect(tries.count.withLock { $0 } == 3)
  }

  private func openLock() throws -> Int32 { open(try folder.make("lock"), O_RDWR | O_CLOEXEC) }

  @Test func aLockIsOnes() throws {
    let (one, other) = (try openLock(), try openLock())
    #expect(FileLock.take(one))
    #expect(!FileLock.take(other, within: 0))
    #expect(!FileLock.take(other, within: 20))
    #expect(!FileLock.take(other, within: -5))
    close(one)
    // A process that another test forks at this moment has the lock until it becomes another program.
    #expect(FileLock.take(other, within: 10_000))
    close(other)
    #expect(!FileLock.take(other, within: 1000))
  }

  /// A caller that waits for centuries waits, and gets the result.
  @Test(arguments: [Int.max, Int.max - 1, 1 << 60, 400 * 366 * 86_400_000])
  func aLockMayBeWaitedForForCenturies(_ milliseconds: Int) throws {
    let (one, other) = (try openLock(), try openLock())
    #expect(FileLock.take(one, within: milliseconds))
    var asked = 0
    let isTaken = FileLock.take(other, within: milliseconds) {
      asked += 1
      if asked == 3 { flock(one, LOCK_UN) }
      return false
    }
    #expect(isTaken)
    #expect(asked == 3)
    [one, other].forEach { close($0) }
  }

  @Test func whoDoesNotWantItAnyMoreStopsWaiting() throws {
    let (one, other) = (try openLock(), try openLock())
    #expect(FileLock.take(one))
    var asked = 0
    #expect(
      !FileLock.take(other, within: 1 << 40) {
        asked += 1
        return asked == 5
      })
    #expect(asked == 5)
    [one, other].forEach { close($0) }
  }

  /// A folder's path may be longer than a socket's.
  @Test func socketsAreMetInFoldersOfAnyDepth() throws {
    let deep = try folder.makeFolder((0..<20).map { "a folder of some length \($0)" }.joined(separator: "/"))
    let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { [server, client].forEach { close($0) } }
    #expect(try UnixAddress.with("socket", in: deep) { bind(server, $0, $1) } == 0)
    #expect(listen(server, 1) == 0)
    #expect(try UnixAddress.with("socket", in: deep) { connect(client, $0, $1) } == 0)
    #expect(UnixSocket.isOwn(client))
    #expect(!UnixSocket.isOwn(-1))
    #expect(try UnixAddress.with(String(repeating: "n", count: 108), in: deep) { _, _ in 0 } == -1)
    let error = #expect(throws: SystemError.self) {
      try UnixAddress.with("socket", in: folder.file("none")) { _, _ in 0 }
    }
    #expect(error?.description.hasPrefix("can't open '\(folder.path)/none'") == true)
  }

  @Test(arguments: [
    (0, 0, "1970-01-01T00:00:00.000Z"), (1, 5, "1970-01-01T00:00:01.005Z"),
    (951_782_399, 999, "2000-02-28T23:59:59.999Z"), (951_782_400, 0, "2000-02-29T00:00:00.000Z"),
    (-1, 250, "1969-12-31T23:59:59.250Z"), (253_402_300_799, 0, "9999-12-31T23:59:59.000Z"),
    (67_767_976_233_532_799, 0, "2147483647-12-31T23:59:59.000Z"),
    (67_768_036_191_676_799, 0, "2147485547-12-31T23:59:59.000Z"),
  ])
  func momentsAreWritten(_ seconds: Int, _ milliseconds: Int, _ expected: String) {
    #expect(WallTime.text(seconds: seconds, milliseconds: milliseconds) == expected)
  }

  @Test func nowIsNow() throws {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    #expect(abs(try Date(WallTime.now(), strategy: style).timeIntervalSinceNow) < 60)
  }

  @Test func threadsHaveTheirNamesAndEnd() async throws {
    let name = try await onOwnThread { try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8) }
    #expect(name == "test\n")
    final class Sum: Sendable { let value = Mutex<Int>(0) }
    let sum = Sum()
    for number in 1...100 {
      #expect(PlainThread.start("t", stackSize: 1 << 17) { sum.value.withLock { $0 += number } })
    }
    let end = ContinuousClock.now + .seconds(10)
    while sum.value.withLock({ $0 }) != 5050, ContinuousClock.now < end { sched_yield() }
    #expect(sum.value.withLock { $0 } == 5050)
  }

  @Test func roomForDescriptorsIsAskedFor() throws {
    try DescriptorRoom.demand(3, to: "do it")
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_cur < 100_000 else { return }
  }
}
