// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// URLs that go from one program to another: real processes, with a home of their own.
@Suite struct HandOverTests {
  func withRunner(_ files: [String: String] = [:], _ body: (CommandRunner) throws -> Void) throws {
    let runner = try CommandRunner()
    defer {
      // The programs that a test started and left to themselves.
      _ = try? runner.shell("pkill -9 -f '^[^ ]*nbridge run .*\(Self.name(runner))/' || true")
      runner.remove()
    }
    try runner.write(files)
    try body(runner)
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
}
