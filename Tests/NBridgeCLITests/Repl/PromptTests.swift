// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The prompt on a real terminal.
@Suite struct PromptTests {
  @Test func valuesErrorsAndTheNextPrompt() throws {
    let prompt = try PromptDriver()
    try prompt.enter("1 + 1")
    prompt.expectEnd("> 1 + 1\n2\n>")
    try prompt.enter("null.x")
    prompt.expectEnd("TypeError: null is not an object (evaluating 'null.x')\n    at input-2:1:5\n>")
    try prompt.enter("_error.name")
    prompt.expectEnd("'TypeError'\n>")
  }

  @Test func linesThatAreNotWholeGoOn() throws {
    let prompt = try PromptDriver()
    try prompt.enter("function f(n) {")
    try prompt.enter("return n")
    try prompt.enter("}")
    try prompt.enter("f(3)")
    prompt.expectEnd("> function f(n) {\n...   return n\n... }\n> f(3)\n3\n>")
  }

  @Test func aRunningLoopIsStopped() throws {
    let prompt = try PromptDriver()
    try prompt.enter("for (;;);")
    prompt.wait("the entry") { $0.hasSuffix("> for (;;);") }
    let start = ContinuousClock.now
    try prompt.press("C-c")
    prompt.expectEnd("interrupted\n>")
    #expect(ContinuousClock.now - start < .seconds(5))  // the limit itself is in the benchmarks
    try prompt.enter("await (async () => { await 1; for (;;); })()")
    try prompt.press("C-c")
    prompt.wait("the second stop") { $0.components(separatedBy: "interrupted").count == 3 }
    try prompt.enter("2 + 2")
    prompt.expectEnd("> 2 + 2\n4\n>")
  }

  @Test func anAwaitThatNeverSettlesIsStoppedAndSaysWhatIsOpen() throws {
    let prompt = try PromptDriver()
    try prompt.enter("const next = nbridge.preference.watch().next(); console.log('runs'); await next")
    prompt.expect("\nruns")
    try prompt.press("C-c")
    prompt.wait("what is open") {
      $0.contains(
        "interrupted\n  still open: preference.watch (watch), open for") && $0.hasSuffix(">")
    }
    try prompt.enter("'on'")
    prompt.expectEnd("'on'\n>")
  }

  @Test func aTimerThatLoopsIsStoppedWhileSomebodyTypes() throws {
    let prompt = try PromptDriver()
    try prompt.enter("setTimeout(() => { for (;;); }, 0); 0")
    prompt.expect("\n0\n")
    try prompt.press("C-c")
    prompt.expect("interrupted")
    try prompt.enter("setTimeout(() => console.log('again'), 10); 0")
    prompt.expect("\nagain\n")
    try prompt.enter("1 + 1")
    prompt.expectEnd("> 1 + 1\n2\n>")
  }

  @Test func whatIsPrintedStandsAboveWhatIsTyped() throws {
    let prompt = try PromptDriver()
    try prompt.enter("setTimeout(() => console.log('tick'), 300); 0")
    prompt.expect("\n0\n")
    try prompt.type("abc")
    prompt.expectEnd("tick\n> abc")
    #expect(prompt.cursor.hasPrefix("5,"))
  }

  @Test func aRejectionIsToldOnceAndEndsNothing() throws {
    let prompt = try PromptDriver()
    try prompt.enter("Promise.reject(new Error('lost')); 1")
    let seen = prompt.wait("the report") {
      $0.contains("Unhandled rejection: Error: lost") && $0.hasSuffix(">")
    }
    #expect(seen.components(separatedBy: "lost").count == 4)  // the entry, the excerpt, the message
    try prompt.enter("2")
    prompt.expectEnd("2\n>")
  }

  @Test func twoInterruptsOrTheEndOfInputLeave() throws {
    let prompt = try PromptDriver()
    try prompt.press("C-c")
    prompt.expect("(^C again, ^D or .exit leaves)")
    try prompt.press("C-c")
    prompt.expect("left with 0")
    let other = try PromptDriver()
    try other.type("x")
    try other.press("C-c")
    other.expectEnd("> x\n>")
    try other.press("C-d")
    other.expect("left with 0")
  }

  @Test func exitAndSignalsEndItWithTheirStatus() throws {
    let prompt = try PromptDriver()
    try prompt.enter("exit(7)")
    prompt.expect("left with 7")
    let other = try PromptDriver()
    try other.signal("TERM")
    other.expect("left with 143")
    let third = try PromptDriver()
    try third.signal("HUP")
    third.expect("left with 129")
  }

  // MARK: - Editing

