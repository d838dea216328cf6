// SPDX-License-Identifier: MIT

import Foundation
import NBridgePlugin
import NBridgeSystem
import Testing

/// The audit log against people with a shell and a text editor, and against the kill.
@Suite struct AuthChainTests {
  private static let ask = """
    const [policy = "biometrics", times = "1"] = nbridge.args, codes = [];
    const once = () => nbridge.auth.evaluatePolicy({ policy, reason: "x" }).then(({ method }) => method,
      ({ code }) => code);
    for (let i = 0; i < times; i++) codes.push(await once());
    console.log([...new Set(codes)].join(" "));
    """
  private static let lock = """
    for (let i = 0; i < 5; i++) await nbridge.auth.evaluatePolicy({ policy: 'biometrics',
      reason: 'x' }).catch(() => {});
    """

  /// A user's home, in which biometrics are locked already if wanted.
  private func home(isLocked: Bool = false) throws -> CommandRunner {
    let runner = try CommandRunner()
    try runner.write(["ask.js": Self.ask, "lock.js": Self.lock])
    if isLocked { #expect(try runner.shell("nbridge run --auth fail lock.js").status == 0) }
    return runner
  }

  private static let reported = "not by nBridge; biometrics are locked"

  // MARK: - Attacks

  @Test func aLineThatIsHashedRightUnlocksNothing() throws {
    let runner = try home(isLocked: true)
    defer { runner.remove() }
    let log = runner.folder + "/home/.shared/auth/audit.log"
    var text = try String(contentsOfFile: log, encoding: .utf8)
    let last = try #require(text.split(separator: "\n").last.map(String.init))
    let hash = String(last.suffix(66).prefix(64))
    // As the program would write it, but for what only the key's owner knows.
    var line = last.replacing(#/"seq":\d+/#, with: "\"seq\":6").replacing(
      "\"policy\":\"biometrics\"", with: "\"policy\":\"passcode\""
    )
    .replacing("authentication_failed", with: "success").replacing(
      "\"factor\":\"biometrics\"", with: "\"factor\":\"passcode\""
    )
    .replacing("\"failures\":5,\"locked\":true", with: "\"failures\":0,\"locked\":false")
    .replacing("\"key\":5", with: "\"key\":6")
    line = String(line.dropLast(75))
    line += ",\"hash\":\"\(try Digest.sha256(hash + line))\"}"
    text += line + "\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: log))
    let result = try runner.shell(
      """
      nbridge auth log --verify; nbridge run --auth pass ask.js; nbridge auth log --verify | \
      grep -c noticed; nbridge auth status
      """)
    #expect(
      result.output.contains("something was written behind the audit log"),
      "\(result.output)\(result.errors)")
    #expect(
      result.output.hasSuffix(
        """
        biometry_lockout
        1
        biometrics are locked until a passcode is given, as with 'nbridge auth unlock'

        """),
      "\(result.output)\(result.errors)")
    #expect(result.errors.contains(Self.reported))
  }

  /// The log alone, the lockout state alone, both: each set back to before the lock.
  @Test(arguments: [
    ("cp old/audit.log old/lockout home/.shared/auth", true),
    (
      "cp old/lockout home/.shared/auth", true
    ), ("cp old/audit.log home/.shared/auth", true),
    ("cp old/auth.key home/.state", true),
    (
      "rm -r home/.shared/auth; cp -r old home/.shared/auth; rm home/.shared/auth/auth.key", true
    ),
    // A program that sets back all three is not found: so the README says.
    ("cp old/audit.log old/lockout home/.shared/auth; cp old/auth.key home/.state", false),
  ])
  func aRollbackNeedsTheKeyAndBothFiles(_ attack: String, _ isFound: Bool) throws {
    let runner = try home()
    defer { runner.remove() }
    let result = try runner.shell(
      """
      nbridge run --auth fail ask.js passcode
      mkdir old; cp home/.shared/auth/audit.log home/.shared/auth/lockout home/.state/auth.key old
      nbridge run --auth fail lock.js; \(attack)
      nbridge auth log --verify > verified; echo $?; nbridge run --auth pass ask.js
      """)
    let expected =
      isFound
      ? """
      authentication_failed
      1
      biometry_lockout

      """ : "authentication_failed\n0\nstub\n"
    #expect(
      result.output == expected && result.errors.contains(Self.reported) == isFound,
      "\(result.output)\(result.errors)")
  }

  @Test(arguments: [
    "rm home/.state/auth.key", "rm -r home/.state", "echo > home/.state/auth.key", "rm -r home/.shared/auth",
    "rm home/.shared/auth/*; rm home/.state/auth.key",
  ])
  func whoTakesAFileAwayDoesNotBeginAnew(_ attack: String) throws {
    let runner = try home(isLocked: true)
    defer { runner.remove() }
    let result = try runner.shell(
      """
      \(attack); nbridge auth log --verify > verified; nbridge run --auth pass ask.js
      nbridge run --auth pass ask.js passcode; nbridge run --auth pass ask.js; nbridge auth log --verify | \
      grep -c noticed
      ls -ld home/.state home/.state/auth.key | cut -c1-10
      """)
    #expect(
      result.output == "biometry_lockout\nstub\nstub\n1\ndrwx------\n-rw-------\n",
      "\(result.output)\(result.errors)")
    #expect(result.errors.components(separatedBy: Self.reported).count == 2, "\(result.errors)")
  }

  @Test func aLogOfAnEarlierVersionIsTakenOverAndLocks() throws {
    let runner = try home()
    defer { runner.remove() }
    let zeros = String(repeating: "0", count: 64)
    var line = #"""
      {"seq":1,"time":"2026-01-01T00:00:00.000Z","app":"a","pid":1,"event":"evaluation","policy":"passcode",\#
      "outcome":"success",
      """#
    line += #""factor":"passcode","method":"stub","failures":0,"locked":false"#
    let hash = try Digest.sha256(zeros + line)
    line += ",\"hash\":\"\(hash)\"}\n"
    var state = """
      {"version":1,"failures":0,"locked":false,"locks":0,"seq":1,"size":\(line.utf8.count),"hash":"\(hash)","\
      salt":"\(zeros.prefix(32))"
      """
    state += ",\"check\":\"\(try Digest.sha256(state + "}").prefix(16))\"}"
    state += String(repeating: " ", count: 511 - state.utf8.count) + "\n"
    try runner.write(["home/.shared/auth/audit.log": line, "home/.shared/auth/lockout": state])
    let result = try runner.shell(
      """
      nbridge run --auth pass ask.js; nbridge run --auth pass ask.js passcode; nbridge run --auth pass ask.js
      nbridge auth log --verify | sed 's/.*audit.log: //'; rm home/.state/auth.key; \
      nbridge run --auth pass ask.js
      """)
    #expect(
      result.output
        == """
        biometry_lockout
        stub
        stub
        line 2 a program noticed: audit log and lockout state of an earlier version were taken over, \
        whose key nobody has
        biometry_lockout

        """,
      "\(result.output)\(result.errors)")
    #expect(
      result.errors.contains("earlier version were taken over")
        && result.errors.contains("the key was taken away"), "\(result.errors)")
  }

  /// With today's key the end can be sealed anew. A key that was kept elsewhere still tells what it can't
  /// have written.
  @Test func whoReadsTheKeyCanNotRewriteWhatWasBefore() throws {
    let runner = try home()
    defer { runner.remove() }
    #expect(
      try runner.shell(
        """
        nbridge run --auth pass ask.js; cp home/.state/auth.key kept; nbridge run --auth fail ask.js; \
        nbridge auth log --verify --key kept
        """
      ).status == 0)
    let folder = runner.folder + "/home/.shared/auth"
    let key = try String(contentsOfFile: runner.folder + "/home/.state/auth.key", encoding: .utf8)
      .split(separator: " ")
    var lines = try String(contentsOfFile: folder + "/audit.log", encoding: .utf8).split(
      separator: "\n"
    ).map(String.init)
    let before = String(lines[0].suffix(66).prefix(64))
    var changed = String(
      lines[1].replacing("authentication_failed", with: "user_cancel")
        .replacing("\"failures\":1", with: "\"failures\":0").dropLast(75))
    let hash = try Digest.sha256(before + changed)
    changed += ",\"hash\":\"\(hash)\"}"
    lines[1] = changed
    let log = lines.joined(separator: "\n") + "\n"
    try Data(log.utf8).write(to: URL(fileURLWithPath: folder + "/audit.log"))
    var state = try String(contentsOfFile: folder + "/lockout", encoding: .utf8)
      .components(separatedBy: ",\"code\":")[0]
    state = state.replacing("\"failures\":1", with: "\"failures\":0").replacing(
      #/"hash":"[0-9a-f]+"/#, with: "\"hash\":\"\(hash)\""
    )
    .replacing(#/"size":\d+/#, with: "\"size\":\(log.utf8.count)")
    state += ",\"code\":\"\(try Digest.code(String(key[3]), "lockout\n" + state + "}"))\"}"
    state += String(repeating: " ", count: 2047 - state.utf8.count) + "\n"
    try Data(state.utf8).write(to: URL(fileURLWithPath: folder + "/lockout"))
    let result = try runner.shell(
      """
      nbridge auth log --verify > all; echo $?; nbridge auth log --verify --key kept | sed 's/.*audit.log: \
      //'; nbridge auth log --verify --key ask.js
      """)
    #expect(
      result.output == "0\nline 2 was not written with the key of its time\n",
      "\(result.output)\(result.errors)")
    #expect(result.errors.contains("'ask.js' is no copy of the audit log's key"), "\(result.errors)")
  }

  @Test func anotherUserReachesNoneOfTheFiles() throws {
    let runner = try home(isLocked: true)
    defer { runner.remove() }
    let result = try runner.shell(
      """
      chmod 755 .; umask 0; rm -r home; nbridge run --auth pass ask.js
      find home/.shared home/.state ! -perm 600 -a ! -perm 700
      [ $(id -u) = 0 ] || exit 0
      for f in .shared/auth/audit.log .shared/auth/lockout .state/auth.key; \
      do setpriv --reuid 65534 --clear-groups cat home/$f 2>/dev/null && echo read $f; done
      """)
    #expect(result.output == "stub\n", "\(result.output)\(result.errors)")
  }

  // MARK: - Kills

  /// The states between the writes of a record: log, lockout state, key.
  @Test(arguments: [
    ("cp new/audit.log home/.shared/auth", 2),
    (
      "cp new/audit.log new/lockout home/.shared/auth",
      2
    ), ("head -c 400 new/audit.log > home/.shared/auth/audit.log", 1),
    ("cp new/audit.log new/lockout home/.shared/auth; cp new/auth.key home/.state", 2),
  ])
  func aRecordThatAKillCutShortIsTakenOver(_ state: String, _ failures: Int) throws {
    let runner = try home()
    defer { runner.remove() }
    let result = try runner.shell(
      """
      save() { mkdir $1; cp home/.shared/auth/audit.log home/.shared/auth/lockout home/.state/auth.key $1; }
      nbridge run --auth fail ask.js; save old; printf '{"id": "other"}' > app.json; \
      nbridge run --auth fail ask.js; save new
      cp old/audit.log old/lockout home/.shared/auth; cp old/auth.key home/.state; \(state)
      nbridge auth status; nbridge run --auth pass ask.js; nbridge auth log --verify | \
      sed 's/.*nothing/nothing/; s/;.*//'
      """)
    #expect(
      result.output
        == """
        authentication_failed
        authentication_failed
        biometrics are not locked; failures in a row: \(failures) of 5
        stub
        nothing was changed

        """,
      "\(result.output)\(result.errors)")
    #expect(!result.errors.contains("not by nBridge"), "\(result.errors)")
  }

  @Test func killsLoseNothingThatWasAnsweredAndRaiseNoAlarm() throws {
    let runner = try home()
    defer { runner.remove() }
    // Each answer is told on stderr, which is not buffered: more may have been counted, fewer must not.
    try runner.write([
      "loop.js": """
      const codes = ["passcode", "biometricsOrPasscode"];
      for (let i = 0; ; i++) {
        await nbridge.auth.evaluatePolicy({ policy: codes[i % 7 > 0 ? 0 : 1],
          reason: "x" }).catch(({ code }) => console.error("told", code));
      }
      """
    ])
    let result = try runner.shell(
      """
      for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        "$NBRIDGE" run --auth fail loop.js 2>>told & p=$!
        "$NBRIDGE" run --auth fail loop.js 2>>told2 & q=$!
        n=$(\(AuthTests.records)); until [ "$(\(AuthTests.records))" -gt $((n + 30 * (i % 3))) ]; \
      do sleep 0.0$((i % 10)); done
        kill -KILL $p; kill -KILL $q; wait $p $q 2>/dev/null
      done
      nbridge auth status > status; told=$(cat told told2 | grep -c told); counted=$(nbridge auth log | \
      \(AuthTests.sum))
      [ $counted -ge $told ] && [ $counted -le $((told + 40)) ] && echo all || echo "told $told, \
      counted $counted"
      grep -c "not by nBridge" told told2; nbridge auth log --verify | sed 's/.*nothing/nothing/; s/;.*//'
      """)
    #expect(
      result.output == "all\ntold:0\ntold2:0\nnothing was changed\n", "\(result.output)\(result.errors)")
  }

  // MARK: - Counting

  @Test func equalOutcomesAreCountedAndNotWrittenEach() throws {
    let runner = try home()
    defer { runner.remove() }
    try runner.write([
      "both.js": """
      const once = (policy) => nbridge.auth.evaluatePolicy({ policy, reason: "x" }).catch(() => {});
      for (let i = 0; i < 5000; i++) { await once("passcode"); await once("biometrics"); }
      """
    ])
    let size = "stat -c %s home/.shared/auth/audit.log"
    let result = try runner.shell(
      """
      nbridge run --auth pass ask.js biometrics 10000; small=$(\(size))
      nbridge run --auth pass both.js; both=$(\(size)); nbridge auth log | \(AuthTests.sum)
      [ $small -lt 3000 ] && [ $both -lt 9000 ] && echo small || echo $small $both
      nbridge run --auth fail lock.js; nbridge run --auth fail ask.js biometrics 1000; nbridge auth log | \
      grep authentication_failed | grep -c "failures: 5  locked"
      nbridge auth log | \(AuthTests.sum); nbridge auth log --verify | sed 's/.*nothing/nothing/; s/;.*//'; \
      [ $(nbridge auth log --json | grep -c repetition) -ge 4 ] && echo told
      """)
    // A failure that locks is a line, and behind it counting begins anew: the failure that locks, and the
    // outcomes that were refused then.
    #expect(
      result.output == "stub\n20000\nsmall\nbiometry_lockout\n1\n21005\nnothing was changed\ntold\n",
      "\(result.output)\(result.errors)")
  }

  /// Thirty-five kinds in turn: a script does not evade the count by never doing the same twice in a row.
  @Test func outcomesOfManyKindsDoNotMakeALineEach() throws {
    let runner = try home()
    defer { runner.remove() }
    try runner.write([
      "kinds.js": """
      const policies = ["biometrics", "passcode", "biometricsOrPasscode"];
      for (let i = 0; i < 3900; i++) {
        const ask = (whenBusy) => nbridge.auth.evaluatePolicy({ policy: policies[i % 3], reason: "x",
          whenBusy }).catch(() => {});
        const first = ask("wait");
        if (i % 13 === 0) await ask("refuse");
        await first;
      }
      """
    ])
    let result = try runner.shell(
      """
      echo '{"rules": [{"outcomes": [{"outcome": "cancel", "delay": 1}, "timeout", "not-interactive", \
      "invalid-context", "app-cancel", "system-cancel", "passcode-not-set", "not-enrolled", "not-available", \
      "lockout", "fail", "pass", "fallback"], "repeat": true}]}' > ../kinds.$$.json
      nbridge run --auth-policy ../kinds.$$.json kinds.js; rm ../kinds.$$.json
      size=$(stat -c %s home/.shared/auth/audit.log); [ $size -lt 60000 ] && echo small || echo $size
      nbridge auth log | \(AuthTests.sum); nbridge auth log --verify | sed 's/.*nothing/nothing/; s/;.*//'
      """)
    #expect(result.output == "small\n4200\nnothing was changed\n", "\(result.output)\(result.errors)")
  }
}

/// SHA-256 by the system's own program: none of what is tested.
private enum Digest {
  static func sha256(_ text: String) throws -> String { try sha256(Array(text.utf8)) }

  static func sha256(_ bytes: [UInt8]) throws -> String {
    let folder = ScratchFolder(), path = folder.path + "/text"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try ChildProcess.start("sha256sum", [path], streams: [1: .file(path + ".out")]).wait()
    return String(try String(contentsOfFile: path + ".out", encoding: .utf8).prefix(64))
  }

  /// HMAC (RFC 2104) with a key of 64 bytes, which is a block.
  static func code(_ key: String, _ text: String) throws -> String {
    let inner = try sha256(key.utf8.map { $0 ^ 0x36 } + Array(text.utf8))
    let digits = Array(inner)
    let bytes = stride(from: 0, to: 64, by: 2).map { UInt8(String(digits[$0...($0 + 1)]), radix: 16) ?? 0 }
    return try sha256(key.utf8.map { $0 ^ 0x5C } + bytes)
  }
}
