// SPDX-License-Identifier: MIT

import NBridge
import NBridgePlugin
import Testing

@testable import NBridgeCLI

/// The commands of the prompt itself.
@Suite struct DotCommandUnitTests {
  @Test(arguments: [
    (".help", true), (".5", false), (".", false), ("..x", false), ("x.help", false), (".a\nb", false),
    (".größe x", true), ("", false),
    (" .help", false), (".map(x)", true), ("._x", false),
  ])
  func aDotAndALetterBeginOne(_ text: String, _ isOne: Bool) { #expect(DotCommand.isOne(text) == isOne) }

  @Test func namesAreUniqueAndFound() {
    let names = DotCommand.all.map(\.name)
    #expect(Set(names).count == names.count)
    for name in names { #expect(DotCommand.named(name)?.name == name) }
    #expect(DotCommand.named("nothing") == nil && DotCommand.named("") == nil)
  }

  @Test func helpListsAll() async throws {
    let text = try await SessionBench.prompt([".help"]).text
    for command in DotCommand.all {
      #expect(
        text.contains("  .\(command.name)") && text.contains(command.help)
      )
    }
  }

  static let answers: [(String, String)] = [
    (".hlep", "there is no '.hlep'; did you mean '.help'? (.help lists them)\n"),
    (".xyzzyx", "there is no '.xyzzyx' (.help lists them)\n"),
    (".", "there is no '.' (.help lists them)\n"),
    (".describe", "describe what? .describe app, .describe app.appInfo\n"),
    (".describe appp", "there is no plugin 'appp'; did you mean 'app'?\n"),
    (".describe app.apInfo", "there is no action 'app.apInfo'; did you mean 'app.appInfo'?\n"),
    (".watch", "watch what? .watch preference.watch; watching: nothing\n"),
    (".unwatch x", "'x' is not watched; watching: nothing\n"), (".pending", "nothing is open\n"),
    (".trace", "trace is off\n"),
    (".trace on", "trace is on\n"), (".trace maybe", ".trace on or .trace off, not 'maybe'\n"),
    (".time", "time what? .time nbridge.app.appInfo()\n"),
    (".types", "the types of what? .types preference, .types _\n"),
    (".grant", "grant what? .grant preference.set\n"),
    (".deny  ", "deny what? .deny preference.set\n"),
    (".grant preference.st", "there is no permission 'preference.st'; did you mean 'preference.set'?\n"),
    (".deny preference.set", "'preference.set' is denied until you leave\n"),
    (".grant app.*", "'app.*' is allowed until you leave\n"),
    (".permissions", "everything is allowed: app.json has no \"permissions\"\n"),
    (".page", "this prompt serves no page: nbridge repl --serve PAGE does\n"),
    (".load", "load which file? .load script.js\n"),
    (".save", "save where? .save script.js\n"), (".reload", "reload which plugin? .plugins lists them\n"),
    (".reload preferences", "there is no plugin 'preferences'; did you mean 'preference'?\n"),
    (".reload preference", "'preference' was stopped and started\n"),
    (".call", "call what? .call preference.get key=colour\n"),
    (".call logger", "call which? .call logger.statistics\n"),
    (
      ".call preference.get {",
      "'{' is no option: it is one JavaScript value, or .call preference.get key=colour\n"
    ),
    (".call preference.gte key=x", "there is no action 'preference.gte'; did you mean 'preference.get'?\n"),
    (".call preferenc.get", "there is no plugin 'preferenc'; did you mean 'preference'?\n"),
    (".call preference.get kye=x", "'preference.get' has no 'kye'; did you mean 'key'?\n"),
    (".call preference.set key=x", "'value' is missing: .call preference.set key=colour value=teal\n"),
    (
      ".call preference.get",
      """
      get(key: string, defaultValue?: NBridgeValue): NBridgeValue
        Reads a value; without one: the default given, else the one app.json registers, else null.
        as .call preference.get key=colour

      """
    ),
    (
      ".call logger.isEnabled",
      "'logger.isEnabled' is a method of the plugin's own script: "
        + "nbridge.logger.isEnabled(level: NBridgeLogLevel): boolean\n"
    ),
    (".help documets", "there is no plugin 'documets'; did you mean 'documents'?\n"),
    (".help .time", "  .time CODE  Runs code and tells how long it took.\n"),
    (".help time", "  .time CODE  Runs code and tells how long it took.\n"),
    (".load /", "'/' is not a file\n"),
  ]

  @Test(arguments: answers)
  func commandsAnswer(_ line: String, _ text: String) async throws {
    let seen = try await SessionBench.prompt([line])
    #expect(seen.text == text && seen.ran.isEmpty && seen.did.isEmpty)
  }

  @Test(arguments: [(".exit", "leave"), (".editor", "compose"), (".clear", "clear")])
  func somePromptsDoSomething(_ line: String, _ did: String) async throws {
    let seen = try await SessionBench.prompt([line])
    #expect(seen.did == [did] && seen.text == "")
  }

  @Test func actionsAreDescribed() async throws {
    let text = try await SessionBench.prompt([".describe preference.get"]).text
    #expect(
      text.hasPrefix("get(key")
        && text.contains("option.key: string")
        && text.contains("needs preference.get\n")
    )
    let all = try await SessionBench.prompt([".describe preference"]).text
    #expect(all.contains("preference.get") && all.contains("preference.set"))
    #expect(
      try await SessionBench.prompt([
        ".deny preference.get", ".describe preference.get",
      ]).text.contains(", which is denied")
    )
    let plugins = try await SessionBench.prompt([".plugins"]).text
    for service in BuiltInPlugins.services { #expect(plugins.contains("  \(service) ")) }
  }

