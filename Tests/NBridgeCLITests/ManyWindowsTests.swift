// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `nbridge.window.open`: several windows of one program, on a desktop of a test's own.
@Suite(.serialized) struct ManyWindowsTests {
  private static let manifest = """
    { "id": "com.example.windows", "permissions": ["window.*", "preference.*", "app.*"], "plugins":
      { "window": { "title": "First", "width": 640, "height": 480 } } }
    """
  private static let start = """
    <!doctype html><title>Page</title><script>
    const own = nbridge.window;
    const told = (what, ...more) => console.log(what, ...more.map((value) => JSON.stringify(value)));
    const run = (body) => body().catch((error) => console.log("failed", error.code, error.message));

    """

  /// Runs an app of two pages, and what a person does before it; answers what came of it.
  private func run(
    _ first: String, _ other: String, _ person: String, way: WindowWay = .extension
  ) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "app/app.json": Self.manifest, "app/script.js": "",
      "app/index.html": "\(Self.start)run(async () => { \(first) });</script>",
      "app/sub/other.html": "\(Self.start)run(async () => { \(other) });</script>",
    ])
    return try Desktop.run(
      """
      start() { rm -f out; "$PROGRAM" window --container box app > out 2> errors & p=$!; }
      said() { wait_for "grep -qs '$1' out"; }
      ended() { wait_for '! kill -0 $p 2> /dev/null'; wait $p; echo "ended $?"; }
      \(way.lines)
      \(person)
      """, runner)
  }

  @Test(arguments: WindowWay.allCases)
  func eachWindowsCallsAreAboutItAndTheStateIsShared(_ way: WindowWay) throws {
    let seen = try run(
      """
      await nbridge.preference.remove("a");
      const other = await own.open("sub/other.html?id=5", { title: "Second", width: 400, height: 300 });
      told("number", other.number, (await own.state()).title, (await other.state()).title);
      const { width, height } = await other.state();
      told("size", width, height);
      for await (const { key, value } of nbridge.preference.watch("a")) { told("changed", value); break; }
      told("set", (await other.set({ title: "Renamed" })).title, (await own.state()).title);
      await other.focus();
      const events = other.events();
      (async () => {
        for await (const { type } of events) if (type === "closed") told("event", type);
        told("over");
        await other.state().catch(({ code, message }) => told("then", code, message));
        told("third", (await own.open({ page: "sub/other.html", title: "Third" })).number);
        await own.close();
      })();
      setTimeout(() => other.close(), 300);
      """,
      """
      const { title } = await own.state();
      told("other", title, location.search);
      if (title === "Second") {
        let isSet = false;
        while (!isSet) {
          await nbridge.preference.set("a", Math.random());
          isSet = (await own.state()).title === "Renamed";
        }
      } else setTimeout(() => own.close(), 500);
      """,
      """
      start; shown Second; said over; said third; ended
      sed -E 's/(changed) .*/\\1/' out | grep -v '^page: other' ; grep '^page: other' out
      ls box/Library/WebKit | grep window
      """, way: way)
    #expect(
      seen.output == """
        ended 0
        page: number 2 "First" "Second"
        page: size 400 300
        page: changed
        page: set "Renamed" "First"
        page: event "closed"
        page: over
        page: then "closed" "the window has been closed"
        page: third 3
        page: other "Second" "?id=5"
        page: other "Third" ""
        window
        window-sub%2Fother.html

        """, "\(seen)")
  }

  @Test(arguments: WindowWay.allCases)
  func onlyTheAppsOwnPagesAreShown(_ way: WindowWay) throws {
    let seen = try run(
      """
      for (const page of ["https://example.org/", "../a.html", "script.js", "gone.html", "/index.html"]) {
        await own.open(page).catch(({ code, message }) => console.log(code, message));
      }
      await own.open({ page: "index.html", width: 0 }).catch(({ message }) => console.log(message));
      told("markup", window.open("sub/other.html") === null);
      await own.state();
      console.log("done");
      """, "",
      """
      start; said done; cat out; shown First
      xdotool search --onlyvisible --class nbridge-window 2> /dev/null | wc -l
      kill $p; wait $p
      """, way: way)
    let path = "it is a path from the app's folder on, as settings.html"
    #expect(
      seen.output == """
        page: invalid_parameter page 'https://example.org/' is an address, and windows show the app's \
        own pages only: \(path)
        page: invalid_parameter page '../a.html' leads out of the app's folder: \(path)
        page: invalid_parameter page 'script.js' is no page (.html, .htm): \(path)
        page: not_found page 'gone.html': there is no such file in the app's folder
        page: invalid_parameter page '/index.html' leads out of the app's folder: \(path)
        page: option.width must be 1 to 20000 pixels, not 0
        page: markup true
        page: done
        1

        """, "\(seen)")
  }

  /// A page's window comes back where it was; the app's first page has its own.
  @Test func aPagesWindowComesBackAsItWas() throws {
    let seen = try run(
      """
      const other = await own.open("sub/other.html");
      const { width, height } = await other.state();
      told("size", width, height);
      await other.set({ width: 555, height: 444 });
      const events = other.events();
      await other.close();
      for await (const { type } of events) if (type === "closed") break;
      console.log("done");
      """, "",
      """
      start; said done; kill $p; wait $p; cat out
      start; said size; kill $p; wait $p; head -n 1 out
      """)
    #expect(
      seen.output == "page: size 1000 700\npage: done\npage: size 555 444\n", "\(seen)")
  }

  @Test func anAppIsInTheBackgroundWhenNoneOfItsWindowsIsSeen() throws {
    let seen = try run(
      """
      (async () => { for await (const state of nbridge.app.onLifecycle()) console.log("state", state); })();
      const other = await own.open("sub/other.html");
      await own.set({ minimized: true });
      setTimeout(() => { console.log("both"); other.set({ minimized: true }); }, 700);
      """, "",
      """
      openbox > /dev/null 2>&1 & o=$!
      start; said background; kill $p; wait $p; kill $o; grep -E 'state|both' out | head -n 3
      """)
    #expect(seen.output == "page: state active\npage: both\npage: state background\n", "\(seen)")
  }
}
