// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

/// `nbridge logs` and the programs that log to it, as processes.
@Suite struct LogsTests {
  /// What the tests' shell lines share: a viewer in the background, and waiting for what it prints.
  static let head = """
    viewer() { "$NBRIDGE" logs --port 0 --json "$@" >> out 2>> err & v=$!; n=$((n + 1)); \
    until [ "$(grep -c 'listens at' err)" -ge $n ]; do kill -0 $v || break; sleep 0.02; done; }
    leave() { kill -INT $v; wait $v 2>/dev/null; }
    until_lines() { for _ in $(seq 1500); do [ "$(wc -l < "$1")" -ge "$2" ] && return; sleep 0.02; done; \
    echo "$1 has $(wc -l < "$1") lines, not $2"; tail -3 "$1"; }
    : > out; : > err; n=0

    """

  func shell(_ script: String, files: [String: String] = [:]) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(files)
    return try runner.shell(Self.head + script)
  }

  static let count = """
    const [a, b] = nbridge.args.map(Number); for (let i = a; i < b; i++) nbridge.logger.debug('n', { i });
    """

  /// Whether `out` has the numbers of some programs, each once and in order.
  static let check = """
    python3 - "$@" <<'PY'
    import collections, json, sys
    seen = collections.defaultdict(list)
    for line in open("out"):
        record = json.loads(line)
        if "i" in record.get("fields", {}): seen[record["pid"]].append(record["fields"]["i"])
    print(len(seen), sorted(len(list_) for list_ in seen.values()), all(list_ == sorted(set(list_)) \
    for list_ in seen.values()))
    PY
    """

  @Test func recordsComeToAViewerThatRunsAndToOneThatStartsLater() throws {
    let result = try shell(
      """
      nbridge run --container c s.js 0 300; nbridge run s.js 300 500
      viewer; until_lines out 200
      nbridge run --container c s.js 1000 1400; until_lines out 900; leave
      \(Self.check)
      """, files: ["s.js": Self.count])
    #expect(result.output == "3 [200, 300, 400] True\n", "\(result.output)\(result.errors)")
  }

  @Test func aViewerThatIsKilledUnderLoadMissesNothingAndGetsNothingTwice() throws {
    let slow = """
      for (let i = 0; i < 6000; i++) { nbridge.logger.info('n', { i });
        if (i % 20 === 0) await new Promise((r) => setTimeout(r, 5)); } await nbridge.logger.flush();
      """
    let result = try shell(
      """
      viewer
      nbridge run --container a s.js 2>/dev/null & one=$!
      nbridge run --container b s.js 2>/dev/null & two=$!
      for _ in 1 2 3; do until_lines out $(( $(wc -l < out) + 300 )); kill -9 $v; wait $v 2>/dev/null; \
      sleep 0.1; viewer; done
      wait $one $two
      sleep 0.3; leave
      nbridge logs query --json > out
      \(Self.check)
      """, files: ["s.js": slow])
    #expect(result.output == "2 [6000, 6000] True\n", "\(result.output)\(result.errors)")
  }

  @Test func whatWaitsReachesTheViewerThroughRunsThatAreShort() throws {
    let result = try shell(
      """
      nbridge run --container c s.js 0 20000; nbridge run --container c s.js 20000 50000
      viewer
      for run in $(seq 30); do nbridge run --container c empty.js; [ -z "$(ls c/Library/Logs/waiting)" ] && \
      break; done
      until_lines out $((50000 + run)); leave; ls c/Library/Logs/waiting; grep -c "ended without a word" out
      \(Self.check)
      """, files: ["s.js": Self.count, "empty.js": "nbridge.logger.trace('short')"])
    #expect(result.output == "0\n2 [20000, 30000] True\n", "\(result.output)\(result.errors)")
  }

  /// Meanwhile it reads nothing more, so that who sent it has it still.
  @Test func aViewerWhoseDiskIsFullLosesNothing() throws {
    let result = try shell(
      """
      mkdir -p "$NBRIDGE_HOME"
      cat > inside <<'SH'
      set -e
      mount -t tmpfs -o size=2m none "$NBRIDGE_HOME"
      "$NBRIDGE" logs --port 0 --json > out 2> err & v=$!
      until grep -q 'listens at' err; do kill -0 $v; sleep 0.02; done
      "$NBRIDGE" run --container c s.js 0 30000 &
      p=$!
      for _ in $(seq 1500); do grep -q 'disk is full; it is tried again' err && break; kill -0 $v; \
      sleep 0.02; done
      mount -o remount,size=64m "$NBRIDGE_HOME"
      wait $p
      for run in $(seq 30); do "$NBRIDGE" run --container c empty.js; \
      [ -z "$(ls c/Library/Logs/waiting)" ] && break; done
      for _ in $(seq 1500); do [ "$(wc -l < out)" -ge $((30000 + run)) ] && break; sleep 0.02; done
      kill -INT $v; wait $v
      grep -oE 'disk is full|can be written again' err
      SH
      unshare -rm sh ./inside
      \(Self.check)
      """,
      files: [
        "s.js": "const text = 'x'.repeat(300); "
          + Self.count.replacingOccurrences(
            of: "'n'",
            with: "text"), "empty.js": "nbridge.logger.trace('short')",
      ])
    #expect(
      result.output == """
        disk is full
        can be written again
        1 [30000] True

        """, "\(result.output)\(result.errors)")
  }

  @Test func aProgramThatIsKilledIsSaidToBe() throws {
    let result = try shell(
      """
      viewer
      "$NBRIDGE" run --container c s.js 2>/dev/null & p=$!
      until_lines out 1; kill -9 $p; wait $p 2>/dev/null
      until_lines out 2; leave; tail -1 out | cut -d '"' -f 12-
      "$NBRIDGE" run --container c s.js 2>/dev/null & p=$!
      for _ in $(seq 500); do [ -s c/Library/Logs/waiting/*.jsonl ] && break; sleep 0.02; done; kill -9 $p; \
      wait $p 2>/dev/null
      nbridge run --container c --timeout 1 s.js 2>&1 | grep -o 'a run before.*word'
      : > out; viewer; nbridge run --container c --timeout 1 s.js 2> /dev/null; until_lines out 4; leave; \
      grep -c 'ended without a word' out
      """, files: ["s.js": "nbridge.logger.info('alive'); setInterval(() => {}, 1000);"])
    #expect(
      result.output.contains("ended without a word: what it logged last may be missing"),
      "\(result.output)\(result.errors)")
    #expect(result.output.contains("a run before this one ended without a word\n"), "\(result.output)")
  }

  @Test func anybodysLinesAreTakenAsTheFirstLoggerSentThem() throws {
    let result = try shell(
      """
      "$NBRIDGE" logs --port 24522 --any-user --json > out 2> err & v=$!
      until grep -q listens err; do kill -0 $v || break; sleep 0.02; done
      python3 - <<'PY'
      import socket, time
      def connect(): return socket.create_connection(("127.0.0.1", 24522))
      for line in ["[🐛 DEBUG] one", "[⚠️ WARNING] two", "[🚫 ERROR] three", "[ℹ️ INFO] four", "five"]:
          s = connect(); s.sendall(line.encode()); s.close()
          time.sleep(0.05)
      s = connect(); s.sendall("[🚫 ERROR] six\\nse".encode()); time.sleep(0.1); \
      s.sendall("ven\\r\\n\\n{\\"level\\":\\"error\\",\\"msg\\":\\"eight\\"}\\n".encode())
      s.sendall(b"\\xff\\xfe bad \\x1b[31m\\x00 nine\\n"); s.close()
      time.sleep(0.1)
      s = connect(); s.sendall(b"x" * (10 << 20) + b"\\n"); s.close()
      time.sleep(0.1)
      s = connect(); s.sendall(b"y" * (20 << 20) + b"\\nten\\n"); s.close()
      PY
      until_lines out 12; leave
      python3 -c '
      import json
      for line in open("out", encoding="utf-8"):
          r = json.loads(line); m = r.get("message", r.get("msg")); print(r["level"], len(m) if len(m) > \
      100 else ascii(m))'
      """)
    #expect(
      result.output == """
        debug 'one'
        warning 'two'
        error 'three'
        info 'four'
        info 'five'
        error 'six'
        info 'seven'
        error 'eight'
        info '\\ufffd\\ufffd bad \\x1b[31m\\x00 nine'
        info 10485760
        warning 16777235
        info 'ten'

        """, "\(result.output)\(result.errors)")
  }

  @Test func aThousandSilentClientsAndOneThatNeverEndsItsLineHinderNobody() throws {
    let result = try shell(
      """
      "$NBRIDGE" logs --port 24523 --json > out 2> err & v=$!
      until grep -q listens err; do kill -0 $v || break; sleep 0.02; done
      python3 - <<'PY' & c=$!
      import resource, socket, time
      resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
      all = [socket.create_connection(("127.0.0.1", 24523)) for _ in range(1000)]
      all[0].sendall(b"never ends " * 100000)
      open("ready", "w").close(); time.sleep(60)
      PY
      until [ -e ready ]; do kill -0 $c || break; sleep 0.02; done
      nbridge run --container c s.js 0 50; until_lines out 50; kill $c; leave
      \(Self.check)
      """, files: ["s.js": Self.count])
    #expect(result.output == "1 [50] True\n", "\(result.output)\(result.errors)")
  }

  /// Lines without an end, of all clients together: whoever holds most is cut.
  @Test func whatClientsHoldWithoutAnEndIsBounded() throws {
    let result = try shell(
      """
      "$NBRIDGE" logs --port 24524 --json > out 2> err & v=$!
      until grep -q listens err; do kill -0 $v || break; sleep 0.02; done
      before=$(awk '/VmHWM/ { print $2 }' /proc/$v/status)
      python3 - <<'PY'
      import socket
      all = [socket.create_connection(("127.0.0.1", 24524)) for _ in range(60)]
      piece = b"never ends " * (1 << 14)
      for _ in range((15 << 20) // len(piece)):
          for s in all: s.sendall(piece)
      # What is short gets through all the same, also in two parts.
      one = socket.create_connection(("127.0.0.1", 24524)); one.sendall(b"in two "); all[0].sendall(piece); \
      one.sendall(b"parts\\n")
      # Who closes at once may be turned away: nobody can be asked any more.
      one.shutdown(socket.SHUT_WR)
      for s in all: s.sendall(b"\\nafter it\\n"); s.close()
      while one.recv(1000): pass
      PY
      for _ in $(seq 1500); do [ "$(grep -c 'after it"' out)" -ge 60 ] && break; sleep 0.02; done
      after=$(awk '/VmHWM/ { print $2 }' /proc/$v/status); leave
      [ $((after - before)) -le $((128 << 10)) ] || echo "$before kB, then $after"
      grep -c 'after it"' out; grep -c '"in two parts"' out; [ "$(grep -c '"message":"(cut after [^)]*: \
      all programs together hold too much) never ends' out)" -ge 50 ] && echo marked
      """)
    #expect(result.output == "60\n1\nmarked\n", "\(result.output)\(result.errors)")
  }

  @Test func onlyThisUsersProgramsMayConnect() throws {
    guard getuid() == 0 else {
      print("SKIPPED: onlyThisUsersProgramsMayConnect: only root can be two users")
      return
    }
    let client = """
      import os, socket, sys
      s = socket.socket(socket.AF_UNIX if "/" in sys.argv[1] else socket.AF_INET6 if ":" in sys.argv[1] else \
      socket.AF_INET)
      s.connect(sys.argv[1] if "/" in sys.argv[1] else (sys.argv[1], 24525)); s.settimeout(20)
      try:
          s.sendall((sys.argv[2] + "\\n").encode()); s.shutdown(socket.SHUT_WR); print(s.recv(10))
      except OSError as error: print(type(error).__name__)
      """
    let result = try shell(
      """
      chmod 755 .; mkdir -p "$NBRIDGE_HOME"
      # One that every user may run.
      python3() { command /usr/bin/python3 "$@"; }; other() { setpriv --reuid 12345 --regid 12345 \
      --clear-groups /usr/bin/python3 "$@"; }
      other -c 1 || echo "this user can't run python"
      for flag in '' --any-user; do
        : > err; "$NBRIDGE" logs --port 24525 $flag --json >> out 2> err & v=$!
        until grep -q listens err; do kill -0 $v || break; sleep 0.02; done
        other client.py 127.0.0.1 "other $flag" > said; python3 client.py 127.0.0.1 "own $flag" >> said
        python3 client.py ::ffff:127.0.0.1 "mapped $flag" >> said
        # Whoever gets to the socket all the same.
        chmod 711 home home/.run; chmod 666 home/.run/logs.sock; other client.py home/.run/logs.sock "unix \
      $flag" >> said
        for _ in $(seq 500); do grep -q "mapped $flag" out && break; sleep 0.02; done
        leave; grep -o 'a program of user.*' err; chmod 700 home home/.run
      done
      grep -oE '"message":"[^"]*"' out | cut -d '"' -f 4 | sort
      """, files: ["client.py": client])
    #expect(
      result.output == """
        a program of user 12345's was turned away at port 24525; --any-user takes its lines
        mapped\u{20}
        mapped --any-user
        other --any-user
        own\u{20}
        own --any-user
        unix --any-user

        """, "\(result.output)\(result.errors)")
  }

  /// A viewer that stays open for weeks meets many programs.
  @Test func programsOfWhichNothingIsKeptAreForgotten() throws {
    let result = try shell(
      """
      viewer --keep-size 1; socket=$(grep -o '/.*' err)
      python3 - "$socket" <<'PY'
      import json, socket, sys
      for number in range(2000):
          program = socket.socket(socket.AF_UNIX); program.connect(sys.argv[1])
          hello = {"nbridgeLog": 1, "source": f"s{number}", "app": f"app{number}", "pid": 1}
          record = '{"seq":1,"time":"2026-01-01T00:00:00.000Z","level":"info","message":"' + "x" * 2000 + '"}'
          program.sendall((json.dumps(hello, separators=(",", ":")) + "\\n" + record + \
      '\\n{"end":true}\\n').encode())
          program.makefile().readline(); program.close()
      PY
      until_lines out 2000; leave; viewer --keep-size 1
      sources() { python3 -c 'import sqlite3; \
      print(sqlite3.connect("home/.shared/logs/records.db").execute("select count(*) \
      from sources").fetchone()[0])'; }
      for _ in $(seq 300); do [ "$(sources)" -lt 1000 ] && break; sleep 0.02; done
      [ "$(sources)" -lt 1000 ] && [ "$(sources)" -gt 300 ] || echo "$(sources) sources"
      all=$(nbridge logs query --json | wc -l); [ $all -gt 300 ] || echo "$all kept"
      nbridge logs query --json --source 'app*' | wc -l | grep -qx $all && echo all named
      nbridge logs query --json --source app1999 | wc -l; leave
      """)
    #expect(result.output == "all named\n1\n", "\(result.output.suffix(2000))\(result.errors)")
  }

  @Test func theSecondViewerSaysWhoIsThere() throws {
    let result = try shell(
      """
      viewer; nbridge logs --port 0; echo $?
      python3 -c 'import socket,time; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], \
      flush=True); time.sleep(60)' > port & p=$!
      until [ -s port ]; do kill -0 $p || exit 1; sleep 0.02; done
      leave; nbridge logs --port $(cat port); echo $?; kill $p
      nbridge logs foo; nbridge logs --filter 'level>=loud'; nbridge logs --filter '/(/'; \
      nbridge logs --port 99999; nbridge logs query x --since soon
      """)
    #expect(result.output == "1\n1\n", "\(result.output)")
    for text in [
      "'nbridge logs' runs already, as process", ": Address already in use: process", "(python3) has it",
      "unknown command 'logs foo'", "'loud' is no level", "'/(/'", "--port must be 0 to 65535",
      "--since must be a time",
    ] {
      #expect(result.errors.contains(text), "\(text): \(result.errors)")
    }
  }

  @Test func whatWasKeptIsFoundLater() throws {
    let script = """
      const db = nbridge.logger.child({ service: "db" });
      db.warning("timeout of ada", { user: "ada", path: "/api/x" });
      db.info("fine", { user: "bob", path: "/web" });
      nbridge.logger.error("Connection refused", { user: "bob" }); nbridge.logger.debug("noise");
      """
    let result = try shell(
      """
      viewer; nbridge run --container c s.js 2> /dev/null; until_lines out 4; leave
      q() { nbridge logs query --json "$@" | grep -o '"message":"[^"]*"' | cut -d '"' -f 4 | tr '\\n' ';'; \
      echo; }
      q 'level>=warning'; q 'service:db'; q 'user:ada'; q 'path:/api/*'; q '/conn.*refused/'; q 'TIMEOUT'; \
      q -- '-noise level<error'; q '"of ada"'; q 'level:info fine'
      q --since 1h fine; q --until 1h fine; q 'source:nobody'; q 'source:s-* fine'; q 'level>critical'
      nbridge logs query nothing; echo $?
      nbridge logs export all.jsonl 'level>=warning'; wc -l < all.jsonl; \
      nbridge logs export x.txt fine --format logfmt; grep -o 'msg=fine.*user=bob' x.txt
      ls -l all.jsonl | cut -c 1-10; nbridge logs query | head -1 | grep -c ada
      """, files: ["s.js": script])
    #expect(
      result.output == """
        timeout of ada;Connection refused;
        timeout of ada;fine;
        timeout of ada;
        timeout of ada;
        Connection refused;
        timeout of ada;
        timeout of ada;fine;
        timeout of ada;
        fine;
        fine;


        fine;

        1
        2
        msg=fine at=s.js:2 user=bob
        -rw-------
        1

        """, "\(result.output)\(result.errors)")
    #expect(result.errors.contains("2 record(s) in 'all.jsonl'"))
  }

  @Test func newSinksAndLevelsLoseNothingOnTheWayToAViewer() throws {
    let script = """
      for (let i = 0; i < 400; i++) {
        nbridge.logger.info("n", { i });
        nbridge.logger.debug("less");
        if (i % 100 === 50) await nbridge.logger.configure({ sinks: [{ kind: "viewer", level: "info" }] });
      }
      await nbridge.logger.flush();
      """
    let result = try shell(
      """
      nbridge run s.js
      viewer; until_lines out 451
      nbridge run --container b s.js; until_lines out 902; leave
      nbridge logs query --json 'level:info' > out
      \(Self.check)
      """, files: ["s.js": script])
    #expect(result.output == "2 [400, 400] True\n", "\(result.output)\(result.errors)")
  }

  @Test func aFileThatIsPutAsideIsFollowedToItsEnd() throws {
    let script =
      """
      await nbridge.logger.configure({ sinks: [{ kind: 'file', maximumSize: 20000, keep: 9,
        compress: false }] }); for (let i = 0; i < 600; i++) { nbridge.logger.info('n', { i });
        if (i % 25 === 0) { await nbridge.logger.flush(); await new Promise((r) => setTimeout(r, 20)); } }
      """
    let result = try shell(
      """
      mkdir -p c/Library/Logs; : > c/Library/Logs/app.log
      tail -n +1 --follow=name --retry -s 0.005 c/Library/Logs/app.log > out 2> /dev/null & t=$!
      nbridge run --container c s.js
      until_lines out 600; kill $t; ls c/Library/Logs | grep -c app.log
      \(Self.check)
      """, files: ["s.js": script])
    let lines = result.output.split(separator: "\n")
    #expect(
      lines.last == "1 [600] True" && (Int(lines.first ?? "") ?? 0) > 3, "\(result.output)\(result.errors)")
  }

  @Test func aFullDiskIsSaidOnceAndTheProgramGoesOn() throws {
    let script = """
      await nbridge.logger.configure({ sinks: [{ kind: 'terminal', level: 'warning' }, { kind: 'file' }] });
      for (let i = 0; i < 20000; i++) nbridge.logger.info('n', { i });
      await nbridge.logger.flush({ timeout: 1500 });
      console.log((await nbridge.logger.statistics())[1].problem !== undefined);
      """
    let result = try shell(
      """
      mkdir c; unshare -rm sh -c 'mount -t tmpfs -o size=1m none c && \
      exec "$0" run --container c s.js' "$NBRIDGE"; echo $?
      """, files: ["s.js": script])
    #expect(result.output == "true\n0\n", "\(result.output)\(result.errors)")
    #expect(result.errors.components(separatedBy: "No space left on device").count == 2, "\(result.errors)")
  }

  @Test func theJournalGetsRecordsInItsOwnForm() throws {
    let script = """
      await nbridge.logger.configure({ sinks: [{ kind: "journal", level: "trace" }] });
      nbridge.logger.error("no way\\nsecond", { user: "ada" });
      nbridge.logger.info("x".repeat(300000));
      await nbridge.logger.flush();
      """
    let server = """
      import os, socket
      os.makedirs("/run/systemd/journal")
      s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind("/run/systemd/journal/socket"); \
      open("ready", "w").close()
      print(s.recv(1 << 20)); print(len(s.recv(1 << 20)) > 4096)
      """
    let result = try shell(
      """
      unshare -rm sh -c 'mount -t tmpfs none /run; python3 server.py > got & until [ -e ready ]; \
      do sleep 0.02; done; "$0" run --container c s.js; wait' "$NBRIDGE"
      cat got
      """, files: ["s.js": script, "server.py": server])
    #expect(
      result.output.hasPrefix(
        #"""
        b'MESSAGE\n\r\x00\x00\x00\x00\x00\x00\x00no way\nsecond\nPRIORITY=3\nSYSLOG_IDENTIFIER=s\n
        """#), "\(result.output)\(result.errors)")
    #expect(
      result.output.contains(#"CODE_LINE=2\nNBRIDGE_USER=ada\n"#) && result.output.hasSuffix("True\n"),
      "\(result.output)")
  }

  @Test func syslogGetsLinesAsTheCLibraryWritesThem() throws {
    let script = """
      await nbridge.logger.configure({ sinks: [{ kind: "syslog", level: "trace" }] });
      nbridge.logger.warning("no\\u001b way", { user: "ada" });
      await nbridge.logger.flush();
      """
    let server = """
      import socket
      s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind("/dev/log"); open("ready", "w").close()
      print(s.recv(1 << 20))
      """
    let result = try shell(
      """
      mkdir dev
      unshare -rm sh -c 'mount --rbind /dev dev; mount -t tmpfs none /dev; \
      for d in null zero random urandom; do touch /dev/$d; mount --bind dev/$d /dev/$d; done
        python3 server.py > got & until [ -e ready ]; do kill -0 $! || break; sleep 0.02; done; \
      timeout 20 "$0" run --container c s.js; wait' "$NBRIDGE"
      cat got
      """, files: ["s.js": script, "server.py": server])
    let form = /b'<12>[A-Z][a-z]+ [ 0-9][0-9] \d\d:\d\d:\d\d s\[\d+\]: no\\xe2\\x90\\x9b way user="ada"'\n/
    #expect(result.output.wholeMatch(of: form) != nil, "\(result.output)\(result.errors)")
  }

  @Test func theConsoleGoesIntoTheLogWhenAsked() throws {
    let result = try shell(
      """
      nbridge run --container c --console-to-logger --log-level info s.js > out 2> err; cat out; \
      grep -c console err
      grep -o 'console.*' err
      nbridge run --log-level loud s.js
      """,
      files: [
        "s.js": """
        console.log('a %d', 1); console.error('b', { x: 1 }); console.debug('no'); nbridge.logger.debug('no');
        """
      ])
    #expect(result.output.hasPrefix("2\nconsole a 1"), "\(result.output)\(result.errors)")
    #expect(result.output.contains("console b { x: 1 }") && !result.output.contains("no"), "\(result.output)")
    #expect(result.errors.contains("--log-level must be one of trace"), "\(result.errors)")
  }

  @Test func theScreenShowsFiltersFindsAndQuits() throws {
    let driver = try PromptDriver(
      "--port 0", columns: 100, rows: 12, environment: "TERM=xterm-256color", command: "logs", waits: false)
    driver.expect("Nothing has come yet")
    let script = try driver.runner.write(
      "s.js",
      """
      for (let i = 0; i < 100; i++) nbridge.logger[i === 50 ? 'error' : 'info']('message ' + i,
        { user: i % 2 ? 'ada' : 'bob' }); nbridge.logger.warning('\\u001b[2Jevil\\u202e');
      """)
    let sent = try driver.runner.shell("nbridge run '\(script)'")
    #expect(sent.status == 0)
    driver.expect("101 records")
    driver.expect("␛[2Jevil<U+202E>")
    #expect(driver.screen().contains("following") && driver.screen().contains("message 99"))
    try driver.type("f")
    try driver.type("user:ada 3")
    driver.wait("only what matches") {
      $0.contains("message 39") && !$0.contains("message 99") && $0.contains("filter: user:ada 3")
    }
    try driver.press("Enter")
    try driver.type("x")
    driver.expect("message 99")
    try driver.type("e")
    driver.wait("the error") { $0.contains("message 50") && $0.contains("paused") }
    try driver.press("Enter")
    driver.expect("level     error")
    try driver.press("Escape")
    try driver.type("5")
    driver.wait("warnings and worse") { $0.contains("level ≥ warning") && !$0.contains("message 49") }
    try driver.type("1/")
    try driver.type("message 17")
    try driver.press("Enter")
    driver.wait("what was searched") { $0.contains("message 17 ") && !$0.contains("message 49") }
    try driver.type("s")
    driver.expect("101")
    try driver.type("s?")
    driver.expect("the next error, the one before")
    try driver.press("Escape")
    try driver.type("w")
    try driver.press("C-u")
    try driver.type("saved.jsonl")
    try driver.press("Enter")
    driver.expect("101 record(s) in 'saved.jsonl'")
    try driver.resize(columns: 60, rows: 8)
    driver.wait("the smaller screen") { $0.split(separator: "\n").allSatisfy { $0.count <= 60 } }
    try driver.type("q")
    driver.expect("left with 0")
  }
}
