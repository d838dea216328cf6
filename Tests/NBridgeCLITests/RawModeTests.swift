// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Terminals whose keys come one by one, and how they are left: real ones, and real ends of programs.
@Suite struct RawModeTests {
  /// Runs a program at a terminal, and answers what it printed, whether it had the terminal in raw mode, and
  /// whether it left it as it was. Argument: keys, or the name of a signal that ends it.
  static let driver = """
    import os, pty, select, signal, sys, termios
    what, program = sys.argv[1], sys.argv[2:]
    master, terminal = pty.openpty()
    before = termios.tcgetattr(terminal)
    pid = os.fork()
    if pid == 0:
        os.close(master)
        os.login_tty(terminal)
        os.execv(program[0], program)
    text = b""
    def more():
        global text
        if not select.select([master], [], [], 30)[0]: sys.exit(f"nothing came: {text}")
        text += os.read(master, 4096)
    while b"ready" not in text: more()
    flags = termios.tcgetattr(terminal)[3]
    raw = not flags & (termios.ICANON | termios.ECHO | termios.ISIG)
    if what.startswith("SIG"): os.kill(pid, getattr(signal, what))
    else:
        for key in what.encode():
            size = len(text)
            os.write(master, bytes([key]))
            while len(text) == size or not text.endswith(b"\\n"): more()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    while select.select([master], [], [], 0)[0]: text += os.read(master, 4096)
    print(text.decode().replace("\\r", ""), end="")
    print("raw", raw, "restored", termios.tcgetattr(terminal) == before, "status", status)
    """

  static func run(_ script: String, _ what: String, file: String = "s.js") throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([file: script, "drive.py": driver])
    return try runner.shell(
      """
      NO_COLOR=1 timeout 60 python3 drive.py "\(what)" "$NBRIDGE" run \
      --permissions 'process.*,process.run:/usr/bin' \(file)
      """)
  }

  /// Ends with `q`, throws with `e`.
  static let keys = """
    const { stdin } = nbridge.process;
    await stdin.setRawMode(true);
    console.log("ready");
    for await (const bytes of stdin.chunks()) {
      console.log(bytes.join());
      if (bytes[0] === 113) break;
      if (bytes[0] === 101) throw new Error("x");
    }
    """

  @Test func keysComeOneByOneAndTheTerminalIsGivenBack() throws {
    let result = try Self.run(Self.keys, "a\u{3}\u{1A}q")
    #expect(result.output == "ready\n97\n3\n26\n113\nraw True restored True status 0\n", "\(result)")
  }

  @Test func anUncaughtErrorGivesTheTerminalBack() throws {
    let result = try Self.run(Self.keys, "e")
    #expect(result.output.hasPrefix("ready\n101\n") && result.output.contains("Error: x"), "\(result)")
    #expect(result.output.hasSuffix("raw True restored True status 1\n"), "\(result)")
  }

  /// Those that ask the program to end, and those that end it at once.
  @Test(arguments: [
    ("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129), ("SIGQUIT", -3), ("SIGUSR2", -12), ("SIGABRT", -6),
  ])
  func aSignalThatEndsTheProgramGivesTheTerminalBack(_ name: String, _ status: Int) throws {
    let result = try Self.run(Self.keys, name)
    #expect(result.output.hasSuffix("raw True restored True status \(status)\n"), "\(result)")
  }

  @Test func aScriptThatNeverComesBackLeavesTheTerminalAsItWas() throws {
    let script = "await nbridge.process.stdin.setRawMode(true); console.log('ready'); await 0; for (;;);"
    let result = try Self.run(script, "SIGTERM")
    #expect(result.output.contains("raw True restored True status 143\n"), "\(result)")
  }

  @Test func linesComeAgainWhenTheModeIsLeft() throws {
    let script = """
      const { stdin } = nbridge.process;
      await stdin.setRawMode(true); await stdin.setRawMode(false);
      console.log("ready");
      for await (const line of stdin.lines()) { console.log(line); break; }
      """
    let result = try Self.run(script, "\n")
    #expect(result.output.hasSuffix("raw False restored True status 0\n"), "\(result)")
  }

  @Test func aProgramForNodeSetsTheMode() throws {
    let script = """
      import process from "node:process";
      const { stdin } = process;
      console.log(stdin.isRaw, stdin.setRawMode(true) === stdin, stdin.isRaw, "ready");
      stdin.on("data", (bytes) => { console.log(bytes.toString("hex")); process.exit(7); });
      """
    let result = try Self.run(script, "\u{3}", file: "main.mjs")
    #expect(result.output == "false true true ready\n03\nraw True restored True status 7\n", "\(result)")
  }

  @Test func whatIsNoTerminalHasNoRawMode() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      import { stdin } from "node:process";
      for (const isOn of [true, false, 1]) {
        await nbridge.process.stdin.setRawMode(isOn).catch((e) => console.log(e.code, e.message));
      }
      try { stdin.setRawMode(true); } catch (e) { console.log(e.code, e.message); }
      """
    ])
    let result = try runner.shell("nbridge run main.mjs < /dev/null")
    #expect(
      result.output == """
        unavailable stdin is no terminal: nothing else has a raw mode
        unavailable stdin is no terminal: nothing else has a raw mode
        invalid_parameter setRawMode takes true or false, not a number
        ENOTTY setRawMode ENOTTY: stdin is no terminal: nothing else has a raw mode

        """, "\(result)")
  }

  // MARK: - Children that read it

  @Test(arguments: [
    """
    const { spawn } = nbridge.process;
    const child = await spawn("sh", ["-c", "read x; read y; echo $x-$y"], { stdin: "inherit" });
    console.log(typeof child.pid, child.stdin, (await child.stdout.text()).trim());
    """,
    """
    import { spawn } from "node:child_process"; import process from "node:process";
    process.stdout.write("number null ");
    spawn("sh", ["-c", "read x; read y; echo $x-$y"], { stdio: "inherit" });
    """,
  ])
  func aChildReadsTheProgramsStdin(_ script: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["s.mjs": script])
    let result = try runner.shell(
      "printf 'a\\nb\\n' | nbridge run --permissions 'process.*,process.run:/usr/bin' s.mjs")
    #expect(result.output == "number null a-b\n" && result.status == 0, "\(result)")
  }

  @Test func aChildReadsTheProgramsTerminal() throws {
    let script = """
      const child = await nbridge.process.spawn("sh", ["-c", "echo ready; read x; echo got $x"],
        { stdin: "inherit", stdout: "inherit" });
      console.log((await child.wait()).status);
      """
    let result = try Self.run(script, "\n")
    #expect(result.output.hasSuffix("got\n0\nraw False restored True status 0\n"), "\(result)")
  }
}
