// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `nbridge.window.tray`, on a desktop whose tray a test's program plays (Clients/tray.c), and whose person
/// is gdbus.
@Suite(.serialized) struct WindowTrayTests {
  private static let tests = CommandRunner.root + "/Tests/NBridgeCLITests"
  private static let manifest = """
    { "id": "com.example.tray", "permissions": ["window.*"], "plugins": { "window": { "title": "Own" } } }
    """
  private static let start = """
    <!doctype html><title>Page</title><script>
    const own = nbridge.window;
    const told = (what, ...more) => console.log(what, ...more.map((value) => JSON.stringify(value)));
    const listen = async (name, tray) => {
      for await (const { type, id } of tray.events()) told(name, type, id);
      told(name, "over");
    };
    const run = (body) => body().catch((error) => console.log("failed", error.code, error.message));

    """
  /// A red point, and what is no picture.
  private static let icons = """
    red=iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==
    echo $red | base64 -d > app/icon.png; echo nothing > app/none.png

    """
  /// What shell lines have beside a desktop: `tray_runs` puts the tray there, `item` is the name of the icon
  /// that came last, `asks METHOD …` asks it, `asks_menu METHOD …` its menu, `has NAME` tells a property.
  private static let functions = #"""
    cc -Wall -Wextra -Werror "$TRAY" $(pkg-config --cflags --libs gio-2.0) -o tray || exit 1
    tray_runs() { ./tray $1 > tray.out & t=$!; wait_for 'grep -q ready tray.out'; }
    tray_ends() { kill $t; wait $t 2> /dev/null; }
    item() { sed -n 's/^came //p' tray.out | tail -n 1; }
    calls() { gdbus call --session --dest "$(item)" --object-path "$@"; }
    asks() { m=$1; shift; calls /StatusNotifierItem --method org.kde.StatusNotifierItem.$m "$@"; }
    asks_menu() { m=$1; shift; calls /StatusNotifierItem/Menu --method com.canonical.dbusmenu.$m "$@"; }
    has() {
      calls /StatusNotifierItem --method org.freedesktop.DBus.Properties.Get org.kde.StatusNotifierItem "$1"
    }
    start() { rm -f out; "$PROGRAM" window --container box app > out 2> errors & p=$!; }
    said() { wait_for "grep -qs '$1' out"; }

    """#

  /// Runs an app of two pages, and what a person does before it; answers what came of it.
  private func run(
    _ script: String, other: String = "", _ person: String, _ manifest: String = manifest
  ) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "app/app.json": manifest, "app/index.html": "\(Self.start)run(async () => { \(script) });</script>",
      "app/other.html": "\(Self.start)run(async () => { \(other) });</script>",
    ])
    let lines = "TRAY='\(Self.tests)/Clients/tray.c'\n" + Self.functions + Self.icons + person
    return try Desktop.run(lines, runner)
  }

  @Test func anIconIsWhatItsPageSaysAndTellsWhatIsDoneWithIt() throws {
    let seen = try run(
      """
      const tray = await own.tray({ icon: "icon.png", tooltip: "Notes", menu: [
        { label: "_Open", id: "open" }, { label: "-" },
        { label: "More", items: [
          { label: "Wrap", id: "wrap", checked: true }, { label: "Off", id: "off", disabled: true } ] },
        { role: "quit" } ] });
      told("made");
      listen("tray", tray);
      """,
      """
      tray_runs; start; said made
      for name in Category Id Title Status IconName IconPixmap ToolTip ItemIsMenu Menu; do has $name; done
      asks_menu GetLayout 0 -- -1 '["label", "enabled", "toggle-state"]'
      asks Activate 1 1 > asked; said activated
      asks SecondaryActivate 1 1 > asked; said secondary
      asks ContextMenu 1 1 > asked
      asks_menu Event 5 clicked '<0>' 1 > asked
      asks_menu Event 4 clicked '<0>' 1 > asked; said wrap
      asks_menu Event 6 clicked '<0>' 1 > asked; wait_for 'grep -q went tray.out'
      wait $p; echo "ended $?"; head -n 4 out; cut -d ' ' -f 1 tray.out; tray_ends
      """)
    #expect(
      seen.output == """
        (<'ApplicationStatus'>,)
        (<'com.example.tray'>,)
        (<'Notes'>,)
        (<'Active'>,)
        (<''>,)
        (<[(1, 1, [byte 0xff, 0xff, 0x00, 0x00])]>,)
        (<('', @a(iiay) [], 'Notes', '')>,)
        (<false>,)
        (<objectpath '/StatusNotifierItem/Menu'>,)
        (uint32 1, (0, @a{sv} {}, \
        [<(1, {'label': <'_Open'>, 'enabled': <true>, 'toggle-state': <-1>}, @av [])>, \
        <(2, @a{sv} {}, @av [])>, \
        <(3, {'label': <'More'>, 'enabled': <true>, 'toggle-state': <-1>}, \
        [<(4, {'label': <'Wrap'>, 'enabled': <true>, 'toggle-state': <1>}, @av [])>, \
        <(5, {'label': <'Off'>, 'enabled': <false>, 'toggle-state': <-1>}, @av [])>])>, \
        <(6, {'label': <'_Quit'>, 'enabled': <true>, 'toggle-state': <-1>}, @av [])>]))
        ended 0
        page: made
        page: tray "activated" undefined
        page: tray "secondary" undefined
        page: tray "menu" "wrap"
        ready
        came
        went

