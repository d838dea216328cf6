// SPDX-License-Identifier: MIT

internal import Glibc
package import NBridgePlugin
internal import Synchronization

/// A plugin with every kind of action, for the tests of the bridge.
package struct ProbePlugin: Plugin {
  package init() {}
  package static let manifest = PluginManifest(service: "probe", version: "1.0.0", help: "For tests.")

  package let cancelled = Counter()
  package let opened = Counter()
  package let asked = Counter()
  package let waiting = Waiting()

  struct Named: Codable { var name: String }
  struct Milliseconds: Codable { var ms: Int }
  struct Count: Codable { var count: Int }
  struct Point: Codable { var x: Double; var y: Double; var label: String; var on: Bool }
  struct Anything: Codable { var value: Value }
  struct Mixed: Codable {
    var n: Int
    var bytes: Bytes?
    var big: Int64?
    init(_ n: Int) {
      self.n = n
      if n % 3 == 0 { bytes = Bytes([UInt8(n % 256)]) }
      if n % 5 == 0 { big = Int64(n) }
    }
  }
  struct Plain: Error, CustomStringConvertible { var description: String { "a plain Swift error" } }

  package var body: PluginBody {
    Immediate("answer", "42.") { call in 42 }
    Immediate("hello", "Greets.") { (options: Named, call) in "Hello, \(options.name)!" }
    Immediate("point", "Gives back a point.") { (options: Point, call) in options }
    Immediate("echo", "Gives back any value.") { (options: Anything, call) in options.value }
    Immediate("bytes", "Gives back bytes.") { (options: [String: Bytes], call) in
      options["bytes"] ?? Bytes([])
    }
    Immediate("nothing", "Nothing.") { call in }
    Immediate("throwsPlain", "Throws a plain error.") { (call) throws -> Int in throw Plain() }
    Immediate("throwsCode", "Throws a code of its own.") { (call) throws -> Int in
      throw BridgeError("out_of_paper", "the printer is empty", details: try Value(encoding: ["tray": 2]))
    }
    Action("soon", "Answers at once.") { (call) async in "soon" }
    Action("later", "Answers after a while.") { (options: Milliseconds, call) async throws -> Int in
      do { try await Task.sleep(for: .milliseconds(options.ms)) } catch {
        cancelled.add()
        throw error
      }
      return options.ms
    }
    Action("never", "Never answers.") { (call) async -> Int in
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
      return 0
    }
    Action("yields", "Yields until it is cancelled.") { (call) async -> String in
      while !call.isCancelled { await Task.yield() }
      return "stopped"
    }
    Action("viaOther", "Calls another action.") { (call) async throws -> String in
      try await call.invoke("probe", "hello", ["name": "plugin"])
    }
    Immediate("slow", "Keeps the loop for a while.") { call in _ = usleep(40_000) }
    Detached("compute", "Answers from another thread.") { (options: Count, call) in options.count * 2 }
    Detached("block", "Blocks.") { (options: Milliseconds, call) in
      usleep(UInt32(options.ms) * 1000)
    }
    Detached("gate", "Blocks until openGate.") { call in while opened.value == 0 { usleep(1000) } }
    Action("gated", "Answers twice the number; those that wait for the gate answer in one round.") {
      (options: Count, call) async -> Int in
      if opened.value == 0 { await withCheckedContinuation { waiting.add($0) } }
      return options.count * 2
    }
    Immediate("openAll", "Lets go of all that wait.") { call in
      opened.add()
      waiting.resume()
    }
    Immediate("openGate", "Lets go of every gate.") { call in opened.add() }
    Detached("stuck", "Blocks for ever.") { call in while true { sleep(100) } }
    Watch("numbers", "Counts.") { (options: Count, call) in CountingSequence(limit: options.count) }
    Watch("mixed", "Counts; every third has bytes, every fifth a big integer.") {
      (options: Count, call) in CountingSequence(limit: options.count).map { Mixed($0) }
    }
    .buffering(.wait(4))
    Watch("hungry", "Counts how often it is asked.") { call in
      CountingSequence(limit: 100_000).map { n in
        asked.add()
        return n
      }
    }
    .buffering(.wait(4))
    Immediate("asked", "How often hungry was asked.") { call in asked.value }
    Watch("burst", "Counts, dropping the oldest.") { (options: Count, call) in
      CountingSequence(limit: options.count)
    }
    .buffering(.dropOldest(10))
    Watch("fails", "Fails after two.") { call in
      AsyncThrowingStream<Int, any Error> { continuation in
        continuation.yield(1)
        continuation.yield(2)
        continuation.finish(throwing: BridgeError(.unavailable, "gone"))
      }
    }
    Watch("silent", "Says nothing and holds nothing open.") { call in AsyncStream<Int> { _ in } }.holdsOpen(
      false)
    Watch("endless", "Counts until it is stopped.") { call in
      CountingSequence(limit: .max, cancelled: cancelled)
    }
    Immediate("cancellations", "How many handlers were cancelled.") { call in cancelled.value }
  }
}

/// Handlers that wait.
package final class Waiting: Sendable {
  private let list = Mutex<[CheckedContinuation<Void, Never>]>([])
  func add(_ one: CheckedContinuation<Void, Never>) { list.withLock { $0.append(one) } }
  func resume() { list.withLock { $0 }.forEach { $0.resume() } }
}

package final class Counter: Sendable {
  private let count = Atomic<Int>(0)
  package func add() { count.add(1, ordering: .relaxed) }
  package var value: Int { count.load(ordering: .relaxed) }
}

/// 0, 1, 2 … without ever suspending.
struct CountingSequence: AsyncSequence, Sendable {
  let limit: Int
  var cancelled: Counter?

  /// Tells when no reader is left.
  final class End: Sendable {
    let counter: Counter?
    init(_ counter: Counter?) { self.counter = counter }
    deinit { counter?.add() }
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    var next = 0
    let limit: Int
    let end: End
    mutating func next() async -> Int? { await next(isolation: nil) }
    mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
      guard next < limit else { return nil }
      defer { next += 1 }
      return next
    }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(limit: limit, end: End(cancelled)) }
}
