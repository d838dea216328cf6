// SPDX-License-Identifier: MIT

import NBridge
import NBridgePlugin
import NBridgeTerminal
import TestSupport
import Testing

@testable import AuthPlugin
@testable import NBridgeCLI

/// What a person sees who is asked.
@Suite struct AuthQuestionUnitTests {
  private func question(
    app: String = "Notes", reason: String = "Delete everything", factors: [AuthFactor] = [.biometrics],
    biometry: BiometryType = .fingerprint,
    fallback: String? = nil, cancel: String? = nil
  ) -> AuthQuestion {
    AuthQuestion(
      app: app, id: "com.example.notes", policy: .biometrics, reason: reason, biometry: biometry,
      factors: factors,
      fallbackTitle: fallback, cancelTitle: cancel)
  }

  private func rows(
    _ question: AuthQuestion, columns: Int = 80, rows: Int = 24, typed: String = "", takes: Bool = true
  ) -> [String] {
    var text = AuthQuestionText(question)
    (text.typed, text.takesAnswers) = (typed, takes)
    return text.rows(columns: columns, rows: rows)
  }

  @Test func theQuestionNamesTheAppTheReasonAndTheAnswers() {
    #expect(
      rows(question(), typed: "y") == [
        "nbridge", "Notes (com.example.notes) asks for authentication:", "    Delete everything", "",
        "  y  the finger is mine",
        "  n  it fails", "  f  another way", "  c  cancel", "", "  your answer, nobody checks it: y",
      ])
  }

  static let choices: [([AuthFactor], BiometryType, [String])] = [
    (
      [AuthFactor.biometrics], BiometryType.face,
      ["  y  the face is mine", "  n  it fails", "  f  another way", "  c  cancel"]
    ),
    ([.passcode], .none, ["  p  I know the passcode", "  n  it fails", "  c  cancel"]),
    (
      [.biometrics, .passcode], .fingerprint,
      ["  y  the finger is mine", "  p  I know the passcode", "  n  it fails", "  c  cancel"]
    ),
  ]

  @Test(arguments: choices)
  func onlyAnswersThatCountAreOffered(
    _ factors: [AuthFactor], _ biometry: BiometryType, _ expected: [String]
  ) {
    let rows = rows(question(factors: factors, biometry: biometry))
    #expect(rows.filter { $0.wholeMatch(of: #/  [a-z]  .*/#) != nil } == expected)
  }

  @Test func anAppsOwnTitlesAreShown() {
    let rows = rows(question(fallback: "Use the\u{1B}[8m key", cancel: "Not now\n"))
    #expect(rows.contains("  f  Use the\u{241B}[8m key") && rows.contains("  c  Not now\u{23CE}"))
  }

  /// A question that has not stood for long enough has no row for an answer.
  @Test func aQuestionThatJustCameTakesNone() {
    let rows = rows(question(), typed: "y", takes: false)
    #expect(rows.last == "  c  cancel" && !rows.contains { $0.contains("your answer") })
  }

  @Test func anAppCannotTalkOverTheQuestion() {
    let name = String(repeating: "x", count: 61)
    let rows = rows(question(app: name), columns: 200)
    #expect(rows[1] == String(repeating: "x", count: 60) + "… (com.example.notes) asks for authentication:")
  }

  /// Whatever an app writes, the rows fit the window, steer nothing, and the answer stands last.
  @Test(arguments: 0..<80)
  func rowsFit(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    let parts = [
      "word ", "日本", "\u{1B}[2J", "\n", "\u{202E}", "👍🏽", "x", " ", "\u{9B}31m",
      "averyveryverylongwordindeed", "\r\n",
    ]
    let text = { (dice: inout SeededGenerator) in dice.text(of: parts, count: dice.below(60)) }
    let question = question(app: text(&dice), reason: text(&dice), fallback: text(&dice), cancel: text(&dice))
    let (columns, maximum) = (21 + dice.below(80), 16 + dice.below(30))
    let rows = rows(question, columns: columns, rows: maximum, typed: "n")
    #expect(rows.count <= maximum, "seed \(seed): \(rows.count) of \(maximum)")
    for row in rows {
      #expect(TextWidth.of(row) <= columns, "seed \(seed): '\(row)'")
      #expect(!row.unicodeScalars.contains { $0.value < 0x20 || 0x7F..<0xA0 ~= $0.value || $0 == "\u{202E}" })
    }
    #expect(rows.last?.hasPrefix("  your answer") == true && rows.contains { $0.hasPrefix("  c  ") })
  }

  @Test func aReasonThatIsTooLongSaysSo() {
    let rows = rows(
      question(reason: (1...100).map { "reason\($0)" }.joined(separator: " ")), columns: 60, rows: 16
    )
    #expect(
      rows.contains { $0.contains(" rows more: make the window larger") }, "\(rows)"
    )
  }

  @Test(arguments: [
    ("", 10, [""]), ("abc", 3, ["abc"]), ("abcd", 3, ["abc", "d"]), ("one two", 5, ["one ", "two"]),
    ("one  two", 5, ["one  ", "two"]),
    ("  abcdef", 5, ["  abc", "def"]), ("日本語", 5, ["日本", "語"]), ("a日", 2, ["a", "日"]), ("日", 1, ["", "日"]),
  ])
  func rowsAreFoldedBehindSpaces(_ text: String, _ width: Int, _ rows: [String]) {
    #expect(AuthQuestionText.fold(text, width) == rows)
  }

  @Test(arguments: 0..<60)
  func foldingLosesNothing(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    let text = dice.text(of: ["ab", "日", " ", "  ", "e\u{301}", "longer"], count: 40)
    let width = 2 + dice.below(30)
    let rows = AuthQuestionText.fold(text, width)
    #expect(rows.joined() == text && rows.allSatisfy { TextWidth.of($0) <= width }, "seed \(seed)")
  }

  // MARK: - Answers

  static let keys: [([Key], Bool, Bool)] = [
    ([.text("y")], false, true), ([.text("yy")], false, false), ([.text("y"), .enter], false, false),
    ([.enter], false, true), ([.escape], false, true),
    ([.paste("y")], false, false), ([.control("c")], false, true), ([.text("é")], false, true),
    ([.up], false, true),
    // A terminal of lines sends the line's end, too.
    ([.text("y"), .enter], true, true), ([.enter], true, true), ([.text("y")], true, false),
    ([.text("y"), .text("n"), .enter], true, false),
    ([.up, .enter], true, false), ([.paste("y"), .enter], true, false),
  ]

  @Test(arguments: keys)
  func onlyASingleKeyIsAnAnswer(_ keys: [Key], _ sendsLines: Bool, _ isTyped: Bool) {
    #expect(AuthInput.isTyped(keys, sendsLines: sendsLines) == isTyped)
  }
}

