// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Authentication as people meet it: at a terminal, in several processes, by the command line.
@Suite struct AuthTests {
  static let ask = """
    const option = { policy: nbridge.args[0] ?? "biometrics", reason: "Open\\u001b[2J the vault",
      cancelTitle: "Not now" };
    console.log("answer:", await nbridge.auth.evaluatePolicy(option).then(({ method }) => method,
      ({ code }) => code));
    """

  /// How many evaluations a log tells of.
  static let sum = #"""
    awk '{ n += match($0, /[0-9]+ times more/) ? substr($0, RSTART) + 0 : 1 } END { print n + 0 }'
    """#
  /// How many records were written until now.
  static let records = #"""
    sed -n 's/.*"generation":\([0-9]*\).*/\1/p' home/.shared/auth/lockout 2>/dev/null | grep . || echo 0
    """#

  func shell(_ line: String, files: [String: String] = ["ask.js": ask]) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(files)
    return try runner.shell(line)
  }

  /// A script that asks needs its questions to be seen.
  func terminal(_ arguments: String, _ command: String) throws -> PromptDriver {
    try PromptDriver(
      arguments + " 2>/dev/tty; true", files: ["ask.js": Self.ask], environment: "TERM=xterm-256color",
      command: command, waits: false)
  }

  @Test func whoSitsAtTheTerminalIsAskedAndBelieved() throws {
    for (policy, key, answer) in [
      ("biometrics", "y", "prompt"), ("biometrics", "n", "authentication_failed"),
      (
        "biometrics", "f", "user_fallback"
      ),
      ("biometricsOrPasscode", "p", "prompt"), ("passcode", "c", "user_cancel"),
    ] {
      let driver = try terminal("ask.js \(policy)", "run")
      driver.expect("Open␛[2J the vault")
      driver.expect("c  Not now")
      try driver.answer("x")
      driver.expect("'x' is none of these")
      try driver.answer(key)
      driver.expect("answer: \(answer)")
    }
  }

  @Test func controlCLeavesTheQuestion() throws {
    let driver = try terminal("ask.js", "run")
    driver.expect("your answer")
    try driver.press("C-c")
    driver.expect("left with")
    let log = try driver.runner.shell("nbridge auth log")
    #expect(log.output.contains("system_cancel"), "\(log.output)\(log.errors)")
  }

  @Test func thePromptAsksOnItsOwnTerminal() throws {
    let driver = try terminal("", "repl")
    driver.expect(">")
    try driver.enter("(await nbridge.auth.evaluatePolicy({ policy: 'biometrics', reason: 'try it' })).method")
    try driver.answer("y")
    driver.expect("'prompt'")
    // The line editor has its terminal back.
    try driver.enter("6 * 7")
    driver.expect("42")
  }

  @Test func twoProcessesOfAnAppTakeTurnsAndAKilledOneLetsGo() throws {
    let result = try shell(
      """
      echo '{"id": "com.example.vault"}' > app.json
      echo '{"rules": [{"app": "com.example.vault", "reason": "hang", "outcome": "hang"}, {"outcome": \
      "pass"}]}' > ../policy.$$.json
      echo 'console.log("begun"); await nbridge.auth.evaluatePolicy({ policy: "biometrics", reason: \
      "hang" });' > hang.js
      "$NBRIDGE" run --auth-policy ../policy.$$.json hang.js > hangs & h=$!
      until nbridge eval --app app.json --auth-policy ../policy.$$.json 'nbridge.auth.evaluatePolicy({ \
      policy: "biometrics", reason: "x", whenBusy: "refuse" }).catch((e) => console.log(e.code))' | \
      grep -q invalid_context; do sleep 0.05; done
      "$NBRIDGE" run --app app.json --auth-policy ../policy.$$.json ask.js > answer & a=$!
      kill -KILL $h; wait $h 2>/dev/null; wait $a
      cat answer; rm ../policy.$$.json; nbridge auth log --verify | sed 's/.*nothing/nothing/; s/;.*//'
      """)
    #expect(result.output == "answer: stub\nnothing was changed\n", "\(result.output)\(result.errors)")
  }

  @Test func waitingForAnotherProcessCanBeCancelled() throws {
    let wait = """
      const evaluate = (control) => nbridge.auth.evaluatePolicy({ policy: "biometrics", reason: "x" },
        control).then(() => "in", (e) => e.code);
      console.log(await evaluate({ timeout: 100 }));
      const waiting = [evaluate(), evaluate()];
      setTimeout(() => nbridge.auth.invalidate(), 100);
      console.log((await Promise.all(waiting)).join(" "));
      """
    let result = try shell(
      """
      echo '{"id": "com.example.vault"}' > app.json; echo '{"rules": [{"outcome": "hang"}]}' > ../hang.$$.json
      "$NBRIDGE" run --auth-policy ../hang.$$.json hang.js 2>/dev/null & h=$!
      until nbridge eval --app app.json --auth pass 'nbridge.auth.evaluatePolicy({ policy: "biometrics", \
      reason: "x", whenBusy: "refuse" }).catch((e) => console.log(e.code))' 2>/dev/null | \
      grep -q invalid_context; do sleep 0.05; done
      timeout 20 "$NBRIDGE" run --auth pass wait.js; echo $?
      kill $h; wait $h; rm ../hang.$$.json
      """,
      files: [
        "wait.js": wait,
        "hang.js": """
        await nbridge.auth.evaluatePolicy({ policy: 'biometrics', reason: 'x' });
        """,
      ])
    #expect(result.output == "timeout\napp_cancel app_cancel\n0\n", "\(result.output)\(result.errors)")
  }

  @Test func manyProcessesCountTogether() throws {
    let result = try shell(
      """
      for i in 1 2 3 4 5 6 7 8; do "$NBRIDGE" eval --auth fail 'for (let i = 0; i < 50; i++) \
      await nbridge.auth.evaluatePolicy({ policy: "passcode", reason: "x" }).catch(() => {})' & \
      pids="$pids $!"; done
      wait $pids; nbridge auth log | \(Self.sum); nbridge auth log --verify | sed 's/.*nothing/nothing/; \
      s/;.*//'; nbridge auth status
      for i in 1 2 3 4 5; do "$NBRIDGE" run --auth fail ask.js & pids="$pids $!"; done; wait $pids
      nbridge auth status; nbridge run --auth pass ask.js; nbridge run --auth pass ask.js passcode; \
      nbridge run --auth pass ask.js
      """)
    let failed = String(repeating: "answer: authentication_failed\n", count: 5)
    #expect(
      result.output
        == """
        400
        nothing was changed
        biometrics are not locked; failures in a row: 0 of 5
        \(failed)biometrics are locked until a passcode is given, as with 'nbridge auth unlock'
        answer: biometry_lockout
        answer: stub
        answer: stub

