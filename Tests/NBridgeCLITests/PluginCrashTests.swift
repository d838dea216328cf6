// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// A plugin in the program's own process that crashes or hangs there: the program says whose fault it was.
@Suite struct PluginCrashTests {
  private func run(
    _ command: String, _ file: String, _ script: String, options: String = ""
  ) throws -> CommandRunner.Result {
    let tools = PluginCommandTests()
    var result: CommandRunner.Result?
    try tools.withRunner { runner in
      try tools.compile(runner, "wild.c", "libwild.so")
      try script.write(toFile: "\(runner.folder)/\(file)", atomically: true, encoding: .utf8)
      result = try runner.shell(
        "export SWIFT_BACKTRACE=enable=no; nbridge \(command) \(options) --plugin libwild.so \(file)")
    }
    return try #require(result)
  }

  /// On the engine's thread, and on a worker.
  @Test(arguments: [
    ("crash", "SIGSEGV", SIGSEGV), ("fail", "SIGABRT", SIGABRT), ("sink", "SIGSEGV", SIGSEGV),
    ("drown", "SIGSEGV", SIGSEGV),
  ])
  func aCrashNamesThePluginAndTheActionBehindWhatWasPrinted(
    _ action: String, _ name: String, _ signal: Int32
  ) throws {
    let result = try run(
      "run", "s.mjs", "console.log('printed before'); await nbridge.wild.\(action)();")
    #expect(result.status == 128 + signal && result.output == "printed before\n", "\(result)")
    #expect(
      result.errors.contains(
        """
        nbridge: the plugin 'wild' crashed (\(name)) in 'wild.\(action)', and this program with it
          --isolate wild keeps it in a process of its own; SWIFT_BACKTRACE=enable=yes shows where

        """), "\(result)")
  }

  @Test func aCrashOnAThreadOfThePluginsOwnLosesNothingThatWasPrinted() throws {
    let result = try run("run", "s.mjs", "console.log('printed before'); await nbridge.wild.elsewhere();")
    #expect(result.status == 128 + SIGSEGV && result.output == "printed before\n", "\(result)")
    #expect(
      result.errors.contains(
        "nbridge: this program crashed (SIGSEGV) outside of any call of a plugin; plugins in its process: "
          + "'wild'\n"), "\(result)")
  }

  /// A terminal in raw mode has a handler of its own, which gives the mode back and raises the signal again.
  @Test func aCrashInRawModeIsToldOnceAndGivesTheTerminalBack() throws {
    let tools = PluginCommandTests()
    try tools.withRunner { runner in
      try tools.compile(runner, "wild.c", "libwild.so")
      try runner.write([
        "drive.py": RawModeTests.driver,
        "s.js": """
        const { stdin } = nbridge.process;
        await nbridge.wild.pid();
        await stdin.setRawMode(true);
        console.log("ready");
        for await (const bytes of stdin.chunks()) await nbridge.wild.fail();
        """,
      ])
      let result = try runner.shell(
        """
        export SWIFT_BACKTRACE=enable=no NO_COLOR=1
        timeout 60 python3 drive.py c "$NBRIDGE" run --plugin libwild.so s.js
        """)
      let told = result.output.components(separatedBy: "the plugin 'wild' crashed (SIGABRT) in 'wild.fail'")
      #expect(told.count == 2, "\(result)")
      #expect(result.output.hasSuffix("raw True restored True status -6\n"), "\(result)")
    }
  }

  @Test func aCrashOutsideOfPluginsBlamesNone() throws {
    let result = try run(
      "run", "s.mjs",
      "await nbridge.wild.pid(); await nbridge.process.run('sh', ['-c', 'kill -SEGV $PPID']);",
      options: "--permissions 'wild.*,process.*,process.run:/usr/bin'")
    #expect(result.status == 128 + SIGSEGV && !result.errors.contains("'wild' crashed"), "\(result)")
  }

  @Test func aTestThatHangsInNativeCodeIsNotSaidToLoop() throws {
    let result = try run(
      "test", "hang.test.mjs", "test('hangs', { timeout: 100 }, async () => { await nbridge.wild.hang(); });")
    #expect(result.status == 1, "\(result)")
    #expect(
      result.output.contains(
        "a test held the thread with the plugin 'wild' in 'wild.hang', which did not come back"),
      "\(result)")
  }
}
