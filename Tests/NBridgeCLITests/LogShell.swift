// SPDX-License-Identifier: MIT

import Foundation

/// Shared by the tests of `nbridge logs`: shell lines with a viewer in the background, and clients that are
/// programs in Python, beside the tests.
enum LogShell {
  static let clients = CommandRunner.root + "/Tests/NBridgeCLITests/Clients"

  static func client(_ name: String) throws -> String {
    try String(contentsOfFile: "\(clients)/\(name)", encoding: .utf8)
  }

  /// A viewer, and waiting for what it prints.
  static let head = """
    viewer() { "$NBRIDGE" logs --port 0 --json "$@" >> out 2>> err & v=$!; n=$((n + 1)); \
    until [ "$(grep -c 'listens at' err)" -ge $n ]; do kill -0 $v || break; sleep 0.02; done; }
    leave() { kill -INT $v; wait $v 2>/dev/null; }
    until_lines() { for _ in $(seq 1500); do [ "$(wc -l < "$1")" -ge "$2" ] && return; sleep 0.02; done; \
    echo "$1 has $(wc -l < "$1") lines, not $2"; tail -3 "$1"; }
    : > out; : > err; n=0; CLIENTS='\(clients)'

    """

  static func run(_ script: String, files: [String: String] = [:]) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(files)
    return try runner.shell(head + script)
  }

  static let count = """
    const [a, b] = nbridge.args.map(Number); for (let i = a; i < b; i++) nbridge.logger.debug('n', { i });
    """

  /// Whether `out` has the numbers of some programs, each once and in order.
  static let check = #"python3 "$CLIENTS/numbers.py""#
}
