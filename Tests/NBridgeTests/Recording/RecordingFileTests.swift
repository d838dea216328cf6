// SPDX-License-Identifier: MIT

import Glibc
import NBridgePlugin
import NBridgeTesting
import Testing

@testable import NBridge
@testable import NBridgeHost
@testable import NBridgeRecording
@testable import NBridgeScript

/// Recordings as they are written, cut, damaged and read again.
@Suite struct RecordingFileTests {
  static let header = RecordingHeader(
    nbridge: "0.1.0", program: "a.js", began: 1.5, arguments: ["x", "--y"], services: ["probe"],
    settings: ["probe": .null], seed: 7,
    environment: ["TZ": "Europe/Zurich"], secretNames: ["pin"], isClassic: false, logsConsole: true,
    mocks: ["m"])

  static func action(_ name: String, _ kind: Runner = .foreign) -> SessionAction {
    let declaration = Declaration(name: name, help: "", options: .none, result: .none, runner: kind)
    return SessionAction(
      BoundAction(
        service: "probe", declaration: declaration, app: testApp(),
        index: 0), .everything, session: 1)
  }

  static func binding(_ buffering: Buffering?) -> RecordedBinding {
    let found: Result<RecordedBinding.Shape, RecordedFailure> =
      buffering.map { .success(.init(isWatch: true, isConfidential: false, buffering: $0)) }
      ?? .failure(RecordedFailure(BridgeError(.notFound, "none")))
    return RecordedBinding(service: "probe", name: "w", forPlugin: buffering == nil, found: found)
  }

  /// Everything that can be written, once.
  static func writeAll(_ writer: RecordingWriter) {
    let (one, two) = (action("one"), action("two"))
    func call(_ action: SessionAction, _ control: CallControl, _ text: String, _ bytes: [Bytes] = []) {
      Array(text.utf8).withUnsafeBufferPointer { writer.called(action, control, $0, bytes) }
    }
    writer.facade("probe", .success("source"))
    writer.facade("probe", .failure(RecordedFailure(BridgeError(.unavailable, "gone"))))
    for buffering in [
      nil, Buffering.wait(3), .dropOldest(1),
      .dropNewest(500),
    ] { writer.bound(binding(buffering)) }
    call(one, .none, "")
    writer.answered(Reply(kind: .value, payload: .number(4.5)))
    call(two, CallControl(timeout: 250, letsGo: true), "{\"a\":1}", [Bytes([1, 2])])
    writer.pending(slot: 0)
    call(one, .none, "[]")
    Array("[2]".utf8).withUnsafeBufferPointer { writer.answered(.text, $0, []) }
    call(two, .none, "3")
    Array("{}".utf8).withUnsafeBufferPointer { writer.answered(.mixed, $0, [Bytes([5])]) }
    writer.cancelled(slot: 0)
    writer.granted(slot: 3, count: 128)
    writer.given(.number(.clock, 12.25))
    writer.given(.text(.typed, "typed"))
    writer.given(.text(.typed, nil))
    writer.given(.bytes([1, 2, 3]))
    writer.delivered([
      (2, Reply(kind: .events, payload: .text(Array("[1,2]".utf8)))),
      (0, Reply(kind: .value, payload: .undefined)),
    ])
    writer.timers(at: 99.5)
    writer.task(4)
    writer.settled()
    for ending in [
      RecordedEnding.exited(3), .stopped(signal: 15), .timedOut(seconds: 2.5),
      .stalled(seconds: 60),
    ] { writer.ended(ending) }
    writer.finished(status: 0)
  }

  static func recorded(_ write: (RecordingWriter) -> Void = writeAll, at path: String) throws -> [UInt8] {
    let writer = try RecordingWriter(path, header) { Issue.record("not written: \($0)") }
    write(writer)
    writer.close()
    return try SmallFile.read(path) ?? []
  }

  static func events(_ recording: Recording) throws -> [String] {
    var reader = RecordingReader(recording)
    var events: [String] = []
    while let event = try reader.next() { events.append(text(event)) }
    return events
  }

