// SPDX-License-Identifier: MIT

import BothWays
import Glibc
import NBridge
import NBridgeTesting
import ProcessPlugin
import Testing

/// Programs that scripts run: real ones, in processes of their own.
@Suite(.bothWays) struct ChildTests {
  func run(
    _ script: String, _ permissions: [String] = ["process.*", "process.run:/usr/bin", "process.run:/tmp"]
  ) async -> ScriptHarness.Result {
    var harness = ScriptHarness(plugins: [ProcessPlugin()])
    harness.options.permissions = PermissionSet(permissions)
    harness.usesRealTime = true
    let head = "const { run, spawn, pid } = nbridge.process;\n"
    return await harness.run(head + script)
  }

  /// What a script prints of the error that a call of it ends with.
  func failure(_ call: String, _ permissions: [String] = ["process.run:/usr/bin"]) async -> String {
    await run(
      "try { await \(call); console.log('none') } catch (e) { console.log(e.code + ': ' + e.message) }",
      permissions
    ).output
  }

  // MARK: - Outputs that nobody reads any more

  @Test func aClosedOutputEndsWhoWritesToItAndItsReaders() async {
    let result = await run(
      """
      const child = await spawn("yes");
      for await (const line of child.stdout.lines()) { console.log(line); break; }
      const waiting = child.stdout.text({ limit: 2 ** 31 - 1 });
      await child.stdout.close();
      console.log(typeof await waiting, (await child.wait()).signal, (await child.stdout.bytes()).length);
      await child.stdout.close();
      await nbridge.process.stdin.close().catch(({ code }) => console.log(code));
      """)
    #expect(result.output == "y\nstring SIGPIPE 0\nunavailable\n", "\(result)")
  }

  // MARK: - Signals by the number of a process

