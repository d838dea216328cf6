// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// What an entry that was stopped leaves behind, and what happens between entries.
extension PromptTests {
  @Test(arguments: [
    "for (;;) await 0",
    "while (true) { try { await new Promise((r) => setTimeout(r, 20)) } catch {}; console.log('again') }",
    "for await (const e of nbridge.preference.watch()) console.log(e)",
  ])
  func aStoppedLoopThatAwaitsNeverGoesOn(_ loop: String) throws {
    let prompt = try PromptDriver()
    try prompt.enter("console.log('runs'); " + loop)
    prompt.expect("\nruns")
    try prompt.press("C-c")
    prompt.expect("interrupted")
    // An awaited result comes back once, up to the next await.
    try prompt.enter("await new Promise((r) => setTimeout(() => r('waited'), 60))")
    prompt.expectEnd("'waited'\n>")
    // Entries that still run would print between these, and keep their watches.
    try prompt.enter("nbridge.preference.set('seen', Math.random())")
    try prompt.enter("'alive'; await new Promise((r) => setTimeout(() => r('quiet'), 200))")
    let seen = prompt.expectEnd("'quiet'\n>")
    #expect(!seen.components(separatedBy: "'alive'").last!.contains("again"))
    try prompt.enter(".pending")
    prompt.expectEnd("nothing is open\n>")
  }

  @Test func whatIsPrintedInColoursTakesNoLineMore() throws {
    let prompt = try PromptDriver()
    try prompt.enter("console.log({ a: 1 }); console.log('plain'); console.log([1]); 0")
    prompt.expectEnd("{ a: 1 }\nplain\n[ 1 ]\n0\n>")
  }

  @Test func aQuestionIsLeftByAnInterrupt() throws {
    let prompt = try PromptDriver()
    try prompt.enter("confirm('sure?')")
    prompt.wait("the question") { _ in
      (try? String(
        contentsOfFile: prompt.runner.folder + "/errors", encoding: .utf8))?.contains("sure?") == true
    }
    try prompt.press("C-c")
    prompt.expect("interrupted")
    try prompt.enter("1 + 1")
    prompt.expectEnd("> 1 + 1\n2\n>")
  }

  @Test func aStoppedLoopClosesItsWatch() throws {
    let prompt = try PromptDriver()
    try prompt.enter(
      """
      const changes = nbridge.preference.watch(); console.log('runs'); \
      for await (const e of changes) console.log(e)
      """)
    prompt.expect("\nruns")
    try prompt.press("C-c")
    prompt.expect("still open: preference.watch")
    try prompt.enter(".pending")
    prompt.expectEnd("nothing is open\n>")
  }

  @Test func timersThatAreLeftAreCountedWhenAnEntryIsStopped() throws {
    let prompt = try PromptDriver()
    try prompt.enter("console.log('runs'); await new Promise((r) => setTimeout(r, 1e6))")
    prompt.expect("\nruns")
    try prompt.press("C-c")
    prompt.expectEnd("interrupted\n  still open: 1 timer\n>")
  }

  @Test func theScriptGoesOnWhileALongValueIsRead() throws {
    let prompt = try PromptDriver()
    try prompt.enter("setTimeout(() => console.log('meanwhile'), 300); new Uint8Array(1024)")
    prompt.expect("more lines: space")
    let seen = prompt.expect("meanwhile")
    #expect(seen.hasSuffix("more lines: space, enter, q --"))
    try prompt.press("Down", "q")
    prompt.expectEnd(" more lines\n>")
  }

  @Test func anErrorBetweenEntriesIsTheLastError() throws {
    let prompt = try PromptDriver()
    try prompt.enter("setTimeout(() => { throw { a: 1 } }); 0")
    prompt.expect("Uncaught { a: 1 }")
    try prompt.enter("_error")
    prompt.expectEnd("> _error\n{ a: 1 }\n>")
  }

  @Test func anotherPromptsEntriesAreThereAtOnce() throws {
    let prompt = try PromptDriver()
    try "\"'from elsewhere'\"\n".write(toFile: prompt.history, atomically: true, encoding: .utf8)
    try prompt.press("Up")
    prompt.expectEnd("> 'from elsewhere'")
  }

  @Test func whatIsCutInPiecesComesBackWhole() throws {
    let prompt = try PromptDriver()
    try prompt.type("one two three")
    try prompt.press("C-w", "C-w", "C-a", "C-y")
    prompt.expectEnd("> two threeone")
  }

  @Test func whatAnEntryShadowsComesBack() throws {
    let prompt = try PromptDriver()
    try prompt.enter("class Map {}; const console = 1; let _ = 7")
    try prompt.enter("[[1], (await nbridge.app.appInfo()).name]")
    prompt.expectEnd("[ [ 1 ], 'repl' ]\n>")
    try prompt.enter("_")
    prompt.expectEnd("7\n>")
    try prompt.enter(".clear")
    try prompt.enter("new Map([[1, 2]])")
    prompt.expectEnd("Map(1) { 1 => 2 }\n>")
  }
}
