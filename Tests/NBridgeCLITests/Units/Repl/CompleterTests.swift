// SPDX-License-Identifier: MIT

import Glibc
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

  /// What is entered there runs in another engine.
  @Test func inAPageOnlyTheBridgeIsKnown() async throws {
    for (before, names) in [
      ("mine.", []), ("nbridge.prefer", ["preference"]), ("nbri", ["nbridge"]), ("doc", []),
      ("awa", ["await"]),
    ] {
      let found = try await SessionBench.run { session in
        _ = session.evaluate("var mine = { inner: 1 }, doctor = 2")
        return Completer(session: session, isElsewhere: true).candidates(before)
      }
      #expect(found.names == names, "\(before)")
    }
  }

  static let offers: [(String, [String], Int)] = [
    // What is typed, all that is offered, how much of it stands there.
    (".hel", [".help"], 4), (".e", [".editor", ".exit"], 2), (".nothing", [], 8),
    (".trace ", ["off", "on"], 0),
    (".trace of", ["off"], 2), (".nothing x", [], 0), (".help x", [], 0),
    (".describe app.appI", ["app.appInfo"], 8),
    (".call pref", ["preference."], 4), (".call preference.g", ["preference.get "], 12),
    (".call preference g", ["get "], 1), (".call preference.get ", ["defaultValue=", "key="], 0),
    (".call preference.get k", ["key="], 1), (".call preference.get key=a ", ["defaultValue="], 0),
    (".call preference get k", ["key="], 1),
    (".call preference.get {", ["{\"defaultValue\": ", "{\"key\": "], 1),
    (".call auth.canEvaluatePolicy policy=pass", ["passcode"], 4),
    (".call documents.wr", ["documents.writeRange "], 12),
    (".call nothing.x ", [], 0), (".help docu", ["documents"], 4), (".help .ca", [".call"], 3),
    (".help documents.wri", ["documents.write", "documents.writeRange", "documents.writer"], 13),
    (".describe process.stdin.li", ["process.stdin.lines"], 16),
    (".watch preference.w", ["preference.watch"], 12),
    // What a plugin's own script adds, its arguments, and what its properties have.
    ("nbridge.documents.wr", ["write", "writeRange", "writer"], 2),
    ("nbridge.process.stdin.li", ["lines"], 2), ("nbridge.logger.inf", ["info"], 3),
    ("nbridge.documents.write(\"a\", \"b\", { dura", ["durable: "], 4),
    ("nbridge.documents.write({ dura", [], 4),
    ("nbridge.documents.write(\"a\", 1, { directory: \"temp", ["temporary"], 4),
    ("nbridge.documents.read(\"a\", { format: \"", ["bytes", "json", "propertyList", "text"], 0),
    ("nbridge.documents.write(\"a\", 1, { durable: ", ["false", "true"], 0),
    ("nbridge.peers.create({ displ", ["displayName: "], 5),
    (".reload prefer", ["preference"], 6),
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

  @Test func importsCompleteWhatCanBeImported() async throws {
    let folder = ScratchFolder()
    try folder.write([
      "one.js": "", "other.ts": "", "page.html": "", "note.md": "", "data.json": "", "o'dd.js": "",
      ".hidden.js": "",
      "sub/x.mjs": "", "sub/y.png": "",
    ])
    symlink(folder.path + "/sub", folder.path + "/linked")
    let path = folder.path
    for start in ["import \"", "import(\"", "import { a } from '", "require(\"", "export * from \""] {
      #expect(
        try await candidates("\(start)\(path)/").names
          == ["data.json", "linked/", "one.js", "other.ts", "sub/"].map { "\(path)/\($0)" }, "\(start)")
    }
    #expect(try await candidates("import \"\(path)/sub/").names == ["\(path)/sub/x.mjs"])
    #expect(try await candidates("import \"\(path)/.h").names == ["\(path)/.hidden.js"])
    #expect(try await candidates("import \"").names == ["../", "./"])
    #expect(try await candidates("import \"on").names == [])
    #expect(try await candidates("f(\"\(path)/o").names == [])
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
        "", "nbridge", "nbridge.preference", "nbridge.preference.nothing(",
        ".call preference", ".help app.appInfo", "other.preference.get(",
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

  /// What a plugin's own script adds is explained from the types that the plugin declares for it.
  @Test func theMethodsOfPluginsScriptsAreExplained() async throws {
    try await SessionBench.run { session in
      let completer = Completer(session: session)
      let hints = [
        (
          "nbridge.documents.write(",
          "write(path: string, content: unknown, option?: NBridgeWriteOptions): void\n"
            + "Replaces a file, or makes it: after a crash there is the old content or the new one. "
            + "(by the plugin's script, needs documents.write)"
        ),
        (
          "nbridge.logger.info(",
          "info(message: unknown, fields?: Record<string, unknown> | Error): void\n"
            + "What happens in the normal course. (by the plugin's script)"
        ),
        (
          "nbridge.process.stdin.lines(",
          "lines(): AsyncGenerator<string, void>\n"
            + "Its lines, without their ends (LF or CR LF); text in UTF-8. "
            + "(by the plugin's script)"
        ),
      ]
      for (before, hint) in hints { #expect(completer.hint(before) == hint) }
      #expect(completer.hint("nbridge.pasteboard.set(")?.hasPrefix("set(value: any, option: ") == true)
      #expect(completer.hint("nbridge.peers.create(")?.contains("needs peers.connect)") == true)
      session.deny("documents.write")
      let denied = completer.hint("nbridge.documents.write(")
      #expect(denied?.hasSuffix("documents.write, which is denied)") == true)
      #expect(completer.hint(".call preference.get ")?.hasPrefix("get(key: string") == true)
    }
  }

  struct Odd: Plugin {
    static let manifest = PluginManifest(
      service: "odd", version: "1.0.0",
      script: PluginScript(
        source: "(facade) => { facade['od-d'] = facade.even = facade.class = () => 1; }",
        members: """
          'od-d'(): void; /** \u{1B}[2J Clears. */ even(): void; class(x: 1): void; __proto__(): void; }{
          """))
    var body: PluginBody { Immediate("delete", "D.") { call in 1 } }
  }

  /// What can't stand behind a dot is not offered there, and words of the language can.
  @Test func namesOfAnyKindAreOfferedWhereTheyFit() async throws {
    try await SessionBench.run(adding: [Odd()]) { session in
      let completer = Completer(session: session)
      #expect(completer.candidates("nbridge.odd.").names == ["class", "delete", "even"])
      #expect(completer.candidates("nbridge.odd.__p").names == ["__proto__"])
      #expect(completer.hint("nbridge.odd.class(") == "class(x: 1): void\n(by the plugin's script)")
      #expect(completer.hint("nbridge.odd.even(")?.contains("Clears.") == true)
      #expect(completer.hint("nbridge.odd.delete(")?.hasPrefix("delete(): number\nD. (immediate") == true)
    }
  }

  /// A line of nothing but commands in commands is no trouble.
  @Test func commandsInCommandsAreNoCode() async throws {
    try await SessionBench.run { session in
      let completer = Completer(session: session)
      let line = String(repeating: ".time ", count: 100_000)
      #expect(completer.hint(line) == nil && completer.candidates(line).names.isEmpty)
      #expect(completer.hint(".time nbridge.preference.get(") != nil)
    }
  }

  /// Nothing that a plugin's script puts on its face is unknown to help.
  @Test func everyMethodOfAScriptHasItsSignature() async throws {
    try await SessionBench.run { session in
      let everyObjects = Set(session.members(of: ["Object", "prototype"]))
      for service in session.services.map(\.name) {
        let known = Set(session.methods(of: service).map(\.name))
        for name in session.members(of: ["nbridge", service]) where !everyObjects.contains(name) {
          #expect(known.contains("\(service).\(name)"), "nbridge.\(service).\(name)")
        }
      }
    }
  }
}
