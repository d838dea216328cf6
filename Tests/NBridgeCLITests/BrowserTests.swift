// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `nbridge serve`, with Chromium at the other end, and Firefox.
@Suite(.serialized) struct BrowserTests {
  private static let empty = CommandRunner.root + "/Tests/NBridgeCLITests/Browsers/empty.html"

  /// Which browser, and how one talks with it.
  enum Browser: CaseIterable {
    /// By its driver's HTTP.
    case chromium
    /// By its own socket: Debian has no driver for it.
    case firefox

    /// Each run of the tests takes one for most of them, `make soak` all: it is the same that is tested.
    static var usual: [Browser] {
      ProcessInfo.processInfo.environment["NBRIDGE_BROWSERS"] == "all" ? allCases : [.chromium]
    }

    /// Starts it, or its driver, as the shell's $d; `driver.log` says where it listens.
    var start: String {
      switch self {
      case .chromium: "chromedriver --port=0 > driver.log 2>&1 & d=$!"
      case .firefox:
        """
        mkdir profile; HOME=$PWD firefox-esr --headless --no-remote --profile profile \
          --remote-debugging-port=0 about:blank > driver.log 2>&1 & d=$!
        """
      }
    }

    /// Prints where it listens.
    var address: String {
      switch self {
      case .chromium: "sed -nE 's#.*successfully on port ([0-9]+).*#http://127.0.0.1:\\1#p' driver.log"
      case .firefox: "grep -o 'ws://[^ ]*' driver.log"
      }
    }
  }

  /// A page in a browser, and the script that is the person before it.
  struct Visit {
    var page: String
    var script: String
    var options = ""
    var browser = Browser.chromium

    /// Answers what the script prints, and what stands at the terminal of the server.
    func run() throws -> (result: CommandRunner.Result, terminal: String) {
      let runner = try CommandRunner()
      defer { runner.remove() }
      let tests = CommandRunner.root + "/Tests/NBridgeCLITests"
      let result = try runner.shell(
        """
        \(browser.start)
        "$NBRIDGE" serve --container box \(options) '\(page)' > terminal 2>&1 & s=$!
        for log in driver.log terminal; do
          n=0; until grep -qE 'on port [1-9]|on ws:|^  https?://' $log || [ $n = 1200 ]
          do sleep 0.05; n=$((n+1)); done
        done
        address=$(\(browser.address))
        link=$(grep -oE 'https?://[^ ]*' terminal | head -n 1)
        timeout 180 "$NBRIDGE" run --app '\(tests)/Browsers/app.json' --container own \
          '\(tests)/Browsers/\(script)' "$address" "$link"; r=$?
        kill $s; wait $s; kill $d 2> /dev/null; wait $d; cat terminal; exit $r
        """)
      let parts = result.output.components(separatedBy: "nbridge: serving ")
      return (
        CommandRunner.Result(status: result.status, output: parts[0], errors: result.errors),
        parts.dropFirst().joined()
      )
    }
  }

  @Test(arguments: Browser.allCases) func scriptsDoTheSameInAProgramAndInAPage(_ browser: Browser) throws {
    let expected = try FrontScripts.inProgram()
    let visit = try Visit(
      page: FrontScripts.folder, script: "fronts.mjs", options: "--permissions '*'", browser: browser
    ).run()
    #expect(visit.result.status == 0 && !expected.isEmpty, "\(visit.result)")
    #expect(FrontScripts.said(at: visit.terminal) == expected, "\(visit.terminal)")
  }

