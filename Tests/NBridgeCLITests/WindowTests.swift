// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `nbridge window`, on a desktop of its own (Xvfb) and driven as a person would (WebKitWebDriver).
@Suite(.serialized) struct WindowTests {
  private static let tests = CommandRunner.root + "/Tests/NBridgeCLITests"

  /// A page in a window, and the script that is the person before it. What the page says stands in the
  /// output, too.
  private func visit(
    _ page: String, _ script: String, _ options: String = "", way: WindowWay
  ) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    return try Desktop.run(
      """
      \(way.lines)
      WebKitWebDriver --port=0 > driver.log 2>&1 & d=$!
      port=; n=0
      until [ -n "$port" ] || [ $n = 1200 ]; do
        sleep 0.05; n=$((n+1))
        port=$(ss -tlnp | sed -nE "s/.*127.0.0.1:([0-9]+) .*pid=$d,.*/\\1/p" | head -n 1)
      done
      timeout 180 "$PROGRAM" run --app '\(Self.tests)/Browsers/app.json' --container own \
        '\(Self.tests)/Browsers/\(script)' "http://127.0.0.1:$port" window \
        "$PROGRAM" window --automation --container box \(options) '\(page)'; r=$?
      kill $d; wait $d; cat driver.log; exit $r
      """, runner)
  }

  @Test(arguments: WindowWay.allCases)
  func scriptsDoTheSameInAProgramAndInAWindow(_ way: WindowWay) throws {
    let expected = try FrontScripts.inProgram()
    let seen = try visit(FrontScripts.folder, "fronts.mjs", "--permissions '*'", way: way)
    #expect(seen.status == 0 && !expected.isEmpty, "\(seen)")
    #expect(FrontScripts.said(at: seen.output) == expected, "\(seen)")
  }

  @Test(arguments: WindowWay.allCases)
  func eachButtonOfTheSampleAnswers(_ way: WindowWay) throws {
    let seen = try visit(CommandRunner.root + "/www/sample.html", "sample.mjs", way: way)
    let told = seen.output.split(separator: "\n")
    #expect(seen.status == 0 && told.count >= 32 && told.first == "app version : 1.0.0/1", "\(seen)")
    #expect(told.contains { $0.hasPrefix("not_found: ") }, "\(seen)")
  }

  /// By their keys, as the app's app.json has them.
  @Test func theMenuOfNotesMakesOneExportsItAndQuits() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let seen = try Desktop.run(
      """
      "$PROGRAM" window --container box '\(CommandRunner.root)/www/notes' > out 2> errors & p=$!
      strikes() { m=0; until eval "$2" || [ $m = 40 ]; do
        timeout 5 xdotool windowfocus --sync "$(the_window Notes)" key $1 2> /dev/null
        sleep 0.3; m=$((m+1)); done; }
      shown Notes; wait_for '[ -d box/Documents/notes ]'
      strikes ctrl+n '[ -e "box/Documents/notes/Note 1.txt" ]'
      strikes ctrl+e '[ -n "$(the_window "Export the note")" ]'
      chooses 'Export the note' "$(pwd -P)/kept.txt"
      wait_for '[ -e kept.txt ]'; ls kept.txt
      strikes ctrl+q '! kill -0 $p 2> /dev/null'; wait $p; echo "ended $?"; cat errors
      """, runner)
    #expect(seen.output.hasPrefix("kept.txt\nended 0"), "\(seen)")
    #expect(!seen.output.contains("WARN"), "\(seen)")
  }

  @Test(arguments: WindowWay.allCases)
  func theBridgesPipeIsThePagesOwn(_ way: WindowWay) throws {
    let seen = try visit(Self.tests + "/Browsers/empty.html", "pipe.mjs", way: way)
    #expect(
      seen.output.hasPrefix("nbridge-app: object undefined\nframe: undefined undefined\nrefused\n1\n"),
      "\(seen)")
  }

  @Test func aWindowEndsWithItsProgramAndAProgramWithItsWindow() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try Desktop.run(
      """
      page='\(Self.tests)/Browsers/hello.html'
      "$PROGRAM" window --container box "$page" > one & p=$!
      wait_for 'grep -q hello one'
      w=$(ps -o pid= --ppid $p -C nbridge-window | head -n 1)
      kill -9 $p; wait $p
      gone() { ! kill -0 $1 2>/dev/null || grep -q "^State:.Z" /proc/$1/status; }
      wait_for 'gone $w'; gone $w || echo "the window stays"
      "$PROGRAM" window --container box "$page" > two & p=$!
      wait_for 'grep -q hello two'
      kill $(pgrep -P $p -x nbridge-window)
      wait $p; echo "ended: $?"
      """, runner)
    #expect(result.output.hasPrefix("ended: "), "\(result)")
  }

  @Test(arguments: WindowWay.allCases)
  func aPageWhoseProcessIsKilledSaysSoAndTheProgramGoesOn(_ way: WindowWay) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try Desktop.run(
      """
      \(way.lines)
      "$PROGRAM" window --container box '\(Self.tests)/Browsers/hello.html' > one 2> told & p=$!
      wait_for 'grep -q hello one'
      w=$(pgrep -P $p -x nbridge-window)
      below() { for c in $(ps -o pid= --ppid $1); do echo $c; below $c; done; }
      for child in $(below $w); do
        grep -q WebKitWebProces /proc/$child/comm && kill -9 $child
      done
      wait_for 'grep -q "has ended" told'
      grep -o "the page's process has ended" told; kill -0 $p && echo goes on
      kill $p; wait $p
      """, runner)
    #expect(result.output == "the page's process has ended\ngoes on\n", "\(result)")
  }

  @Test func withoutADesktopItSaysWhatDoesWithout() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell(
      "timeout 60 \"$NBRIDGE\" window --container box '\(Self.tests)/Browsers/hello.html'")
    #expect(result.status == 1, "\(result)")
    #expect(result.errors.contains("there is no desktop here") && result.errors.contains("nbridge serve"))
  }
}
