// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import NBridgePlugin

/// Descriptors that tasks wait for. Real pipes; a wait that does not end is ended by the tests' time limit.
@Suite(.timeLimit(.minutes(10))) struct ReadinessTests {
  /// A pipe whose ends don't block.
  final class Pipe: Sendable {
    let read, write: Int32

    init() {
      var ends: [Int32] = [0, 0]
      precondition(pipe(&ends) == 0)
      for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
      (read, write) = (ends[0], ends[1])
    }
    deinit {
      close(read)
      close(write)
    }

    func put(_ text: String) { _ = Glibc.write(write, text, text.utf8.count) }

    /// What is there now; nil when nothing is.
    func take(_ most: Int = 100) -> String? {
      var bytes = [UInt8](repeating: 0, count: most)
      let count = Glibc.read(read, &bytes, most)
      return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Writes until nothing more goes in.
    func fill() { while Glibc.write(write, "0123456789", 10) > 0 {} }
  }

  @Test func whatIsThereIsToldAtOnceAndWhatComesWhenItComes() async throws {
    let pipe = Pipe()
    pipe.put("first")
    try await Readiness.wait(of: pipe.read)
    #expect(pipe.take() == "first")
    async let next: Void = Readiness.wait(of: pipe.read)
    pipe.put("second")
    try await next
    #expect(pipe.take() == "second")
  }

  @Test func aMomentComesUntilAllIsRead() async throws {
    let pipe = Pipe()
    pipe.put("abcdef")
    var read = ""
    for try await _ in Readiness(of: pipe.read) {
      read += pipe.take(1) ?? ""
      if read.count == 6 { break }
    }
    #expect(read == "abcdef" && pipe.take() == nil)
  }

  @Test func theEndOfTheOtherSideIsAMoment() async throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    defer { close(reading) }
    async let moment: Void = Readiness.wait(of: reading)
    close(writing)
    try await moment
    var byte: UInt8 = 0
    #expect(read(reading, &byte, 1) == 0)
  }

  @Test func roomToWriteIsWaitedFor() async throws {
    let pipe = Pipe()
    pipe.fill()
    async let room: Void = Readiness.wait(for: .writable, of: pipe.write)
    while pipe.take(4096) != nil {}
    try await room
    #expect(Glibc.write(pipe.write, "x", 1) == 1)
  }

  @Test func aTaskThatIsCancelledWaitsNoMore() async throws {
    let pipe = Pipe()
    for isEarly in [true, false] {
      let task = Task {
        if isEarly { while !Task.isCancelled { await Task.yield() } }
        try await Readiness.wait(of: pipe.read)
      }
      if !isEarly { await Task.yield() }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    // Nothing of them is left that would take the next moment.
    pipe.put("x")
    try await Readiness.wait(of: pipe.read)
  }

  /// The moment and the cancellation come at once, again and again: each wait ends, once.
  @Test func whoCancelsAndWhoWritesMayCollide() async throws {
    for round in 0..<2000 {
      let pipe = Pipe()
      let task = Task { try await Readiness.wait(of: pipe.read) }
      if round.isMultiple(of: 2) { await Task.yield() }
      async let put: Void = pipe.put("x")
      task.cancel()
      await put
      _ = await task.result
    }
  }

  @Test func hundredsWaitOnOneThread() async throws {
    let pipes = (0..<200).map { _ in Pipe() }
    let (woken, wake) = AsyncStream<Int>.makeStream()
    let tasks = pipes.enumerated().map { index, pipe in
      Task {
        try await Readiness.wait(of: pipe.read)
        wake.yield(index)
      }
    }
    // The last one first: nobody waits for another.
    var found = woken.makeAsyncIterator()
    for index in pipes.indices.reversed() {
      pipes[index].put("x")
      #expect(await found.next() == index)
    }
    for task in tasks { try await task.value }
    #expect(Self.threads().count == 1, "\(Self.threads())")
  }

  /// A signal that this thread took would go past the program's own handling.
  @Test func itsThreadTakesNoSignals() async throws {
    let pipe = Pipe()
    pipe.put("x")
    try await Readiness.wait(of: pipe.read)
    let thread = try #require(Self.threads().first)
    let status = try String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8)
    let blocked = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") })
    let mask = try #require(UInt64(blocked.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16))
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGWINCH, SIGUSR2] {
      #expect(mask & 1 << UInt64(signal - 1) != 0, "signal \(signal)")
    }
  }

  /// What tasks are on threads of that name, by their numbers.
  static func threads() -> [String] {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.filter {
      (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == "nb-readiness\n"
    }
  }

  @Test func aFileOnADiskIsAlwaysReady() async throws {
    let file = open("/proc/self/exe", O_RDONLY)
    defer { close(file) }
    try await Readiness.wait(of: file)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await Readiness.wait(of: file)
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func whatIsNotOpenIsRefused() async throws {
    let error = await #expect(throws: BridgeError.self) { try await Readiness.wait(of: -1) }
    #expect(error?.code == .ioError && error?.message == "can't wait for a descriptor: Bad file descriptor")
  }

  /// The number is closed and is another file's at once: its bytes wake nobody who waits for the first.
  @Test func aNumberThatIsUsedAgainIsAnotherDescriptor() async throws {
    let (first, second) = (Pipe(), Pipe())
    let number = dup(first.read)
    let (events, told) = AsyncStream<Void>.makeStream()
    let task = Task {
      for try await _ in Readiness(of: number) {
        guard let text = first.take() else { continue }
        told.yield()
        if text == "end" { return }
      }
    }
    first.put("x")
    for await _ in events { break }
    dup2(second.read, number)
    second.put("for another")
    first.put("end")
    try await task.value
    #expect(second.take() == "for another")
    close(number)
  }
}
