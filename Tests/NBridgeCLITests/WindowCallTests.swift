// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `nbridge.window`, in a real window, before a person that a program plays (xdotool).
@Suite(.serialized) struct WindowCallTests {
  private static let manifest = """
    { "id": "com.example.window", "permissions": ["window.*", "documents.*", "app.onLifecycle"], "plugins":
      { "window": { "title": "Own", "width": 640, "height": 480, "menu": [
        { "label": "_File", "items": [
          { "label": "_New", "id": "new", "key": "Ctrl+N" }, { "role": "quit", "key": "Ctrl+Q" } ] } ] } } }
    """

  /// Runs an app whose page has this script, and what a person does before it; answers what came of it.
  private func run(
    _ script: String, _ person: String, _ manifest: String = manifest, files: [String: String] = [:],
    way: WindowWay = .extension
  ) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let page = """
      <!doctype html><title>Page</title><script>
      const window_ = nbridge.window;
      const told = (what, ...more) => console.log(what, ...more.map((value) => JSON.stringify(value)));
      (async () => { \(script) })().catch((error) => console.log("failed", error.code, error.message));
      </script>
      """
    try runner.write(
      ["app/app.json": manifest, "app/index.html": page].merging(files) { $1 })
    return try Desktop.run(
      """
      start() { rm -f out; "$PROGRAM" window --container box app "$@" > out 2> errors & p=$!; }
      said() { wait_for "grep -qs '$1' out"; }
      \(way.lines)
      \(person)
      """, runner)
  }

  @Test(arguments: WindowWay.allCases)
  func aWindowIsAsTheAppAsksAndIsChangedByItsPage(_ way: WindowWay) throws {
    let seen = try run(
      """
      const { title, width, height, zoom } = await window_.state();
      told("first", title, width, height, zoom);
      told("set", (await window_.set({ title: "Other", width: 700, height: 500, zoom: 1.5 })).title);
      for (const bad of [{ width: 0 }, { zoom: 9 }, { x: 1 }, { widht: 1 }]) {
        await window_.set(bad).catch(({ code, message }) => console.log(code, message));
      }
      await window_.setMenu([{ label: "a" }]).catch(({ message }) => console.log(message));
      const { width: now } = await window_.set({ width: 720 });
      told("settled", now, (await window_.set({ title: "" })).title);
      const all = await Promise.all(Array.from({ length: 5000 }, () => window_.state()));
      told("many", all.length, (await window_.set({ title: "x".repeat(1 << 20) })).title.length);
      await window_.set({ title: "Other" });
      console.log("done");
      """,
      """
      start; said done; shown Other
      xdotool getwindowgeometry "$(the_window Other)" | grep -o '720x500'
      kill $p; wait $p; cat out
      """, way: way)
    #expect(
      seen.output == """
        720x500
        page: first "Own" 640 480 1
        page: set "Other"
        page: invalid_parameter option.width must be 1 to 20000 pixels, not 0
        page: invalid_parameter option.zoom must be 0.25 to 5, not 9.0
        page: invalid_parameter option.x and option.y belong together
        page: invalid_parameter option has no 'widht'; did you mean 'width'?
        page: items[0] needs items: it stands in the bar
        page: settled 720 "Page"
        page: many 5000 1048576
        page: done

        """, "\(seen)")
  }

  @Test func aMenusKeysComeToThePageAndTheWindowComesBackAsItWas() throws {
    let seen = try run(
      """
      const { width, height } = await window_.state();
      told("size", width, height);
      await window_.set({ width: 555, height: 444 });
      for await (const event of window_.events()) if (event.type === "menu") told("menu", event.id);
      """,
      """
      start; said size; shown Own
      strikes() { m=0; until eval "$2" || [ $m = 40 ]; do
        timeout 5 xdotool windowfocus --sync "$(the_window Own)" key $1 2> /dev/null
        sleep 0.3; m=$((m+1)); done; }
      strikes ctrl+n "grep -qs menu out"
      strikes ctrl+q '! kill -0 $p 2> /dev/null'; wait $p; echo "ended $?"; uniq out
      start; said size; kill $p; wait $p; cat out
      stat -c %a box/Library/WebKit/window
      printf 'width 700\\nheight 600\\nzoom 20000\\n' > box/Library/WebKit/window
      start; said size; kill $p; wait $p; cat out
      """)
    #expect(
      seen.output == """
        ended 0
        page: size 640 480
        page: menu "new"
        page: size 555 444
        600
        page: size 640 480

        """, "\(seen)")
  }

  @Test func whatAPersonChoosesInADialogIsTheirPermissionForIt() throws {
    let seen = try run(
      """
      const { documents } = nbridge, here = { directory: "arguments" };
      const tell = ({ code }) => code;
      told("before", await documents.read(PATH + "/out.txt", here).catch(tell));
      const kinds = [{ name: "Text", endings: ["txt"] }];
      // On a busy machine a dialog misses keys, and a person tries again.
      let path, more;
      do [path, ...more] = await window_.openFile({ title: "Choose", kinds });
      while (path !== PATH + "/out.txt");
      told("chosen", path === PATH + "/out.txt", more, await documents.read(path, here));
      told("other", await documents.read(PATH + "/secret.txt", here).catch(tell));
      told("import", await documents.import(path, "copy.txt").then(() => "done", tell));
      told("beside", await documents.import(PATH + "/secret.txt", "s.txt").catch(tell));
      let to;
      do to = await window_.saveFile({ title: "Keep", name: "kept.txt" });
      while (to !== PATH + "/kept.txt");
      const kept = await documents.export("copy.txt", to).then(() => "done", tell);
      told("kept", to === PATH + "/kept.txt", kept);
      told("link", await documents.export("root", to, { directory: "bundle", overwrite: true })
        .then(() => "done", tell), await documents.import(PATH + "/secret.txt", "s.txt").catch(tell),
        await documents.read(to, here).catch(tell));
      told("none", await window_.openFile({ title: "Nothing" }));
      told("name", await window_.saveFile({ name: "a/b" }).catch(({ message }) => message));
      const gone = new AbortController();
      const asked = window_.openFile({ title: "Gone" }, { signal: gone.signal });
      setTimeout(() => gone.abort(), 300);
      told("gone", await asked.catch(tell));
      console.log("done");
      """.replacingOccurrences(of: "PATH", with: "PLACE"),
      """
      d=$(pwd -P); sed -i "s|PLACE|\\"$d\\"|g" app/index.html
      echo content > out.txt; echo secret > secret.txt; ln -s / app/root
      start
      until_said() {
        m2=0; until grep -qs "$3" out || [ $m2 = 8 ]; do
          chooses "$1" "$2"; m2=$((m2+1))
          wait_for "grep -qs '$3' out || [ -n \\\"\\$(the_window '$1')\\\" ]"
        done
      }
      until_said Choose "$d/out.txt" chosen
      until_said Keep "$d/kept.txt" kept
      presses the_window Nothing Escape
      said done; wait_for '[ -z "$(the_window Gone)" ]'
      kill $p; wait $p; cat out; readlink kept.txt
      """)
    #expect(
      seen.output == """
        page: before "permission_denied"
        page: chosen true [] "content\\n"
        page: other "permission_denied"
        page: import "done"
        page: beside "permission_denied"
        page: kept true "done"
        page: link "done" "permission_denied" "permission_denied"
        page: none []
        page: name "option.name is a file's name without a folder, not 'a/b'"
        page: gone "cancelled"
        page: done
        /

        """, "\(seen)")
  }

  @Test(arguments: WindowWay.allCases)
  func aQuestionIsAnsweredByTheNumberOfItsButton(_ way: WindowWay) throws {
    let seen = try run(
      """
      told("default", await window_.ask("Save it?", { detail: "It has changed.", buttons: ["No", "Yes"] }));
      told("closed", await window_.ask({ message: "Again?", buttons: ["No", "Yes"] }));
      await window_.ask("x", { buttons: ["a\\r\\nb"] }).catch(({ message }) => console.log(message));
      await window_.ask("x", { buttons: [] }).catch(({ message }) => console.log(message));
      console.log("done");
      """,
      """
      start; presses the_dialog '' Return; said default
      presses the_dialog '' Escape
      said done; kill $p; wait $p; cat out
      """, way: way)
    #expect(
      seen.output == """
        page: default 1
        page: closed -1
        page: option.buttons takes 1 to 8 texts of one line
        page: option.buttons takes 1 to 8 texts of one line
        page: done

        """, "\(seen)")
  }

  @Test(arguments: WindowWay.allCases)
  func aSecondStartGivesItsArgumentsToTheFirst(_ way: WindowWay) throws {
    let seen = try run(
      """
      console.log("ready");
      for await (const { type, arguments: list } of window_.events()) {
        if (type === "arguments") told("got", list);
      }
      """,
      """
      start a; said got
      timeout 30 "$PROGRAM" window --container box app 'b c' "$(printf 'd\\ne')"; echo "second $?"
      said 'b c'; timeout 30 "$PROGRAM" window --container box app; echo "third $?"
      said '\\[\\]'; kill -9 $p; wait $p 2> /dev/null; cat out
      start again; said got; kill $p
      "$PROGRAM" window --container box app next > next 2> errors & q=$!
      wait_for "grep -qs 'got' next"; kill $q; wait $p; wait $q; cat out next
      """, #"{ "permissions": ["window.*"], "plugins": { "window": { "single": true } } }"#, way: way)
    #expect(
      seen.output == """
        second 0
        third 0
        page: ready
        page: got ["a"]
        page: got ["b c","d\\ne"]
        page: got []
        page: ready
        page: got ["again"]
        page: ready
        page: got ["next"]

        """, "\(seen)")
  }

  @Test func aMinimizedWindowPutsItsAppInTheBackground() throws {
    let seen = try run(
      """
      (async () => { for await (const state of nbridge.app.onLifecycle()) console.log("state", state); })();
      await window_.set({ minimized: true });
      setTimeout(() => window_.set({ minimized: false }), 500);
      """,
      """
      openbox > /dev/null 2>&1 & o=$!
      start; said background; wait_for '[ "$(grep -c "state active" out)" = 2 ]'
      kill $p; wait $p; kill $o; grep state out
      """)
    #expect(
      seen.output.hasPrefix("page: state active\npage: state background\npage: state active\n"), "\(seen)")
  }

  @Test func withoutAWindowItsCallsSayWhatHasOne() throws {
    let result = try CommandRunner.run(
      ["a.js": "nbridge.window.state().catch(({ code, message }) => console.log(code, message))"],
      "nbridge run a.js")
    #expect(
      result.output == "unavailable this program has no window; nbridge window PAGE shows its page in one\n",
      "\(result)")
  }
}
