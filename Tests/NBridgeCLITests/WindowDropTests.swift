// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `nbridge.window.drops`, in a real window, with files that a person (xdotool) drags from another program
/// (Clients/drags.c).
@Suite(.serialized) struct WindowDropTests {
  private static let clients = CommandRunner.root + "/Tests/NBridgeCLITests/Clients"
  private static let manifest = """
    { "id": "com.example.drop", "permissions": ["window.*", "documents.*"], "plugins":
      { "window": { "title": "Own", "width": 640, "height": 480 } } }
    """
  /// What the lines of tests have: `source WHAT…` shows what can be dragged; `drag SAID [MORE [FILE]]` drags
  /// it over the window, moves it on as MORE says and lets it go, again and again until what is SAID stands
  /// in `out`, or in FILE.
  private static let functions = #"""
    compile() { cc -Wall -Wextra -Werror "$CLIENTS/$1.c" $(pkg-config --cflags --libs $2) -o $1 || exit 1; }
    compile drags gtk+-3.0; compile xdnd x11
    start() { rm -f out; "$PROGRAM" window --container box app > out 2> errors & p=$!; shown Own; }
    said() { wait_for "grep -qs '$1' out"; }
    source() {
      [ -z "$s" ] || { kill $s; wait $s 2> /dev/null; wait_for '[ -z "$(the_window Source)" ]'; }
      ./drags "$@" > drags.out & s=$!
      wait_for 'grep -qs ready drags.out'; shown Source
      timeout 5 xdotool windowmove --sync "$(the_window Source)" 800 100
    }
    drag() {
      m=0
      until grep -qs "$1" $3 out || [ $m = 20 ]; do
        timeout 9 xdotool mousemove 900 200 mousedown 1 sleep 0.1 mousemove 880 210 sleep 0.1 \
          mousemove 850 220 sleep 0.1 mousemove 300 240 sleep 0.2 mousemove 301 241 sleep 0.2 $2 \
          mouseup 1 sleep 0.2
        m=$((m+1)); sleep $((m / 4))
      done
    }
    ends() { kill $p $s; wait $p; }

    """#

  private func run(_ script: String, _ person: String, way: WindowWay = .extension) throws
    -> CommandRunner.Result
  {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let page = """
      <!doctype html><title>Page</title><style>html, body { height: 100%; margin: 0 }</style><script>
      const own = nbridge.window, { documents } = nbridge, here = { directory: "arguments" };
      const told = (what, ...more) => console.log(what, ...more.map((value) => JSON.stringify(value)));
      const code = (error) => error.code;
      (async () => { \(script) })().catch((error) => console.log("failed", error.code, error.message));
      </script>
      """
    try runner.write(["app/app.json": Self.manifest, "app/index.html": page])
    return try Desktop.run("CLIENTS='\(Self.clients)'\n" + Self.functions + way.lines + "\n" + person, runner)
  }

  @Test(arguments: WindowWay.allCases)
  func filesThatAPersonDropsAreThePagesToRead(_ way: WindowWay) throws {
    let seen = try run(
      """
      document.addEventListener("drop", () => console.log("the page's own"));
      const drops = own.drops();
      console.log("waits");
      let over = 0, isFirst = true;
      for await (const { type, x, y, paths } of drops) {
        if (type === "over") { over += 1; if (paths.length !== 0) console.log("told too early"); }
        if (type !== "drop" || !isFirst) continue;
        isFirst = false;
        told("dropped", over > 0, x, y, paths.map((path) => path.slice(path.lastIndexOf("/"))));
        for (const path of paths.slice(0, 2)) told("read", await documents.read(path, here));
        told("import", await documents.import(paths[2] + "/in.txt", "in.txt").then(() => "done", code));
        told("beside", await documents.read(paths[0].replace("a b", "secret"), here).catch(code));
      }
      """,
      #"""
      d=$(pwd -P); echo one > 'a b.txt'; echo two > 'ü%41.txt'; echo secret > secret.txt
      mkdir folder; echo in > folder/in.txt
      source "file://$d/a%20b.txt" "file://localhost$d/%C3%BC%2541.txt" "file://$d/folder" \
        "file://elsewhere/tmp/x" "https://example.com/"
      start; said waits; drag beside; said beside; wait_for 'grep -q ended drags.out'; ends; cat out
      tail -n 1 drags.out | cut -d ' ' -f 3-
      """#, way: way)
    #expect(
      seen.output == """
        page: waits
        page: dropped true 301 241 ["/a b.txt","/ü%41.txt","/folder"]
        page: read "one\\n"
        page: read "two\\n"
        page: import "done"
        page: beside "permission_denied"
        copied