  @Test func emacsKeys() throws {
    let prompt = try PromptDriver()
    try prompt.type("hello world")
    try prompt.press("C-a", "C-k")
    prompt.expectEnd(">")
    try prompt.press("C-y")
    prompt.expectEnd("> hello world")
    try prompt.press("M-b", "M-d")
    prompt.expectEnd("> hello")
    try prompt.press("C-w")
    prompt.expectEnd(">")
    try prompt.press("C-_")
    prompt.expectEnd("> hello")
    try prompt.press("C-a", "Right", "C-t", "End")
    try prompt.type("!")
    prompt.expectEnd("> ehllo !")
  }

  @Test func wideCharactersAreMeasured() throws {
    let prompt = try PromptDriver()
    try prompt.type("'한국어'")
    prompt.expectEnd("> '한국어'")
    #expect(prompt.cursor.hasPrefix("10,"))
    try prompt.press("Left", "Left", "BSpace")
    prompt.expectEnd("> '한어'")
    #expect(prompt.cursor.hasPrefix("5,"))
    try prompt.press("End", "Enter")
    prompt.expectEnd("'한어'\n>")
  }

  @Test func theHistoryIsKeptSearchedAndShared() throws {
    let prompt = try PromptDriver()
    try prompt.enter("'first entry'")
    try prompt.enter("'second\\\n entry'")
    prompt.wait("both values") { $0.contains("'second entry'\n>") }
    try prompt.press("Up", "Up", "Up")
    prompt.expectEnd("> 'first entry'")
    // ^C is a signal: keys that come at its heels may overtake it.
    try prompt.press("C-c")
    prompt.wait("a new prompt") { $0.hasSuffix("\n>") }
    try prompt.press("C-r")
    prompt.expect("(search)")
    try prompt.type("sec")
    prompt.expect("(search) sec: 'second")
    try prompt.press("Enter")
    prompt.wait("the value again") { $0.components(separatedBy: "\n'second entry'").count == 3 }
    let mode = try FileManager.default.attributesOfItem(atPath: prompt.history)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let other = try PromptDriver(environment: "NBRIDGE_REPL_HISTORY='\(prompt.history)'")
    try other.enter("'from elsewhere'")
    other.expectEnd("'from elsewhere'\n>")
    try prompt.enter("0")
    prompt.expectEnd("0\n>")
    try prompt.press("Up", "Up")
    prompt.expectEnd("> 'from elsewhere'")
  }

  @Test func aHistoryThatIsDamagedOrCantBeWrittenIsNoTrouble() throws {
    let prompt = try PromptDriver(files: ["history": "\"good\"\n{{{\n\u{0}\n\"half"])
    try prompt.press("Up")
    prompt.expectEnd("> good")
    let other = try PromptDriver(environment: "NBRIDGE_REPL_HISTORY=/proc/nowhere/history")
    try other.enter("1")
    other.expect("nbridge: the history can't be kept in '/proc/nowhere/history'")
    other.expectEnd("1\n>")
  }

  @Test func aPasteIsOneEntry() throws {
    let prompt = try PromptDriver()
    try prompt.paste("let a = 1\nlet b = 2\na + b\n".utf8)
    prompt.expectEnd("> let a = 1\n... let b = 2\n... a + b\n...")
    try prompt.press("Enter")
    prompt.expectEnd("3\n>")
  }

  @Test func aPasteOfTenThousandLines() throws {
    let prompt = try PromptDriver()
    let lines = (0..<10_000).map { "n\($0 % 10) = \($0);\n" }.joined()
    try prompt.paste((lines + "n9 + 1").utf8)
    prompt.expectEnd("... n9 + 1")
    try prompt.press("Enter")
    prompt.expectEnd("10000\n>")
  }

  @Test func bytesThatAreNoTextDoNoHarm() throws {
    let prompt = try PromptDriver()
    try prompt.paste([0x27, 0x61, 0x00, 0xFF, 0xC3, 0x28, 0x1B, 0x5D, 0x62, 0x27], bracketed: false)
    try prompt.press("Enter")
    prompt.wait("the text") { $0.contains("'a\u{FFFD}\u{FFFD}(") && $0.hasSuffix(">") }
  }

  @Test func noSequenceReachesTheTerminal() throws {
    let prompt = try PromptDriver()
    try prompt.enter("'\\x1b]0;title\\x07\\x1b[2J'")
    prompt.expect("'\\x1B]0;title\\x07\\x1B[2J'")
    try prompt.enter("console.log('a\\x1b[2Jb\\x1b]0;t\\x07'); 1")
    prompt.expectEnd("a^[[2Jb^[]0;t^G\n1\n>")
    try prompt.enter("throw new Error('c\\x1b[2Jd')")
    prompt.expect("Error: c\\x1B[2Jd")
  }

