// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NBridgePlugin
import NBridgeStore
import NBridgeTesting
import TestSupport
import Testing

@testable import NBridgeSystem
@testable import PreferencePlugin

/// The services of a program for its plugins, in a test.
final class PreferenceHost: AppHost {
  func requestExit(_ code: Int32) {}
  func lifecycle() -> AsyncStream<LifecycleState> { AsyncStream { $0.finish() } }
  var phase: LifecycleState { .active }
  func note(_ line: String) {}
  func logs(_ level: LogLevel) -> Bool { false }
  func log(_ record: LogRecord) {}
  func invoke(_ request: InvocationRequest) async throws -> Value { .null }
  func allows(_ permission: String) -> Bool { true }
  func holdsProgramFile(_ path: RealPath) -> Bool { false }
}

/// A container of one test, which goes with it, and stores on it as several processes have them.
final class PreferenceHome {
  private let folder = TemporaryFolder.make()
  /// Not there before a store makes it.
  var path: String { folder + "/home" }
  private let host = PreferenceHost()
  deinit { TemporaryFolder.remove(folder) }

  func store() -> PreferenceStore {
    PreferenceStore(
      AppEnvironment(
        info: .init(id: "a", name: "a", version: "1", build: "1"), container: Container(path: path),
        bundle: nil, arguments: [],
        registeredDefaults: [:], shared: SharedFolders(below: path + "/shared"), schemes: [], host: host))
  }

  var database: String { path + "/Library/Preferences/preferences.db" }
}

/// Settings, what a process remembers of them, and the watchers that hear of their changes.
@Suite struct PreferenceMachineTests {
  static func key(_ text: String) throws -> PreferenceKey { try PreferenceKey(text) }
  static func value(_ number: Int) throws -> Value { try Value(encoding: number) }

  static func number(_ store: PreferenceStore, _ key: String) throws -> Int? {
    try store.get(Self.key(key))?.decode(Int.self)
  }