        """, "\(seen)")
  }

  /// The tray's program is ended and started, as a panel may be.
  @Test func anIconIsChangedAndComesBackToATrayThatComesBack() throws {
    let seen = try run(
      """
      const tray = await own.tray();
      told("made");
      for await (const { type } of tray.events()) {
        if (type === "activated") {
          await tray.set({ tooltip: "Changed", menu: [{ label: "New", id: "new" }] });
          await tray.set({ menu: [{ label: "Newer", id: "new" }] });
          told("set");
        } else if (type === "menu") {
          await tray.set({ tooltip: "", menu: [] });
          told("unset");
        } else if (type === "secondary") {
          await tray.close();
          await tray.close();
          await tray.set({}).catch(({ code }) => told("then", code));
        }
      }
      told("over");
      """,
      """
      tray_runs; start; said made
      has Title; has IconName; has Menu
      dbus-monitor --session "sender='$(item)'" > heard & h=$!; wait_for '[ -s heard ]'
      asks Activate 1 1 > asked; said set
      has Title; has Menu; asks_menu GetLayout 0 -- -1 '["label"]'
      tray_ends; tray_runs; wait_for 'grep -q came tray.out'
      asks_menu Event 1 clicked '<0>' 1 > asked; said unset
      has Title; has Menu
      kill $h; wait $h 2> /dev/null; grep -oE 'member=(New|La|It).*' heard
      asks ContextMenu 1 1 > asked; said over; wait_for 'grep -q went tray.out'
      kill -0 $p && cut -d ' ' -f 1 tray.out; kill $p; wait $p; tail -n 2 out; tray_ends
      """)
    #expect(
      seen.output == """
        (<'Own'>,)
        (<'application-x-executable'>,)
        (<objectpath '/NO_DBUSMENU'>,)
        (<'Changed'>,)
        (<objectpath '/StatusNotifierItem/Menu'>,)
        (uint32 1, (0, @a{sv} {}, [<(1, {'label': <'Newer'>}, @av [])>]))
        (<'Own'>,)
        (<objectpath '/NO_DBUSMENU'>,)
        member=NewTitle
        member=NewToolTip
        member=LayoutUpdated
        member=NewMenu
        member=ItemsPropertiesUpdated
        member=NewTitle
        member=NewToolTip
        member=LayoutUpdated
        member=NewMenu
        ready
        came
        went
        page: then "closed"
        page: over

        """, "\(seen)")
  }

  @Test func anIconGoesWithItsPageAndTheLastTakesThePlaceOfTheOther() throws {
    let seen = try run(
      """
      const tray = await own.tray({ tooltip: "First " + performance.timeOrigin });
      told("made");
      if (!sessionStorage.loaded) {
        sessionStorage.loaded = "1";
        location.reload();
      } else {
        listen("tray", tray);
        (await own.open("other.html")).focus();
      }
      """,
      other: """
        const tray = await own.tray({ tooltip: "Second" });
        listen("other", tray);
        for await (const { type } of tray.events()) if (type === "activated") await own.close();
        """,
      """
      tray_runs; start; said over; wait_for '[ "$(grep -c went tray.out)" = 2 ]'
      has Title; asks Activate 1 1 > asked; wait_for '[ "$(grep -c went tray.out)" = 3 ]'
      kill -0 $p && cut -d ' ' -f 1 tray.out | sort | uniq -c | tr -s ' '; kill $p; wait $p
      grep 'page: tray' out; tray_ends
      """)
    #expect(
      seen.output == """
        (<'Second'>,)
         3 came
         1 ready
         3 went
        page: tray "closed" undefined
        page: tray "over"

