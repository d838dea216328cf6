// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Typing at the prompt, on a real terminal.
@Suite struct PromptEditingTests {
  @Test func upWalksThroughEntriesThatBeginAsTheTextDoes() throws {
    let prompt = try PromptDriver()
    for entry in ["nbridge.version", "let x = 1", "nbridge.services.length", "let y = 2"] {
      try prompt.enter(entry)
    }
    prompt.expectEnd("> let y = 2\n>")
    try prompt.type("nbr")
    try prompt.press("Up")
    prompt.expectEnd("> nbridge.services.length")
    try prompt.press("Up", "Up")
    prompt.expectEnd("> nbridge.version")
    #expect(prompt.cursor.hasPrefix("17,"))
    try prompt.press("Down", "Down")
    prompt.expectEnd("> nbr")
    try prompt.type("idge.args")
    prompt.expectEnd("> nbridge.args")
  }

  @Test func filesCompleteInAnImport() throws {
    let prompt = try PromptDriver(
      files: ["greeting.mjs": "export const hello = 'hi'", "green.png": "", "lib/m.ts": "export const v = 7"])
    try prompt.type("import { hello } from \"./gre")
    try prompt.press("Tab")
    prompt.expectEnd("> import { hello } from \"./greeting.mjs")
    try prompt.enter("\"; hello")
    prompt.expectEnd("'hi'\n>")
    try prompt.type("(await import(\"./l")
    try prompt.press("Tab", "Tab")
    prompt.expectEnd("> (await import(\"./lib/m.ts")
    try prompt.enter("\")).v")
    prompt.expectEnd("7\n>")
  }

  @Test func aClosingBracketStandsBelowTheLineThatOpenedIt() throws {
    let prompt = try PromptDriver()
    try prompt.enter("const o = {")
    try prompt.enter("f() {")
    try prompt.enter("return [")
    prompt.expectEnd("> const o = {\n...   f() {\n...     return [\n...")
    try prompt.enter("1,")
    for bracket in ["]", "}", "}"] { try prompt.enter(bracket) }
    prompt.expectEnd(
      "> const o = {\n...   f() {\n...     return [\n...       1,\n...     ]\n...   }\n... }\n>")
    try prompt.enter("o.f()")
    prompt.expectEnd("[ 1 ]\n>")
  }

  @Test func theKeyThatEndsThePagerIsTheEditors() throws {
    let prompt = try PromptDriver(rows: 12)
    try prompt.enter("Array.from({ length: 60 }, (_, i) => 'line ' + i).join('\\n').split('\\n')")
    prompt.expect("more lines")
    try prompt.type("1 + 1")
    prompt.expectEnd("> 1 + 1")
    try prompt.press("Enter")
    prompt.expectEnd("2\n>")
  }

  /// Keys that are the pager's are taken one by one, however fast they come; what is typed while the entry
  /// runs is for the next one.
  @Test func whatIsTypedAheadOfThePagerStays() throws {
    let prompt = try PromptDriver(rows: 12)
    try prompt.enter("const later = () => new Promise((done) => setTimeout(done, 400))")
    try prompt.enter("await later(); Array.from({ length: 100 }, (_, i) => i + ' a line that fills a row')")
    try prompt.type("2 + 3")
    prompt.expect("more lines")
    try prompt.paste(Array("  q * 7".utf8), bracketed: false)
    prompt.expectEnd("> 2 + 3 * 7")
    try prompt.press("Enter")
    prompt.expectEnd("23\n>")
  }

  @Test func aBridgeCallSaysWhatItTakes() throws {
    let prompt = try PromptDriver()
    try prompt.enter(".call preference.get")
    prompt.expect("as .call preference.get key=colour")
    try prompt.enter(".call preference.set key=colour value=teal")
    try prompt.type(".call pref")
    try prompt.press("Tab")
    try prompt.type("get")
    try prompt.press("Tab")
    try prompt.type("k")
    try prompt.press("Tab")
    prompt.expect("> .call preference.get key=")
    try prompt.enter("colour")
    prompt.expectEnd("'teal'\n>")
  }

  @Test func helpAndHintsKnowWhatAPluginsScriptAdds() throws {
    let prompt = try PromptDriver(columns: 100)
    try prompt.type("nbridge.documents.wr")
    try prompt.press("Tab", "Tab")
    let seen = prompt.expect("writer")
    #expect(seen.contains("> nbridge.documents.write\n") && seen.contains("writeRange"), "\(seen)")
    try prompt.type("(")
    prompt.expect("write(path: string, content: unknown, option?: NBridgeWriteOptions): void")
    try prompt.press("C-u")
    try prompt.enter(".help documents.write")
    prompt.expect("option.overwrite?: boolean")
    try prompt.press("C-l")
    try prompt.enter(".help documents")
    prompt.expect("documents.readRange")
  }
}
