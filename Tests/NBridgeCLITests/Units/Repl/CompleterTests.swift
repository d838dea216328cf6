// SPDX-License-Identifier: MIT

import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

@testable import NBridgeCLI

/// The completions at the cursor.
@Suite struct CompleterUnitTests {
  private func candidates(
    _ before: String, after entries: [String] = []
  ) async throws -> Completer.Candidates {
    try await SessionBench.run { session in
      for entry in entries { _ = session.evaluate(entry) }
      return Completer(session: session).candidates(before)
    }
  }

  static let offers: [(String, [String], Int)] = [
    // What is typed, all that is offered, how much of it stands there.
    (".hel", [".help"], 4), (".e", [".editor", ".exit"], 2), (".nothing", [], 8),
    (".trace ", ["off", "on"], 0),
    (".trace of", ["off"], 2), (".nothing x", [], 0), (".help x", [], 0),
    (".describe app.appI", ["app.appInfo"], 8),
    (".call pref", ["preference "], 4), (".reload prefer", ["preference"], 6),
    (".types nbridge.prefer", ["preference"], 6),
    (".unwatch ", [], 0), ("nbridge.prefer", ["preference"], 6), ("nbridge?.prefer", ["preference"], 6),
    ("awai", ["await"], 4),
    ("nbridge.app.appI", ["appInfo"], 4), ("// nbridge.prefer", [], 0), ("/* nbridge.prefer", [], 0),
    ("'nbridge.prefer", [], 0),
    ("/* c */ nbridge.prefer", ["preference"], 6), ("nbridge./* c */prefer", ["preference"], 6),
    ("// c\nnbridge.prefer", ["preference"], 6),
    ("nosuchname.", [], 0), ("a b c nosuchname", [], 10),
    // An option's keys and values.
    ("nbridge.preference.get({ ke", ["key: "], 2),
    ("nbridge.auth.evaluatePolicy({ policy: \"biometricsO", ["biometricsOrPasscode"], 11),
    (
      "nbridge.auth.evaluatePolicy({ policy: ",
      ["\"biometrics\"", "\"biometricsOrPasscode\"", "\"passcode\""], 0
    ),
    ("nbridge.auth.evaluatePolicy({ policy: \"x", [], 0), ("nbridge.auth.nothing({ po", [], 2),
  ]

  @Test(arguments: offers)
  func namesAreOffered(_ before: String, _ names: [String], _ typed: Int) async throws {
    let found = try await candidates(before)
    #expect(found.names == names, "\(found)")
    if !names.isEmpty { #expect(found.typed == typed) }
  }

  /// A comment that has ended is no place where nothing stands.
  @Test(arguments: ["f(1); // done\n", "f(1); /* done */ ", "nbridge. /* which? */", "/* a */ /* b */"])
  func behindACommentNamesAreOffered(_ before: String) async throws {
    #expect(try await !candidates(before).names.isEmpty)
  }

  @Test func whatEntriesDeclaredIsOffered() async throws {
    let found = try await candidates(
      "myOwn",
      after: [
        "const myOwnList = [1]", "let myOwnObject = { inside: 1, _hidden: 2 }", "function myOwnFunction() {}",
      ])
    #expect(
      found.names == [
        "myOwnFunction", "myOwnList", "myOwnObject",
      ] && found.common == "myOwn" && found.typed == 5
    )
    let members = try await candidates("myOwnObject.", after: ["let myOwnObject = { inside: 1, _hidden: 2 }"])
    #expect(members.names.contains("inside") && !members.names.contains("_hidden"))
    #expect(try await candidates("o._h", after: ["let o = { _hidden: 2 }"]).names == ["_hidden"])
    #expect(try await candidates("myOwnList.ma", after: ["const myOwnList = [1]"]).names == ["map"])
  }

  @Test(
    arguments: [
      ("'x'.toUpp", "toUpperCase"), ("5..toFi", "toFixed"), ("[1].flatM", "flatMap"), ("/x/.sour", "source"),
    ]
  )
  func literalsHaveMembers(_ before: String, _ name: String) async throws {
    #expect(try await candidates(before).names.contains(name))
  }

  @Test func filesAreOffered() async throws {
    let folder = ScratchFolder()
    try folder.write(["one.js": "", "other.js": "", ".hidden": "", "sub/x.js": ""])
    let path = folder.path
    #expect(try await candidates(".load \(path)/o").names == ["\(path)/one.js", "\(path)/other.js"])
    #expect(try await candidates(".save \(path)/s").names == ["\(path)/sub/"])
    #expect(try await candidates(".load \(path)/nothing/").names == [])
  }

  @Test(
    arguments: [
      ([], ""), (["a"], "a"), (["abc", "abd"], "ab"), (["a", "b"], ""), (["ab", "a"], "a"),
      (["é1", "é2"], "é"),
    ]
  )
  func allBeginWithWhatIsCommon(_ names: [String], _ common: String) {
    #expect(Completer.Candidates(names: names, typed: 0).common == common)
  }

  @Test func theCallAroundTheCursorIsExplained() async throws {
    try await SessionBench.run { session in
      let completer = Completer(session: session)
      for before in [
        "nbridge.preference.get(", "nbridge.preference.get({ key: ", "x = nbridge.preference.get",
        "f(nbridge.preference.get",
      ] {
        let hint = completer.hint(before) ?? ""
        #expect(
          hint.hasPrefix("get(key") && hint.contains("needs preference.get") && !hint.contains("denied"),
          "\(before): \(hint)"
        )
        #expect(hint.split(separator: "\n").count == 2)
      }
      for before in [
        "", "nbridge", "nbridge.preference", "nbridge.preference.nothing(", "other.preference.get(",
        "'nbridge.preference.get",
      ] {
        #expect(completer.hint(before) == nil, "\(before)")
      }
      session.deny("preference.get")
      #expect(
        completer.hint("nbridge.preference.get(")?.contains("needs preference.get, which is denied") == true
      )
    }
  }
}

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
    (".load", "load which file? .load script.js\n"),
    (".save", "save where? .save script.js\n"), (".reload", "reload which plugin? .plugins lists them\n"),
    (".reload preferences", "there is no plugin 'preferences'; did you mean 'preference'?\n"),
    (".reload preference", "'preference' was stopped and started\n"),
    (".call", "call what? .call preference get {\"key\": \"k\"}\n"),
    (".call preference", "call what? .call preference get {\"key\": \"k\"}\n"),
    (".call preference get {", "'{' is no option: it must be one JavaScript value, as {\"key\": \"k\"}\n"),
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
