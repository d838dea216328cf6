// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Apps that end, fail, or start slowly in between.
extension HandOverTests {
  @Test func anAppThatEndsInBetweenIsSaidAndStartedTheNextTime() throws {
    try withRunner([
      "a/app.json": Self.app("one", "one"),
      "a/main.js": """
      nbridge.app.onOpenURL(({ url }) => { console.log(url);
        if (url === 'one:hang') return new Promise(() => {}) }); setTimeout(() => {}, 1e6)
      """,
      "b/app.json": Self.app("two", "two"), "b/main.js": "console.log('does not ask'); exit(3)",
      "c/app.json": Self.app("three", "three"), "c/main.js": "",
    ]) { runner in
      let result = try runner.shell(
        """
        for a in a b c; do nbridge app register $a; done > /dev/null; rm c/main.js
        nbridge open one:a; echo "status $?"; nbridge open one:hang --timeout 0.3; echo "status $?"
        nbridge open one:hang & id=$!; n=0; until [ "$(grep -c hang home/.run/apps/one/.output)" = 2 ]; \
        do n=$((n+1)); [ $n -gt 500 ] && break; sleep 0.02; done
        pkill -9 -f '^[^ ]*nbridge run .*\(Self.name(runner))/a/main.js'; wait $id; echo "status $?"
        nbridge open one:again; echo "status $?"; n=0; until grep -q again home/.run/apps/one/.output; \
        do n=$((n+1)); [ $n -gt 500 ] && break; sleep 0.02; done
        cat home/.run/apps/one/.output; ls home/.run/apps/one | wc -l
        nbridge open two:x; echo "status $?"; nbridge open three:x; echo "status $?"
        """)
      #expect(
        result.output == """
          status 0
          status 1
          status 1
          status 0
          one:again
          2
          status 1
          status 1

          """, "\(result.output)")
      #expect(
        result.errors.replacing("//", with: "/") == """
          nbridge: 'one' has the URL but did not answer in time
          nbridge: 'one' ended before it answered
          nbridge: 'two' ended with status 3 without asking for URLs (app.onOpenURL); \
          what it wrote is in '/tmp/\(Self.name(runner))/home/.run/apps/two/.output'
          nbridge: 'three' can't be started: its script '/tmp/\(Self.name(runner))/c/main.js' is not there \
          any more; nbridge app unregister three

          """, "\(result.errors)")
    }
  }

  @Test func whatComesIsSmallAndNoSecretIsLogged() throws {
    try withRunner([
      "a/app.json": Self.app("one", "one"),
      "a/main.js": """
      await nbridge.app.onOpenURL(() => { throw new Error('mine') })
      """,
      "s.js": """
      const t = async (f) => { try { console.log(await f()) } catch (e) { console.log(e.code, e.message) } };
      const secret = ["hun", "ter"].join("");
      await t(() => nbridge.app.openURL("one:" + "x".repeat(65536)));
      await t(() => nbridge.app.openURL("one:x", { annotation: new Uint8Array(2 << 20) }));
      await t(() => nbridge.app.openURL(`one:?${secret}`));
      await t(() => nbridge.app.openURL(`none:?${secret}`));
      await t(() => nbridge.app.openURL(`javascript:${secret}`));
      """,
    ]) { runner in
      let result = try runner.shell(
        """
        nbridge app register a > /dev/null; nbridge run --trace --audit s.js 2>&1
        \(Self.until("home/.run/apps/one/.output", has: "mine")); cat home/.run/apps/one/.output
        nbridge open 'none:?hunter' 2>&1; nbridge open 'file:?hunter' 2>&1
        """)
      #expect(
        result.output.contains("too_large a URL may have 65536 bytes, not 65540")
          && result.output.contains("too_large what goes with a URL may have 1048576 bytes")
          && result.output.contains("{ handled: false, app: 'one' }")
          && result.output.contains("Error: mine"), "\(result.output)")
      #expect(!result.output.contains("hunter"), "\(result.output)")
    }
  }

  @Test func aHandlerThatThrowsEndsNothing() throws {
    try withRunner([
      "a/app.json": Self.app("one", "one"),
      "a/main.js": """
      await nbridge.app.onOpenURL(({ url }) => { if (url === 'one:bad') throw new Error('mine');
        console.log(url) })
      """,
    ]) { runner in
      let result = try runner.shell(
        """
        nbridge app register a > /dev/null; for u in a bad b; do nbridge open one:$u; echo $?; done 2> \
        /dev/null; grep -v '^ ' home/.run/apps/one/.output
        """)
      #expect(result.output == "0\n1\n0\none:a\nError: mine\none:b\n", "\(result.output) \(result.errors)")
    }
  }

  @Test func sendersThatGoLeaveNothingOpen() throws {
    try withRunner([
      "a/app.json": Self.app("one", "one"),
      "a/main.js": """
      await nbridge.app.onOpenURL(({ url }) => url === 'one:ok' || new Promise(() => {}))
      """,
    ]) { runner in
      let result = try runner.shell(
        """
        nbridge app register a > /dev/null; nbridge open one:ok; pid=$(pgrep -f '^[^ ]*nbridge run \
        .*\(Self.name(runner))/a/main.js'); before=$(ls /proc/$pid/fd | wc -l)
        for i in 1 2 3 4 5 6 7 8; do nbridge open one:hang --timeout 0.2 2> /dev/null & done; wait; \
        nbridge open one:ok; echo $?
        n=0; until [ "$(ls /proc/$pid/fd | wc -l)" -le "$before" ]; do n=$((n+1)); [ $n -gt 200 ] && { \
        echo leaks; break; }; sleep 0.02; done
        """)
      #expect(result.output == "0\n", "\(result.output) \(result.errors)")
    }
  }

  @Test func anAppThatStartsSlowlyIsStartedOnce() throws {
    try withRunner([
      "a/app.json": Self.app("one", "one"),
      "a/main.js": "setTimeout(() => nbridge.app.onOpenURL(() => {}), 1200)",
    ]) { runner in
      let result = try runner.shell(
        """
        nbridge app register a > /dev/null; nbridge open one:a --timeout 0.2 2> /dev/null; \
        "$NBRIDGE" open one:b & pid=$!; sleep 0.1; kill -9 $pid
        nbridge open one:c; echo $?; pgrep -fc '^[^ ]*nbridge run .*\(Self.name(runner))/a/main.js'
        """)
      #expect(result.output == "0\n1\n", "\(result.output) \(result.errors)")
    }
  }

  @Test func twoHandlersInOneProgramAreOneTooMany() throws {
    try withRunner([
      "a/app.json": Self.app("one", "one"), "n.js": "nbridge.app.onOpenURL(() => {})",
      "a/main.js": """
      const first = nbridge.app.onOpenURL(() => {}, { holdsOpen: false });
      try { await nbridge.app.onOpenURL(() => {}) } catch (e) { console.log(e.code, e.message) }
      """,
    ]) { runner in
      let result = try runner.shell("nbridge run a/main.js; nbridge run n.js")
      #expect(
        result.output == "conflict app.onOpenURL is watched already; one handler answers for the app\n",
        "\(result.errors)")
      #expect(result.errors.contains("app.json declares no URL scheme"))
    }
  }

  @Test func theDesktopIsToldWhereThereIsOne() throws {
    try withRunner([
      "a/app.json": Self.app("one", "one", "uno"), "a/main.js": "",
      "bin/xdg-mime": """
      #!/bin/sh
      echo "xdg-mime $*" >> calls

      """,
    ]) { runner in
      let result = try runner.shell(
        """
        cp bin/xdg-mime bin/copy; mv bin/copy bin/xdg-mime # what this process wrote, \
        a child of another test may still have open
        chmod +x bin/xdg-mime; export PATH="$PWD/bin:$PATH" XDG_DATA_HOME="$PWD/data"; \
        nbridge app register a; ls data/applications 2>/dev/null
        DISPLAY=:7 nbridge app register a; cat calls; grep -v Exec data/applications/nbridge-one.desktop; \
        grep -c "^Exec=\\".*nbridge\\" open %u$" data/applications/nbridge-one.desktop
        nbridge app unregister one; ls data/applications
        """)
      #expect(
        result.output == """
          'one' handles one:, uno: from now on
          'one' handles one:, uno: from now on
          xdg-mime default nbridge-one.desktop x-scheme-handler/one x-scheme-handler/uno
          [Desktop Entry]
          Type=Application
          Name=ONE
          MimeType=x-scheme-handler/one;x-scheme-handler/uno;
          NoDisplay=true
          Terminal=false
          1
          'one' is not registered any more

          """, "\(result.output) \(result.errors)")
    }
  }
}