  @Test(arguments: [
    ("", false), ("a", true), (String(repeating: "k", count: 1024), true),
    (String(repeating: "k", count: 1025), false),
    (String(repeating: "é", count: 513), false), ("a\0b", true), ("../x", true), ("\n", true),
  ])
  func aKeyHasALimit(_ text: String, _ isGood: Bool) { #expect(((try? Self.key(text)) != nil) == isGood) }

  @Test func whateverAKeyIsItComesBack() throws {
    let home = PreferenceHome(), store = home.store()
    defer { store.close() }
    let keys = ["a", "A", "a\0b", "a\0c", "é", "e\u{301}", "'; DROP TABLE settings", "%", "🦆", " "]
    for (number, key) in keys.enumerated() { try store.set(Self.key(key), to: Self.value(number)) }
    let other = home.store()
    defer { other.close() }
    for (number, key) in keys.enumerated() { #expect(try Self.number(other, key) == number, "\(key)") }
    #expect(try Set(other.keys().map { Array($0.utf8) }) == Set(keys.map { Array($0.utf8) }))
  }

  @Test func readingMakesNothing() throws {
    let home = PreferenceHome(), store = home.store()
    #expect(try store.get(Self.key("a")) == nil && store.keys().isEmpty && store.clear() == 0)
    #expect(try !store.remove(Self.key("a")))
    #expect(!FileManager.default.fileExists(atPath: home.path))
    store.close()
  }

  @Test func aModelSaysTheSameForTwoWhoWrite() throws {
    for seed in 0..<6 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let home = PreferenceHome()
      let stores = [home.store(), home.store()]
      defer { for store in stores { store.close() } }
      var model: [String: Int] = [:]
      for step in 0..<150 {
        let store = stores[random.below(2)], key = "k\(random.below(6))"
        switch random.below(10) {
        case 0..<4:
          try store.set(Self.key(key), to: Self.value(step))
          model[key] = step
        case 4:
          #expect(try store.remove(Self.key(key)) == (model.removeValue(forKey: key) != nil), "seed \(seed)")
        case 5 where random.below(8) == 0:
          #expect(try store.clear() == model.count)
          model = [:]
        case 6: #expect(try store.keys() == model.keys.sorted(), "seed \(seed)")
        default: #expect(try Self.number(store, key) == model[key], "seed \(seed), step \(step)")
        }
      }
      for store in stores {
        for key in 0..<6 { #expect(try Self.number(store, "k\(key)") == model["k\(key)"]) }
      }
    }
  }

  @Test func undefinedRemovesAndTooMuchIsRefused() throws {
    let home = PreferenceHome(), store = home.store()
    defer { store.close() }
    try store.set(Self.key("a"), to: Self.value(1))
    try store.set(Self.key("a"), to: .undefined)
    #expect(try store.get(Self.key("a")) == nil && store.keys().isEmpty)
    let large = try Value(encoding: String(repeating: "x", count: PreferenceStore.largestValue))
    #expect(throws: BridgeError.self) { try store.set(Self.key("a"), to: large) }
    #expect(try store.keys().isEmpty)
    try store.set(Self.key("n"), to: .null)
    #expect(try store.get(Self.key("n"))?.kind == .null && store.keys() == ["n"])
  }

  /// A file that is no database is set aside, and the app goes on.
  @Test(arguments: ["", "text", "SQLite format 3\u{0}broken"]) func aDamagedDatabaseStartsAnew(_ text: String)
    throws
  {
    let home = PreferenceHome()
    do {
      let store = home.store()
      try store.set(Self.key("a"), to: Self.value(1))
      store.close()
    }
    for ending in ["-wal", "-shm"] { unlink(home.database + ending) }
    try Data((text + String(repeating: "!", count: text.isEmpty ? 0 : 3000)).utf8).write(
      to: URL(fileURLWithPath: home.database))
    let store = home.store()
    defer { store.close() }
    try store.set(Self.key("b"), to: Self.value(2))
    #expect(try Self.number(store, "b") == 2)
  }

  // MARK: - What is remembered

  @Test func onlyWhatWasReadAtThisNumberIsRemembered() throws {
    var cache = PreferenceCache()
    let one = try Self.value(1)
    cache.keep(one, of: "a", at: 4)
    cache.keep(nil, of: "gone", at: 4)
    #expect(cache.value(of: "a", at: 4)?.value?.text == one.text)
    #expect(cache.value(of: "gone", at: 4) != nil && cache.value(of: "gone", at: 4)?.value == nil)
    #expect(
      cache.value(of: "b", at: 4) == nil && cache.value(of: "a", at: 6) == nil
        && cache.value(of: "a", at: nil) == nil)
    cache.keep(one, of: "b", at: 6)
    #expect(
      cache.value(of: "a", at: 6) == nil && cache.value(of: "a", at: 4) == nil
        && cache.value(of: "b", at: 6) != nil)
  }

  @Test(arguments: [1, 5, UInt64.max, nil] as [UInt64?]) func whatIsReadWhileSomebodyWritesIsNotRemembered(
    _ number: UInt64?
  ) throws {
    var cache = PreferenceCache()
    cache.keep(try Self.value(1), of: "a", at: number)
    #expect(cache.value(of: "a", at: number) == nil)
  }

  @Test(
    arguments: [
      (4, 6, true), (4, 8, false), (2, 4, false), (6, 8, false), (4, nil, false), (nil, 6, false),
      (4, 4, false), (.max, 1, false),
    ] as [(UInt64?, UInt64?, Bool)])
  func anOwnChangeKeepsTheOthersOnlyWhenNobodyCameBetween(_ before: UInt64?, _ after: UInt64?, _ isKept: Bool)
    throws
  {
    if before == .max { return }
    var cache = PreferenceCache()
    cache.keep(try Self.value(1), of: "a", at: 4)
    cache.move(from: before, to: after)
    #expect((cache.value(of: "a", at: after) != nil) == isKept)
  }

  @Test func largeValuesAreNotRememberedAndMuchIsForgotten() throws {
    var cache = PreferenceCache()
    let large = try Value(encoding: String(repeating: "x", count: 70_000))
    cache.keep(try Self.value(1), of: "a", at: 2)
    cache.keep(large, of: "a", at: 2)
    #expect(cache.value(of: "a", at: 2) == nil, "what was remembered before is not true any more")
    let half = try Value(encoding: String(repeating: "x", count: 60_000))
    var kept = 0
    for number in 0..<200 { cache.keep(half, of: "k\(number)", at: 2) }
    for number in 0..<200 where cache.value(of: "k\(number)", at: 2) != nil { kept += 1 }
    #expect(kept > 10 && kept * 60_000 <= 4 << 20)
  }

