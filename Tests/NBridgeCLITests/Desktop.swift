// SPDX-License-Identifier: MIT

import Foundation

/// A desktop of a test's own (Xvfb), with a session bus.
enum Desktop {
  /// What shell lines have there: `wait_for CONDITION`, `the_window NAME` (its number), `shown NAME`.
  private static let functions = """
    wait_for() { n=0; until eval "$1" || [ $n = 400 ]; do sleep 0.05; n=$((n+1)); done; }
    the_window() { xdotool search --name "$1" | tail -n 1; }
    shown() { wait_for "[ -n \\"\\$(the_window '$1')\\" ]"; }

    """

  /// Runs shell lines with a desktop; what the desktop's own programs say is left out.
  static func run(_ lines: String, _ runner: CommandRunner) throws -> CommandRunner.Result {
    try runner.write(["line.sh": functions + lines])
    let result = try runner.shell(
      """
      export NO_AT_BRIDGE=1 LC_ALL=C.UTF-8 PROGRAM="$NBRIDGE"
      timeout 120 xvfb-run -a dbus-run-session -- sh line.sh
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
