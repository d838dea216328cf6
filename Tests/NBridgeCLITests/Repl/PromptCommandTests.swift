// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The prompt's knowledge of the bridge: completion, hints, and its own commands, on a real terminal.
@Suite struct PromptCommandTests {
  @Test func completionKnowsThePlugins() throws {
    let prompt = try PromptDriver()
    try prompt.type("nbridge.pref")
    try prompt.press("Tab")
    prompt.expectEnd("> nbridge.preference")
    try prompt.type(".")
    try prompt.press("Tab")
    prompt.expect("clear   get     keys    remove  set     watch")
    try prompt.type("get(")
    prompt.expect("get(key: string, defaultValue?: NBridgeValue): NBridgeValue")
    try prompt.press("C-u")
    try prompt.type("nbridge.app.openBrowser({ ")
    try prompt.press("Tab")
    prompt.expect("> nbridge.app.openBrowser({ url:")
    prompt.expect("openBrowser(url: string): void")
  }

  @Test func completionKnowsWhatAPluginsScriptAdds() throws {
    let prompt = try PromptDriver()
    try prompt.type("nbridge.pasteboard.")
    try prompt.press("Tab", "Tab")
    let seen = prompt.expect("watchAll")
    #expect(
      ["set", "get", "items", "unique"].allSatisfy { seen.contains($0) } && !seen.contains("toString"),
      "\(seen)")
  }

  @Test func completionRunsNoGetter() throws {
    let prompt = try PromptDriver()
    try prompt.enter(
      "var o = { get danger() { console.log('RUN'); return { inner: 1 } }, safe: { deep: 1 } }")
    try prompt.type("o.danger.")
    try prompt.press("Tab")
    try prompt.press("C-u")
    try prompt.type("o.sa")
    try prompt.press("Tab")
    prompt.expectEnd("> o.safe")
    try prompt.type(".de")
    try prompt.press("Tab")
    let seen = prompt.expectEnd("> o.safe.deep")
    #expect(!seen.contains("\nRUN"))
  }

  @Test func completionOfMillionsOfIndicesIsNoTrouble() throws {
    let prompt = try PromptDriver()
    try prompt.enter("var u8 = new Uint8Array(3e7); 0")
    prompt.expectEnd("0\n>")
    try prompt.type("u8.byteL")
    try prompt.press("Tab")
    prompt.expectEnd("> u8.byteLength")
  }

  @Test func dotCommands() throws {
    let prompt = try PromptDriver(rows: 50)
    try prompt.enter(".help")
    prompt.expect(".describe NAME")
    try prompt.press("C-l")
    try prompt.enter(".hlep")
    prompt.expect("there is no '.hlep'; did you mean '.help'? (.help lists them)")
    try prompt.enter(".plugins")
    prompt.expect("preference  ")
    try prompt.enter(".describe app.appInfo")
    prompt.expect("immediate, needs app.appInfo")
    try prompt.enter(".call preference set {\"key\": \"k\", \"value\": 5}")
    try prompt.enter(".call preference get {\"key\": \"k\"}")
    prompt.expectEnd("5\n>")
    try prompt.enter(".trace on")
    try prompt.enter("nbridge.preference.keys()")
    prompt.expect("trace: preference.keys")
    try prompt.enter(".trace off")
    try prompt.press("C-l")
    try prompt.enter(".time 1 + 1")
    prompt.wait("the time") { $0.range(of: #"2\n\d+\.\d{3} ms"#, options: .regularExpression) != nil }
    try prompt.enter(".types ({ a: [1], b: 'x' })")
    prompt.expect("{ a: Array<number>; b: string }")
    try prompt.enter(".reload preference")
    prompt.expect("'preference' was stopped and started")
    try prompt.enter(".exit")
    prompt.expect("left with 0")
  }

  /// This one gives its first object the same number in each run.
  @Test func theObjectsOfAPluginEndWhenItIsReloaded() throws {
    let tools = PluginCommandTests()
    try tools.withRunner { runner in
      try tools.compile(runner, "loose.c", "libloose.so")
      let prompt = try PromptDriver("--plugin '\(runner.folder)/libloose.so'", columns: 120)
      try prompt.enter("old = await nbridge.loose.open(); 1")
      prompt.expectEnd("1\n>")
      try prompt.enter(".reload loose")
      prompt.expect("'loose' was stopped and started")
      try prompt.enter("young = await nbridge.loose.open(); 2")
      prompt.expectEnd("2\n>")
      try prompt.enter("[await young.get(), await old.get().catch((error) => error.code)]")
      prompt.expect("[ '[1]', 'closed' ]")
    }
  }

  @Test func permissionsChangeAtThePrompt() throws {
    let prompt = try PromptDriver()
    try prompt.enter(".permissions")
    prompt.expect("everything is allowed")
    try prompt.enter(".deny preference.set")
    try prompt.enter("await nbridge.preference.set('k', 1)")
    prompt.expect("'preference.set' is not permitted")
    try prompt.enter(".grant preference.*")
    try prompt.press("C-l")
    try prompt.enter("await nbridge.preference.set('k', 1); 'ok'")
    prompt.expectEnd("'ok'\n>")
  }

  @Test func aWatchPrintsUntilItIsStopped() throws {
    let prompt = try PromptDriver()
    try prompt.enter(".watch preference.watch")
    prompt.expect("watching preference.watch")
    try prompt.enter("nbridge.preference.set('seen', 1)")
    prompt.expect("preference.watch: {")
    try prompt.enter(".pending")
    prompt.expect("preference.watch (watch), open for")
    try prompt.enter(".unwatch preference.watch")
    prompt.expectEnd("preference.watch was stopped\n>")
  }

  @Test func filesAreLoadedAndSaved() throws {
    let prompt = try PromptDriver(
      files: ["lib.js": "const fromFile = 41", "mod.ts": "export const fromModule: number = 1;"])
    try prompt.enter(".load lib.js")
    try prompt.enter(".load mod.ts")
    try prompt.enter("fromFile + fromModule")
    prompt.expectEnd("42\n>")
    try prompt.enter(".save out.js")
    prompt.expect("3 entries in 'out.js'")
    let saved = try String(contentsOfFile: prompt.runner.folder + "/out.js", encoding: .utf8)
    #expect(
      saved.hasPrefix("const fromFile = 41\n")
        && saved.contains(
          "export const fromModule: number = 1;")
        && saved.hasSuffix("fromFile + fromModule\n"))
    try prompt.enter("function made() {}")
    try prompt.enter(".clear")
    try prompt.enter("typeof fromFile")
    prompt.expectEnd("'undefined'\n>")
  }

  @Test func theHintShowsWhatACallNeedsInAnyWindow() throws {
    let prompt = try PromptDriver(columns: 60)
    try prompt.enter(".deny preference.get")
    try prompt.type("nbridge.preference.get(")
    let seen = prompt.wait("the hint", all: true) { $0.contains("which is") }
    #expect(seen.replacing("\n  ", with: " ").contains("needs preference.get, which is denied)"), "\(seen)")
  }

  @Test func onlyWhatWentWellIsSaved() throws {
    let prompt = try PromptDriver(files: ["m.mjs": "export const z = 4"])
    try prompt.enter("import { z } from './m.mjs'")
    try prompt.enter("const own = z + 1")
    try prompt.enter("nope")
    prompt.expect("ReferenceError")
    try prompt.enter(".save session.js")
    prompt.expect("2 entries in 'session.js'")
    try prompt.enter(".clear")
    try prompt.enter(".load session.js")
    try prompt.enter("own")
    prompt.expectEnd("> own\n5\n>")
  }

  @Test func helpFitsANarrowWindow() throws {
    let prompt = try PromptDriver(columns: 40, rows: 12)
    try prompt.enter(".help")
    let seen = prompt.expect("more lines")
    #expect(seen.split(separator: "\n").allSatisfy { $0.count <= 40 } && seen.contains("  .help"), "\(seen)")
    try prompt.press("q")
    prompt.expectEnd(">")
  }
}
