// SPDX-License-Identifier: MIT

import Foundation
import NBridgePlugin
import Synchronization

/// What happened to boxes.
final class ShelfLog: Sendable {
  private let lines = Mutex<[String]>([])
  private let open = Atomic<Int>(0)
  private let all = Atomic<Int>(0)

  func opened() {
    open.add(1, ordering: .relaxed)
    all.add(1, ordering: .releasing)
  }
  func closed(_ line: String) {
    open.subtract(1, ordering: .relaxed)
    lines.withLock { $0.append(line) }
  }
  var count: Int { open.load(ordering: .relaxed) }
  var ever: Int { all.load(ordering: .acquiring) }
  func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}

final class Box: HandleObject {
  static let handle = HandleType("box", "A box with texts.")
  let name: String
  private let log: ShelfLog
  private let texts = Mutex<[String]>([])
  private let readers = Mutex<[AsyncStream<String>.Continuation]>([])
  private let users = Atomic<Int>(0)

  init(_ name: String, _ log: ShelfLog) {
    (self.name, self.log) = (name, log)
    log.opened()
  }

  func put(_ text: String, times: Int) -> Int {
    for reader in readers.withLock({ $0 }) { reader.yield(text) }
    return texts.withLock { texts in
      texts += Array(repeating: text, count: times)
      return texts.count
    }
  }

  func events() -> AsyncStream<String> {
    AsyncStream { continuation in readers.withLock { $0.append(continuation) } }
  }

  func use<R>(_ body: () -> R) -> R {
    users.add(1, ordering: .acquiringAndReleasing)
    defer { users.subtract(1, ordering: .acquiringAndReleasing) }
    return body()
  }

  func close() throws {
    let isUsed = users.load(ordering: .acquiring) > 0
    log.closed(isUsed ? "closed \(name) while it was used" : "closed \(name)")
    if name == "stuck" { throw BridgeError(.ioError, "it is stuck") }
  }
}

final class Lid: HandleObject {
  static let handle = HandleType("lid", "A lid.")
}

struct ShelfPlugin: Plugin {
  static let manifest = PluginManifest(service: "shelf", version: "1.0.0", help: "Boxes to hold.")
  let log = ShelfLog()

  struct Name: Codable, Sendable { var name: String }
  struct Text: Codable, Sendable {
    var text: String
    var times: Int?
  }
  struct Milliseconds: Codable, Sendable { var ms: Int }
  struct Data: Codable, Sendable { var bytes: Bytes }
  struct Several: Codable, Sendable {
    var first: Handle<Box>
    var others: [Handle<Box>]
  }

  var body: PluginBody {
    Immediate("fail", "Opens a box, and fails.") { (options: Name, call) throws -> Handle<Box> in
      let box = call.hold(Box(options.name, log))
      guard options.name.isEmpty else { throw BridgeError(.conflict, "no box after all") }
      return box
    }
    Detached("left", "How many boxes are open.") { (call) in log.count }
    Action("drop", "Opens a box that is in no answer.") { (options: Name, call) async throws -> Int in
      _ = call.hold(Box(options.name, log))
      return 1
    }
    Immediate("open", "Opens a box.") { (options: Name, call) in call.hold(Box(options.name, log)) }
      .positional("name")
    Detached("openSlowly", "Opens a box after a while.") { (options: Milliseconds, call) in
      usleep(UInt32(options.ms) * 1000)
      return call.hold(Box("late", log))
    }
    .positional("ms")
    Action("several", "Opens three boxes.") { call in
      Several(
        first: call.hold(Box("one", log)),
        others: [call.hold(Box("two", log)), call.hold(Box("three", log))])
    }
    Immediate("lid", "Answers a lid.") { call in call.hold(Lid()) }
    Immediate("openCount", "How many boxes are open.") { _ in log.count }
    Immediate("openedEver", "How many boxes were ever opened.") { _ in log.ever }
    Handles(Lid.self) {}
    Handles(Box.self) {
      Immediate("put", "Puts a text in.") { (box: Box, options: Text, _) in
        box.put(options.text, times: options.times ?? 1)
      }
      .positional("text")
      Immediate("count", "How many texts there are.") { (box: Box, _) in box.put("", times: 0) }
      Immediate("name", "The box's name.") { (box: Box, _) in box.name }
      Immediate("sum", "Adds bytes up.") { (_: Box, options: Data, _) in
        options.bytes.withUnsafeBytes { $0.reduce(0) { $0 + Int($1) } }
      }
      .positional("bytes")
      Action("later", "Puts a text in after a while.") { (box: Box, options: Text, _) in
        await Task.yield()
        return box.put(options.text, times: 1)
      }
      .positional("text")
      Detached("slow", "Answers the name after a while.") { (box: Box, options: Milliseconds, _) in
        box.use {
          usleep(UInt32(options.ms) * 1000)
          return box.name
        }
      }
      .positional("ms")
      Watch("events", "The texts that are put in.") { (box: Box, _) in box.events() }
    }
  }
}
