// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NBridgePlugin
import Synchronization
import Testing

@testable import LoggerPlugin
@testable import NBridgeSystem

/// The queue before a place that may be slow, full or gone.
@Suite struct WorkerSinkTests {
  /// A place that takes what it is let to take.
  final class Place: LogDestination {
    struct State {
      var numbers: [Int] = []
      var fails = false
      var tries = 0
      var syncs = 0
    }
    let kind = "place"
    let state = Mutex(State())
    /// Whether a write stalls, as on a disk that is busy, until it is let go.
    let stalls = Atomic(false)
    let goes = DispatchSemaphore(value: 0)

    func write(_ chunk: LogChunk, _ level: LogLevel) throws {
      if stalls.load(ordering: .sequentiallyConsistent) {
        state.withLock { $0.tries += 1 }
        goes.wait()
      }
      try state.withLock { state in
        state.tries += 1
        if state.fails { throw BridgeError(.ioError, "no room") }
        state.numbers += String(decoding: chunk.bytes(atLeast: level), as: UTF8.self).numbers
      }
    }
    func sync() { state.withLock { $0.syncs += 1 } }
    var numbers: [Int] { state.withLock(\.numbers) }
  }

  final class Told: Sendable {
    let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock(\.self) }
  }

  static func sink(_ place: Place, _ overflow: OverflowPolicy = .wait, _ told: Told = Told()) -> WorkerSink {
    WorkerSink(place, .info, overflow, syncMilliseconds: 1000) { line in
      told.lines.withLock { $0.append(line) }
    }
  }

  /// At most a minute, which no machine takes.
  static func until(_ holds: () -> Bool) -> Bool {
    let end = MonotonicTime.milliseconds + 60_000
    while !holds() {
      guard MonotonicTime.milliseconds < end else { return false }
      usleep(1000)
    }
    return true
  }

  @Test func everythingThatMattersComesInOrder() throws {
    let place = Place(), sink = Self.sink(place)
    for first in stride(from: 1, to: 1000, by: 10) {
      sink.put(try Chunks.filled(9, first: first))
      sink.put(try Chunks.filled(1, first: first + 9, level: .debug))
    }
    sink.drain(milliseconds: 60_000)
    #expect(place.numbers == (1...1000).filter { $0 % 10 != 0 })
    #expect(sink.statistics.written == 900 && sink.statistics.waiting == 0 && sink.statistics.dropped == 0)
    #expect(place.state.withLock(\.syncs) > 0, "who waits for it wants it to last")
    sink.close(milliseconds: 60_000)
  }

  @Test func whatCanNotBeWrittenWaitsAndIsToldOnce() throws {
    let place = Place(), told = Told(), sink = Self.sink(place, .wait, told)
    place.state.withLock { $0.fails = true }
    sink.put(try Chunks.filled(5, first: 1))
    #expect(Self.until { place.state.withLock(\.tries) >= 2 })
    sink.put(try Chunks.filled(5, first: 6))
    #expect(sink.statistics.problem == "no room" && sink.statistics.waiting > 0)
    place.state.withLock { $0.fails = false }
    sink.drain(milliseconds: 60_000)
    #expect(Self.until { told.all.count == 2 })
    #expect(place.numbers == Array(1...10) && sink.statistics.problem == nil)
    #expect(told.all.first?.hasPrefix("no room; records wait") ?? false)
    #expect(told.all.last == "the log goes on: 'place' can be written again")
    sink.close(milliseconds: 60_000)
  }

  @Test func theOldestAreDroppedAndCountedWhenTooMuchWaits() throws {
    let place = Place(), told = Told(), sink = Self.sink(place, .drop, told)
    place.state.withLock { $0.fails = true }
    sink.put(try Chunks.filled(1, first: 1, size: 10))
    #expect(Self.until { place.state.withLock(\.tries) >= 1 })
    for first in 2...41 { sink.put(try Chunks.filled(1, first: first, size: 1 << 20)) }
    #expect(sink.statistics.waiting <= 18 << 20)
    place.state.withLock { $0.fails = false }
    sink.drain(milliseconds: 60_000)
    let numbers = place.numbers
    #expect(numbers.suffix(14) == Array(28...41)[...] && numbers == numbers.sorted(), "\(numbers)")
    #expect(sink.statistics.written + sink.statistics.dropped == 41 && sink.statistics.dropped >= 20)
    #expect(Self.until { told.all.contains { $0.contains("dropped: 'place'") } })
    sink.close(milliseconds: 60_000)
  }

  @Test func theEndWaitsForAWriteThatHasBegunAndLetsNoOtherBegin() throws {
    let place = Place(), sink = Self.sink(place)
    place.stalls.store(true, ordering: .sequentiallyConsistent)
    for first in 1...3 { sink.put(try Chunks.filled(1, first: first, size: 1 << 20)) }
    #expect(Self.until { place.state.withLock(\.tries) == 1 })
    sink.close(milliseconds: 1)
    let end = Mutex(false)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      sink.halt()
      end.withLock { $0 = place.numbers.contains(1) }
      ended.signal()
    }
    // Not before the write is over, which a process's end would cut.
    #expect(ended.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
    place.goes.signal()
    ended.wait()
    let cameAfterIt = end.withLock { $0 }
    #expect(cameAfterIt)
    place.stalls.store(false, ordering: .sequentiallyConsistent)
    place.goes.signal()
    #expect(Self.until { sink.statistics.waiting == 0 })
    #expect(sink.statistics.written + sink.statistics.dropped == 3 && place.numbers.first == 1)
  }

  @Test func theEndWaitsForNobodyForEver() throws {
    let place = Place(), sink = Self.sink(place)
    place.state.withLock { $0.fails = true }
    sink.put(try Chunks.filled(1, first: 1))
    let begin = MonotonicTime.milliseconds
    sink.close(milliseconds: 50)
    #expect(MonotonicTime.milliseconds - begin < 30_000)
    #expect(Self.until { sink.statistics.dropped == 1 }, "the last one is given up, and its thread ends")
    #expect(place.numbers.isEmpty)
  }
}

