// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `nbridge test --in`: the same file in a program, in a window's page, and in a browser's.
@Suite(.serialized) struct TestFrontTests {
  private static let app = #"{"id": "fronts", "permissions": ["preference.get", "preference.set"]}"#
  /// What is true, what is not, and what is left open; with a module beside it, and calls.
  private static let tests = """
    import { two } from "../lib/two.js";
    console.log("said by the file");
    describe("a basket", () => {
      test("counts", () => { expect(new Map([["tea", two]])).toEqual(new Map([["tea", 2]])); });
      test("is kept", async () => {
        await nbridge.preference.set("basket", { tea: two });
        expect(await nbridge.preference.get("basket")).toEqual({ tea: 2 });
      });
      test("is refused", () => assert.rejects(nbridge.documents.read("x"), { code: "permission_denied" }));
      test("differs", () => { expect({ tea: two }).toEqual({ tea: 3 }); });
      test("waits", () => { setTimeout(() => {}, 60000); });
      test("loses", async () => {
        Promise.reject(new Error("lost"));
        await new Promise((resolve) => setTimeout(resolve, 50));
      });
      test("keeps time", (t) => {
        t.mock.timers.enable();
        const late = t.mock.fn();
        setTimeout(late, 1000);
        t.mock.timers.tick(1000);
        expect(late).toHaveBeenCalledTimes(1);
      });
      test.skip("not now", () => {});
    });
    """
  private static let files = [
    "app.json": app, "below/basket.test.js": tests, "lib/two.js": "export const two = 2;\n",
  ]

  /// What the report says of a place, from its name to the next empty line or name; without times, and
  /// without the way of a window's calls.
  private static func part(_ name: String, of output: String) -> [String] {
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("nbridge: the page's calls go by ") }
    guard let start = lines.firstIndex(where: { $0.hasSuffix(" in \(name)") }) else { return [] }
    return lines[(start + 1)...].prefix { !$0.isEmpty && $0.hasPrefix(" ") || $0 == "said by the file" }
      .map { String($0.replacing(#/ \(\d+ ms\)/#, with: "")) }
  }

  private func check(_ result: CommandRunner.Result, _ fronts: [String]) {
    #expect(result.status == 1, "\(result)")
    let parts = fronts.map { Self.part($0, of: result.output) }
    for (front, part) in zip(fronts, parts) {
      #expect(part.first == "said by the file", "\(front): \(result)")
      let marks = part.filter { $0.hasPrefix("  ✓") || $0.hasPrefix("  ✗") || $0.hasPrefix("  -") }
      #expect(
        marks == [
          "  ✓ a basket > counts", "  ✓ a basket > is kept", "  ✓ a basket > is refused",
          "  ✗ a basket > differs", "  ✗ a basket > waits", "  ✗ a basket > loses",
          "  ✓ a basket > keeps time", "  - a basket > not now",
        ], "\(front): \(result)")
      for line in ["-   tea: 3", "+   tea: 2", "Leak: left open: a setTimeout of 60000 ms"] {
        #expect(part.contains("      " + line), "\(front): \(line) in \(part)")
      }
      #expect(part.contains { $0.contains("a rejection that was not handled: lost") }, "\(front): \(part)")
      #expect(part.contains { $0.contains("below/basket.test.js:") }, "\(front): \(part)")
    }
  }

  @Test func aFileDoesTheSameInAProgramAndInABrowser() throws {
    let result = try CommandRunner.run(
      Self.files, "timeout 100 \"$NBRIDGE\" test --container box --in headless,serve")
    check(result, ["headless", "serve"])
    #expect(result.output.contains("8 passed, 6 failed, 2 skipped"), "\(result)")
  }

  @Test(arguments: WindowWay.allCases)
  func aFileDoesTheSameInAWindow(_ way: WindowWay) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(Self.files)
    let result = try Desktop.run(
      """
      \(way.lines)
      "$PROGRAM" test --container box --in window; exit $?
      """, runner)
    check(result, ["window"])
  }

  /// What nobody awaits fails its file all the same, and a page can't be rid of what hears of that.
  @Test func whatFailsLaterIsNoSuccess() throws {
    let result = try CommandRunner.run(
      [
        "late.test.js": """
        test("is not awaited", () => {
          const again = () => fetch("/late.test.js");
          again().then(again).then(() => { throw new Error("much later"); });
        });
        """,
        "write.test.js": """
        test("writes", () => { document.write("gone"); });
        test("throws later", () => { setTimeout(() => { throw new Error("late"); }, 0); });
        """,
      ], "timeout 100 \"$NBRIDGE\" test --container box --in serve")
    #expect(result.status == 1 && result.output.contains("1 passed, 3 failed"), "\(result)")
    #expect(result.output.contains("a rejection that was not handled: much later"), "\(result)")
    #expect(result.output.contains("an error that was not caught: late"), "\(result)")
  }

  /// One that holds its page is ended with what shows it.
  @Test func aPageThatSaysNothingIsEnded() throws {
    let result = try CommandRunner.run(
      ["loop.test.js": #"test("never ends", () => { for (;;); });"#],
      """
      export TMPDIR="$PWD"
      timeout 60 "$NBRIDGE" test --container box --patience 3 --in serve; s=$?
      pgrep -f "user-data-dir=$PWD" > /dev/null && echo stays
      ls -d nbridge-browser-* 2> /dev/null; exit $s
      """)
    #expect(result.status == 1 && result.output.contains("the page has said nothing for 3.0 s"), "\(result)")
    #expect(!result.output.contains("stays") && !result.output.contains("nbridge-browser"), "\(result)")
  }

  @Test(arguments: [
    ("a.test.ts", "test('a', () => {});", "leave it to headless"),
    ("a.test.mjs", "import './gone.js';", "the file can't be loaded by a page"),
    ("a.test.mjs", "test('a', () => expect(1).toMatchSnapshot());", "snapshots are kept where"),
  ])
  func whatAPageCanNotDoIsSaid(_ name: String, _ text: String, _ says: String) throws {
    let result = try CommandRunner.run(
      [name: text], "timeout 60 \"$NBRIDGE\" test --container box --in serve")
    #expect(result.status == 1 && result.output.contains(says), "\(result)")
    #expect(result.output.hasPrefix("\(name) in serve\n"), "\(result)")
  }

  @Test(arguments: [
    ("--in served", "not 'served'; did you mean 'serve'?"), ("--in headless,", "not ''"),
    ("--in window", "--in window needs a desktop, and there is none"),
    ("--in serve --watch", "--watch runs tests headless"),
  ])
  func whatThereIsNotIsSaidBeforeAnythingRuns(_ options: String, _ says: String) throws {
    let result = try CommandRunner.run(["a.test.js": "test('a', () => {});"], "nbridge test \(options)")
    #expect(result.status == 2 && result.errors.contains(says) && result.output.isEmpty, "\(result)")
  }

  @Test func withoutABrowserItSaysWhatToInstall() throws {
    let result = try CommandRunner.run(
      ["a.test.js": "test('a', () => {});"], "PATH=/nowhere; nbridge test --in headless,serve")
    #expect(result.status == 2 && result.errors.contains("apt-get install chromium"), "\(result)")
  }
}