  @Test func aChildIsSignalledByItsNumber() async {
    let result = await run(
      """
      const { kill } = nbridge.process;
      const child = await spawn("sleep", ["20"]);
      console.log(typeof child.pid, await kill(child.pid, "0"), await kill(await pid(), "0"));
      await kill(child.pid);
      console.log((await child.wait()).signal);
      for (const [id, signal] of [[child.pid, "0"], [child.pid, "SIGTERM"], [await pid(), "SIGTRM"]]) {
        await kill(id, signal).catch((e) => console.log(e.code, e.message));
      }
      """)
    let lines = result.output.split(separator: "\n").map { $0.replacing(/child \d+/, with: "child N") }
    #expect(
      lines == [
        "number undefined undefined", "SIGTERM", "not_found the child N has ended",
        "not_found the child N has ended",
        "invalid_parameter the signal must be a name as 'SIGTERM', not 'SIGTRM'; did you mean 'SIGTERM'?",
      ], "\(lines) \(result.errors)")
  }

  @Test(arguments: [1, 0, -1])
  func whatIsNoChildIsNotSignalled(_ number: Int) async {
    #expect(
      await failure("nbridge.process.kill(\(number), '0')", ["process.*"])
        == """
        permission_denied: 'kill' of \(number) is not permitted: it is neither this program nor a child of \
        it that runs

        """)
  }

  /// Above what Linux gives (pid_max), and above what its calls take.
  @Test(arguments: [4_194_305, 1 << 40])
  func aProcessThatIsNotThereIsNotFound(_ number: Int) async {
    #expect(
      await failure("nbridge.process.kill(\(number), '0')", ["process.*"])
        == "not_found: there is no process \(number)\n")
  }

  @Test func aSignalNeedsAPermission() async {
    #expect(
      await failure("nbridge.process.kill(1)").hasPrefix("permission_denied: 'process.kill' is not permitted")
    )
  }

  @Test func aChildThatReadsTheProgramsStdinNeedsThePermissionForIt() async {
    let said = await failure("spawn('cat', [], { stdin: 'inherit' })")
    #expect(said.hasPrefix("permission_denied: option.stdin: 'inherit' is not permitted"), "\(said)")
    let other = await failure("spawn('cat', [], { stdin: 'own' })")
    #expect(other == "invalid_parameter: option.stdin must be one of 'pipe', 'inherit', 'none', not 'own'\n")
  }

  // MARK: - What is answered

  @Test func aProgramAnswersItsStatusAndWhatItWrote() async {
    let result = await run(
      """
      const r = await run("sh", ["-c", "echo out; echo err >&2; exit 3"]);
      console.log(r.ok, r.status, r.signal, JSON.stringify([r.stdout, r.stderr]));
      """)
    #expect(result.output == "false 3 null [\"out\\n\",\"err\\n\"]\n", "\(result.errors)")
  }

  @Test func argumentsArriveAsTheyAreWithoutAShell() async {
    let result = await run(
      #"console.log((await run("printf", ["%s|", "$HOME", "a b", "*", "", "ü;'\""])).stdout)"#)
    #expect(result.output == #"$HOME|a b|*||ü;'"|"# + "\n", "\(result.errors)")
  }

  @Test func anOutputIsAnsweredAsBytesOrLines() async {
    let result = await run(
      #"""
      console.log((await run("printf", ["\\377\\0"], { as: "bytes" })).stdout.join());
      console.log(JSON.stringify((await run("printf", ["a\\r\\n\\nb"], { as: "lines" })).stdout));
      """#)
    #expect(result.output == "255,0\n[\"a\",\"\",\"b\"]\n", "\(result.errors)")
  }

  @Test(arguments: [
    #""text""#, "new TextEncoder().encode('text')", "new Blob(['te', 'xt']).stream()",
    "(async function* () { yield 'te'; yield new Uint8Array([120, 116]); })()",
  ])
  func stdinIsGivenInEveryForm(_ input: String) async {
    let result = await run("console.log((await run('cat', [], { input: \(input) })).stdout)")
    #expect(result.output == "text\n", "\(result.errors)")
  }

  @Test func anInputThatTheProgramDoesNotWantIsNoError() async {
    let result = await run(
      "console.log((await run('head', ['-c', '3'], { input: 'x'.repeat(1e7) })).stdout)")
    #expect(result.output == "xxx\n", "\(result.errors)")
  }

  @Test func anInputThatFailsFailsTheCall() async {
    let message = await failure(
      "run('cat', [], { input: (async function* () { throw new Error('mine'); })() })")
    #expect(message == "undefined: mine\n")
  }

  @Test func aSignalThatEndsAProgramIsTold() async {
    let result = await run("const r = await run('sh', ['-c', 'kill -9 $$']); console.log(r.status, r.signal)")
    #expect(result.output == "null SIGKILL\n", "\(result.errors)")
  }

  @Test func whatIsSpawnedIsReadAndWrittenMeanwhile() async {
    let result = await run(
      """
      const child = await spawn("cat", [], { stdin: "pipe" });
      const lines = child.stdout.lines();
      for (const word of ["one", "two"]) {
        await child.stdin.write(word + "\\n");
        console.log((await lines.next()).value);
      }
      await child.stdin.close();
      console.log((await lines.next()).done, (await child.wait()).status);
      """)
    #expect(result.output == "one\ntwo\ntrue 0\n", "\(result.errors)")
  }

  @Test func aChildFeedsAnother() async {
    let result = await run(
      """
      const first = await spawn("seq", ["100000"]);
      console.log((await run("tail", ["-n", "1"], { input: first.stdout.stream() })).stdout);
      """)
    #expect(result.output == "100000\n\n", "\(result.errors)")
  }

  @Test func aReaderThatTakesNothingHoldsUpTheChildAndNothingElse() async {
    let result = await run(
      """
      const child = await spawn("yes");
      const pieces = child.stdout.chunks();
      await pieces.next();
      console.log((await run("echo", ["meanwhile"])).stdout);
      await child.stop();
      console.log((await child.wait()).signal);
      """)
    #expect(result.output == "meanwhile\n\nSIGTERM\n", "\(result.errors)")
  }

  @Test func twoHundredRunAtOnce() async {
    let result = await run(
      """
      const all = Array.from({ length: 200 }, (_, i) => run("sh", ["-c", "sleep 0.1; echo " + i]));
      console.log((await Promise.all(all)).every(({ stdout }, i) => stdout === i + "\\n"));
      """)
    #expect(result.output == "true\n", "\(result.errors)")
  }

  // MARK: - What a child gets

  @Test func aChildGetsThreeDescriptorsAndNoMore() async throws {
    // Not closed on exec, as a careless library leaves it.
    let file = open("/dev/null", O_RDONLY)
    defer { close(file) }
    let result = await run("console.log((await run('ls', ['/proc/self/fd'], { as: 'lines' })).stdout.join())")
    // The fourth is the one by which `ls` reads the folder.
    #expect(result.output == "0,1,2,3\n", "\(result.errors)")
  }

  @Test func aChildGetsNoVariableThatTheScriptMayNotRead() async {
    let result = await run(
      """
      const r = await run("env", [], { as: "lines", env: { NB_TEST_OWN: "=", HOME: "/x" } });
      console.log(r.stdout.filter((l) => /^(NB_|HOME=)/.test(l)).sort().join());
      """, ["process.run:/usr/bin", "process.env:NB_TEST_OPEN"])
    #expect(result.output == "HOME=/x,NB_TEST_OPEN=o,NB_TEST_OWN==\n", "\(result.errors)")
  }

  @Test func aChildIgnoresAndBlocksNoSignal() async {
    signal(SIGPIPE, SIG_IGN)
    // 32 and 33 are the C library's own, and as this process was given them.
    let result = await run(
      """
      const { stdout } = await run("grep", ["-E", "SigBlk|SigIgn", "/proc/self/status"], { as: "lines" });
      console.log(stdout.map((line) => BigInt("0x" + line.slice(8)) & ~0x180000000n).join());
      """)
    #expect(result.output == "0,0\n", "\(result.errors)")
  }

  @Test func aChildStartsInTheNamedFolderWithTheNamedMemory() async {
    let result = await run(
      """
      console.log((await run("pwd", [], { cwd: "/usr/lib" })).stdout);
      console.log((await run("sh", ["-c", "ulimit -v"], { memoryLimit: 1 << 30 })).stdout);
      """)
    #expect(result.output == "/usr/lib\n\n1048576\n\n", "\(result.errors)")
  }

  // MARK: - Limits

  @Test func aTimeLimitEndsAProgramThatIgnoresSIGTERM() async {
    let message = await failure(
      "run('sh', ['-c', 'trap \"\" TERM; while :; do sleep 0.1; done'], { timeLimit: 100, grace: 100 })")
    #expect(message.hasPrefix("timeout: '/usr/bin/"), "\(message)")
    #expect(message.hasSuffix(" ran longer than 100 ms, its timeLimit; it was ended\n"), "\(message)")
  }

  @Test func anOutputLimitEndsAProgramThatWritesForEver() async {
    let message = await failure("run('yes', [], { outputLimit: 100000 })")
    #expect(message.hasPrefix("too_large: '/usr/bin/yes' wrote more than 100000 bytes"), "\(message)")
  }

  @Test func anOutputLimitIsTheMostThatThereMayBe() async {
    let result = await run("console.log((await run('echo', ['12345'], { outputLimit: 6 })).stdout)")
    #expect(result.output == "12345\n\n", "\(result.errors)")
    #expect(await failure("run('echo', ['12345'], { outputLimit: 5 })").hasPrefix("too_large: "))
  }

  @Test func whatEndedItFirstIsSaid() async {
    // Its time is over, which it ignores; then it writes more than it may.
    let message = await failure(
      """
      run('sh', ['-c', "trap '' TERM; sleep 0.5; yes"], { timeLimit: 100, grace: 20000, outputLimit: 1000 })
      """)
    #expect(message.hasPrefix("timeout: '/usr/bin/"), "\(message)")
  }

  @Test func aCancelledCallEndsAllThatItsProgramStarted() async {
    let result = await run(
      """
      const stop = new AbortController();
      const call = run("sh", ["-c", "sleep 4711.5 & sleep 4711.5"], {}, { signal: stop.signal });
      const count = async () => (await run("pgrep", ["-xf", "sleep 4711.5"], { as: "lines" })).stdout.length;
      while (await count() !== 2);
      stop.abort();
      try { await call } catch (e) { console.log(e.code) }
      while (await count() !== 0);
      console.log("gone");
      """)
    #expect(result.output == "cancelled\ngone\n", "\(result.errors)")
  }

  @Test func aCallThatIsCancelledWhileItStartsLeavesNothing() async {
    let result = await run(
      """
      for (let i = 0; i < 40; i++) {
        const stop = new AbortController();
        const call = run("sleep", ["4712.5"], {}, { signal: stop.signal });
        if (i % 4 === 1) await 0;
        if (i % 4 === 2) await new Promise((resolve) => setTimeout(resolve, 1));
        if (i % 4 === 3) await new Promise((resolve) => setTimeout(resolve, 3));
        stop.abort();
        await call.catch((e) => { if (e.code !== "cancelled") console.log(e) });
      }
      while ((await run("pgrep", ["-xf", "sleep 4712.5"])).stdout !== "");
      console.log("gone");
      """)
    #expect(result.output == "gone\n", "\(result.errors)")
  }

  @Test func whatAProgramLeavesBehindEndsWithIt() async {
    let result = await run(
      """
      console.log((await run("sh", ["-c", "sleep 4713.5 & echo done"])).stdout);
      while ((await run("pgrep", ["-xf", "sleep 4713.5"])).stdout !== "");
      """)
    #expect(result.output == "done\n\n", "\(result.errors)")
  }

  @Test func aPipeThatAStrangerHoldsOpenIsNotWaitedFor() async {
    // In a session of its own it is not in the group any more.
    let result = await run(
      "console.log((await run('sh', ['-c', 'setsid sleep 30 & sleep 0.1; echo done'])).stdout)")
    #expect(result.output == "done\n\n", "\(result.errors)")
  }
}
