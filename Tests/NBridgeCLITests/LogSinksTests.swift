// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Sinks that records go to beside the viewer.
@Suite struct LogSinksTests {
  @Test func newSinksAndLevelsLoseNothingOnTheWayToAViewer() throws {
    let script = """
      for (let i = 0; i < 400; i++) {
        nbridge.logger.info("n", { i });
        nbridge.logger.debug("less");
        if (i % 100 === 50) await nbridge.logger.configure({ sinks: [{ kind: "viewer", level: "info" }] });
      }
      await nbridge.logger.flush();
      """
    let result = try LogShell.run(
      """
      nbridge run s.js
      viewer; until_lines out 451
      nbridge run --container b s.js; until_lines out 902; leave
      nbridge logs query --json 'level:info' > out
      \(LogShell.check)
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
    let result = try LogShell.run(
      """
      mkdir -p c/Library/Logs; : > c/Library/Logs/app.log
      tail -n +1 --follow=name --retry -s 0.005 c/Library/Logs/app.log > out 2> /dev/null & t=$!
      nbridge run --container c s.js
      until_lines out 600; kill $t; ls c/Library/Logs | grep -c app.log
      \(LogShell.check)
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
    let result = try LogShell.run(
      """
      mkdir c; unshare -rm sh -c 'mount -t tmpfs -o size=1m none c && \
      "$0" run --container c s.js; echo $?; python3 whole.py' "$NBRIDGE"
      """,
      files: [
        "s.js": script,
        "whole.py": """
        import json
        text = open("c/Library/Logs/app.log").read()
        print(len(text) > 100_000, text.endswith("\\n"), all(json.loads(l) for l in text.splitlines()))
        """,
      ])
    #expect(result.output == "true\n0\nTrue True True\n", "\(result.output)\(result.errors)")
    #expect(result.errors.components(separatedBy: "No space left on device").count == 2, "\(result.errors)")
  }

  /// The log itself has no room for the message then.
  @Test(arguments: ["file", "viewer"])
  func aFullDiskUnderTheOnlySinkIsToldToThePerson(_ kind: String) throws {
    let script = """
      await nbridge.logger.configure({ sinks: [{ kind: '\(kind)' }] });
      for (let i = 0; i < 20000; i++) nbridge.logger.info('n', { i });
      await nbridge.logger.flush({ timeout: 1500 });
      console.log((await nbridge.logger.statistics())[0].problem !== undefined);
      """
    let result = try LogShell.run(
      """
      mkdir c; unshare -rm sh -c 'mount -t tmpfs -o size=1m none c && \
      "$0" run --container c s.js; echo $?' "$NBRIDGE"
      """, files: ["s.js": script])
    #expect(result.output == "true\n0\n", "\(result.output)\(result.errors)")
    let lines = result.errors.split(separator: "\n").filter { $0.contains("No space left on device") }
    #expect(lines.count == 1 && lines[0].hasPrefix("nbridge: can't"), "\(result.errors)")
  }

  @Test func theJournalGetsRecordsInItsOwnForm() throws {
    let script = """
      await nbridge.logger.configure({ sinks: [{ kind: "journal", level: "trace" }] });
      nbridge.logger.error("no way\\nsecond", { user: "ada" });
      nbridge.logger.info("x".repeat(300000));
      await nbridge.logger.flush();
      """
    let result = try LogShell.run(
      """
      unshare -rm sh -c 'mount -t tmpfs none /run; python3 server.py > got & until [ -e ready ]; \
      do sleep 0.02; done; "$0" run --container c s.js; wait' "$NBRIDGE"
      cat got
      """, files: ["s.js": script, "server.py": LogShell.client("journal.py")])
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
    let result = try LogShell.run(
      """
      mkdir dev
      unshare -rm sh -c 'mount --rbind /dev dev; mount -t tmpfs none /dev; \
      for d in null zero random urandom; do touch /dev/$d; mount --bind dev/$d /dev/$d; done
        python3 server.py > got & until [ -e ready ]; do kill -0 $! || break; sleep 0.02; done; \
      timeout 20 "$0" run --container c s.js; wait' "$NBRIDGE"
      cat got
      """, files: ["s.js": script, "server.py": LogShell.client("syslog.py")])
    let form = /b'<12>[A-Z][a-z]+ [ 0-9][0-9] \d\d:\d\d:\d\d s\[\d+\]: no\\xe2\\x90\\x9b way user="ada"'\n/
    #expect(result.output.wholeMatch(of: form) != nil, "\(result.output)\(result.errors)")
  }

  @Test func theConsoleGoesIntoTheLogWhenAsked() throws {
    let result = try LogShell.run(
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
}
