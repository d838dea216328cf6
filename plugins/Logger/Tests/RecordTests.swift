// SPDX-License-Identifier: MIT

import LoggerPlugin
import NBridgePlugin
import Testing

@Suite struct RecordTests {
  @Test(arguments: [
    ("plain", "plain"), ("a\u{1B}[31mred", "a␛[31mred"), ("nul\0", "nul␀"),
    ("x\u{202E}evil\u{2066}", "x<U+202E>evil<U+2066>"),
    ("a\nb\tc", "a⏎b  c"), ("\u{9B}31m", "<U+9B>31m"), ("é漢🎉", "é漢🎉"),
    ("\u{FEFF}\u{200B}", "<U+FEFF><U+200B>"), ("a\u{AD}\u{3164}\u{2764}\u{FE0F}", "a<U+AD><U+3164>❤️"),
    ("del\u{7F}", "del␡"),
  ])
  func textOfOthersIsShownAndNeverObeyed(_ text: String, _ shown: String) {
    #expect(VisibleText.of(text) == shown)
  }

  @Test func aRecordIsTakenApart() {
    let line =
      #"""
      {"seq":7,"pid":12,"time":"2026-11-22T06:41:45.123Z","level":"warning","service":"db","message":"a\nb \#
      \u00e9\ud83c\udf89 \ud800","at":"m.js:3","fields":{"n":1.5,"s":"x\"y","o":{"a":[1,{}]}}}
      """#
    let record = RecordView(line.utf8)
    #expect(record.number == 7 && record.pid == 12 && record.level == .warning && record.service == "db")
    #expect(record.message == "a\nb é🎉 \u{FFFD}")
    #expect(
      record.fields.map(\.name) == ["n", "s", "o"] && record.field("s") == "x\"y"
        && record.field("o") == #"{"a":[1,{}]}"#)
  }

  @Test(arguments: [
    "", "{", "{\"", "{\"a\"", "{\"message\":", "[1,2", "text", "{\"fields\":3}", "{\"level\":7}",
    "{\"a\":\"\\u12", "{\"a\":\"\\", "\u{0}\u{FF}",
    String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 100_000),
  ])
  func whatIsNoRecordIsAMessage(_ line: String) {
    let record = RecordView(line.utf8)
    #expect(record.level == .info)
    if !line.hasPrefix("{\"fields") && !line.hasPrefix("{\"level") { #expect(record.message == line) }
  }

  @Test func formatsWriteWhatTheySay() {
    let line =
      #"""
      {"time":"2026-11-22T06:41:45.123Z","level":"error","service":"db","message":"no \#
      way","at":"m.js:3","function":"f","fields":{"n":1,"s":"two words","e":""}}
      """#
    let text = { (format: RecordFormat) in Array(line.utf8).withUnsafeBufferPointer { format.text($0) } }
    #expect(text(.json) == line)
    #expect(
      text(.logfmt)
        == #"""
        time=2026-11-22T06:41:45.123Z level=error service=db msg="no way" at=m.js:3 function=f n=1 s="two \#
        words" e=""
        """#
    )
    #expect(text(.pretty) == #"06:41:45.123 ERROR db no way  n=1  s="two words"  e=""  (m.js:3 f)"#)
  }

  @Test func aTextIsFoundWhateverItsCaseAndPlace() {
    let text = Array(
      (String(repeating: "abcdefghij ", count: 20) + "The Needle" + String(repeating: " xyz", count: 9)).utf8)
    text.withUnsafeBufferPointer { text in
      for needle in ["the needle", "NEEDLE", "xyz", "z", "abcdefghij the", "e x"] {
        #expect(FoldedNeedle(needle).isIn(text), "\(needle)")
      }
      for needle in ["needles", "xyzz", "[", "THE  needle"] {
        #expect(!FoldedNeedle(needle).isIn(text), "\(needle)")
      }
      for length in 0..<40 {
        let part = UnsafeBufferPointer(rebasing: text.suffix(length))
        #expect(FoldedNeedle("z").isIn(part) == (length > 0))
      }
    }
  }
}