  @Test func permissionsAreTakenAndGiven() async throws {
    let text = try await SessionBench.prompt([".deny preference.*", ".permissions"]).text
    #expect(!text.contains("\npreference.") && text.contains("app."))
    let given = try await SessionBench.prompt([
      ".deny preference.*", ".grant preference.get", ".permissions",
    ]).text
    #expect(given.contains("preference.get\n") && !given.contains("preference.set\n"))
  }

  @Test func helpTellsOfPluginsAndTheirMethods() async throws {
    let plugin = try await SessionBench.prompt([".help documents"]).text
    #expect(plugin.contains("  documents.stat ") && plugin.contains("  documents.write "))
    #expect(plugin.contains("Replaces a file, or makes it") && !plugin.contains("documents.readText"))
    let write = try await SessionBench.prompt([".help documents.write"]).text
    #expect(write.hasPrefix("write(path: string, content: unknown, option?: NBridgeWriteOptions): void\n"))
    #expect(write.contains("  option.overwrite?: boolean  Whether one that is there is replaced"))
    #expect(write.hasSuffix("  by the plugin's script, needs documents.write\n"))
    #expect(try await SessionBench.prompt([".describe nbridge.documents.write"]).text == write)
    let read = try await SessionBench.prompt([".help documents.read"]).text
    #expect(
      read.contains("Promise") == false
        && read.contains("read(path: string, option: NBridgeReadOptions & "))
    let stdin = try await SessionBench.prompt([".help process.stdin"]).text
    #expect(stdin.hasPrefix("stdin: NBridgeProcessInput\n") && stdin.contains("  process.stdin.lines "))
    #expect(try await SessionBench.prompt([".types logger"]).text.contains("info(message: unknown"))
  }

  /// Nothing of what is looked at runs, and a long list is looked at in part.
  @Test(arguments: [
    ("Object.defineProperty([1], 0, { get: asked })", "Array<any>"),
    ("Object.assign([], { length: 4e8 })", "Array<undefined>"),
    ("Object.assign(new Map([['a', 1]]), { keys: asked, values: asked })", "Map<string, number>"),
    ("Object.assign(new Set([1, 'a']), { [Symbol.iterator]: asked })", "Set<number | string>"),
    ("Object.defineProperty((a) => a, 'length', { get: asked })", "() => any"),
    ("new (class Own { static get name() { return asked(); } })", "{}"),
    (
      "(() => { const own = []; own[0] = own; return own; })()",
      "Array<Array<Array<Array<Array<Array<any>>>>>>"
    ),
  ])
  func typesAreTakenWithoutRunningAnything(_ value: String, _ type: String) async throws {
    let text = try await SessionBench.prompt([
      ".types ((asked = () => { throw new Error('asked'); }) => \(value))()"
    ]).text
    #expect(text == type + "\n")
  }

  /// However much it looks at, it comes to an end.
  @Test func theTypeOfWhatHoldsItselfOftenIsTaken() async throws {
    let value = "(() => { const own = []; for (let i = 0; i < 50; i++) own[i] = own; return own; })()"
    #expect(try await SessionBench.prompt([".types \(value)"]).text.hasPrefix("Array<Array<"))
  }

  static let calls: [(String, String)] = [
    ("app.appInfo", ""), ("app appInfo", ""), ("preference.get key=colour", "{ \"key\": \"colour\" }"),
    ("preference get key=colour", "{ \"key\": \"colour\" }"),
    ("preference.get {\"key\": \"k\"}", "{\"key\": \"k\"}"),
    ("preference.get { key: 'k' }", "{ key: 'k' }"), ("preference.get key=12", "{ \"key\": \"12\" }"),
    ("preference.get key='two words'", "{ \"key\": ('two words') }"),
    ("preference.set key=a value=12", "{ \"key\": \"a\", \"value\": (12) }"),
    ("preference.set  key=a  value=[1, 2]", "{ \"key\": \"a\", \"value\": ([1, 2]) }"),
    ("preference.set key=a value=true", "{ \"key\": \"a\", \"value\": (true) }"),
    ("preference.set key=a value=teal", "{ \"key\": \"a\", \"value\": \"teal\" }"),
    ("preference.set key=a=b value={x", "{ \"key\": \"a=b\", \"value\": \"{x\" }"),
    ("app.exit code=3", "{ \"code\": (3) }"),
    ("app.openBrowser url=https://a.b/?c=d", "{ \"url\": \"https://a.b/?c=d\" }"),
  ]

  @Test(arguments: calls)
  func optionsAreTyped(_ line: String, _ option: String) async throws {
    let seen = try await SessionBench.prompt([".call \(line)"])
    let name = line.split { $0 == "." || $0 == " " }.prefix(2).map { "\"\($0)\"" }.joined(separator: ", ")
    #expect(
      seen.ran == ["nbridge.callToNative(\(name)\(option.isEmpty ? "" : ", (\(option))"))"]
        && seen.text == "")
  }

  @Test func aWatchsOptionIsTypedToo() async throws {
    let lines = ["kye=a", "key=a"].map { ".watch preference.watch \($0)" }
    let text = try await SessionBench.prompt(lines).text
    #expect(
      text == "'preference.watch' has no 'kye'; did you mean 'key'?\n"
        + "watching preference.watch; .unwatch preference.watch stops\n")
  }

  @Test func callsAndTimesAreRun() async throws {
    let call = try await SessionBench.prompt([".call preference get {\"key\": \"k\"}", ".call app appInfo"])
    #expect(
      call.ran.count == 2
        && call.ran[0].contains("\"preference\"")
        && call.ran[0].contains("{\"key\": \"k\"}")
    )
    let time = try await SessionBench.prompt([".time 1 + 1"])
    #expect(time.ran == ["1 + 1"] && time.text.wholeMatch(of: /\d+\.\d{3} ms\n/) != nil)
  }

  @Test func filesAreLoadedAndSaved() async throws {
    let folder = ScratchFolder()
    try folder.write(["x.js": "1 + 1"])
    let loaded = try await SessionBench.prompt([".load \(folder.path)/x.js"])
    #expect(loaded.ran == ["1 + 1"] && loaded.names == ["\(folder.path)/x.js"] && loaded.text == "")
    let missing = try await SessionBench.prompt([".load \(folder.path)/no.js"])
    #expect(missing.ran.isEmpty && missing.text.contains("no.js"))
    let path = folder.path + "/saved.js"
    #expect(try await SessionBench.prompt([".save \(path)"]).text == "2 entries in '\(path)'\n")
    #expect(try Path.text(of: path) == "1 + 1\nconst a = {\n}\n")
    #expect(try await SessionBench.prompt([".save \(path)"]).text.hasPrefix("can't write '\(path)': "))
    #expect(try Path.text(of: path) == "1 + 1\nconst a = {\n}\n")
  }

  @Test(arguments: [("", ""), ("  a b\t\r\n", "a b"), ("\u{2003}x", "x"), (" ", ""), ("a", "a")])
  func textsAreTrimmed(_ text: String, _ trimmed: String) { #expect(text.trimmed == trimmed) }
}