        """,
      "\(result.output)\(result.errors)")
  }

  @Test func aProcessThatIsKilledLeavesALogThatHolds() throws {
    let result = try shell(
      """
      echo 'for (;;) await nbridge.auth.evaluatePolicy({ policy: "biometrics", reason: "x" });' > loop.js
      for i in 1 2 3 4 5 6; do
        "$NBRIDGE" run --auth pass loop.js 2>/dev/null & p=$!
        n=$(\(Self.records))
        until [ "$(\(Self.records))" -gt $((n + 60)) ]; do sleep 0.01; done
        kill -KILL $p; wait $p 2>/dev/null
        nbridge run --auth pass ask.js
      done 2>errors
      nbridge auth log --verify | sed 's/.*nothing/nothing/; s/;.*//'; grep -c tampering errors
      """)
    #expect(
      result.output == String(repeating: "answer: stub\n", count: 6) + "nothing was changed\n0\n",
      "\(result.output)\(result.errors)")
  }

  @Test func whatWasFoundOnceNeedNotBeFoundForEver() throws {
    let result = try shell(
      """
      verify() { nbridge auth log --verify "$@" 2>/dev/null | sed "s,.*audit.log: ,,; s/; the last.*//"; }
      nbridge run --auth pass ask.js 2>/dev/null
      sed -i 's/"outcome":"success"/"outcome":"timeout"/' home/.shared/auth/audit.log
      nbridge run --auth pass ask.js 2>/dev/null; verify | head -1
      hash=$(nbridge auth log --verify 2>&1 >/dev/null | grep -oE '[0-9a-f]{64}')
      verify --after $hash; nbridge run --auth pass ask.js passcode 2>/dev/null; verify --after $hash
      rm -r home/.shared/auth home/.state; nbridge run --auth pass ask.js 2>/dev/null; verify; \
      verify --after $hash | sed "s/$hash/H/"
      nbridge auth log --after $hash; nbridge auth log --verify --after 12
      """)
    #expect(
      result.output == """
        answer: stub
        answer: biometry_lockout
        line 1 was changed, or what stood before it: its hash does not fit
        0 lines behind that one, nothing was changed; 2 earlier problems are not told
        answer: stub
        1 line behind that one, nothing was changed; 2 earlier problems are not told
        answer: stub
        1 line, nothing was changed
        it has no line with the hash H: it was written anew, or cut off before it

