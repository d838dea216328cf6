// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `nbridge logs` and the programs that log to it, as processes.
@Suite struct LogsTests {
  @Test func recordsComeToAViewerThatRunsAndToOneThatStartsLater() throws {
    let result = try LogShell.run(
      """
      nbridge run --container c s.js 0 300; nbridge run s.js 300 500
      viewer; until_lines out 200
      nbridge run --container c s.js 1000 1400; until_lines out 900; leave
      \(LogShell.check)
      """, files: ["s.js": LogShell.count])
    #expect(result.output == "3 [200, 300, 400] True\n", "\(result.output)\(result.errors)")
  }

  @Test func aViewerThatIsKilledUnderLoadMissesNothingAndGetsNothingTwice() throws {
    let slow = """
      for (let i = 0; i < 6000; i++) { nbridge.logger.info('n', { i });
        if (i % 20 === 0) await new Promise((r) => setTimeout(r, 5)); } await nbridge.logger.flush();
      """
    let result = try LogShell.run(
      """
      viewer
      nbridge run --container a s.js 2>/dev/null & one=$!
      nbridge run --container b s.js 2>/dev/null & two=$!
      for _ in 1 2 3; do until_lines out $(( $(wc -l < out) + 300 )); kill -9 $v; wait $v 2>/dev/null; \
      sleep 0.1; viewer; done
      wait $one $two
      sleep 0.3; leave
      nbridge logs query --json > out
      \(LogShell.check)
      """, files: ["s.js": slow])
    #expect(result.output == "2 [6000, 6000] True\n", "\(result.output)\(result.errors)")
  }

  @Test func whatWaitsReachesTheViewerThroughRunsThatAreShort() throws {
    let result = try LogShell.run(
      """
      nbridge run --container c s.js 0 20000; nbridge run --container c s.js 20000 50000
      viewer
      for run in $(seq 30); do nbridge run --container c empty.js; [ -z "$(ls c/Library/Logs/waiting)" ] && \
      break; done
      until_lines out $((50000 + run)); leave; ls c/Library/Logs/waiting; grep -c "ended without a word" out
      \(LogShell.check)
      """, files: ["s.js": LogShell.count, "empty.js": "nbridge.logger.trace('short')"])
    #expect(result.output == "0\n2 [20000, 30000] True\n", "\(result.output)\(result.errors)")
  }

  /// Meanwhile the viewer reads nothing more, so that the program that sent it has it still.
  @Test func aViewerWhoseDiskIsFullLosesNothing() throws {
    let result = try LogShell.run(
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
      kill -INT $v; wait $v || [ $? -eq 130 ]
      grep -oE 'disk is full|can be written again' err
      SH
      unshare -rm sh ./inside
      \(LogShell.check)
      """,
      files: [
        "s.js": "const text = 'x'.repeat(300); "
          + LogShell.count.replacingOccurrences(
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
    let result = try LogShell.run(
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

  @Test func theSecondViewerSaysWhoIsThere() throws {
    let result = try LogShell.run(
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
    let result = try LogShell.run(
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
        msg=fine at=s.js:3 user=bob
        -rw-------
        1

        """, "\(result.output)\(result.errors)")
    #expect(result.errors.contains("2 record(s) in 'all.jsonl'"))
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
