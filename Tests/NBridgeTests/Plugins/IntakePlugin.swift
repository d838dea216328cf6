// SPDX-License-Identifier: MIT

import Foundation
import NBridgePlugin
import Synchronization

/// What scripts handed over, kept past the end of its call.
final class IntakeBox: Sendable {
  let stream = Mutex<Incoming<Int>?>(nil)
  let function = Mutex<Callback<Int, Int>?>(nil)
  let log = Mutex<[String]>([])
  let returned = Returns()
  func note(_ line: String) {
    log.withLock { $0.append(line) }
    returned.one()
  }
}

final class Store: HandleObject {
  static let handle = HandleType("store", "Keeps numbers.")
  let numbers = Mutex<[Int]>([])
}

/// Takes streams and functions of scripts in every way there is.
struct IntakePlugin: Plugin {
  static let manifest = PluginManifest(service: "intake", version: "1.0.0", help: "Takes what comes.")
  let box = IntakeBox()

  struct Row: Codable, Sendable {
    var size: Int
    var note: String?
  }
  struct Rows: Codable, Sendable {
    var rows: Incoming<Row>
    var limit: Int?
  }
  struct Numbers: Codable, Sendable {
    var numbers: Incoming<Int>
    var take: Int?
  }
  struct Chunks: Codable, Sendable { var chunks: Incoming<Bytes> }
  struct Anything: Codable, Sendable { var values: Incoming<Value> }
  struct Maybe: Codable, Sendable {
    var numbers: Incoming<Int>?
    var each: Callback<Int, Int>?
  }
  struct Ask: Codable, Sendable {
    var ask: Callback<Int, Int>
    var times: Int?
  }
  struct Pair: Codable, Sendable { var left: Bytes, right: Date }
  struct Compare: Codable, Sendable { var compare: Callback<Pair, Bytes> }
  struct Tell: Codable, Sendable { var tell: Callback<String, Void> }
  struct Steps: Codable, Sendable { var steps: Int }
  struct HeardSteps: Codable, Sendable {
    var steps: Int
    /// Answers when the script has heard of so many steps.
    var heard: Callback<Int, Void>
  }
  struct Step: Codable, Sendable { var done: Int, name: String }
  struct Both: Codable, Sendable {
    var numbers: Incoming<Int>
    var map: Callback<Int, Int>
  }

  var body: PluginBody {
    streams
    blocking
    functions
    objects
  }

  @PluginBuilder private var streams: PluginBody {
    Action("sum", "Adds sizes.") { (options: Rows, _) async throws in
      var sum = 0
      for try await row in options.rows {
        sum += row.size
        if sum > options.limit ?? .max { throw BridgeError(.tooLarge, "more than the limit") }
      }
      return sum
    }
    .positional("rows")

    Action("some", "Takes some and answers them.") { (options: Numbers, _) async throws in
      var taken: [Int] = []
      for try await number in options.numbers {
        taken.append(number)
        if taken.count == options.take { break }
      }
      return taken
    }
    .positional("numbers", "take")

    Action("leave", "Takes one, leaves, and goes on.") { (options: Numbers, call) async throws in
      var reader = options.numbers.makeAsyncIterator()
      let first = try await reader.next()
      options.numbers.cancel()
      let second = try await reader.next()
      try await Task.sleep(for: .milliseconds(5))
      return [first, second]
    }
    .positional("numbers")

    Detached("askAndGo", "Asks for a number and does not wait for it.") { (options: Numbers, _) throws in
      let numbers = options.numbers
      Thread.detachNewThread { _ = try? numbers.nextBlocking() }
      usleep(1000)
    }
    .positional("numbers")

    Action("ignore", "Reads nothing.") { (options: Numbers, _) async throws in
      try await Task.sleep(for: .milliseconds(1))
    }
    .positional("numbers")

    Action("ignoreAtOnce", "Reads nothing and waits for nothing.") { (_: Numbers, _) async in }
      .positional("numbers")

    Action("length", "Adds lengths.") { (options: Chunks, _) async throws in
      var (count, sum) = (0, 0)
      for try await chunk in options.chunks {
        count += chunk.count
        sum += chunk.reduce(0) { $0 + Int($1) }
      }
      return [count, sum]
    }
    .positional("chunks")

    Action("kinds", "Names the kinds.") { (options: Anything, _) async throws in
      var kinds: [String] = []
      for try await value in options.values { kinds.append(value.kind.rawValue) }
      return kinds
    }
    .positional("values")

    Action("maybe", "Takes what there is.") { (options: Maybe, _) async throws in
      var sum = 0
      if let numbers = options.numbers { for try await number in numbers { sum += number } }
      return try await options.each?(sum) ?? sum
    }

    Action("together", "Reads with several tasks.") { (options: Numbers, _) async throws in
      try await withThrowingTaskGroup(of: [Int].self) { group in
        for _ in 0..<4 {
          group.addTask {
            var taken: [Int] = []
            for try await number in options.numbers { taken.append(number) }
            return taken
          }
        }
        var all: [Int] = []
        for try await taken in group { all += taken }
        return all.sorted()
      }
    }
    .positional("numbers")

    Action("keep", "Keeps the stream.") { [box] (options: Numbers, _) async throws in
      box.stream.withLock { $0 = options.numbers }
      var reader = options.numbers.makeAsyncIterator()
      return try await reader.next()
    }
    .positional("numbers")

    Action("readKept", "Reads the stream of a call that is over.") { [box] (_) async throws in
      guard let kept = box.stream.withLock({ $0 }) else { return }
      var reader = kept.makeAsyncIterator()
      _ = try await reader.next()
    }

    Action("endless", "Reads until it is cancelled.") { [box] (options: Numbers, _) async throws in
      do { for try await _ in options.numbers {} } catch {
        box.note((error as? BridgeError)?.code.rawValue ?? "\(error)")
        throw error
      }
    }
    .positional("numbers")

    Watch("doubled", "Twice what comes.") { (options: Numbers, _) in options.numbers.map { $0 * 2 } }
      .positional("numbers")
  }