/// The policy or the person that decides, by the command line.
@Suite struct AuthChoiceUnitTests {
  private struct Nobody: AuthPrompter {
    var canAsk: Bool { false }
    func ask(_ question: AuthQuestion) async -> AuthAnswer { AuthAnswer(.cancel) }
  }

  private func setup(_ line: [String], _ options: inout RuntimeOptions) throws -> AuthSetup {
    let arguments = try ParsedArguments(
      line, options: [AuthChoice.outcome, AuthChoice.policy]
    )
    return try AuthChoice.read(arguments, &options, prompter: Nobody())
  }

  private func name(_ line: [String]) throws -> String {
    var options = RuntimeOptions()
    return try setup(line, &options).name
  }

  @Test func withoutAFlagTheTerminalDecides() throws { #expect(try name([]) == "--auth prompt") }

  @Test(
    arguments: [
      AuthOutcome.pass, .fail, .cancel, .fallback, .lockout, .notEnrolled, .notAvailable, .timeout, .prompt,
    ]
  )
  func outcomesAreTaken(_ outcome: AuthOutcome) throws {
    #expect(try name(["--auth", outcome.rawValue]) == "--auth \(outcome.rawValue)")
    #expect(AuthChoice.outcome.help.contains(outcome.rawValue))
  }

  @Test(arguments: [
    (["--auth", "maybe"], "--auth must be one of pass, fail,"), (["--auth", ""], "--auth must be one of"),
    (["--auth", "PASS"], "--auth must be one of"),
    (["--auth", "system"], "--auth system is kept for real readers"),
    (["--auth", "pass", "--auth-policy", "x"], "--auth and --auth-policy can't both decide"),
  ])
  func otherWordsAreRefused(_ line: [String], _ text: String) {
    let error = #expect(throws: UsageError.self) { try name(line) }
    #expect(error?.description.hasPrefix(text) == true, "\(error?.description ?? "")")
  }

  @Test func aPolicysFileIsOutOfReachForTheScript() throws {
    let folder = ScratchFolder()
    try folder.write(["policy.json": "{}", "bad.json": "{"])
    var options = RuntimeOptions()
    if (try? setup(["--auth-policy", folder.path + "/policy.json"], &options)) != nil {
      #expect(!options.sealedNames.isEmpty)
    }
    for file in ["bad.json", "missing.json"] {
      let error = #expect(throws: BridgeError.self) { try name(["--auth-policy", folder.path + "/" + file]) }
      #expect(error?.message.contains(file) == true)
    }
  }
}
