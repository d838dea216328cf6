// SPDX-License-Identifier: MIT

import Testing

/// `nbridge logs` with a store that is no database, and how it ends.
@Suite struct LogsDamageTests {
  @Test(arguments: [
    "logs query x", "logs export all.jsonl", "logs export -", "logs --plain --port 0 --until 0s",
    "logs query source:a",
  ])
  func aDamagedStoreIsSetAsideSaidOnceAndGoesOn(_ words: String) throws {
    let result = try LogShell.run(
      """
      logs="$NBRIDGE_HOME/.shared/logs"; mkdir -p -m 700 "$NBRIDGE_HOME" "$NBRIDGE_HOME/.shared" "$logs"
      head -c 20000 /dev/urandom > "$logs/records.db"; cp "$logs/records.db" kept
      timeout -k 1 20 "$NBRIDGE" \(words) 2> first; timeout -k 1 20 "$NBRIDGE" \(words) 2> second
      grep -c 'were damaged: 0 of them could be saved' first; grep -c damaged second
      cmp kept "$logs"/records.db.damaged-* && echo kept
      viewer; nbridge run --container c s.js; until_lines out 10; leave; nbridge logs query --json | wc -l
      """, files: ["s.js": "for (let i = 0; i < 10; i++) nbridge.logger.info('n', { i })"])
    #expect(result.output == "1\n0\nkept\n10\n", "\(result.output)\(result.errors)")
  }

  @Test func anExportToStdoutMakesNoFile() throws {
    let result = try LogShell.run(
      """
      viewer; nbridge run --container c s.js; until_lines out 1; leave
      nbridge logs export - --since 2h | grep -c '"message":"here"'; [ -e - ] && echo file; ls | grep -c '^-'
      nbridge logs export /dev/full/x 2>/dev/null; echo $?; nbridge logs export - > /dev/full; echo $?
      """, files: ["s.js": "nbridge.logger.info('here')"])
    #expect(result.output == "1\n0\n1\n1\n", "\(result.output)\(result.errors)")
    #expect(result.errors.contains("can't write 'stdout': No space left on device"), "\(result.errors)")
  }

  @Test(arguments: [("INT", 130), ("TERM", 143)])
  func aSignalIsTheStatus(_ signal: String, _ status: Int) throws {
    let result = try LogShell.run(
      """
      viewer; kill -\(signal) $v; wait $v; echo $?; rm err
      "$NBRIDGE" logs --port 0 --until 2099-01-01T00:00:00Z > out 2> err & v=$!
      until grep -q 'listens at' err 2>/dev/null; do kill -0 $v || break; sleep 0.02; done
      kill -\(signal) $v; wait $v; echo $?
      nbridge logs --plain --port 0 --until 0s; echo $?
      """)
    #expect(result.output == "\(status)\n\(status)\n0\n", "\(result.output)\(result.errors)")
  }
}
