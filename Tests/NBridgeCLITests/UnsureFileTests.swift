// SPDX-License-Identifier: MIT

import Testing

/// A file that gives or takes permission, and that can't be read, is not one that is missing.
@Suite struct UnsureFileTests {
  private func run(_ line: String) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["app/s.js": "console.log('ran')", "app/s.test.js": "console.log('ran')"])
    return try runner.shell("cd app; " + line)
  }

  @Test(arguments: [
    ("ln -s nowhere app.json", "can't open 'app.json': No such file or directory; it is a link to 'nowhere'"),
    ("ln -s app.json app.json", "Too many levels of symbolic links; it is a link to 'app.json'"),
    ("ln -s s.js/x app.json", "can't open 'app.json': Not a directory; it is a link to 's.js/x'"),
    ("mkfifo app.json", "'app.json' is no plain file, but a pipe or a device"),
    ("ln -s /dev/zero app.json", "'app.json' is no plain file, but a pipe or a device"),
    ("mkdir app.json", "'app.json' is a folder"),
  ])
  func anAppFileThatCantBeReadEndsEachCommand(_ make: String, _ text: String) throws {
    let result = try run(
      """
      \(make)
      for words in 'run s.js' 'eval console.log(1)' 'check s.js' 'repl' 'test s.test.js' 'app register .'; do
        echo 'console.log(1)' | timeout -k 1 20 "$NBRIDGE" $words >> printed 2>> errors; echo $?
      done
      grep -cE '^(ran|1)$' printed; cat printed errors >&2
      """)
    #expect(result.output == "1\n1\n1\n1\n1\n1\n0\n", "\(result.output)\(result.errors)")
    #expect(result.errors.split(separator: "\n").count { $0.contains(text) } >= 5, "\(result.errors)")
  }

  @Test func aPersonMayNameAPipe() throws {
    let result = try run(
      """
      mkfifo pipe; echo '{"id": "a", "permissions": []}' > pipe & \
      nbridge eval --app pipe -p 'nbridge.app.appInfo().catch((e) => e.code)'
      """)
    #expect(result.output == "permission_denied\n", "\(result.output)\(result.errors)")
  }

  /// The log of authentication is not sound because nobody could look at it.
  @Test func anAuditLogBehindALoopIsNotAnEmptyOne() throws {
    let result = try run(
      """
      mkdir -p "$NBRIDGE_HOME/.shared"; ln -s auth "$NBRIDGE_HOME/.shared/auth"
      nbridge auth log; echo $?
      """)
    #expect(result.output.hasSuffix("1\n"), "\(result.output)\(result.errors)")
  }

  @Test func namesThatAreNotUTF8AreRefused() throws {
    let result = try run(
      """
      bad=$(printf 'b\\377.js'); echo 'console.log(1)' > "$bad"
      nbridge run "$bad"; echo $?; nbridge run s.js "$bad"; echo $?
      for name in NBRIDGE_HOME XDG_DATA_HOME; do
        (unset NBRIDGE_HOME; export $name="$(printf '/tmp/h\\377')"
        nbridge eval 'await nbridge.preference.set("a", 1)'; echo $?; nbridge logs query x; echo $?
        nbridge eval 'console.log("needs no place")')
      done
      """)
    #expect(
      result.output == "2\n2\n1\n1\nneeds no place\n1\n1\nneeds no place\n",
      "\(result.output)\(result.errors)")
    #expect(result.errors.contains("the argument 'b\u{FFFD}.js' is not UTF-8"), "\(result.errors)")
    for name in ["NBRIDGE_HOME", "XDG_DATA_HOME"] {
      for content in ["the app's files", "records"] {
        #expect(
          result.errors.contains("no place for \(content): \(name) is not UTF-8; name another folder"),
          "\(result.errors)")
      }
    }
  }

  @Test func whyATraceFileCantBeWrittenIsSaid() throws {
    let result = try run("nbridge run --trace-file /nope/x s.js")
    #expect(
      result.errors == "nbridge: can't write the trace file '/nope/x': No such file or directory\n",
      "\(result.errors)")
  }
}
