// SPDX-License-Identifier: MIT

import BothWays
import Foundation
import NBridge
import NBridgePlugin
import NBridgeStore
import NBridgeTesting
import PreferencePlugin
import Testing

/// The number of changes beside the preferences, when its file does not say what a program wrote.
@Suite(.bothWays) struct ChangeCounterTests {
  private func with(_ body: (String, String) async throws -> Void) async throws {
    let container = TemporaryFolder.make()
    defer { TemporaryFolder.remove(container) }
    try await body(container, container + "/Library/Preferences/notice")
  }

  private func run(_ script: String, _ container: String) async -> ScriptHarness.Result {
    var harness = ScriptHarness(plugins: [PreferencePlugin()])
    harness.container = container
    harness.usesRealTime = true
    return await harness.run("const p = nbridge.preference;" + script)
  }

  private static func write(_ number: UInt64, _ notice: String) throws {
    try withUnsafeBytes(of: number) { try Data($0).write(to: URL(fileURLWithPath: notice + "/changed")) }
  }

  @Test(arguments: [.max, .max - 1, 1 << 63, (1 << 63) - 2, (1 << 62) + 1, 7, 0] as [UInt64])
  func aDamagedCounterEndsNobodyAndIsBroughtBack(_ damage: UInt64) async throws {
    try await with { container, notice in
      #expect(await run("await p.set('x', 1)", container).status == .success)
      try Self.write(damage, notice)
      let result = await run(
        """
        console.log(await p.get('x')); await p.set('x', 2); console.log(await p.get('x'));
        await p.set('x', 3); console.log(await p.get('x'))
        """,
        container)
      #expect(result.output == "1\n2\n3\n", "\(result.errors)")
      var counter = ChangeCounter(notice)
      let number = counter.value()
      let value = try #require(number)
      #expect(value % 2 == 0 && value < 1 << 62)
    }
  }

  /// A process remembers what it read at a number; after damage no other one gets that number for a change.
  @Test(arguments: [UInt64.max, 0])
  func afterDamageNobodyBelievesWhatHeRemembers(_ damage: UInt64) async throws {
    try await with { container, notice in
      try FileManager.default.createDirectory(atPath: notice, withIntermediateDirectories: true)
      // Changes after which the database says the same: the counter is ahead of it.
      var one = ChangeCounter(notice)
      for _ in 0..<3 { _ = try one.end(try one.begin { 5 }) }
      let number = one.value()
      let remembered = try #require(number)
      one.close()
      try Self.write(damage, notice)
      var other = ChangeCounter(notice)
      var seen: [UInt64] = []
      for _ in 0..<8 { seen.append(try other.end(try other.begin { remembered - 7 })) }
      #expect(!seen.contains(remembered), "\(seen) \(remembered)")
      #expect(Set(seen).count == 8 && seen == seen.sorted())
    }
  }

  /// Numbers that an earlier program had written down beside a damaged counter.
  @Test func aDatabaseWithDamagedNumbersBeginsAnew() async throws {
    try await with { container, notice in
      try FileManager.default.createDirectory(atPath: notice, withIntermediateDirectories: true)
      var counter = ChangeCounter(notice)
      let after = try counter.end(try counter.begin { .max })
      #expect(after < 1 << 62 && after % 2 == 0)
    }
  }
}
