// SPDX-License-Identifier: MIT

internal import Glibc
package import NBridgePlugin
internal import Synchronization

/// The plugin that attacks are tried on: its handlers resume each other, keep bytes, read late, call others.
package struct AttackedPlugin: Plugin {
  package init() {}
  package static let manifest = PluginManifest(
    service: "attacked", version: "1.0.0", help: "For tests of attacks.")

  package let waiting = WaitingHandlers()
  package let gate = Counter()
  package let begun = Counter()
  package let cancelled = Counter()
  package let kept = KeptBytes()

  struct Number: Codable { var n: Int32 }
  struct Held: Codable { var bytes: Bytes }
  struct Word: Codable {
    var `default`: String
    var call: String?
    var control: String?
    var option: String?
    var other: Int?
  }
  struct Target: Codable {
    var action: String
    var milliseconds: Int?
  }

  package var body: PluginBody {
    Action("pull", "Waits until something is pushed.") { (options: Number, call) async -> Int32 in
      await withCheckedContinuation { waiting.add($0) }
      return options.n
    }
    Action("push", "Lets go of all that wait.") { (options: Number, call) async -> Int32 in
      waiting.resume()
      return options.n
    }
    Action("pushThenFail", "The same, and fails.") { (options: Number, call) async throws -> Int32 in
      waiting.resume()
      throw BridgeError("pushed", "number \(options.n)")
    }
    Action("yieldThen", "Lets others run before it answers.") { (options: Number, call) async -> Int32 in
      await Task.yield()
      return options.n
    }
    Action("badDetails", "Fails with details that stand for no value.") { (call) async throws -> Int in
      try await Task.sleep(for: .milliseconds(1))
      throw BridgeError(
        "bad", "with details", details: Value(text: Array(#"{"$nb":["b",7,"Uint8Array"]}"#.utf8)))
    }
    Immediate("sum", "Adds bytes up.") { (options: Held, call) in options.bytes.reduce(0) { $0 + Int($1) } }
    Detached("sumLate", "Adds bytes up once the gate is open.") { (options: Held, call) in
      while gate.value == 0 { usleep(500) }
      return options.bytes.reduce(0) { $0 + Int($1) }
    }
    Immediate("openGate", "Lets sumLate go on.") { call in gate.add() }
    Immediate("keep", "Answers the same bytes each time.") { call in kept.bytes }
    Action("keepLate", "The same, later.") { (call) async throws -> Bytes in
      try await Task.sleep(for: .milliseconds(1))
      return kept.bytes
    }
    Immediate("keepMixed", "The same in an object.") { call in ["bytes": kept.bytes] }
    Immediate("echoBytes", "Gives them back.") { (options: Held, call) in options.bytes }
    Immediate("word", "Options that are named like words of the language.") {
      (
        options: Word, call
      ) in options
    }
    .positional("default", "call", "control", "option")
    Action("never", "Never answers.") { (call) async throws -> Int in
      begun.add()
      do { try await Task.sleep(for: .seconds(100_000)) } catch {
        cancelled.add()
        throw error
      }
      return 0
    }
    Detached("wait", "Blocks for a while.") { (call) throws in
      for _ in 0..<20 where !call.isCancelled { usleep(1000) }
    }
    .blocking()
    Immediate("beginnings", "How often never was begun.") { call in begun.value }
    Immediate("cancellations", "How many were cancelled.") { call in cancelled.value }
    Action("through", "Calls another action of this plugin.") { (options: Target, call) async throws -> Int in
      try await call.invoke(
        "attacked", options.action, [String: Int](), timeout: options.milliseconds.map { .milliseconds($0) })
    }
    Watch("ticks", "One event, then silence.") { call in
      AsyncStream<Int> { continuation in
        continuation.yield(1)
        continuation.onTermination = { _ in cancelled.add() }
      }
    }
    Immediate("secret", "Hidden.") { call in 7 }.hidden()
  }
}

/// Handlers that wait, each let go of once.
package final class WaitingHandlers: Sendable {
  private let list = Mutex<[CheckedContinuation<Void, Never>]>([])
  func add(_ one: CheckedContinuation<Void, Never>) { list.withLock { $0.append(one) } }
  func resume() {
    list.withLock { list in
      defer { list = [] }
      return list
    }.forEach { $0.resume() }
  }
}

/// Bytes that a plugin goes on reading.
package final class KeptBytes: Sendable {
  let bytes = Bytes(Array(repeating: 7, count: 100_000))
}