        """, "\(result.output)\(result.errors)")
    for text in ["--after HASH goes with --verify", "64 hexadecimal digits, not '12'"] {
      #expect(result.errors.contains(text), "\(result.errors)")
    }
  }

  @Test func whatAFileAnswersSaysThatItIsMocked() throws {
    let result = try shell(
      """
      echo '{"auth.evaluatePolicy": {"success": true, "method": "prompt"}}' > m.json
      nbridge run --mock m.json twice.js; nbridge run --mock m.js twice.js; \
      nbridge run --record r.rec --mock m.json twice.js 2>/dev/null; nbridge run --replay r.rec --mock \
      m.json twice.js 2>/dev/null
      echo '{"auth.evaluatePolicy": true}' > t.json; nbridge run --mock t.json ask.js
      echo '{"auth.evaluatePolicy": {"$error": {"code": "user_cancel"}}}' > e.json; \
      nbridge run --mock e.json ask.js
      """,
      files: [
        "ask.js": Self.ask,
        "twice.js": """
        const option = { policy: 'passcode', reason: 'x' };
        const one = await nbridge.auth.evaluatePolicy(option);
        console.log(one.method, (await nbridge.callToNative('auth', 'evaluatePolicy', option)).method,
          one.success);
        """,
        "m.js": """
        ({ 'auth.evaluatePolicy': async () =>
          Object.freeze({ success: true, get method() { return 'prompt'; } }) })
        """,
      ])
    #expect(
      result.output == String(repeating: "mock mock true\n", count: 4) + "answer: "
        + "invalid_parameter\nanswer: user_cancel\n", "\(result.output)\(result.errors)")
    #expect(
      result.errors.split(separator: "\n").filter {
        $0 == """
          nbridge: --mock answers auth.evaluatePolicy: nobody vouches for what comes of it, \
          and the answer says so
          """
      }.count == 3,
      "\(result.errors)")
  }

  /// A file that scripts of any app can write to, by whatever name, decides nothing.
  @Test func aPolicyThatOthersCouldHaveWrittenIsRefused() throws {
    let result = try shell(
      """
      p=../policy.$$; mkdir $p; try() { nbridge run --auth-policy "$1" ask.js 2>&1 | sed "s,$PWD,.,g; \
      s,$p,p,g"; }
      echo '{"rules": [{"outcome": "pass"}]}' > $p/good.json; nbridge run --auth-policy $p/good.json ask.js \
      2>/dev/null
      mkdir -p home/org.other/Documents home/.shared/x; for f in home/org.other/Documents home/.shared/x; \
      do cp $p/good.json $f; try $f/good.json; done
      ln -s $PWD/home/org.other/Documents/good.json $p/link.json; try $p/link.json
      nbridge eval --container else 'await nbridge.documents.write("mine.json", "{\\"rules\\": \
      [{\\"outcome\\": \\"pass\\"}]}")'; try else/Documents/mine.json
      ln home/org.other/Documents/good.json $p/hard.json; try $p/hard.json
      cp $p/good.json $p/wide.json; chmod 664 $p/wide.json; try $p/wide.json; chmod 646 $p/wide.json; \
      try $p/wide.json
      cp $p/good.json $p/theirs.json; if [ $(id -u) = 0 ]; then chown 65534 $p/theirs.json; \
      try $p/theirs.json; else echo "belongs to another user"; fi
      try $p; rm -r $p
      """)
    let lines = result.output.split(separator: "\n").filter { !$0.hasPrefix("nbridge: run") }
    let expected = [
      "answer: stub",
      """
      lies in './home/org.other', where scripts can write
      """, "lies in './home/.shared', where scripts can write",
      """
      lies in './home/org.other', where scripts can write
      """,
      """
      lies in './else', where scripts can write
      """, "has 2 names", "may be written by others", "may be written by others",
      "belongs to another user", "is not a regular file",
    ]
    #expect(
      lines.count == expected.count && zip(lines, expected).allSatisfy { $0.contains($1) },
      "\(result.output)\(result.errors)")
  }

  @Test func wrongCommandLinesAreNamed() throws {
    let result = try shell(
      """
      nbridge run --auth maybe ask.js; nbridge run --auth system ask.js; \
      nbridge run --auth pass --auth-policy p.json ask.js
      nbridge run --auth-policy nothing.json ask.js; printf '{\\n"rules": [\\n{"outcome": "maybe"}]}' > \
      ../p.$$.json; nbridge run --auth-policy ../p.$$.json ask.js; rm ../p.$$.json
      echo '{"id": "x", "plugins": {"auth": {"outcome": "pass"}}}' > app.json; nbridge run ask.js; \
      nbridge auth nothing; nbridge auth unlock </dev/null; echo $?
      """)
    for text in [
      """
      --auth must be one of pass, fail, cancel
      """,
      """
      --auth system is kept for real readers
      """, "can't both decide", "there is no policy file 'nothing.json'",
      ":3: rules[0].outcome must be one of", "app.json can't set up 'auth'", "unknown command 'auth nothing'",
      "there is no terminal",
    ] { #expect(result.errors.contains(text), "\(text): \(result.errors)") }
    #expect(result.output == "1\n", "\(result.output)")
  }

  @Test func aLogOnADiskThatIsFullLetsNobodyIn() throws {
    let result = try shell(
      """
      unshare -rm sh -c 'mkdir -p home && mount -t tmpfs -o size=64k tmpfs home && nbridge() { \
      "$NBRIDGE" "$@"; }
        nbridge run --container "$PWD/c" --auth pass ask.js 2>/dev/null
        dd if=/dev/zero of=home/fill bs=1k status=none 2>/dev/null
        n=0; while [ $n -lt 40 ]; do echo "{\\"id\\": \\"a.$n\\"}" > app.json; \
      nbridge run --container "$PWD/c" --auth pass ask.js > last 2>/dev/null; grep -q io_error last && \
      break; n=$((n + 1)); done
        cat last; rm home/fill; nbridge run --container "$PWD/c" --auth pass ask.js 2>/dev/null; \
      nbridge auth log --verify | sed "s/.*nothing/nothing/; s/;.*//"'
      """)
    #expect(
      result.output == "answer: stub\nanswer: io_error\nanswer: stub\nnothing was changed\n",
      "\(result.output)\(result.errors)")
  }
}
