// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// URLs that go from one program to another: real processes, with a home of their own.
@Suite struct HandOverTests {
  func withRunner(_ files: [String: String] = [:], _ body: (CommandRunner) throws -> Void) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(files)
    try body(runner)
    // What a test started and left to itself.
    _ = try runner.shell("pkill -9 -f '^[^ ]*nbridge run .*\(Self.name(runner))/' || true")
  }

  static func app(_ id: String, _ schemes: String..., main: String = "main.js") -> String {
    """
    {"id": "\(id)", "name": "\(id.uppercased())", "main": "\(main)", "schemes": \
    [\(schemes.map { "\"\($0)\"" }.joined(separator: ", "))]}
    """
  }

  static func name(_ runner: CommandRunner) -> String {
    URL(fileURLWithPath: runner.folder).lastPathComponent
  }

  static let receiver = """
    console.log("asks"); await nbridge.app.onOpenURL(async ({ url, source, annotation }) => {
      console.log(url, source.id, annotation); if (url.endsWith("end")) setTimeout(() => exit(0), 50);
      return !url.includes("no");
    });
    """
  static func until(_ file: String, has text: String) -> String {
    PasteboardFaultTests.until(file, has: text)
  }

  static let www = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("www").path

  @Test func theSampleHandsATextOverBetweenTwoProcesses() throws {
    try withRunner { runner in
      _ = try runner.shell("cp -r '\(Self.www)/handover' .")
      let result = try runner.shell(
        """
        nbridge run handover/sender/sender.js; echo "status $?"; nbridge app register handover/receiver
        nbridge run handover/sender/sender.js 'Guten Morgen'; nbridge run handover/sender/sender.js 'zweiter \
        Brief'
        cat home/nbridge-sample-receiver/Documents/letters.txt; cat home/.run/apps/*/.output; \
        pgrep -fc '^[^ ]*nbridge run .*\(Self.name(runner))/.*receiver.js'
        """)
      #expect(
        result.output == """
          nobody opens nbridge-sample: URLs; register the receiver first: \
          nbridge app register www/handover/receiver
          status 1
          'nbridge-sample-receiver' handles nbridge-sample: from now on
          handed over
          left on the pasteboard: []
          handed over
          left on the pasteboard: []
          Guten Morgen
          zweiter Brief
          Sender sent 2 words: Guten Morgen
          Sender sent 2 words: zweiter Brief
          1

          """, "\(result.errors)")
    }
  }

  @Test func theDictionaryTellsTheMeaningOfEachWordThatIsCopied() throws {
    try withRunner { runner in
      _ = try runner.shell("cp '\(Self.www)/biscuit.js' .")
      let result = try runner.shell(
        """
        "$NBRIDGE" run biscuit.js > said & id=$!; \(Self.until("said", has: "copy a word"))
        for w in Biscuit 'two words' qwertz; do nbridge eval "await nbridge.pasteboard.set('$w')"; done; \
        \(Self.until("said", has: "qwertz"))
        kill $id; cat said
        """)
      #expect(
        result.output == """
          copy a word
          biscuit: a small baked cake, flat and crisp
          qwertz: not in this dictionary

          """,
        "\(result.errors)")
    }
  }

  @Test func aShellOpensAppsThatRunAndAppsThatDoNot() throws {
    try withRunner(["a/app.json": Self.app("one", "one", "uno"), "a/main.js": Self.receiver]) { runner in
      let result = try runner.shell(
        """
        nbridge app register a; nbridge app list | tr -s ' ' | sed 's/ [^ ]*main/ main/'
        nbridge open one:first; echo "status $?"; nbridge open 'UNO://no?x=1' --annotation '{"a": [1]}'; \
        echo "status $?"; nbridge open one:end; echo "status $?"
        until ! pgrep -f '^[^ ]*nbridge run .*\(Self.name(runner))/a/main.js' > /dev/null; do sleep 0.02; done
        cat home/.run/apps/one/.output; nbridge open one:end; echo "status $?"; cat home/.run/apps/one/.output
        """)
      #expect(
        result.output == """
          'one' handles one:, uno: from now on
           one one: uno: main.js
          status 0
          status 1
          status 0
          asks
          one:first nbridge null
          UNO://no?x=1 nbridge { a: [ 1 ] }
          one:end nbridge null
          status 0
          asks
          one:end nbridge null

          """, "\(result.errors)")
      #expect(result.errors == "nbridge: 'one' did not handle it\n")
    }
  }

  @Test func aScriptIsAskedWithoutAHandlerToo() throws {
    try withRunner([
      "a/app.json": Self.app("one", "one"),
      "a/main.js": """
      for await (const e of nbridge.app.onOpenURL()) { console.log(e.url, e.annotation);
        if (e.url === 'one:no') e.answer(false); if (e.url === 'one:end') { e.answer(); break } }
      """,
      "s.js":
        """
      const r = []; for (const u of ['one:a', 'one:no', 'one:end']) r.push(await nbridge.app.openURL(u,
        { annotation: new Map([[1, 2n]]) }));
        console.log(await nbridge.app.canOpenURL('one:x'), await nbridge.app.canOpenURL('file:x'), r)
      """,
    ]) { runner in
      let result = try runner.shell(
        """
        nbridge app register a; nbridge run s.js; o=home/.run/apps/one/.output; until grep -q one:end $o; \
        do :; done; cat $o
        """)
      #expect(
        result.output.hasSuffix(
          """
          true false [
            { handled: true, app: 'one' },
            { handled: false, app: 'one' },
            { handled: true, app: 'one' }
          ]
          one:a Map(1) { 1 => 2n }
          one:no Map(1) { 1 => 2n }
          one:end Map(1) { 1 => 2n }

          """), "\(result.output) \(result.errors)")
    }
  }

  @Test func aSchemeThatTwoClaimIsAnErrorThatNamesBoth() throws {
    try withRunner([
      "a/app.json": Self.app("one", "same"), "a/main.js": Self.receiver,
      "b/app.json": Self.app("two", "other", "SAME"),
      "b/main.js": Self.receiver, "c/app.json": Self.app("three", "live"), "c/main.js": Self.receiver,
      "d/app.json": Self.app("four", "live"), "d/main.js": Self.receiver,
    ]) { runner in
      let result = try runner.shell(
        """
        nbridge app register a; nbridge app register b; echo "status $?"; nbridge run b/main.js; \
        echo "status $?"
        "$NBRIDGE" run c/main.js > said & id=$!; \(Self.until("said", has: "asks")); nbridge run d/main.js; \
        echo "status $?"; kill $id
        nbridge app unregister one; nbridge app register b; nbridge app unregister b; \
        nbridge app unregister tow; echo "status $?"
        """)
      let claimed = "'same:' is claimed by 'one' (/tmp/\(Self.name(runner))/a/main.js) and by 'two' ("
      #expect(result.output.components(separatedBy: "status 1").count == 5, "\(result.output)")
      #expect(
        result.errors.components(separatedBy: claimed).count == 3
          && result.errors.contains("'live:' is claimed by 'three' ("), "\(result.errors)")
      #expect(result.errors.contains("no app 'tow' is registered"))
    }
  }

  @Test(arguments: [
    "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "one", "one: x", "one:a\nb", ":x", "",
  ])
  func whatIsNoURLForAnAppIsRefused(_ url: String) throws {
    try withRunner(["a/app.json": Self.app("one", "one"), "a/main.js": Self.receiver]) { runner in
      let result = try runner.shell(
        "nbridge app register a; nbridge open '\(url)'; echo \"status $?\"; ls home/.run/apps 2>/dev/null")
      #expect(result.output.hasSuffix("now on\nstatus 1\n"), "\(result.output)")
      #expect(!result.errors.contains("passwd") && !result.errors.contains("alert"))
    }
  }

  @Test(arguments: [
    ("{\"id\": \"x\", \"schemes\": [\"https\"]}", "'https:' is not an app's to handle"),
    ("{\"id\": \"x\", \"schemes\": [\"1a\"]}", "'1a' is no URL scheme"),
    (
      "{\"id\": \"x\"}", "declares no URL scheme"
    ),
    ("{\"schemes\": [\"x\"]}", "has no \"id\""),
    (
      "{\"id\": \"../x\", \"schemes\": [\"x\"]}", "must be 1 to 128 letters"
    ),
  ])
  func anAppThatCantBeRegisteredIsTold(_ manifest: String, _ error: String) throws {
    try withRunner(["a/app.json": manifest, "a/main.js": ""]) { runner in
      let result = try runner.shell("nbridge app register a; echo \"status $?\"; nbridge app list")
      #expect(
        result.output.hasPrefix("status 1\nno app is registered") && result.errors.contains(error),
        "\(result.errors)")
    }
  }

  @Test func everyURLIsDeliveredOnceHoweverManyTakeAndSend() throws {
    try withRunner([
      "a/app.json": Self.app("one", "one"),
      "a/main.js": """
      nbridge.app.onOpenURL(({ url }) => console.log(url)); console.log('asks')
      """,
      "s.js": "for (let i = 0; i < 40; i++) await nbridge.app.openURL(`one:${nbridge.args[0]}-${i}`)",
    ]) { runner in
      let result = try runner.shell(
        """
        nbridge app register a > /dev/null
        for i in 0 1 2 3 4; do nbridge run s.js $i & done; wait
        cat home/.run/apps/one/.output | grep one: > all; "$NBRIDGE" run a/main.js > second & id=$!; \
        \(Self.until("second", has: "asks"))
        senders=; for i in 5 6 7 8 9; do nbridge run s.js $i & senders="$senders $!"; done; wait $senders; \
        kill $id
        cat home/.run/apps/one/.output second | grep one: | sort | uniq -d | wc -l; \
        cat home/.run/apps/one/.output second | grep -c one:; pgrep -fc '^[^ ]*nbridge run \
        .*\(Self.name(runner))/a/main.js'
        """)
      #expect(result.output == "0\n400\n1\n", "\(result.output) \(result.errors)")
    }
  }

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
        nbridge open one:again; echo "status $?"; cat home/.run/apps/one/.output; ls home/.run/apps/one | \
        wc -l
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
