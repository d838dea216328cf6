// SPDX-License-Identifier: MIT

import NBridgePlugin
import NBridgeTesting
import Testing

@testable import NBridgeHost
@testable import NBridgeRecording

/// A script is answered out of a recording until it does something else.
@Suite struct ReplayerTests {
  static func replayer(_ write: (RecordingWriter) -> Void) throws -> Replayer {
    let bytes = try RecordingFileTests.inFolder { try RecordingFileTests.recorded(write, at: $0 + "/r") }
    return Replayer(try Recording(Bytes(bytes), name: "r"))
  }

  @Test func whatIsTheSameIsAnsweredToItsEnd() throws {
    let replayer = try Self.replayer {
      $0.given(.number(.date, 5))
      $0.facade("s", .success("source"))
      $0.given(.text(.typed, "hi"))
      $0.given(.bytes([1, 2, 3]))
      $0.timers(at: 7)
      $0.task(1)
      $0.settled()
      $0.finished(status: 4)
    }
    var ran = false
    #expect(replayer.later { ran = true } == nil)
    #expect(replayer.number(.date) { 99 } == 5)
    #expect(try replayer.facade("s") { "other" } == "source")
    #expect(replayer.text(.typed, asking: nil) { "other" } == "hi")
    var bytes: [UInt8] = [9, 9, 9]
    bytes.withUnsafeMutableBytes { replayer.random($0) }
    #expect(bytes == [1, 2, 3])
    guard case .timers(at: 7)? = replayer.nextTurn(isLast: false) else {
      Issue.record("no timers")
      return
    }
    guard case .run(let task)? = replayer.nextTurn(isLast: false) else {
      Issue.record("no task")
      return
    }
    task()
    #expect(ran && replayer.nextTurn(isLast: false) == nil)
    replayer.settled()
    #expect(replayer.nextTurn(isLast: true) == nil)
    replayer.finished(status: 4)
    #expect(replayer.isFinished && replayer.difference == nil)
  }

