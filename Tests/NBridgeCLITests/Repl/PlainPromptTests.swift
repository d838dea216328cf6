// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// A prompt on a terminal that can only write one line after the other.
@Suite struct PlainPromptTests {
  @Test func linesAreTakenAsTheTerminalEditsThem() throws {
    let prompt = try PromptDriver(environment: "TERM=dumb")
    try prompt.type("1 + 2x")
    try prompt.press("BSpace")
    try prompt.press("Enter")
    prompt.expectEnd("> 1 + 2\n3\n>")
    try prompt.enter("function f() {")
    prompt.expectEnd("> function f() {\n...")
    try prompt.enter("return nope")
    try prompt.enter("}")
    try prompt.enter("f()")
    prompt.expect("ReferenceError")
    try prompt.enter(".call app.appInfo")
    prompt.expect("name: 'repl'")
    try prompt.enter("setTimeout(() => console.log('late'), 10); 'now'")
    prompt.expect("late")
    try prompt.enter(".exit")
    prompt.expect("left with 0")
  }

  @Test func anInterruptStopsWhatRunsOrDropsTheEntry() throws {
    let prompt = try PromptDriver(environment: "TERM=dumb")
    // The terminal itself shows what is typed: it may not run yet.
    try prompt.enter("console.log('be' + 'gun'); for (;;) {}")
    prompt.expect("begun")
    try prompt.press("C-c")
    prompt.expectEnd("interrupted\n>")
    try prompt.enter("f(")
    prompt.expectEnd("> f(\n...")
    try prompt.press("C-c")
    prompt.expectEnd("^C\n>")
    try prompt.enter("6 * 7")
    prompt.expectEnd("42\n>")
    try prompt.press("C-c")
    prompt.expect("(^C again, ^D or .exit leaves)")
    try prompt.press("C-c")
    prompt.expect("left with 0")
  }

  @Test func nothingButTextIsWritten() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["in": "({ a: 1 })\rconsole.log('\\x1b[2J')\r\u{4}"])
    let result = try runner.shell("cat in | TERM=dumb script -qec \"'$NBRIDGE' repl\" /dev/null")
    #expect(result.output.contains("{ a: 1 }") && result.output.contains("^[[2J"), "\(result.output)")
    #expect(!result.output.contains("\u{1B}"), "\(result.output)")
  }
}