        """, "\(seen)")
  }

  /// As programs do that are slow, or that end.
  @Test func whatAnotherProgramDoesAtAnyTimeEndsAsItShould() throws {
    let seen = try run(
      """
      console.log("waits");
      for await (const { type, x, paths } of own.drops()) told(type, x, paths.length);
      """,
      #"""
      start; said waits; w=$(the_window Own)
      x() { ./xdnd $w data file:///etc/hostname "$@"; }
      text="./xdnd $w types text/plain data words enter pos 50 50 request status leave"
      echo gone before its data come; x hold enter pos 100 200 request leave answer
      echo dropped before its data come; x hold enter pos 200 200 request drop answer finished
      echo wants to be moved; ACTION=XdndActionMove x enter pos 300 200 status drop finished
      echo dropped, and another one comes; x hold enter pos 400 200 request drop shell "$text" answer finished
      echo ends in mid-drag; x enter pos 500 200 status; $text; said leave; ends; cat out
      """#)
    #expect(
      seen.output == """
        gone before its data come
        dropped before its data come
        finished XdndActionCopy
        wants to be moved
        finished XdndActionCopy
        dropped, and another one comes
        finished XdndActionCopy
        ends in mid-drag
        page: waits
        page: drop 200 1
        page: over 300 0
        page: drop 300 1
        page: drop 400 1
        page: over 500 0
        page: leave 500 0

        """, "\(seen)")
  }

  @Test(arguments: WindowWay.allCases)
  func aPageWhoseProcessHasEndedWaitsForNoFiles(_ way: WindowWay) throws {
    let seen = try run(
      """
      const isFirst = localStorage.isFirst === undefined;
      localStorage.isFirst = false;
      if (isFirst) own.drops(() => {}); else {
        addEventListener("dragover", (event) => event.preventDefault());
        addEventListener("drop", async (event) => {
          event.preventDefault();
          const read = (name) => documents.read(PLACE + "/" + name, here).catch(code);
          for (const name of ["one", "two"]) told(name, await read(name));
        });
      }
      await own.state();
      console.log(isFirst ? "waits" : "again");
      """,
      #"""
      d=$(pwd -P); echo one > one; echo two > two; sed -i "s|PLACE|\"$d\"|g" app/index.html
      start; said waits; w=$(the_window Own)
      below() { for c in $(ps -o pid= --ppid $1); do echo $c; below $c; done; }
      for child in $(below $p); do grep -q WebKitWebProces /proc/$child/comm && kill -9 $child; done
      wait_for 'grep -q "has ended" errors'
      x() { ./xdnd $w data "file://$d/$1" enter pos 100 200 status drop; }
      x one; m=0
      until grep -qs again out || [ $m = 20 ]; do
        timeout 5 xdotool windowfocus --sync $w key ctrl+r; sleep $((m / 4)).5; m=$((m+1))
      done
      m=0; until grep -qs two out || [ $m = 20 ]; do x two; sleep $((m / 4)).5; m=$((m+1)); done
      ends; head -n 4 out
      """#, way: way)
    #expect(
      seen.output == """
        page: waits
        page: again
        page: one "permission_denied"
        page: two "permission_denied"

        """, "\(seen)")
  }

  @Test func whatIsDraggedPastIsNotThePagesToKnow() throws {
    let seen = try run(
      """
      console.log("waits");
      for await (const { type, paths } of own.drops()) {
        if (type === "leave" || paths.length !== 0) told(type, paths);
      }
      """,
      #"""
      source file:///etc/hostname; start; said waits
      drag leave 'mousemove 900 200 sleep 0.3'; ends; uniq out
      """#)
    #expect(seen.output == "page: waits\npage: leave []\n", "\(seen)")
  }

  @Test func aPageThatWaitsForNoFilesIsGivenNone() throws {
    let seen = try run(
      """
      addEventListener("dragover", (event) => event.preventDefault());
      let wasDropped = 0;
      addEventListener("drop", async (event) => {
        event.preventDefault();
        if (++wasDropped > 1) return;
        told("the page's own", event.dataTransfer.getData("text/plain"), event.clientX, event.clientY);
        told("read", await documents.read(PLACE + "/a.txt", here).catch(code));
        const control = new AbortController();
        const drops = own.drops(undefined, { signal: control.signal });
        const first = drops.next();
        await own.state();
        control.abort();
        await first.catch(() => {});
        await own.state();
        console.log("waits no more");
      });
      console.log("ready");
      """,
      #"""
      d=$(pwd -P); echo one > a.txt; sed -i "s|PLACE|\"$d\"|g" app/index.html
      source "words of a text"; start; said ready; drag 'no more'; said 'no more'
      source "file://$d/a.txt"; m=0
      drag 'ended 2' '' drags.out
      grep -c . errors; ends; cat out
      """#)
    #expect(
      seen.output == """
        0
        page: ready
        page: the page's own "words of a text" 301 241
        page: read "permission_denied"
        page: waits no more

        """, "\(seen)")
  }

  @Test func textAndLinksStayThePagesOwnWhileItWaitsForFiles() throws {
    let seen = try run(
      """
      addEventListener("dragover", (event) => event.preventDefault());
      addEventListener("drop", (event) => {
        event.preventDefault();
        told("the page's own", event.dataTransfer.getData("text/plain"));
      });
      (async () => { for await (const { type, paths } of own.drops()) told(type, paths); })();
      await own.state();
      console.log("ready");
      """,
      #"""
      source "words"; start; said ready; drag words
      source https://example.com/a; drag example.com
      ends; uniq out
      """#)
    #expect(
      seen.output == """
        page: ready
        page: the page's own "words"
        page: the page's own "https://example.com/a"

        """, "\(seen)")
  }

  @Test func withoutAWindowNothingIsDropped() throws {
    let result = try CommandRunner.run(
      ["a.js": "nbridge.window.drops().next().catch(({ code }) => console.log(code))"], "nbridge run a.js")
    #expect(result.output == "unavailable\n", "\(result)")
  }
}
