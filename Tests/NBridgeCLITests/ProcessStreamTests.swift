// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Scripts in pipelines: the program as shells run it.
@Suite struct ProcessStreamTests {
  func shell(_ line: String, _ script: String = "") throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["s.js": "const { stdin, stdout, stderr } = nbridge.process;\n" + script])
    return try runner.shell(line)
  }

  // MARK: - stdin

  @Test func aScriptReadsAPipelinesLines() throws {
    let script = "for await (const line of stdin.lines()) console.log(`<${line}>`);"
    #expect(try shell(#"printf 'a\r\n\nü' | nbridge run s.js"#, script).output == "<a>\n<>\n<ü>\n")
    #expect(try shell("nbridge run s.js < s.js", script).output.contains("<\(script)>\n"))
  }

  @Test func codeOfTheCommandLineReadsThePipeline() throws {
    #expect(try shell("echo hi | nbridge eval -p 'nbridge.process.stdin.text()'").output == "hi\n\n")
  }

  /// Where the program stands must not decide which program a name is.
  @Test func foldersOfPathThatAreNoWholePathsAreNotLookedIn() throws {
    let result = try shell(
      """
      mkdir tools; printf '#!/bin/sh\necho mine\n' > tools/own; chmod +x tools/own; cp tools/own own
      code='console.log(await nbridge.process.run("own").then((r) => r.stdout.trim(), (e) => e.message))'
      PATH="tools:.::$PATH" nbridge eval --permissions process.run:/ "$code"
      PATH="$PWD/tools:$PATH" nbridge eval --permissions process.run:/ "$code"
      """)
    #expect(
      result.output.hasPrefix("there is no program 'own' in the folders of PATH")
        && result.output.hasSuffix("\nmine\n"), "\(result)")
  }

  @Test func readersTakeTurnsAndLoseNothing() throws {
    let result = try shell(
      "seq 20000 | nbridge run s.js",
      """
      let length = 0;
      const lines = async () => {
        for await (const line of stdin) { length += line.length + 1; if (length % 7 === 0) break; }
      };
      const pieces = async () => {
        for await (const piece of stdin.chunks()) { length += piece.length; break; }
      };
      for (let i = 0; i < 50; i++) await Promise.all([lines(), i % 10 === 9 ? pieces() : lines(), lines()]);
      const reader = stdin.stream().getReader();
      length += (await reader.read()).value?.length ?? 0;
      await reader.cancel();
      console.log(length + (await stdin.bytes()).length, (await stdin.text()) === "");
      """)
    #expect(result.output == "108894 true\n", "\(result.errors)")
  }

  @Test func whatNoReaderAskedForStaysInThePipe() throws {
    // Both read one open file: what this one does not take is the next one's.
    let result = try shell(
      "(nbridge run s.js; cat) < s.js", "console.log('not read');\n// the rest is for cat")
    let head = "const { stdin, stdout, stderr } = nbridge.process;\n"
    #expect(result.output == "not read\n\(head)console.log('not read');\n// the rest is for cat")
  }

  @Test func aReaderThatIsNotAwaitedKeepsNothingAlive() throws {
    let result = try shell(
      "mkfifo f; sleep 60 > f & nbridge run s.js < f; echo $?; kill $!",
      "const lines = stdin.lines(); const stream = stdin.stream(); console.log('end');")
    #expect(result.output == "end\n0\n", "\(result.errors)")
  }

  @Test func timersRunWhileNothingComes() throws {
    let result = try shell(
      "mkfifo f; sleep 60 > f & nbridge run s.js < f; echo $?; kill $!",
      """
      let turns = 0;
      const stop = new AbortController();
      const timer = setInterval(() => { if (++turns === 10) stop.abort() }, 1);
      try {
        for await (const line of stdin.lines({ signal: stop.signal }));
      } catch (e) { console.log(e.code) }
      clearInterval(timer);
      console.log(turns);
      """)
    #expect(result.output == "cancelled\n10\n0\n", "\(result.errors)")
  }

  @Test func aPipelineThatTakesItsTimeIsNoStall() throws {
    let result = try shell(
      "(sleep 2; echo late) | nbridge run --patience 1 s.js",
      "(async () => { for await (const line of stdin) console.log(line) })();")
    #expect(result.output == "late\n", "\(result.errors)")
  }

  @Test func textThatIsNoneIsLeftAsBytes() throws {
    let result = try shell(
      #"printf 'ok\n\377\n' | nbridge run s.js"#,
      """
      try { for await (const line of stdin) console.log(line) } catch (e) { console.log(e.code) }
      console.log((await stdin.bytes()).join());
      """)
    #expect(result.output == "ok\ninvalid_data\n255,10\n", "\(result.errors)")
  }

  @Test func aLimitIsHeeded() throws {
    let result = try shell(
      "yes | nbridge run s.js",
      "try { await stdin.text({ limit: 1000 }) } catch (e) { console.log(e.code, e.message) }")
    #expect(result.output.hasPrefix("too_large stdin has more than 1000 bytes"), "\(result.output)")
  }

  @Test func thePromptKeepsItsInput() throws {
    let result = try shell("echo 'await nbridge.process.stdin.text()' | nbridge repl")
    #expect(result.errors.contains("stdin is not the script's: the prompt reads it"), "\(result.errors)")
  }

  @Test func streamsThatAreClosedAreNoFilesOfTheProgramsOwn() throws {
    let result = try shell(
      "nbridge run s.js <&- 2>&1; nbridge run s.js in >&- 2> err; cat err",
      """
      try { console.log((await stdin.bytes()).length) } catch (e) { console.log(e.message) }
      try { await stdout.write("x") } catch (e) { await stderr.write(e.message) }
      """)
    #expect(
      result.output == """
        0
        xcan't write to 'stdout': Bad file descriptor
        """, "\(result.output) \(result.errors)")
  }

  // MARK: - stdout, stderr

  @Test func whatIsWrittenIsInTheOrderOfWhatIsPrinted() throws {
    let result = try shell(
      "nbridge run s.js 2>&1 | cat",
      """
      console.log(1);
      const second = stdout.write("2\\n");
      console.log(3);
      stderr.write(new TextEncoder().encode("4\\n"));
      console.error(5);
      console.log(6);
      await second;
      await stdout.write("7\\n");
      """)
    #expect(result.output == "1\n2\n3\n4\n5\n6\n7\n", "\(result.output)")
  }

  @Test func aWriterWaitsForItsReaderAndNothingElseDoes() throws {
    let result = try shell(
      """
      mkfifo f; (until [ -e go ]; do sleep 0.01; done; cat > out) < f &
      nbridge run --permissions 'process.*,process.run:/usr/bin' s.js > f; wait; wc -c < out
      """,
      """
      let turns = 0, isWritten = false;
      const big = stdout.write("x".repeat(5e6)).then(() => { isWritten = true });
      while (turns++ < 20) await new Promise((resolve) => setTimeout(resolve, 1));
      if (isWritten) console.error("no reader took it");
      // Only now does the reader begin.
      await nbridge.process.run("touch", ["go"]);
      await big;
      console.log("!");
      """)
    #expect(result.output == "5000002\n" && result.errors == "", "\(result.output) \(result.errors)")
  }

  @Test func aReaderThatHasGoneIsAnErrorThatSaysSo() throws {
    let result = try shell(
      "nbridge run s.js | head -c 5; cat err",
      """
      try { for (;;) await stdout.write("x".repeat(100000)) } catch (e) { await stderr.write(e.code) }
      """)
    #expect(result.output == "xxxxx", "\(result.output)")
    #expect(result.errors.hasPrefix("closed"), "\(result.errors)")
  }

  @Test func aStreamIsPipedThrough() throws {
    let result = try shell(
      "head -c 3000000 /dev/zero | nbridge run s.js | wc -c", "await stdin.stream().pipeTo(stdout.stream());")
    #expect(result.output == "3000000\n", "\(result.errors)")
  }

  // MARK: - Programs

  @Test func aProgramThatIsPutInFrontOfPATHIsAnother() throws {
    let result = try shell(
      """
      printf '#!/bin/sh\\necho other' > true; chmod +x true
      PATH=".:relative::$PWD:$PATH" nbridge run --permissions process.run:/usr/bin/true s.js
      """,
      "try { await nbridge.process.run('true') } catch (e) { console.log(e.code, e.details.path.slice(-5)) }")
    #expect(result.output == "permission_denied /true\n", "\(result.errors)")
  }
}
