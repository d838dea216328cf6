// SPDX-License-Identifier: MIT

import AppPlugin
import BothWays
import Foundation
import Glibc
import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

/// What the app remembers between runs, in a file that scripts may write, behind a lock that other processes
/// may hold.
@Suite(.bothWays) struct AppRecordTests {
  private static let id = "f3e295ea-4035-4a68-92d7-01f1d2403a97"

  private func with(_ body: (ScriptHarness, String) async throws -> Void) async throws {
    let container = TemporaryFolder.make()
    defer { TemporaryFolder.remove(container) }
    let folder = container + "/Library/Application Support"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var harness = ScriptHarness(plugins: [AppPlugin()])
    harness.container = container
    harness.usesRealTime = true
    try await body(harness, folder + "/app-record")
  }

  private static let telling =
    """
    const { runs, elapsed, firstRun } = await nbridge.app.runStatistics();
    console.log(runs, elapsed.days, firstRun instanceof Date);
    """

  @Test(arguments: [
    #"{"runs":9223372036854775807,"firstRun":0,"deviceId":"\#(id)"}"#,
    #"""
    {"runs":-9223372036854775808,"firstRun":0,"deviceId":"\#(id)"}
    """#,
    #"{"runs":1,"firstRun":-1e300,"deviceId":"\#(id)"}"#, #"{"runs":1,"firstRun":1e300,"deviceId":"\#(id)"}"#,
    #"{"runs":1,"firstRun":1e15,"deviceId":"\#(id)"}"#, #"{"runs":1e300,"firstRun":0,"deviceId":"\#(id)"}"#,
    #"{"runs":1,"firstRun":0,"deviceId":""}"#, #"{"runs":1,"#, "",
  ])
  func aDamagedRecordStartsAnew(_ record: String) async throws {
    try await with { harness, path in
      try Data(record.utf8).write(to: URL(fileURLWithPath: path + ".json"))
      let result = await harness.run(Self.telling)
      #expect(result.output == "1 0 true\n", "\(result.errors)")
    }
  }

  @Test func aRecordThatProgramsWriteGoesOn() async throws {
    try await with { harness, path in
      try Data(#"{"runs":41,"firstRun":0,"deviceId":"\#(Self.id)"}"#.utf8).write(
        to: URL(fileURLWithPath: path + ".json"))
      let result = await harness.run(Self.telling + "console.log((await nbridge.app.deviceInfo()).deviceId)")
      #expect(
        result.output.hasPrefix("42 ") && result.output.hasSuffix("true\n\(Self.id)\n"),
        "\(result.output)\(result.errors)")
    }
  }

  /// A file of a terabyte that takes no place on the disk.
  @Test func aRecordThatIsLargerThanMemoryStartsAnew() async throws {
    try await with { harness, path in
      let file = open(path + ".json", O_RDWR | O_CREAT, 0o600)
      #expect(ftruncate(file, 1 << 40) == 0)
      close(file)
      let result = await harness.run(Self.telling)
      #expect(result.output == "1 0 true\n", "\(result.errors)")
    }
  }

  /// A process that was stopped in the middle holds the lock for ever.
  @Test func aProcessThatHoldsTheRecordHoldsUpNeitherTheStartNorACallsDeadline() async throws {
    try await with { harness, path in
      try Data(#"{"runs":1,"firstRun":0,"deviceId":"\#(Self.id)"}"#.utf8).write(
        to: URL(fileURLWithPath: path + ".json"))
      let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      defer { close(lock) }
      #expect(flock(lock, LOCK_EX) == 0)
      let result = await harness.run(
        """
        console.log('runs'); await nbridge.app.deviceInfo({ timeout: 100 }).catch(({ code }) =>
          console.log(code));
        """)
      #expect(result.output == "runs\ntimeout\n", "\(result.errors)")
    }
  }

  @Test func aProcessThatGoesOnHoldingTheRecordIsAConflict() async throws {
    try await with { harness, path in
      let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      defer { close(lock) }
      #expect(flock(lock, LOCK_EX) == 0)
      let result = await harness.run(
        "await nbridge.app.runStatistics().catch(({ code }) => console.log(code));")
      #expect(result.output == "conflict\n", "\(result.errors)")
    }
  }
}