  @PluginBuilder private var blocking: PluginBody {
    Detached("sumBlocking", "Adds on a thread of its own.") { (options: Rows, _) throws in
      var sum = 0
      while let row = try options.rows.nextBlocking() { sum += row.size }
      return sum
    }
    .positional("rows")

    Detached("endlessBlocking", "Reads until it is cancelled.") { [box] (options: Numbers, _) throws in
      do { while try options.numbers.nextBlocking() != nil {} } catch {
        box.note((error as? BridgeError)?.code.rawValue ?? "\(error)")
        throw error
      }
    }
    .positional("numbers")

    Detached("askBlocking", "Asks on a thread of its own.") { (options: Ask, _) throws in
      try (1...(options.times ?? 1)).reduce(0) { try $0 + options.ask.callBlocking($1) }
    }
    .positional("ask")

    Action("block", "Would keep the engine from moving.") { (options: Numbers, _) async throws in
      try options.numbers.nextBlocking()
    }
    .positional("numbers")
  }

  @PluginBuilder private var functions: PluginBody {
    Action("ask", "Asks one after the other.") { (options: Ask, _) async throws in
      var sum = 0
      for number in 1...(options.times ?? 1) { sum += try await options.ask(number) }
      return sum
    }
    .positional("ask")

    Action("askAll", "Asks all at once.") { (options: Ask, _) async throws in
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 1...(options.times ?? 1) { group.addTask { try await options.ask(number) } }
        return try await group.reduce(0, +)
      }
    }
    .positional("ask")

    Action("compare", "Asks for bytes.") { (options: Compare, _) async throws in
      try await options.compare(Pair(left: Bytes([1, 2]), right: Date(timeIntervalSince1970: 1))).count
    }
    .positional("compare")

    Action("tell", "Tells.") { (options: Tell, _) async throws in
      try await options.tell("a")
      try await options.tell("b")
    }
    .positional("tell")

    Action("keepFunction", "Keeps the function.") { [box] (options: Ask, _) async throws in
      box.function.withLock { $0 = options.ask }
      return try await options.ask(1)
    }
    .positional("ask")

    Action("callKept", "Calls the function of a call that is over.") { [box] (_) async throws in
      guard let kept = box.function.withLock({ $0 }) else { return 0 }
      return try await kept(2)
    }

    Action("load", "Tells how far it is, and waits until that is heard.") {
      (options: HeardSteps, call) async throws -> Int in
      for step in 1...options.steps {
        call.progress(Step(done: step, name: "s\(step)"))
        try await options.heard(step)
      }
      return options.steps
    }
    .positional("steps", "heard").progress(Step.self)

    Detached("loadBlocking", "The same on a thread of its own.") {
      (options: HeardSteps, call) throws -> Int in
      for step in 1...options.steps {
        call.progress(step)
        try options.heard.callBlocking(step)
      }
      return options.steps
    }
    .positional("steps", "heard").progress(Int.self)

    Detached("compute", "Tells how far it is.") { (options: Steps, call) throws -> Int in
      for step in 1...options.steps { call.progress(step) }
      return options.steps
    }
    .positional("steps").progress(Int.self)

    Action("wait", "Takes no options.") { (call: Call) async throws -> Int in
      call.progress(7)
      try await Task.sleep(for: .milliseconds(5))
      return 1
    }
    .progress(Int.self)

    Action("map", "Maps what comes.") { (options: Both, _) async throws in
      var mapped: [Int] = []
      for try await number in options.numbers { mapped.append(try await options.map(number)) }
      return mapped
    }
    .positional("numbers", "map")
  }

  @PluginBuilder private var objects: PluginBody {
    Immediate("open", "Opens a store.") { (call: Call) in call.hold(Store()) }

    Handles(Store.self) {
      Action("put", "Puts numbers in.") { (store: Store, options: Numbers, _) async throws -> Int in
        for try await number in options.numbers { store.numbers.withLock { $0.append(number) } }
        return store.numbers.withLock { $0.count }
      }
      .positional("numbers")

      Detached("putBlocking", "Puts numbers in.") { (store: Store, options: Both, _) throws -> [Int] in
        while let number = try options.numbers.nextBlocking() {
          let mapped = try options.map.callBlocking(number)
          store.numbers.withLock { $0.append(mapped) }
        }
        return store.numbers.withLock { $0 }
      }
      .positional("numbers", "map")
    }
  }
}