  @Test func aLongEntryInASmallWindow() throws {
    let prompt = try PromptDriver(columns: 20, rows: 5)
    try prompt.paste((1...30).map { "'line \($0)'" }.joined(separator: ",\n").utf8)
    prompt.expectEnd("... 'line 30'")
    try prompt.press("Up", "Up", "Up", "Up", "Up", "Up", "C-a")
    try prompt.type("0,")
    prompt.expect("... 0,'line 24',")
    try prompt.resize(columns: 60, rows: 15)
    prompt.expect("... 'line 20',")
    try prompt.press("Enter")
    prompt.expect("'line 30'\n>")
  }

  @Test func aWindowThatChangesItsSizeIsDrawnAnew() throws {
    let prompt = try PromptDriver()
    try prompt.type("'" + String(repeating: "x", count: 100))
    prompt.wait("two rows") { $0.hasSuffix(String(repeating: "x", count: 23)) }
    try prompt.resize(columns: 40, rows: 24)
    prompt.wait("three rows") { $0.contains("> '" + String(repeating: "x", count: 37) + "\n") }
    try prompt.resize(columns: 120, rows: 24)
    prompt.expectEnd("> '" + String(repeating: "x", count: 100))
    try prompt.type("'.length")
    try prompt.press("Enter")
    prompt.expectEnd("100\n>")
  }

  @Test func clearingTheScreenKeepsTheEntry() throws {
    let prompt = try PromptDriver()
    try prompt.enter("'gone'")
    prompt.expectEnd("'gone'\n>")
    try prompt.type("1 +")
    try prompt.press("C-l")
    prompt.wait("the entry alone") { $0 == "> 1 +" }
    try prompt.type(" 1")
    try prompt.press("Enter")
    prompt.expectEnd("2\n>")
  }

  @Test func aScriptClearsTheScreen() throws {
    let prompt = try PromptDriver()
    try prompt.enter("'gone'")
    prompt.expectEnd("'gone'\n>")
    try prompt.enter("console.clear(); 'there'")
    prompt.wait("the value alone") { $0 == "'there'\n>" }
    // While the person types, too.
    try prompt.enter("setTimeout(() => console.clear(), 500); 5")
    prompt.expect("5")
    try prompt.type("1 +")
    prompt.wait("the entry alone") { $0 == "> 1 +" }
  }

  @Test func theEditorTakesLinesUntilItsEnd() throws {
    let prompt = try PromptDriver()
    try prompt.enter(".editor")
    prompt.expect("// ^D runs it, ^C drops it")
    try prompt.enter("let e = 1")
    try prompt.enter("e + 1")
    try prompt.press("C-d")
    prompt.expectEnd("2\n>")
  }

  @Test func coloursAsOneTypes() throws {
    let prompt = try PromptDriver()
    try prompt.type("const a = 'x' + 1")
    prompt.expectEnd("'x' + 1")
    let seen = prompt.screen(colours: true)
    #expect(
      seen.contains("\u{1B}[35mconst") && seen.contains("\u{1B}[32m'x'") && seen.contains("\u{1B}[33m1"),
      "\(seen.debugDescription)")
    let plain = try PromptDriver(environment: "NO_COLOR=1")
    try plain.type("const a = 'x'")
    plain.expectEnd("'x'")
    #expect(!plain.screen(colours: true).contains("\u{1B}[3"))
  }

  @Test func aBigValueIsShownAPageAtATime() throws {
    let prompt = try PromptDriver(rows: 10)
    try prompt.enter("Object.fromEntries(Array.from({ length: 60 }, (_, i) => ['key' + i, i]))")
    prompt.expect("more lines: space, enter, q --")
    try prompt.press("Space")
    prompt.expect("key12")
    try prompt.press("q")
    prompt.wait("the prompt") { $0.hasSuffix(">") && $0.contains("more lines") }
    try prompt.enter("1")
    prompt.expectEnd("1\n>")
  }

  // MARK: - The bridge

  @Test func aHistoryThatIsNoFileKeepsNothing() throws {
    let prompt = try PromptDriver(environment: "; mkfifo pipe; export NBRIDGE_REPL_HISTORY=\"$PWD/pipe\"")
    try prompt.enter("'kept here'")
    prompt.expectEnd("'kept here'\n>")
    try prompt.press("Up")
    prompt.expectEnd("> 'kept here'")
  }
}
