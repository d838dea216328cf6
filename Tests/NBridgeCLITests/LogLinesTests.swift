// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The viewer's lines of JSON, whatever a client said.
@Suite struct LogLinesTests {
  /// Says bytes to a viewer as a program that greets and as a client that does not; answers the lines of
  /// `--json`, `query --json` and `export`.
  private func lines(_ python: String) throws -> [String: [Data]] {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["lines": python])
    let result = try runner.shell(
      LogShell.head + """
        viewer; python3 "$CLIENTS/say.py" home/.run/logs.sock lines; until_lines out \(2 * 5); leave
        nbridge logs query --json > query; nbridge logs export exported 2>/dev/null; wc -l < out
        """)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    return try ["out", "query", "exported"].reduce(into: [:]) { found, name in
      let data = try Data(contentsOf: URL(fileURLWithPath: runner.folder + "/" + name))
      found[name] = data.split(separator: 0x0A).map { Data($0) }
    }
  }

  @Test func eachIsJSONThatNoTerminalObeys() throws {
    let found = try lines(
      #"""
      [
        b'{"seq":1,"level":"error","message":"\x1b]0;PWNED\x07 \x1b[31m \xff\xfe"}\n',
        b'{"seq":2,"level":"error","message":"\xc2\x9b31m \x7f \xed\xa0\x80","\x1b[0m":1}\n',
        b'{"seq":3,\x1b[2J"level":"error"\n',
        b'{"seq":4,"level":"error","message":nonsense,"a":01,"b":"\\x"}\n',
        b'{"seq":5,"level":"error","message":"plain \xc3\xa9 \\u001b"}\n']
      """#)
    for (name, lines) in found {
      #expect(lines.count == 10, "\(name) has \(lines.count) lines")
      for line in lines {
        let shown = String(decoding: line, as: UTF8.self)
        #expect(String(validating: line, as: UTF8.self) != nil, "\(name): \(shown)")
        #expect(
          !shown.unicodeScalars.contains { $0.value < 0x20 || 0x7F..<0xA0 ~= $0.value },
          "\(name): \(line.map { $0 })")
        #expect((try? JSONSerialization.jsonObject(with: line)) is [String: Any], "\(name): \(shown)")
      }
      let messages = lines.compactMap {
        (try? JSONSerialization.jsonObject(with: $0) as? [String: Any])?["message"] as? String
      }
      #expect(messages.contains("\u{1B}]0;PWNED\u{07} \u{1B}[31m \u{FFFD}\u{FFFD}"), "\(messages)")
      #expect(messages.filter { $0 == "plain é \u{1B}" }.count == 2, "\(messages)")
    }
  }
}