  static func text(_ event: RecordingEvent) -> String {
    switch event {
    case .called(let call):
      "called \(call.service).\(call.action) \(call.timeout ?? 0) \(call.letsGo) "
        + "\(String(decoding: call.text, as: UTF8.self)) \(call.bytes.map(Array.init))"
    case .answered(let reply): "answered \(reply.kind) \(FrameTests.text(reply.payload))"
    case .delivered(let replies):
      "delivered "
        + "\(replies.map { "\($0.slot) \($0.reply.kind) \(FrameTests.text($0.reply.payload))" })"
    case .facade(let service, let source): "facade \(service) \((try? source.get()) ?? "failed")"
    case .bound(let binding):
      "bound \(binding.service).\(binding.name) \(binding.forPlugin) "
        + "\((try? binding.found.get()).map { "\($0.buffering)" } ?? "failed")"
    default: "\(event)"
    }
  }

  static func inFolder<R>(_ body: (String) throws -> R) throws -> R {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    return try body(folder)
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let bytes = try Self.inFolder { try Self.recorded(at: $0 + "/r") }
    let recording = try Recording(Bytes(bytes), name: "r")
    #expect(
      recording.header.arguments == ["x", "--y"] && recording.header.seed == 7
        && recording.mocks
          == ["m"]
        && recording.header.environment["TZ"] == "Europe/Zurich")
    #expect(
      try Self.events(recording)
        == [
          "facade probe source", "facade probe failed", "bound probe.w true failed",
          "bound probe.w false wait(3)", "bound probe.w false dropOldest(1)",
          "bound probe.w false dropNewest(500)", "called probe.one 0 false  []",
          "answered value number(4.5)", "called probe.two 250 true {\"a\":1} [[1, 2]]",
          "pending(slot: 0)", "called probe.one 0 false [] []", "answered text text([91, 50, 93])",
          "called probe.two 0 false 3 []", "answered mixed mixed [123, 125] [[5]]",
          "cancelled(slot: 0)", "granted(slot: 3, count: 128)",
          "given(NBridge.RecordedInput.number(NBridge.InputKind.clock, 12.25))",
          "given(NBridge.RecordedInput.text(NBridge.InputKind.typed, Optional(\"typed\")))",
          "given(NBridge.RecordedInput.text(NBridge.InputKind.typed, nil))",
          "given(NBridge.RecordedInput.bytes([1, 2, 3]))",
          "delivered [\"2 events text([91, 49, 44, 50, 93])\", \"0 value undefined\"]",
          "timers(at: 99.5)", "task(4)", "settled",
          "ended(NBridge.RecordedEnding.exited(3))",
          "ended(NBridge.RecordedEnding.stopped(signal: 15))",
          "ended(NBridge.RecordedEnding.timedOut(seconds: 2.5))",
          "ended(NBridge.RecordedEnding.stalled(seconds: 60.0))", "finished(status: 0)",
        ].map { $0.replacing("NBridge.", with: Self.module) })
  }

  /// The name of the types' module in descriptions.
  static let module = String(String(reflecting: RecordedInput.self).prefix { $0 != "." }) + "."

  /// A recording that is cut anywhere tells what was before, and nothing else.
  @Test func everyCutLeavesABeginning() throws {
    let bytes = try Self.inFolder { try Self.recorded(at: $0 + "/r") }
    let whole = try Self.events(Recording(Bytes(bytes), name: "r"))
    let start = try Recording(Bytes(bytes), name: "r").start
    for length in 0..<bytes.count {
      let cut = Bytes(bytes.prefix(length))
      guard length >= start else {
        #expect(throws: RecordingError.self) { try Recording(cut, name: "r") }
        continue
      }
      let events = try Self.events(Recording(cut, name: "r"))
      #expect(events.count < whole.count && Array(whole.prefix(events.count)) == events, "cut at \(length)")
    }
  }

  /// A frame's first byte is written last: what a killed program leaves behind the whole frames is not read.
  @Test func aFrameWhoseFirstByteIsMissingIsNone() throws {
    let bytes = try Self.inFolder { try Self.recorded(at: $0 + "/r") }
    let recording = try Recording(Bytes(bytes), name: "r")
    let whole = try Self.events(recording)
    var (at, count) = (recording.start, 0)
    while let size = FrameReader.size(of: bytes, at: at) {
      var killed = bytes
      killed[at] = 0
      #expect(try Self.events(Recording(Bytes(killed), name: "r")) == Array(whole.prefix(count)))
      (at, count) = (at + size, count + 1)
    }
    #expect(count == whole.count && at == bytes.count)
  }

  @Test func zerosBehindTheLastFrameAreNothing() throws {
    let bytes = try Self.inFolder { try Self.recorded(at: $0 + "/r") }
    let whole = try Self.events(Recording(Bytes(bytes), name: "r"))
    #expect(try Self.events(Recording(Bytes(bytes + [UInt8](repeating: 0, count: 5000)), name: "r")) == whole)
  }

  /// Any byte may be another one: what is read then is events or damage.
  @Test func everyDamagedByteIsReadOrRefused() throws {
    let bytes = try Self.inFolder { try Self.recorded(at: $0 + "/r") }
    for place in bytes.indices {
      for flip in [0x01, 0x80, 0xFF] as [UInt8] {
        var damaged = bytes
        damaged[place] ^= flip
        guard let recording = try? Recording(Bytes(damaged), name: "r") else { continue }
        var lines: [String] = []
        do { try recording.show(limit: 50) { lines.append($0) } } catch {
          #expect(
            "\(error)".hasPrefix("the recording is damaged at byte "))
        }
        #expect(!lines.joined().unicodeScalars.contains { $0.value < 0x20 })
      }
    }
  }

  @Test(arguments: [
    ("", "'r' is no recording; nbridge run --record FILE makes one"),
    ("nbridge", "'r' is no recording; nbridge run --record FILE makes one"),
    (
      "nbridge recording 2\n",
      "'r' is a recording of another version of nbridge; this one reads: nbridge recording 1"
    ),
    (
      "nbridge recording 10\n",
      "'r' is a recording of another version of nbridge; this one reads: nbridge recording 1"
    ),
    (
      "nbridge recording ",
      "'r' is a recording of another version of nbridge; this one reads: nbridge recording 1"
    ),
    ("nbridge recording 1\n", "'r' is damaged at byte 20: it has no header"),
    ("nbridge recording 1\n\u{1}K", "'r' is damaged at byte 22: it has no header"),
    (
      "nbridge recording 1\n\u{2}H\u{5}",
      "'r' is damaged at byte 23: a text of 5 bytes goes past the end of its frame"
    ),
    ("nbridge recording 1\n\u{4}H\u{1}{x", "'r' is damaged at byte 24: a frame has 1 bytes too many"),
  ])
  func filesThatAreNone(_ text: String, _ message: String) {
    let error = #expect(throws: RecordingError.self) { try Recording(Bytes(Array(text.utf8)), name: "r") }
    #expect(error?.description == message)
  }

  @Test(arguments: ["{}", "[]", "{\"nbridge\":5}", "no", ""])
  func headersThatAreNone(_ json: String) {
    let bytes = Array("nbridge recording 1\n".utf8) + FrameTests.frame(.header) { $0.put(json) }
    let error = #expect(throws: RecordingError.self) { try Recording(Bytes(bytes), name: "r") }
    #expect(error?.description.hasPrefix("'r' is damaged in its header: ") == true)
  }

  @Test func aHeaderAmongTheEventsIsDamage() throws {
    let bytes = try Self.inFolder { try Self.recorded({ _ in }, at: $0 + "/r") }
    let recording = try Recording(Bytes(bytes + FrameTests.frame(.header) { $0.put("{}") }), name: "r")
    #expect(throws: RecordingDamage.self) { try Self.events(recording) }
  }

  static func bad(_ kind: FrameKind, _ fill: (FrameBuffer) -> Void) throws -> String? {
    let bytes = try inFolder { try recorded({ _ in }, at: $0 + "/r") }
    let recording = try Recording(Bytes(bytes + FrameTests.frame(kind, fill)), name: "r")
    do {
      _ = try events(recording)
      return nil
    } catch { return (error as? RecordingDamage)?.reason }
  }

  @Test func framesThatSayWhatCannotBe() throws {
    #expect(try Self.bad(.called) { $0.put(1) } == "action 1 was not named")
    #expect(try Self.bad(.given) { $0.put(byte: 99) } == "there are no inputs of kind 99")
    #expect(
      try Self.bad(.given) {
        $0.put(byte: 1); $0.put(byte: 9)
      } == "there are no inputs of form 9")
    #expect(try Self.bad(.ended) { $0.put(byte: 7) } == "there are no endings of kind 7")
    #expect(
      try Self.bad(.delivered) {
        $0.put(1); $0.put(1 << 24)
      } == "slot 16777216 is more than there can be")
    #expect(try Self.bad(.delivered) { $0.put(1 << 50) } == "a frame ends too early")
    #expect(try Self.bad(.answered) { $0.put(byte: 3) } == "there are no replies of kind 3")
    #expect(
      try Self.bad(.answered) {
        $0.put(byte: 0); $0.put(byte: 99)
      } == "there are no answers of kind 99")
    #expect(
      try Self.bad(.bound) {
        $0.put("s"); $0.put("n"); $0.put(false); $0.put(true); $0.put(true); $0.put(true);
        $0.put(
          byte: 8);
        $0.put(1)
      } == "there are no buffers of kind 8")
    #expect(try Self.bad(.settled) { $0.put(1) } == "a frame has 1 bytes too many")
  }

  // MARK: - The file

  @Test func itGrowsThroughItsWindows() throws {
    try Self.inFolder { folder in
      let path = folder + "/r"
      let parts = [1 << 20, (1 << 20) - 30, 5, 3 << 20, 0, 1, 700_000, 700_000]
      let bytes = try Self.recorded(
        { writer in
          for (number, count) in parts.enumerated() {
            writer.given(
              .bytes([UInt8](repeating: UInt8(number), count: count)))
          }
        }, at: path)
      let recording = try Recording(path: path)
      var reader = RecordingReader(recording)
      for (number, count) in parts.enumerated() {
        guard case .given(.bytes(let found))? = try reader.next() else {
          Issue.record("part \(number)")
          return
        }
        #expect(found.count == count && found.allSatisfy { $0 == UInt8(number) })
      }
      #expect(try reader.next() == nil && bytes.count < parts.reduce(0, +) + 1000)
    }
  }

  /// A file that a killed program leaves is read, although it was not cut at its end.
  @Test func aFileThatWasNotClosedIsRead() throws {
    try Self.inFolder { folder in
      let writer = try RecordingWriter(folder + "/r", Self.header) { _ in }
      Self.writeAll(writer)
      let bytes = try SmallFile.read(folder + "/r") ?? []
      #expect(bytes.count == 1 << 20)
      #expect(try Self.events(Recording(path: folder + "/r")).count == 29)
      writer.close()
      #expect(try Self.events(Recording(path: folder + "/r")).count == 29)
    }
  }

  @Test func aRecordingIsItsOwnersOnlyAndReplacesOneBefore() throws {
    try Self.inFolder { folder in
      _ = try Self.recorded(at: folder + "/r")
      chmod(folder + "/r", 0o666)
      let second = try Self.recorded({ _ in }, at: folder + "/r")
      var status = stat()
      #expect(stat(folder + "/r", &status) == 0 && status.st_mode & 0o777 == 0o600)
      #expect(try Self.events(Recording(Bytes(second), name: "r")).isEmpty)
    }
  }

  @Test(arguments: ["some text", "nbridge", "nbridge recorded 1\n"])
  func whatIsNoRecordingIsNotWrittenOver(_ text: String) throws {
    try Self.inFolder { folder in
      try SmallFile.replace(folder + "/r", with: Array(text.utf8))
      let error = #expect(throws: RecordingError.self) { try Self.recorded(at: folder + "/r") }
      #expect(error?.description.contains("is no recording; it stays as it is") == true)
      #expect(try SmallFile.read(folder + "/r") == Array(text.utf8))
    }
  }

  @Test func whereNoneCanBeWritten() throws {
    try Self.inFolder { folder in
      for path in [folder, "/dev/null", folder + "/none/r"] {
        let error = #expect(throws: RecordingError.self) { try Self.recorded(at: path) }
        #expect(error?.description.hasPrefix("can't write the recording '\(path)': ") == true)
      }
      let writer = try RecordingWriter(folder + "/r", Self.header) { _ in }
      let second = #expect(throws: RecordingError.self) { try Self.recorded(at: folder + "/r") }
      #expect(
        second?.description
          == "can't write the recording '\(folder)/r': another nbridge writes it just now")
      writer.close()
      #expect(throws: Never.self) { try Self.recorded(at: folder + "/r") }
    }
  }

  @Test(arguments: ["/dev/zero", "/nonexistent/r", "/tmp"])
  func whereNoneCanBeRead(_ path: String) {
    #expect(
      throws: RecordingError.self
    ) { try Recording(path: path) }
  }

  @Test func behindItsEndNothingIsWritten() throws {
    try Self.inFolder { folder in
      let writer = try RecordingWriter(folder + "/r", Self.header) { Issue.record("\($0)") }
      writer.close()
      let size = try SmallFile.read(folder + "/r")?.count
      Self.writeAll(writer)
      writer.close()
      #expect(try SmallFile.read(folder + "/r")?.count == size)
    }
  }
}