  // MARK: - The watchers that hear of it

  @Test func changesOfOthersAreHeardInTheirOrder() async throws {
    let home = PreferenceHome(), store = home.store(), other = home.store()
    defer {
      store.close()
      other.close()
    }
    try store.set(Self.key("old"), to: Self.value(0))
    let all = try store.watch(key: nil), one = try store.watch(key: "b")
    try other.set(Self.key("a"), to: Self.value(1))
    try other.set(Self.key("b"), to: Self.value(2))
    #expect(try other.remove(Self.key("old")))
    try other.set(Self.key("end"), to: Self.value(9))
    let seen = await Self.collect(all) { $0.key == "end" }
    #expect(seen.last?.key == "end" && seen.contains { $0.key == "old" && $0.removed && $0.value == nil })
    #expect(
      seen.filter { $0.key == "a" || $0.key == "b" }.map(\.key) == ["a", "b"]
        && !seen.contains { $0.key == "old" && !$0.removed })
    try other.set(Self.key("b"), to: Self.value(3))
    let own = await Self.collect(one) { (try? $0.value?.decode(Int.self)) == 3 }
    #expect(own.allSatisfy { $0.key == "b" } && own.last.flatMap { try? $0.value?.decode(Int.self) } == 3)
  }

  /// Up to one that is the last; at most a minute.
  static func collect(
    _ stream: AsyncStream<PreferenceChange>, until isLast: @escaping @Sendable (PreferenceChange) -> Bool
  ) async
    -> [PreferenceChange]
  {
    await withTaskGroup(of: [PreferenceChange]?.self) { group in
      group.addTask {
        var all: [PreferenceChange] = []
        for await change in stream {
          all.append(change)
          if isLast(change) { break }
        }
        return all
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(60))
        return nil
      }
      defer { group.cancelAll() }
      return (await group.next() ?? nil) ?? []
    }
  }

  @Test func aKeyThatCameAndWentBetweenTwoLooksIsHeardOfAsGone() throws {
    let home = PreferenceHome(), store = home.store()
    defer { store.close() }
    try store.set(Self.key("a"), to: Self.value(1))
    var shared = SharedStore(PreferenceLayout.layout, in: home.path + "/Library/Preferences") { _ in }
    defer { shared.close() }
    let before = try shared.use(.reading) { try PreferenceLayout.knowledge(in: $0) }
    try store.set(Self.key("b"), to: Self.value(2))
    #expect(try store.remove(Self.key("b")))
    #expect(try store.clear() == 1)
    let (gone, now, last) = try shared.use(.reading) {
      (
        try PreferenceLayout.removals(after: before.removal, in: $0), try PreferenceLayout.knowledge(in: $0),
        try PreferenceLayout.lastChange(in: $0)
      )
    }
    #expect(Set(gone.keys.map(\.text)) == ["a", "b"] && now.changes.isEmpty && now.removal > before.removal)
    #expect(gone.values.max() == Int64(last))
  }

  @Test func soManyRemovalsAreRememberedAndNoMore() throws {
    let home = PreferenceHome(), store = home.store()
    defer { store.close() }
    for number in 0..<300 { try store.set(Self.key("k\(number)"), to: Self.value(number)) }
    #expect(try store.clear() == 300)
    for number in 0..<20 {
      try store.set(Self.key("x\(number)"), to: Self.value(number))
      #expect(try store.remove(Self.key("x\(number)")))
    }
    var shared = SharedStore(PreferenceLayout.layout, in: home.path + "/Library/Preferences") { _ in }
    defer { shared.close() }
    let gone = try shared.use(.reading) { try PreferenceLayout.removals(after: 0, in: $0) }
    #expect(gone.count == 256 && (0..<20).allSatisfy { gone[ExactKey("x\($0)")] != nil })
  }
}
