// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import Testing

@testable import NBridgePlugin

/// What a plugin may know of its program and ask it for.
@Suite struct AppEnvironmentTests {
  @Test func onePluginsEnvironmentHasItsOwnSettings() throws {
    let host = RecordingHost()
    let app = AppEnvironment.testing(bundle: "/b", resources: ["r"], host: host)
    let settings = try Value(encoding: ["x": 1])
    let scoped = app.scoped(to: "mine", settings: settings)
    #expect(scoped.service == "mine")
    #expect(scoped.settings == settings)
    #expect(app.settings == nil)
    #expect(scoped.info == app.info)
    #expect(scoped.container == app.container)
    #expect(scoped.bundle == "/b")
    #expect(scoped.resources == ["r"])
    #expect(scoped.arguments == ["a", "b"])
    #expect(scoped.registeredDefaults == ["k": .null])
    #expect(scoped.shared == app.shared)
    #expect(scoped.schemes == ["test"])
  }

  @Test func requestsReachTheHost() {
    let host = RecordingHost()
    let app = AppEnvironment.testing(host: host)
    app.exit(code: 3)
    app.note("a line")
    #expect(host.exits == [3])
    #expect(host.notes == ["a line"])
    #expect(Call(app: app).allows("yes"))
    #expect(!Call(app: app).allows("no"))
    #expect(app.phase == .active)
  }

  @Test func anEnvironmentIsToldAndRead() throws {
    let app = AppEnvironment.testing(bundle: "/b").scoped(to: "s", settings: try Value(encoding: [1]))
    let value = try Value(encoding: ForeignEnvironment(app))
    let read = try value.decode(ForeignEnvironment.self)
    #expect(try Value(encoding: read) == value)
    #expect(value.kind == .object)
    let info = try value.decode([String: Value].self)["app"]?.decode(AppInfo.self)
    #expect(info == app.info)
  }
}

@Suite struct LifecycleTests {
  @Test func eachReaderGetsThePresentStateFirst() async {
    let readers = LifecycleReaders()
    let one = readers.stream()
    #expect(readers.enter(.background))
    let two = readers.stream()
    #expect(readers.enter(.active))
    #expect(readers.enter(.terminating))
    readers.finish()
    var (first, second): ([LifecycleState], [LifecycleState]) = ([], [])
    for await state in one { first.append(state) }
    for await state in two { second.append(state) }
    #expect(first == [.active, .background, .active, .terminating])
    #expect(second == [.background, .active, .terminating])
  }

  @Test func whatStandsAlreadyIsNotToldAgain() {
    let readers = LifecycleReaders()
    let seen = Mutex<[LifecycleState]>([])
    let observer = readers.observe { state in seen.withLock { $0.append(state) } }
    #expect(!readers.enter(.active))
    #expect(readers.enter(.background))
    #expect(!readers.enter(.background))
    #expect(readers.phase == .background)
    readers.forget(observer)
    #expect(readers.enter(.active))
    #expect(seen.withLock { $0 } == [.active, .background])
  }

  /// An observer may ask the readers itself.
  @Test func observersMayAsk() {
    let readers = LifecycleReaders()
    let seen = Mutex<[LifecycleState]>([])
    _ = readers.observe { [unowned readers] _ in seen.withLock { $0.append(readers.phase) } }
    readers.enter(.terminating)
    #expect(seen.withLock { $0 } == [.active, .terminating])
    readers.finish()
    readers.enter(.active)
    #expect(seen.withLock { $0 }.count == 2)
  }

  @Test func readersThatEndAreForgotten() async {
    let readers = LifecycleReaders()
    let stream = readers.stream()
    let task = Task {
      var count = 0
      for await _ in stream { count += 1 }
      return count
    }
    task.cancel()
    _ = await task.value
    readers.enter(.background)
    readers.finish()
  }
}

/// A plugin's way into the log.
@Suite struct PluginLoggerTests {
  struct Failing: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws { throw BridgeError(.ioError, "no") }
  }

  private func fields(_ fields: PluginLogger.Fields) -> String {
    let host = RecordingHost()
    PluginLogger(host, "s").info("m", fields)
    return String(decoding: host.records.first?.fields ?? [], as: UTF8.self)
  }

  @Test func recordsHaveTheirLevelAndPlace() {
    let host = RecordingHost()
    let logger = PluginLogger(host, "mine")
    logger.trace("1")
    logger.debug("2")
    logger.info("3")
    logger.notice("4")
    logger.warning("5")
    logger.error("6")
    logger.critical("7")
    #expect(host.records.map(\.level) == LogLevel.allCases)
    #expect(host.records.map(\.message) == ["1", "2", "3", "4", "5", "6", "7"])
    #expect(host.records.allSatisfy { $0.service == "mine" && $0.fields.isEmpty })
    #expect(host.records.allSatisfy { $0.place.hasPrefix("NBridgePluginTests/AppEnvironmentTests.swift:") })
    #expect(Set(host.records.map(\.place)).count == 7)
  }

  /// A record below the host's level is not even made.
  @Test func whatNobodyWantsCostsNothing() {
    let host = RecordingHost()
    host.least = .warning
    let logger = PluginLogger(host, "s")
    func text() -> String {
      Issue.record("it was made")
      return ""
    }
    logger.info(text(), ["x": text()])
    logger.notice(text())
    #expect(host.records.isEmpty)
    logger.warning("w")
    #expect(host.records.count == 1)
  }

  @Test func fieldsAreJSON() {
    #expect(fields([:]) == "")
    #expect(fields(["a": 1, "b": "x\"\n", "c": true]) == #"{"a":1,"b":"x\"\n","c":true}"#)
    #expect(fields(["list": [1, 2], "none": Int?.none]) == #"{"list":[1,2],"none":null}"#)
    #expect(fields(["é \"": 1.5]) == #"{"é \"":1.5}"#)
    #expect(fields(["bad": Failing(), "good": 1]) == #"{"bad":"(can't be written)","good":1}"#)
    #expect(fields(["large": Int.max]) == #"{"large":"(can't be written)"}"#)
  }

  @Test func levelsAreInOrder() {
    for (rank, level) in LogLevel.allCases.enumerated() {
      #expect(level.rank == rank)
      #expect(LogLevel(rank: rank) == level)
    }
    #expect(LogLevel(rank: -1) == nil)
    #expect(LogLevel(rank: 7) == nil)
    #expect(LogLevel.allCases == LogLevel.allCases.shuffled().sorted())
    #expect(LogLevel.trace < .critical && !(LogLevel.error < .error))
  }
}