  /// The first difference is told, and nothing is answered behind it.
  @Test func theFirstDifferenceCounts() throws {
    let replayer = try Self.replayer {
      $0.given(.number(.date, 5))
      $0.given(.number(.date, 6))
    }
    var heard = 0
    replayer.onDifference = { heard += 1 }
    #expect(replayer.number(.clock) { 99 } == 0)
    #expect(
      replayer.difference
        == "nbridge: the replay differs from the recording at call 1:\n-       the date: 5\n+       asks "
        + "for the clock\n")
    #expect(
      replayer.number(.date) { 99 } == 0 && replayer.text(.typed, asking: nil) { "x" } == nil
        && heard == 1)
    #expect(throws: BridgeError.self) { try replayer.facade("s") { "x" } }
    #expect(replayer.nextTurn(isLast: false) == nil && replayer.nextTurn(isLast: true) == nil)
  }

  static let differing:
    [(
      write: @Sendable (RecordingWriter) -> Void,
      act: @Sendable (Replayer) -> Void, message: String
    )] = [
      (
        { _ in }, { _ = $0.number(.clock) { 0 } },
        "the recording ends here, after call 0; the script goes on:\n+       asks for the clock"
      ),
      (
        { $0.ended(.stopped(signal: 2)) }, { _ = $0.number(.clock) { 0 } },
        "the recorded program was ended here, in the middle of its script: signal 2"
      ),
      (
        { $0.given(.bytes([1])) },
        { replayer in
          withUnsafeTemporaryAllocation(
            byteCount: 2,
            alignment: 1
          ) { replayer.random($0) }
        }, "-       random bytes: 1\n+       asks for 2 random bytes"
      ),
      (
        { $0.given(.text(.typed, nil)) }, { _ = $0.text(.confirmed, asking: nil) { nil } },
        "asks for an answer to confirm()"
      ),
      (
        { $0.facade("s", .success("x")) }, { replayer in _ = try? replayer.facade("t") { "x" } },
        "-       uses s\n+       uses t"
      ),
      ({ $0.cancelled(slot: 1) }, { $0.cancelled(slot: 2) }, "cancels the call in slot 2"),
      (
        { $0.granted(slot: 1, count: 1) }, { $0.granted(slot: 1, count: 2) },
        "takes 2 events of the watch in slot 1"
      ),
      ({ $0.finished(status: 0) }, { $0.finished(status: 1) }, "over, with status 1"),
      (
        { $0.settled() }, { $0.finished(status: 1) },
        "-       has nothing more to do\n+       over, with status 1"
      ),
      (
        { $0.task(1) }, { _ = $0.nextTurn(isLast: false) },
        "the recording is damaged: task 1 was never put off"
      ),
      ({ _ in }, { _ = $0.nextTurn(isLast: false) }, "the recording breaks off here, after call 0"),
      (
        { $0.given(.number(.clock, 1)) }, { _ = $0.nextTurn(isLast: false) },
        "+       goes on without that"
      ),
      (
        { $0.pending(slot: 1) }, { _ = $0.number(.clock) { 0 } },
        "-       goes on\n+       asks for the clock"
      ),
    ]

  @Test(arguments: differing.indices)
  func differences(_ index: Int) throws {
    let replayer = try Self.replayer(Self.differing[index].write)
    Self.differing[index].act(replayer)
    #expect(
      replayer.difference?.contains(Self.differing[index].message) == true,
      "\(replayer.difference ?? "none")")
  }

  @Test func aDamagedRecordingSaysWhere() throws {
    let bytes = try RecordingFileTests.inFolder { try RecordingFileTests.recorded({ _ in }, at: $0 + "/r") }
    let replayer = Replayer(try Recording(Bytes(bytes + [1, 0x01]), name: "r"))
    #expect(
      replayer.difference
        == "nbridge: the recording is damaged at byte \(bytes.count + 2): there are no frames of kind 1\n")
  }

  @Test func failuresAreFailuresAgain() throws {
    let replayer = try Self.replayer {
      $0.facade(
        "s",
        .failure(RecordedFailure(BridgeError(.unavailable, "gone"))))
    }
    let error = #expect(throws: BridgeError.self) { try replayer.facade("s") { "x" } }
    #expect(error?.code == .unavailable && error?.message == "gone" && replayer.difference == nil)
  }

  @Test func itsEndIsHeard() throws {
    let replayer = try Self.replayer { $0.settled() }
    var ends = 0
    replayer.onEnd = { ends += 1 }
    replayer.settled()
    #expect(ends == 1)
  }

  /// Calls are recorded and answered by the same session's way.
  @Test func callsAreAnsweredWithoutThePlugin() async throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let path = folder + "/r"
    let live = try await TestWorld.run([TestedPlugin(end: 3)]) { world -> [String] in
      let recorder = try Recorder(path, RecordingFileTests.header) { Issue.record("\($0)") }
      world.session.tap = recorder
      defer { recorder.finished(status: 0) }
      let said = [try world.begin("one"), try world.begin("fails"), try world.begin("far")].map(
        SessionTests.text)
      _ = world.turn { !world.client.replies.isEmpty }
      return said + world.client.texts
    }
    let recording = try Recording(path: path)
    let again = try await TestWorld.run([TestedPlugin(end: 3)]) { world -> [String] in
      let replayer = Replayer(recording)
      world.session.tap = replayer
      var said = [try world.begin("one"), try world.begin("fails"), try world.begin("far")].map(
        SessionTests.text)
      guard
        case .deliver(let replies)? = replayer.nextTurn(
          isLast: false)
      else { return [replayer.difference ?? "no turn"] }
      said += replies.map { FrameTests.text($0.reply.payload) }
      said += [SessionTests.text(try world.begin("one")), replayer.difference ?? "same"]
      return said
    }
    #expect(live == ["number(1.0)", "conflict: no", "pending", "number(7.0)"])
    #expect(Array(again.prefix(4)) == live && again.count == 6)
    #expect(
      again[4].hasPrefix("cancelled: the script does something else")
        && again[5].contains("over, with status 0") && again[5].contains("+       probe.one()"))
  }
}
