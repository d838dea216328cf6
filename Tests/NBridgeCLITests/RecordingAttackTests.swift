// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The secrets that a recording gives away, and the harm that one made by an enemy can do.
@Suite struct RecordingAttackTests {
  func withRunner(_ script: String, _ body: (CommandRunner) throws -> Void) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["s.js": script])
    try body(runner)
  }

  func kept(_ runner: CommandRunner, _ name: String = "run.rec") throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: runner.folder + "/" + name))
  }

  static let before = """
    const p = nbridge.preference;
    await p.set("apiToken", "LEAK-1-read-by-name"); await p.set("password", { list: ["LEAK-2-in-a-list"] });
    await p.set("secretBytes", new TextEncoder().encode("LEAK-3-bytes"));
    """

  @Test(arguments: [
    "for (const key of ['apiToken', 'password', 'secretBytes']) await nbridge.preference.get(key)",
    "nbridge.logger.warning('login', { password: 'LEAK-4-logged' })",
    "nbridge.logger.warning('much', { password: 'LEAK-5-logged', more: 'x'.repeat(5000) })",
    "await nbridge.pasteboard.set('LEAK-6-concealed', { concealed: true })",
    """
    await p.set('x', { password: 'a"b-LEAK-7\\n-z' }); await d.write('n', 'a"b-LEAK-7\\n-z');
    await d.read('n')
    """,
    """
    await p.set('x', { password: 'LEAK-8-as-bytes' });
    await d.write('n', new TextEncoder().encode('LEAK-8-as-bytes')); await d.read('n', { format: 'bytes' })
    """,
    "await p.set('x', { password: 'LEAK-9-as-a-name' }); await p.set('y', { 'LEAK-9-as-a-name': 1 })",
    """
    await p.set('x', { password: 'overlap-secret' });
    await p.set('y', { password: 'overlap-secret-LEAK-10' }); await p.set('z', 'overlap-secret-LEAK-10')
    """,
    """
    for (let n = 0; n < 400; n++) await p.set('x', { password: `LEAK-11-number-${n}-` });
    await p.set('y', 'LEAK-11-number-399-')
    """,
    "await p.set('x', new Map([['password', 'LEAK-12-in-a-map']]))",
    "await p.set('my \"password\"', 'LEAK-13-quoted-name')",
    "await p.set('x', { json: JSON.stringify({ token: 'LEAK-14-in-json' }) })",
    "prompt('Password?')",
    """
    await p.set('x', { passphrase: 'LEAK-23', apiKey: 'LEAK-24', api_key: 'LEAK-25', privateKey: 'LEAK-26',
      cookie: 'LEAK-27', credentials: 'LEAK-28', PASSWD: 'LEAK-29' })
    """,
    #"await d.write('a', '{"pass\u005cu0077ord": "LEAK-18-escaped"}')"#,
    #"await d.write('a', '\uFEFF{"password": "LEAK-19-behind-a-mark"}')"#,
    #"await d.write('a', '# settings\n{"password": "LEAK-20-second-line"}')"#,
    #"""
    await d.write('a', '{\n  "password": "LEAK-21-by-lines"\n}'); for await (const line of d.lines('a')) line
    """#,
  ])
  func noSecretIsInARecording(_ script: String) throws {
    let names = script.contains("const p") ? "" : "const { preference: p, documents: d } = nbridge;\n"
    try withRunner(names + script) { runner in
      try runner.write(["before.js": Self.before, "answers": "LEAK-15-typed\n"])
      let line = """
        nbridge run --container c before.js; nbridge run --container c --answers answers --record run.rec \
        s.js --token LEAK-16-given --token -LEAK-22 --password=LEAK-17-given
        """
      let then = try runner.shell(line)
      #expect(then.status == 0, "\(then.errors)")
      #expect(try kept(runner).range(of: Data("LEAK-".utf8)) == nil)
      let now = try runner.shell("nbridge run --container none --replay run.rec s.js")
      #expect(now.status == 0 && now.errors.contains("as recorded"), "\(now.errors)")
    }
  }

  @Test func secretNumbersAndDatesAreZero() throws {
    try withRunner(
      """
      await nbridge.preference.set('x', { secret: [98765432109876n, new Date(98765432109), 98765432] })
      """
    ) { runner in
      let then = try runner.shell("nbridge run --record run.rec s.js; nbridge run --replay run.rec s.js")
      #expect(then.status == 0, "\(then.errors)")
      #expect(try kept(runner).range(of: Data("98765432".utf8)) == nil)
    }
  }

  @Test func aMarkIsNoPlaceToLookForSecretsIn() throws {
    let script = """
      const p = nbridge.preference;
      await p.set("a", { password: "redacted" }); await p.set("b", { password: "another-secret" });
      await p.set("c", (await p.get("b")).password);
      // A word is a name's, whatever else it is.
      await nbridge.documents.write("n", ""); await p.set("tokenField", "modified");
      await p.set("d", typeof (await nbridge.documents.stat("n")).modified);
      """
    try withRunner(script) { runner in
      let now = try runner.shell("nbridge run --record run.rec s.js; nbridge run --replay run.rec s.js")
      #expect(now.status == 0 && now.errors == "nbridge: replayed 8 calls, as recorded\n", "\(now.errors)")
    }
  }

  @Test func aRecordingChoosesNoProgram() throws {
    try withRunner("") { runner in
      try runner.write(
        ["s.ts": "const a: number = 3; export {}; console.log(a)", "evil/esbuild": "#!/bin/sh\ntouch ran\n"])
      // An environment that was recorded under one name, and stands in the file under another.
      let result = try runner.shell(
        """
        chmod +x evil/esbuild; LANG=evil:/usr/bin nbridge run --record run.rec s.ts && \
        sed -i 's/"LANG":"evil/"PATH":"evil/' run.rec
        grep -aq '"PATH":"evil' run.rec && rm -rf home && nbridge run --container other --replay run.rec \
        s.ts; ls
        """)
      #expect(result.output.contains("3\n3\n") && !result.output.contains("\nran\n"), "\(result)")
    }
  }

  @Test func aRecordingMovesNoCursor() throws {
    let script = """
      await nbridge.callToNative('gone_1_\\u001b]0;a', 'x\\u001b[2J\\nfake').catch(() => {});
      nbridge.preference.get('a')
      """
    try withRunner(script) { runner in
      let result = try runner.shell(
        """
        nbridge run --record run.rec s.js "$(printf '\\033[2J\\nforged')"; nbridge replay show run.rec; \
        sed -i s/gone_1_/gone_2_/ s.js
        nbridge run --replay run.rec s.js 2>&1
        """)
      #expect(
        result.output.contains("\\u{1b}[2J\\u{a}forged") && result.output.contains("differs"),
        "\(result.output)")
      #expect(
        !result.output.contains("\u{1B}") && !result.output.contains("\nforged")
          && !result.output.contains("\nfake"), "\(result.output)")
    }
  }

  @Test func twoProgramsDoNotWriteOneRecording() throws {
    try withRunner(
      """
      console.log('runs'); await nbridge.preference.get('a');
      setTimeout(() => nbridge.preference.get('b'), 2000)
      """
    ) { runner in
      let result = try runner.shell(
        """
        "$NBRIDGE" run --record run.rec s.js > out & pid=$!; until [ -s out ]; do sleep 0.01; done; \
        nbridge run --record run.rec s.js
        wait $pid; echo $?; nbridge replay show run.rec | tail -n 1
        """)
      #expect(result.output == "0\n        over, with status 0\n", "\(result)")
      #expect(result.errors.contains("another nbridge writes it just now"), "\(result.errors)")
    }
  }

  @Test func aFileThatSaysToBeLargerThanMemoryIsShown() throws {
    try withRunner("nbridge.preference.get('a')") { runner in
      let result = try runner.shell(
        "nbridge run --record run.rec s.js; truncate -s 1T run.rec; nbridge replay show run.rec | tail -n 1")
      #expect(result.output == "        over, with status 0\n", "\(result)")
    }
  }

  @Test func aRecordedLoopThatNeverEndedEndsWhenItIsReplayed() throws {
    try withRunner("await nbridge.preference.get('a'); for (;;);") { runner in
      let result = try runner.shell(
        """
        nbridge run --timeout 0.3 --record run.rec s.js; timeout -k 1 60 "$NBRIDGE" run --replay run.rec s.js
        """)
      #expect(
        result.status == 1
          && result.errors.contains(
            "the recording ends after call 1, in the middle of the script"),
        "\(result)")
    }
  }

  @Test(arguments: ["null.x", "await 1; null.x", "Promise.reject(null.x)"])
  func whatAChangedScriptThrowsIsTold(_ change: String) throws {
    try withRunner(
      "const { preference } = nbridge; await preference.get('a'); await preference.get('b')"
    ) { runner in
      let result = try runner.shell(
        """
        nbridge run --record run.rec s.js; sed -i "s/; await preference.get('b')/; \(change)/" s.js;
        nbridge run --replay run.rec s.js
        """)
      #expect(
        result.status == 1 && result.errors.contains("TypeError: null is not an object"), "\(result.errors)")
      #expect(result.errors.contains("differs from the recording at call 2"), "\(result.errors)")
    }
  }

  @Test func whatDecidesHowAScriptRunsIsInTheRecording() throws {
    try withRunner(
      """
      var undeclared = 1; console.log(this.undeclared, nbridge.preference.get('a') instanceof Promise)
      """
    ) { runner in
      for option in ["--classic", "--classic --console-to-logger"] {
        let line = """
          nbridge run \(option) --record run.rec s.js > then 2> /dev/null; \
          nbridge run --replay run.rec s.js > now; cmp then now
          """
        let result = try runner.shell(line)
        #expect(
          result.status == 0 && result.errors.hasSuffix("nbridge: replayed 1 call, as recorded\n"),
          "\(result)")
      }
    }
  }

  @Test(arguments: [
    ("--replay run.rec s.js more", "takes its arguments from the recording; leave out 'more'"),
    ("--record s.js s.js", "would write over 's.js', the script"),
    (
      "--record a --record b s.js", "there is one recording of a run"
    ),
  ])
  func whatCanNotBeIsRefused(_ line: String, _ reason: String) throws {
    try withRunner("") { runner in
      let result = try runner.shell("nbridge run --record run.rec s.js; nbridge run \(line)")
      #expect(result.status == 2 && result.errors.contains(reason), "\(result)")
    }
  }

  @Test func whatMocksAnsweredNeedsThemAgain() throws {
    try withRunner("console.log(await nbridge.app.appInfo())") { runner in
      try runner.write(["m.json": #"{"app.appInfo": {"name": "mocked"}}"#])
      let result = try runner.shell(
        """
        nbridge run --mock m.json --record run.rec s.js; nbridge run --replay run.rec s.js; \
        nbridge run --mock m.json --replay run.rec s.js
        """)
      #expect(result.output == "{ name: 'mocked' }\n{ name: 'mocked' }\n", "\(result)")
      #expect(result.errors.contains("was recorded with --mock for app; give the same"), "\(result.errors)")
    }
  }
}
