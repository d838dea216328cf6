// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

/// `nbridge logs` and the clients that connect to it.
@Suite struct LogClientsTests {
  @Test func anybodysLinesAreTakenAsTheFirstLoggerSentThem() throws {
    let result = try LogShell.run(
      """
      "$NBRIDGE" logs --port 24522 --any-user --json > out 2> err & v=$!
      until grep -q listens err; do kill -0 $v || break; sleep 0.02; done
      python3 "$CLIENTS/first_logger.py" 24522
      until_lines out 12; leave
      python3 "$CLIENTS/lengths.py"
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
    let result = try LogShell.run(
      """
      "$NBRIDGE" logs --port 24523 --json > out 2> err & v=$!
      until grep -q listens err; do kill -0 $v || break; sleep 0.02; done
      python3 "$CLIENTS/silent_clients.py" 24523 & c=$!
      until [ -e ready ]; do kill -0 $c || break; sleep 0.02; done
      nbridge run --container c s.js 0 50; until_lines out 50; kill $c; leave
      \(LogShell.check)
      """, files: ["s.js": LogShell.count])
    #expect(result.output == "1 [50] True\n", "\(result.output)\(result.errors)")
  }

  /// Lines without an end, of all clients together: the client that holds most is cut.
  @Test func whatClientsHoldWithoutAnEndIsBounded() throws {
    let result = try LogShell.run(
      """
      "$NBRIDGE" logs --port 24524 --json > out 2> err & v=$!
      until grep -q listens err; do kill -0 $v || break; sleep 0.02; done
      before=$(awk '/VmHWM/ { print $2 }' /proc/$v/status)
      python3 "$CLIENTS/endless_lines.py" 24524
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
    let result = try LogShell.run(
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
      """, files: ["client.py": LogShell.client("one_line.py")])
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
    let result = try LogShell.run(
      """
      viewer --keep-size 1; socket=$(grep -o '/.*' err)
      python3 "$CLIENTS/short_programs.py" "$socket"
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
}
