// SPDX-License-Identifier: MIT

import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

/// What is said of names that the bridge lacks, and of parameters that a call gave wrongly.
@Suite struct MissedNameTests {
  struct Options: Codable, Sendable {
    var key: String
    var size: Int?
  }

  struct Documents: Plugin {
    static let manifest = PluginManifest(
      service: "documents", version: "1.0.0",
      script: PluginScript(
        source: "(facade, hidden) => { facade.open = (path) => hidden.openNow({ key: path, size: 0.5 }) }",
        members: ""))
    var body: PluginBody {
      Immediate("read", "R.") { (options: Options, call) in
        guard options.key != "no" else {
          throw BridgeError(.invalidParameter, "option.key is 'no', and option.keys or option.size are not")
        }
        return options.key
      }
      .positional("key")
      Immediate("openNow", "O.") { (options: Options, call) in options.key }.hidden().speaks(of: "size")
      Watch("tell", "T.") { (options: OneKey, call) in
        AsyncStream { continuation in
          continuation.yield(options.key ?? "all")
          continuation.finish()
        }
      }
      .positional("key").orObject()
      Immediate("drop", "D.") { (options: Options, call) in "\(options.key) \(options.size ?? 0)" }
        .positional("key").orObject()
    }
  }

  struct OneKey: Codable, Sendable {
    var key: String?
  }

  static func run(_ script: String) async -> ScriptHarness.Result {
    await ScriptHarness(plugins: [Documents()]).run(script)
  }

  @Test(arguments: [
    ("nbridge.documnts.read('x')", "; nbridge has no 'documnts'; did you mean 'documents'?"),
    ("nbridge.documents.raed('x')", "; nbridge.documents has no 'raed'; did you mean 'read'?"),
    (
      "const { raed } = nbridge.documents; raed('x')",
      "; nbridge.documents has no 'raed'; did you mean 'read'?"
    ),
    ("const d = nbridge.documents; d.raed('x')", "; nbridge.documents has no 'raed'; did you mean 'read'?"),
    ("nbridge.documents.zzzzzz('x')", "; nbridge.documents has no 'zzzzzz'; there is drop, open, read, tell"),
    ("setTimeout(() => nbridge.documents.Read())", "; nbridge.documents has no 'Read'; did you mean 'read'?"),
  ])
  func aMisspeltNameIsAnsweredWithTheNearest(_ script: String, _ hint: String) async {
    let uncaught = await Self.run(script)
    #expect(uncaught.errors.contains("\(hint)\n"), "\(uncaught.errors)")
    let caught = await Self.run("try { \(script) } catch (e) { console.log(e) }")
    #expect(script.contains("setTimeout") || caught.output.contains("\(hint)\n"), "\(caught.output)")
  }

  @Test(arguments: [
    "if (nbridge.share || nbridge.documents.foo?.() || 'bar' in nbridge) throw 1",
    "const d = nbridge.documents; if (`${d}` !== '[object Object]' || !(d instanceof Object)) throw 1",
    "if (await nbridge.documents !== nbridge.documents) throw 1",
    "Object.prototype.mine = 5; if (nbridge.mine !== 5 || nbridge.documents.mine !== 5) throw 1",
    "nbridge.own = 1; nbridge.documents.own = 2; if (nbridge.own + nbridge.documents.own !== 3) throw 1",
    "for (let i = 0; i < 1e5; i++) nbridge.documents[`n${i}`]",
    "nbridge.documents[Symbol.iterator]; nbridge.documents.then; JSON.stringify(nbridge)",
    "if (Object.keys(nbridge.documents).join() !== 'read,tell,drop,open') throw 1",
  ])
  func lookingForANameDoesNoHarm(_ script: String) async {
    let result = await Self.run(script)
    #expect(result.status == .success, "\(result.errors)")
  }

  @Test func anErrorThatNamesNothingMissedGetsNoHint() async {
    let result = await Self.run("nbridge.documents.foo; const raed = undefined; raed.x")
    #expect(!result.errors.contains("did you mean") && !result.errors.contains("has no"), "\(result.errors)")
  }

  @Test(arguments: [
    ("nbridge.documents.read(5)", "key must be a string, not a number"),
    ("nbridge.documents.read()", "key must be a string, not undefined"),
    ("nbridge.documents.read(() => 1)", "key is a function, which can't cross the bridge"),
    ("nbridge.documents.read('no')", "key is 'no', and option.keys or option.size are not"),
    ("nbridge.documents.read('a', { size: 'b' })", "option.size must be an integer, not a string"),
    ("nbridge.documents.open('a')", "size must be an integer"),
    ("nbridge.callToNative('documents', 'read', { key: 5 })", "option.key must be a string, not a number"),
  ])
  func anErrorNamesAParameterAsTheScriptGaveIt(_ call: String, _ message: String) async {
    let result = await Self.run("try { await \(call) } catch (e) { console.log(e.message) }")
    #expect(result.output.hasPrefix(message), "\(result.output) \(result.errors)")
  }

  @Test(arguments: [
    ("await nbridge.documents.tell('a').toArray()", "a"), ("await nbridge.documents.tell().toArray()", "all"),
    ("await nbridge.documents.tell({ key: 'a' }).toArray()", "a"),
    ("await nbridge.documents.tell({}).toArray()", "all"),
    ("await new Promise((r) => nbridge.documents.tell({ key: 'b' }, r))", "b"),
    ("await new Promise((r) => nbridge.documents.tell('b', r))", "b"),
    ("await nbridge.documents.drop('a', { size: 2 })", "a 2"),
    ("await nbridge.documents.drop({ key: 'a', size: 3 })", "a 3"),
  ])
  func whatIsPositionalMayBeAnObjectWhereThePluginSaysSo(_ call: String, _ answer: String) async {
    let result = await Self.run("console.log(`${\(call)}`)")
    #expect(result.output == answer + "\n", "\(result.errors)")
  }
}