        """, "\(seen)")
  }

  @Test func anIconGoesWithAProgramThatIsKilled() throws {
    let seen = try run(
      "await own.tray(); told('made');",
      """
      tray_runs; start; said made; kill -9 $p; wait $p 2> /dev/null
      wait_for 'grep -q went tray.out'; cut -d ' ' -f 1 tray.out; tray_ends
      """)
    #expect(seen.output == "ready\ncame\nwent\n", "\(seen)")
  }

  @Test func withoutATrayItSaysSoAndWhatToDo() throws {
    let seen = try run(
      "await own.tray().catch(({ code, message }) => console.log(code, message)); console.log('done');",
      """
      start; said done; kill $p; wait $p; cat out
      tray_runs empty; start; said done; kill $p; wait $p; cat out; tray_ends
      """)
    #expect(
      seen.output == """
        page: unavailable this desktop has no tray: nothing on its session's bus answers to \
        org.kde.StatusNotifierWatcher. KDE and Xfce have one, GNOME has it with the extension AppIndicator; \
        elsewhere the app does without
        page: done
        page: unavailable this desktop shows no tray now: its panel has none, or none yet; add one to the \
        panel, or ask again later
        page: done

        """, "\(seen)")
  }

  @Test func whatNoTrayShowsIsRefused() throws {
    let seen = try run(
      """
      const tell = ({ code, message }) => console.log(code, message);
      const out = ["../box.png", "/etc/hostname", "out.png"], wrong = ["none.png", "cut.png", "empty.png"];
      for (const icon of [...out, "gone.png", ...wrong, "sub", "large.png", ".png"]) {
        await own.tray({ icon }).catch(tell);
      }
      await own.tray({ tooltip: "a\\tb" }).catch(tell);
      await own.tray({ menu: [{ label: "A" }] }).catch(tell);
      await own.tray({ menu: [{ label: "A", id: "a", key: "F5" }] }).catch(tell);
      await own.tray({ menu: Array(2001).fill({ label: "A", id: "a" }) }).catch(tell);
      await own.tray({ tooltips: "A" }).catch(tell);
      const tray = await own.tray({ icon: "icon.png" });
      await tray.set({ icon: "none.png" }).catch(tell);
      console.log("done");
      """,
      """
      ln -s /etc/hostname app/out.png; mkdir app/sub; cp app/icon.png app/.png
      truncate -s 2M app/large.png; head -c 40 app/icon.png > app/cut.png; : > app/empty.png
      tray_runs; start; said done; kill $p; wait $p; grep -c came tray.out; tray_ends
      sed -E 's/(picture that can be shown): .*/\\1/' out
      """)
    let path = "it is a path from the app's folder on, as icon.png"
    #expect(
      seen.output == """
        1
        page: invalid_parameter option.icon '../box.png' leads out of the app's folder: \(path)
        page: invalid_parameter option.icon '/etc/hostname' leads out of the app's folder: \(path)
        page: invalid_parameter option.icon 'out.png' leads out of the app's folder: \(path)
        page: not_found option.icon 'gone.png': there is no such file in the app's folder
        page: invalid_parameter option.icon 'none.png' is no picture that can be shown
        page: invalid_parameter option.icon 'cut.png' is no picture that can be shown
        page: invalid_parameter option.icon 'empty.png' is no picture that can be shown
        page: invalid_parameter option.icon 'sub' is not a regular file: \(path)
        page: invalid_parameter option.icon 'large.png' has 2097152 bytes; an icon has at most 1048576
        page: permission_denied option.icon '.png' can't be shown: hidden files are closed to scripts
        page: invalid_parameter option.tooltip is one line, and 'a\tb' has a control character
        page: invalid_parameter option.menu[0] ('A') needs an id, which its event says, a role or items
        page: invalid_parameter option.menu[0].key 'F5' is heard by nobody: a tray's menu has no keys
        page: invalid_parameter option.menu has more than 2000 items
        page: invalid_parameter option has no 'tooltips'; did you mean 'tooltip'?
        page: invalid_parameter option.icon 'none.png' is no picture that can be shown
        page: done

        """, "\(seen)")
  }
}
