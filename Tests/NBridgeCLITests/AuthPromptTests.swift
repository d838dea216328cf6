// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

/// The question owns the terminal while a person is asked: scripts that print over the question, behind it,
/// before it.
@Suite struct AuthPromptTests {
  /// Says `done` by a file once it has printed; `prepare` runs before the question, `meanwhile` while it
  /// stands.
  private static func asking(prepare: String = "", meanwhile: String = "", then: String = "") -> String {
    """
    const { documents } = nbridge;
    \(prepare)
    const answer = nbridge.auth.evaluatePolicy({ policy: "biometrics",
      reason: "Delete everything" }).then(({ method }) => method, ({ code }) => code);
    \(meanwhile)
    console.log("answer:", await answer);
    \(then)
    """
  }

  /// Waits until the question stands, prints, and tells by a file that it has.
  private static func printing(_ text: String) -> String {
    """
    while (!await documents.exists("asked")) await new Promise((r) => setTimeout(r, 5));
    \(text)
    await documents.write("printed", "");
    """
  }

  private func terminal(
    _ script: String, _ behind: String = " 2>/dev/tty; true",
    rows: Int = 24
  ) throws -> PromptDriver {
    try PromptDriver(
      "--container c ask.js" + behind, rows: rows,
      files: [
        "ask.js": script, "app.json": #"{"id": "vault", "name": "My\u001b[31mVault"}"#,
      ],
      environment: "TERM=xterm-256color", command: "run", waits: false)
  }

  private func wait(
    for name: String, _ driver: PromptDriver, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let path = driver.runner.folder + "/c/Documents/" + name
    driver.wait("the file \(name)", sourceLocation: sourceLocation) { _ in access(path, F_OK) == 0 }
  }