  /// The kernel says whose process connects.
  @Test func anotherUserGetsNothing() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell(
      """
      "$NBRIDGE" serve --container box '\(Self.empty)' > terminal 2>&1 & s=$!
      n=0; until grep -q token= terminal || [ $n = 1200 ]; do sleep 0.05; n=$((n+1)); done
      link=$(grep -o 'http://[^ ]*' terminal | head -n 1)
      ask="import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).status)"
      if [ "$(id -u)" = 0 ]; then
        setpriv --reuid 65534 --clear-groups python3 -c "$ask" "$link" 2> /dev/null || echo nothing
      else
        echo "SKIPPED: only the superuser can be another user" >&2; echo nothing
      fi
      grep -c token= terminal
      kill $s; wait $s
      """)
    // The link is still the first one.
    #expect(result.output == "nothing\n1\n", "\(result)")
  }

  /// Of other machines' browsers: over TLS, by the page that asks for it.
  @Test(arguments: Browser.usual) func aPassphraseLetsABrowserIn(_ browser: Browser) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let made = try runner.shell(
      ServeReachTests.certificate + "; echo correct horse > word; chmod 600 word")
    #expect(made.status == 0, "\(made)")
    let options = [("cert", "pem"), ("key", "key"), ("passphrase-file", "word")]
      .map { "--\($0) '\(runner.folder)/\($1)'" }.joined(separator: " ")
    let visit = try Visit(
      page: Self.empty, script: "passphrase.mjs", options: "--host localhost \(options)", browser: browser
    ).run()
    let said = "undefined That is not the passphrase.\nbox\nsecure, not seen\n"
    #expect(visit.result.output == said, "\(visit)")
    #expect(visit.terminal.contains("nbridge: a wrong passphrase came, from 127.0.0.1\n"), "\(visit)")
    #expect(visit.terminal.contains("nbridge: a browser is in, from 127.0.0.1\n"), "\(visit)")
    #expect(!visit.terminal.contains("correct") && !visit.terminal.contains("token"), "\(visit)")
  }

  @Test(arguments: Browser.usual) func eachButtonOfTheSampleAnswers(_ browser: Browser) throws {
    let page = CommandRunner.root + "/www/sample.html"
    let visit = try Visit(page: page, script: "sample.mjs", browser: browser).run()
    let told = visit.result.output.split(separator: "\n")
    #expect(visit.result.status == 0 && told.count == 34, "\(visit)")
    #expect(told.first == "app version : 1.0.0/1", "\(visit.result.output)")
    for code in ["invalid_action_name", "invalid_parameter", "permission_denied", "not_found", "cancelled"] {
      #expect(told.contains { $0.hasPrefix("\(code): ") }, "\(code) in \(visit.result.output)")
    }
    #expect(told.contains(#"Bob sent {"move":"e2 e4"}"#), "\(visit.result.output)")
    #expect(told.last == "fits a phone: true", "\(visit.result.output)")
  }

  @Test(arguments: Browser.usual) func notesAreKeptFoundAndNeverLost(_ browser: Browser) throws {
    let page = CommandRunner.root + "/www/notes"
    let visit = try Visit(page: page, script: "notes.mjs", options: "--auth pass", browser: browser).run()
    let expected = """
      made: Shopping Tea, and cups
      found: Shopping Tea, and cups
      copied: Tea, and cups
      theirs: Tea, and cups of another
      both: Tea, and cups of another | Tea, and cups of this tab
      the other tab has: Tea, and cups of another
      restored: Tea, and cups of another
      unlocked
      fits a phone: true

      """
    #expect(visit.result.output == expected, "\(visit)")
    #expect(visit.terminal.contains(#"note renamed  from="Note 1"  to="Shopping""#), "\(visit.terminal)")
  }

  /// `NBRIDGE_PICTURES=1 swift test --filter thePicturesCanBeTaken` writes those of www anew.
  @Test(arguments: [("sample.html", "sample.png"), ("notes", "notes/notes.png")])
  func thePicturesCanBeTaken(_ page: String, _ picture: String) throws {
    let www = CommandRunner.root + "/www/"
    let visit = try Visit(page: www + page, script: "pictures.mjs").run()
    let text = visit.result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    let taken = try #require(Data(base64Encoded: text), "\(visit)")
    #expect(taken.starts(with: [0x89, 0x50, 0x4E, 0x47]) && taken.count < 150 * 1024)
    if ProcessInfo.processInfo.environment["NBRIDGE_PICTURES"] != nil {
      try taken.write(to: URL(fileURLWithPath: www + picture))
    }
    #expect(FileManager.default.fileExists(atPath: www + picture))
  }

  /// Editors show what is wrong in it without any set-up.
  @Test func theTypesOfNotesHold() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let www = CommandRunner.root + "/www"
    let checked = try runner.shell(
      """
      nbridge check '\(www)/notes' &&
        tsc --noEmit --checkJs --strict --lib es2022,dom '\(www)/notes/notes.js' '\(www)/nbridge.d.ts'
      """)
    #expect(checked.status == 0, "\(checked)")
  }

  @Test(arguments: Browser.usual)
  func callsUnderWayAreAnsweredOnceWhenTheLinkIsCutAgainAndAgain(_ browser: Browser) throws {
    let visit = try Visit(page: Self.empty, script: "links.mjs", browser: browser).run()
    #expect(visit.result.output == "true true \n", "\(visit)")
  }

  @Test(arguments: Browser.usual)
  func aTabThatGoesLosesNothingAndEndsWhatItHadOpen(_ browser: Browser) throws {
    let visit = try Visit(page: Self.empty, script: "leaving.mjs", browser: browser).run()
    #expect(visit.result.output == "true\nwritten just before\ntrue\ntrue\n", "\(visit)")
  }

  @Test(arguments: Browser.usual) func aProgramThatIsStoppedLetsItsPagesSave(_ browser: Browser) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let options = "--container '\(runner.folder)/kept'"
    let visit = try Visit(page: Self.empty, script: "ending.mjs", options: options, browser: browser)
      .run()
    let text = try? String(contentsOfFile: runner.folder + "/kept/Documents/last.txt", encoding: .utf8)
    #expect(text == "written before the end", "\(visit)")
    #expect(visit.result.output.hasPrefix("invalid_action_name too_large 30 "), "\(visit)")
    #expect(visit.result.output.hasSuffix("\nclosed\nclosed\n"), "\(visit)")
  }

  @Test func aTabThatNobodySeesPausesItsApp() throws {
    let visit = try Visit(page: Self.empty, script: "seen.mjs").run()
    let told = Set(visit.result.output.split { $0 == " " || $0 == "\n" })
    #expect(visit.result.output.hasPrefix("active"), "\(visit)")
    #expect(told == ["active", "background", "pause", "resume"], "\(visit)")
  }

  @Test(arguments: Browser.allCases) func pagesOfOthersGetNothing(_ browser: Browser) throws {
    let visit = try Visit(page: Self.empty, script: "hostile.mjs", browser: browser).run()
    let answers = "refused undefined\nrefused\nrefused\nrefused\nshut\nundefined\n"
    #expect(visit.result.output == answers, "\(visit)")
  }
}
