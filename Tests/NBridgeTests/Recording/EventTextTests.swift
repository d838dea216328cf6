// SPDX-License-Identifier: MIT

import NBridgePlugin
import Testing

@testable import NBridgeHost
@testable import NBridgeRecording

/// Recordings as people read them.
@Suite struct EventTextTests {
  @Test func linesOfARecording() throws {
    let bytes = try RecordingFileTests.inFolder { try RecordingFileTests.recorded(at: $0 + "/r") }
    var lines: [String] = []
    try Recording(Bytes(bytes), name: "r").show(limit: nil) { lines.append($0) }
    #expect(
      lines == [
        "a.js x --y, recorded by nbridge 0.1.0", "services: probe", "settings of probe: null",
        "        uses probe", "        uses probe, which failed: gone",
        "        finds no probe.w: none", "     1  probe.one()", "        = 4.5",
        "     2  probe.two({\"a\":1}) with 2 bytes, timeout 250 ms, lets the program end",
        "     3  probe.one([])", "        = [2]", "     4  probe.two(3)", "        = {} with 1 bytes",
        "     2  probe.two is cancelled", "        slot 3 may send 128 more",
        "        the clock: 12.25", "        an answer to prompt(): typed",
        "        an answer to prompt(): none", "        random bytes: 3", "        slot 2 sends [1,2]",
        "     2  probe.two = undefined", "        timers at 99.5 ms", "        task 4",
        "        ended: a plugin asked for exit 3", "        ended: signal 15",
        "        ended: the time limit of 2.5 s", "        ended: no call moved for 60 s",
        "        over, with status 0",
      ])
  }

  @Test func oneThatBreaksOffSaysSo() throws {
    let bytes = try RecordingFileTests.inFolder {
      try RecordingFileTests.recorded({ $0.task(1) }, at: $0 + "/r")
    }
    var lines: [String] = []
    try Recording(Bytes(bytes), name: "r").show(limit: nil) { lines.append($0) }
    #expect(
      lines.last == "        breaks off here: the program was killed, or still runs, or never came back to "
        + "its loop"
    )
  }

  @Test(arguments: [
    ("a", "a"), ("a\u{1B}b", "a\\u{1b}b"), ("\u{202E}x", "\\u{202e}x"), ("\u{2028}", "\\u{2028}"),
    ("\u{9B}", "\\u{9b}"), ("\u{E000}", "\\u{e000}"), ("\n\t", "\\u{a}\\u{9}"),
    ("é😀", "é😀"), ("\u{200B}", "\\u{200b}"), ("\u{FEFF}", "\\u{feff}"), ("e\u{301}", "e\u{301}"),
  ])
  func whatMovesTheCursorIsShownByItsNumber(
    _ text: String,
    _ shown: String
  ) { #expect(EventText.printable(text) == shown) }

  @Test func longValuesAreCut() {
    var text = EventText(limit: 5)
    let call = RecordedCall(
      service: "s", action: "a", timeout: nil, letsGo: false,
      text: Array("123456789".utf8), bytes: [])
    #expect(text.lines(of: .called(call)) == ["     1  s.a(12345… (9 characters))"])
    #expect(
      text.lines(of: .answered(Reply(kind: .value, payload: .string("äöüß"))))
        == ["        = \"äöüß… (6 characters)"])
  }

  @Test func timersAtTheSameTimeAreToldOnce() {
    var text = EventText(limit: nil)
    #expect([1, 1, 2, 1].flatMap { text.lines(of: .timers(at: $0)) }.count == 3)
  }

  @Test func differencesOfCalls() {
    func call(
      _ text: String, _ bytes: [[UInt8]] = [], timeout: Int? = nil,
      action: String = "a"
    ) -> RecordedCall {
      RecordedCall(
        service: "s", action: action, timeout: timeout, letsGo: false,
        text: Array(text.utf8), bytes: bytes.map { Bytes($0) })
    }
    #expect(EventText.difference(of: call("x"), from: call("x")) == nil)
    #expect(EventText.difference(of: call("x"), from: call("y")) == [])
    #expect(EventText.difference(of: call("x", action: "b"), from: call("x")) == [])
    #expect(EventText.difference(of: call("x", timeout: 1), from: call("x")) == [])
    #expect(EventText.difference(of: call("x", [[1]]), from: call("x")) == [])
    #expect(
      EventText.difference(of: call("x", [[1, 2, 3]]), from: call("x", [[1, 9]]))
        == ["bytes 0 differ from offset 1 on: there was 9, now there is 2"])
    #expect(
      EventText.difference(of: call("x", [[1]]), from: call("x", [[1, 9]]))
        == ["bytes 0 differ from offset 1 on: there was 9, now there is nothing"])
    #expect(EventText.difference(of: call("x", [[]]), from: call("x", [[]])) == nil)
    let long = String(repeating: "a", count: 200)
    let found = EventText.difference(of: call(long + "b"), from: call(long + "c")) ?? []
    #expect(
      found.count == 3 && found[0] == "from byte 200 on:" && found[1].hasSuffix("ac…")
        && found[2].hasSuffix("ab…"))
  }
}