  private func note(_ name: String, _ driver: PromptDriver) throws {
    let folder = driver.runner.folder + "/c/Documents"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: folder + "/" + name))
  }

  private static let forged = #"""
    \x1b[?1049l\x1b[2J\x1b[Hvault asks for authentication:\n    show your notes\n  y  the finger is mine\n  \#
    your answer:\#u{20}
    """#

  /// A script prints by console, by console's errors, by the log; the question stands whole, the answer is
  /// for it.
  @Test(arguments: [
    "console.log(text)", "console.error(text)", "nbridge.logger.error(text)",
    "console.log('x'.repeat(70000) + text)",
  ])
  func aScriptCanNotPrintOverTheQuestion(_ print: String) throws {
    let forging = Self.printing(
      "const text = \"\(Self.forged)\"; for (let i = 0; i < 10; i++) { \(print); await null; }")
    let driver = try terminal(Self.asking(meanwhile: forging))
    driver.expect("nobody checks it:")
    try note("asked", driver)
    wait(for: "printed", driver)
    // Bytes that reached the terminal before this key are drawn before it.
    try driver.type("y")
    let screen = driver.expect("nobody checks it: y")
    #expect(screen.contains("Delete everything") && !screen.contains("show your notes"), "\(screen)")
    #expect(screen.contains("My␛[31mVault (vault) asks for authentication:"), "\(screen)")
    try driver.press("Enter")
    driver.expect("answer: prompt")
  }

  /// More than is held: the script waits, the person does not.
  @Test func aScriptThatNeverStopsPrintingDoesNotHoldUpTheQuestion() throws {
    let forging = Self.printing(
      "const timer = setInterval(() => console.log(\"\(Self.forged)\".repeat(1000)), 0);")
    let driver = try terminal(Self.asking(meanwhile: forging, then: "clearInterval(timer);"))
    driver.expect("nobody checks it:")
    try note("asked", driver)
    wait(for: "printed", driver)
    try driver.type("n")
    let screen = driver.expect("nobody checks it: n")
    #expect(screen.contains("Delete everything") && !screen.contains("show your notes"), "\(screen)")
    try driver.press("Enter")
    driver.expect("answer: authentication_failed")
  }

  @Test func whatIsPrintedMeanwhileComesBehindTheAnswerInItsOrder() throws {
    let printing = Self.printing(
      "console.log('one'); console.error('two'); console.log('three'); console.error('four');")
    let driver = try terminal(Self.asking(prepare: "console.log('zero');", meanwhile: printing))
    driver.expect("nobody checks it:")
    try note("asked", driver)
    wait(for: "printed", driver)
    try driver.type("y")
    let asked = driver.expect("nobody checks it: y")
    #expect(!asked.contains("one") && !asked.contains("zero"), "\(asked)")
    try driver.press("Enter")
    driver.expectEnd("zero\none\ntwo\nthree\nfour\nanswer: prompt\nleft with 0")
  }

  /// Output that another program of the pipeline would write to the terminal is held, too; output that the
  /// program has already is drawn over.
  @Test func aPipeToAnotherProgramIsNoWayToTheTerminal() throws {
    let printing = Self.printing("for (let i = 0; i < 20000; i++) console.log('held');")
    let driver = try terminal(
      Self.asking(prepare: "console.log('before');", meanwhile: printing), " 2>/dev/tty | cat; true")
    driver.expect("nobody checks it:")
    try note("asked", driver)
    wait(for: "printed", driver)
    driver.wait("the question alone") {
      $0.contains("Delete everything") && !$0.contains("before") && !$0.contains("held")
    }
    try driver.type("y")
    let asked = driver.expect("nobody checks it: y")
    #expect(!asked.contains("held"), "\(asked)")
    try driver.press("Enter")
    driver.expectEnd("held\nheld\nanswer: prompt\nleft with 0")
  }

  @Test func whatWasTypedBeforeTheQuestionDoesNotAnswerIt() throws {
    let driver = try terminal(
      Self.asking(
        prepare: "while (!await documents.exists('go')) await new Promise((r) => setTimeout(r, 5));"))
    try driver.enter("y")
    driver.expect("y")
    try note("go", driver)
    try driver.answer("n")
    driver.expect("answer: authentication_failed")
  }

  /// Sequences that a script left open, text that is hidden, margins, another character set, the other screen
  /// itself.
  @Test(arguments: [
    #"\x1b]0;title"#, #"\x1b["#, #"\x1bP"#, #"\x1b[8m"#, #"\x1b(0\x1b[7;31;41m"#,
    #"\x1b[20;22r\x1b[?6h\x1b[4h"#, #"\x1b[?1049h\x1b[?25l"#, #"\x1b[?1000h\x1b[?1006h"#,
  ])
  func modesThatAScriptChoseDoNotHideTheQuestion(_ mode: String) throws {
    let driver = try terminal(Self.asking(prepare: "console.log(\"\(mode)\");"))
    driver.expect("Delete everything")
    let screen = driver.screen(colours: true)
    #expect(
      screen.contains("    Delete everything") && screen.hasPrefix("nbridge") && !screen.contains("\u{1B}["),
      "\(screen)")
    try driver.answer("y")
    driver.wait("the answer") { $0.contains("answer") }
  }

  @Test(arguments: ["C-c", "TERM"])
  func theTerminalIsGivenBackWhereTheProgramEnds(_ end: String) throws {
    let driver = try terminal(
      Self.asking(),
      """
       2>/dev/tty; echo "ended $(stty -a | tr ' ;' '\\n\\n' | grep -xE -- '-?(echo|icanon)' | tr '\\n' ' ')"
      """)
    driver.expect("nobody checks it:")
    if end == "TERM" { try driver.signal("TERM") } else { try driver.press(end) }
    let screen = driver.expect("left with")
    #expect(screen.contains("ended icanon echo") && !screen.contains("nobody checks it"), "\(screen)")
  }

  /// A reason that does not fit is not cut in silence.
  @Test func aReasonThatIsTooLongForTheWindowSaysSo() throws {
    let long = Self.asking().replacing(
      "\"Delete everything\"", with: "'show your notes ' + 'and '.repeat(200) + 'delete them'")
    let driver = try terminal(long, rows: 12)
    driver.expect("rows more: make the window larger]")
    driver.expect("nobody checks it:")
    try driver.resize(columns: 120, rows: 40)
    driver.expect("delete them")
    try driver.answer("c")
    driver.expect("answer: user_cancel")
  }

  /// A terminal that does not bracket pastes, as `tmux paste-buffer` without -p: the letter and the Enter
  /// come at once.
  @Test(arguments: ["y\n", "yyyy\ny\n", "y\r", "no\ny\ny\ny\n", "\u{1B}[200~x\u{1B}[201~y\n"])
  func aPasteDoesNotAnswerIt(_ text: String) throws {
    let driver = try terminal(Self.asking())
    driver.expect("nobody checks it:")
    try driver.type("y")
    driver.expect("nobody checks it: y")
    try driver.paste(text.utf8, bracketed: false)
    let screen = driver.expect("several keys at once are no answer")
    #expect(!screen.contains("nobody checks it: y"), "\(screen)")
    try driver.answer("n")
    driver.expect("answer: authentication_failed")
  }

  /// A key that comes while the question appears was meant for what was there before.
  @Test func whatIsTypedBeforeItHasStoodForAMomentDoesNotAnswerIt() throws {
    let driver = try terminal(Self.asking())
    // Typed on until it has begun to wait for a quiet moment.
    driver.wait("the question") { screen in
      if screen.contains("Delete everything") { return true }
      try? driver.press("y", "Enter")
      return false
    }
    try driver.answer("n")
    driver.expect("answer: authentication_failed")
  }

  @Test func aTerminalWithoutAScreenTakesNoPasteOfSeveralLines() throws {
    let driver = try PromptDriver(
      "ask.js 2>/dev/tty; true", files: ["ask.js": Self.asking()], environment: "TERM=dumb", command: "run",
      waits: false)
    driver.expect("nobody checks it:")
    try driver.paste("yyyy\ny\n".utf8, bracketed: false)
    driver.expect("several lines at once are no answer")
    try driver.enter("n")
    driver.expect("answer: authentication_failed")
  }

  @Test func aTerminalWithoutAScreenIsAskedInLines() throws {
    let driver = try PromptDriver(
      "ask.js 2>/dev/tty; true", files: ["ask.js": Self.asking()], environment: "TERM=dumb", command: "run",
      waits: false)
    driver.expect("nobody checks it:")
    try driver.enter("what")
    driver.expect("'what' is none of these")
    try driver.enter("y")
    let screen = driver.expect("answer: prompt")
    #expect(!screen.contains("1049"), "\(screen)")
  }
}
