// SPDX-License-Identifier: MIT

import BothWays
import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

/// The plugin that the guides for authors show works as they say.
@Suite(.allWays) struct GuidePluginTests {
  func run(
    _ script: String, settings: String? = nil, permissions: [String]? = nil
  ) async -> ScriptHarness.Result {
    var harness = ScriptHarness(plugins: [NotesPlugin()])
    if let settings { harness.options.settings["notes"] = Value(text: Array(settings.utf8)) }
    if let permissions { harness.options.permissions = PermissionSet(permissions) }
    return await harness.run(script)
  }

  @Test func theScriptMakesObjectsOfItsHiddenActions() async {
    let result = await run(
      """
      const note = nbridge.notes.note("today");
      await note.add("milk");
      await note.add("bread");
      console.log(await note.text(), typeof nbridge.notes.append);
      try { nbridge.notes.note(1); } catch (error) { console.log(error.code, error.message); }
      console.log(await nbridge.notes.read("other").catch(error => error.message));
      """)
    #expect(
      result.output == """
        milk
        bread
         undefined
        invalid_parameter name must be a string, not number
        there is no note 'other'

        """, "\(result)")
  }

  @Test func settingsAreOfTheDeclaredType() async {
    let result = await run(
      """
      console.log(await nbridge.notes.note("a").add("far too long").catch(error => error.message));
      """, settings: #"{"longest": 5}"#)
    #expect(result.output == "a note may have 5 characters, and would get 13\n", "\(result)")
    let wrong = await run("await nbridge.notes.note('a').add('b')", settings: #"{"longst": 5}"#)
    #expect(
      wrong.errors.contains("plugins.notes has no 'longst'; did you mean 'longest'?"), "\(wrong)")
  }

  @Test func aPermissionHasScopes() async {
    let result = await run(
      """
      for (const name of ["today", "private/diary", "private/other"]) {
        await nbridge.notes.note(name).add("x");
        console.log(await nbridge.notes.read(name).catch(error => error.code));
      }
      """, permissions: ["notes.*", "notes.read:private/diary"])
    #expect(result.output == "x\n\nx\n\npermission_denied\n", "\(result)")
  }

  @Test(arguments: ["Settings.md", "OwnScript.md"])
  func theGuidesShowThisPlugin(_ page: String) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let root = folder.appending(path: "../../..")
    let flat = { (text: String) in
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }
    let plugin = flat(try String(contentsOf: folder.appending(path: "NotesPlugin.swift"), encoding: .utf8))
    let guide = try String(
      contentsOf: root.appending(path: "Sources/NBridgePlugin/NBridgePlugin.docc/\(page)"), encoding: .utf8)
    let blocks = ["swift", "js", "ts"].flatMap { language in
      guide.components(separatedBy: "\n```\(language)\n").dropFirst().map {
        $0.components(separatedBy: "\n```")[0]
      }
    }
    #expect(blocks.count >= 2)
    for block in blocks {
      #expect(plugin.contains(flat(block)), "\(page) shows what no plugin has:\n\(block)")
    }
  }
}