/// The system's logs: sockets that take datagrams.
@Suite struct SystemLogTests {
  /// A socket that takes the datagrams.
  final class Listener {
    let folder: LogFolder
    let socket: Int32

    init() throws {
      folder = LogFolder()
      socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      let descriptor = socket
      let status = try UnixAddress.with("log", in: folder.path) { bind(descriptor, $0, $1) }
      #expect(status == 0)
    }

    deinit { close(socket) }
    var path: String { folder.path + "/log" }

    func next() -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      let count = recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return count < 0 ? nil : Array(bytes[..<count])
    }
  }

  /// A datagram of the journal's, as its documentation has it: `NAME=value`, or a name, the length in eight
  /// bytes and the value.
  static func fields(_ datagram: [UInt8]) -> [(name: String, value: String)]? {
    var fields: [(String, String)] = [], rest = datagram[...]
    while !rest.isEmpty {
      guard let end = rest.firstIndex(where: { $0 == 0x3D || $0 == 0x0A }) else { return nil }
      let name = String(decoding: rest[..<end], as: UTF8.self)
      let isPlain = rest[end] == 0x3D
      rest = rest[(end + 1)...]
      if isPlain {
        guard let line = rest.firstIndex(of: 0x0A),
          let value = String(validating: rest[..<line], as: UTF8.self)
        else {
          return nil
        }
        fields.append((name, value))
        rest = rest[(line + 1)...]
      } else {
        guard rest.count > 8 else { return nil }
        let length = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(8)
        guard rest.count > length, rest[rest.startIndex + length] == 0x0A,
          let value = String(validating: rest.prefix(length), as: UTF8.self)
        else { return nil }
        fields.append((name, value))
        rest = rest.dropFirst(length + 1)
      }
    }
    return fields
  }

  @Test func theJournalGetsFields() throws {
    let listener = try Listener(), journal = JournalDestination("app", path: listener.path)
    let record = LogRecord(
      level: .warning, service: "db", message: "one\ntwo=3", fields: Array(#"{"user id":"ä\nb","n":1}"#.utf8),
      place: "m.js:7")
    try journal.write(Chunks.of([record, record]), .trace)
    for _ in 0..<2 {
      let datagram = try #require(listener.next())
      let fields = try #require(Self.fields(datagram))
      #expect(
        fields.map { "\($0.name)=\($0.value)" } == [
          "MESSAGE=one\ntwo=3", "PRIORITY=4", "SYSLOG_IDENTIFIER=app", "NBRIDGE_SERVICE=db", "CODE_FILE=m.js",
          "CODE_LINE=7", "NBRIDGE_USER_ID=ä\nb", "NBRIDGE_N=1",
        ])
    }
    #expect(listener.next() == nil)
  }

  /// However long a message is: what goes is a datagram that the journal takes.
  @Test(arguments: ["x", "é", "漢", "🦆", "👩‍👩‍👧‍👧", "a\n", "🦆\n"]) func longMessagesAreCutAndStayReadable(
    _ unit: String
  ) throws {
    let listener = try Listener(), journal = JournalDestination("app", path: listener.path)
    let message = String(repeating: unit, count: 200_000 / unit.utf8.count * 2)
    try journal.write(Chunks.of([LogRecord(level: .info, service: "s", message: message)]), .trace)
    let datagram = try #require(listener.next())
    let fields = try #require(Self.fields(datagram))
    #expect(fields.first?.name == "MESSAGE" && (fields.first?.value.utf8.count ?? 0) > 40_000)
    #expect(
      fields.first.map { message.hasPrefix($0.value) || message.utf8.starts(with: $0.value.utf8) } ?? false)
    #expect(fields.map(\.name).contains("PRIORITY"))
  }

  @Test func syslogGetsALineThatObeysNobody() throws {
    let listener = try Listener(), syslog = SyslogDestination("app", path: listener.path)
    let records = LogLevel.allCases.map { LogRecord(level: $0, service: "s", message: "a\u{1B}[2J\n<1>fake") }
    try syslog.write(Chunks.of(records), .debug)
    var priorities: [String] = []
    while let datagram = listener.next() {
      let text = String(decoding: datagram, as: UTF8.self)
      #expect(text.hasSuffix("app[\(getpid())]: a␛[2J⏎<1>fake"), "\(text)")
      priorities.append(String(text.prefix { $0 != ">" }.dropFirst()))
    }
    #expect(priorities == ["15", "14", "13", "12", "11", "10"])
  }

  @Test func aLongLineForSyslogEndsWithAWholeCharacter() throws {
    for padding in 0..<4 {
      let listener = try Listener(), syslog = SyslogDestination("app", path: listener.path)
      let message = String(repeating: "x", count: padding) + String(repeating: "🦆", count: 4000)
      try syslog.write(Chunks.of([LogRecord(level: .info, service: "s", message: message)]), .trace)
      let datagram = try #require(listener.next())
      #expect(datagram.count <= 8192 && datagram.count > 8180)
      #expect(String(validating: datagram, as: UTF8.self) != nil)
    }
  }

  @Test func whatWasSentIsNotSentAgain() throws {
    let listener = try Listener(), journal = JournalDestination("app", path: listener.path)
    let first = try Chunks.filled(3, first: 1)
    try journal.write(first, .trace)
    for _ in 0..<3 { #expect(listener.next() != nil) }
    // The listener goes; then another one comes.
    #expect(unlink(listener.path) == 0)
    let other = JournalDestination("app", path: listener.path)
    #expect(throws: BridgeError.self) { try other.write(Chunks.filled(2, first: 4), .trace) }
    let again = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(again) }
    let status = try UnixAddress.with("log", in: listener.folder.path) { bind(again, $0, $1) }
    #expect(status == 0)
    try other.write(Chunks.filled(2, first: 4), .trace)
    var count = 0
    var bytes = [UInt8](repeating: 0, count: 4096)
    while recv(again, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 { count += 1 }
    #expect(count == 2)
  }
}
