// SPDX-License-Identifier: MIT

import Foundation

/// A desktop of a test's own (Xvfb), with a session bus.
enum Desktop {
  /// What shell lines have there: `wait_for CONDITION`; `the_window NAME`, its number; `shown NAME` waits for
  /// it; `presses the_window NAME KEY` and `presses the_dialog '' KEY` press a key until it has gone, and
  /// `chooses NAME FILE` names a file: one that is just being shown may miss the first.
  private static let functions = #"""
    wait_for() { n=0; until eval "$1" || [ $n = 1200 ]; do sleep 0.05; n=$((n+1)); done; }
    the_window() { xdotool search --onlyvisible --name "$1" 2> /dev/null | tail -n 1; }
    the_dialog() {
      xdotool search --onlyvisible --class nbridge-window 2> /dev/null | tail -n +2 | tail -n 1
    }
    shown() { wait_for "[ -n \"\$(the_window '$1')\" ]"; }
    gone() {
      k=0; until [ "$($1 "$2")" != "$w" ] || [ $k = 20 ]; do sleep 0.05; k=$((k+1)); done
      [ $k -lt 20 ]
    }
    chooses() {
      # A dialog tells nobody when it has read its folder; what is typed before, it takes back. Each try
      # leaves it more time.
      shown "$1"; w=$(the_window "$1"); m=0
      while [ $m -lt 10 ]; do
        sleep $((m / 2)).5
        timeout 15 xdotool windowfocus --sync "$w" key ctrl+a type --delay 25 "$2" 2> /dev/null &&
          xdotool key Return
        gone the_window "$1" && break; m=$((m+1))
      done
    }
    presses() {
      wait_for "[ -n \"\$($1 '$2')\" ]"; w=$($1 "$2"); m=0
      while [ $m -lt 10 ]; do
        timeout 5 xdotool windowfocus --sync "$w" key "$3" 2> /dev/null
        gone $1 "$2" && break; m=$((m+1))
      done
    }

    """#

  /// Runs shell lines with a desktop; what the desktop's own programs say is left out.
  static func run(_ lines: String, _ runner: CommandRunner) throws -> CommandRunner.Result {
    try runner.write(["line.sh": functions + lines])
    let result = try runner.shell(
      """
      export NO_AT_BRIDGE=1 LC_ALL=C.UTF-8 PROGRAM="$NBRIDGE"
      timeout 240 xvfb-run -a dbus-run-session -- sh line.sh
      """)
    let others = ["dbus-daemon", "SpiRegistry ", "XIO: ", "      after "]
    let own = [result.output, result.errors].map { text in
      text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
        !others.contains { line.hasPrefix($0) }
      }.joined(separator: "\n")
    }
    return CommandRunner.Result(status: result.status, output: own[0], errors: own[1])
  }
}
