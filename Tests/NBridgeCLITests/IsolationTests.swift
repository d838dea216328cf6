// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Plugins in processes of their own: whatever one does to its process, the program goes on and says what
/// happened.
@Suite struct IsolationTests {
  let tools = PluginCommandTests()

  /// Runs a script with the plugin without manners, isolated.
  func run(
    _ script: String, json: String? = nil, environment: String = "", options: String = "--isolate wild"
  ) throws -> CommandRunner.Result {
    var result: CommandRunner.Result?
    try tools.withRunner { runner in
      try tools.compile(runner, "wild.c", "libwild.so")
      try script.write(toFile: runner.folder + "/s.mjs", atomically: true, encoding: .utf8)
      if let json {
        try json.write(toFile: runner.folder + "/plugin.json", atomically: true, encoding: .utf8)
      }
      // The plugin looks at the program's variables, which the sandbox keeps from it.
      let grant = environment.isEmpty ? "" : "--grant wild:everything"
      result = try runner.shell(
        "export \(environment.isEmpty ? "NONE=" : environment); nbridge run \(options) \(grant) --plugin "
          + (json == nil ? "libwild.so" : ".") + " s.mjs")
    }
    return try #require(result)
  }

  static let head = """
    const { wild } = nbridge;
    const plain = (message) => message.replace(/^the plugin 'wild' /, "");
    const show = async (call) => { try { return await call; } catch (e) {
      return `${e.code}: ${plain(e.message)} ${JSON.stringify(e.details ?? {})}`; } };

    """

  @Test(arguments: [
    ("crash", "crashed (SIGSEGV)", "\"signal\":\"SIGSEGV\""),
    ("leave", "ended its process (status 3)", "\"status\":\"3\""),
    ("fail", "crashed (SIGABRT)", "\"stderr\":\"first line\\nthe disk is on fire\""),
    ("fail", "it said last: the disk is on fire", "\"action\":\"fail\""),
    ("garbage", "sent what is no message, and was ended", ""),
    ("boast", "sent a message of 3000000000 bytes, and one may have 1073741824", ""),
    ("torn", "ended its process (status 0)", ""),
    ("fork", "ended its process (status 7)", ""),
    ("silent", "closed its channel to the program, and was ended", ""),
  ])
  func whatEndsItsProcessEndsTheCallsUnderWayAndNoMore(_ deed: String, _ text: String, _ detail: String)
    throws
  {
    let result = try run(
      Self.head + """
        const first = await wild.pid();
        const never = show(wild.never());
        const ticks = wild.ticks();
        await ticks.next();
        console.log(await show(wild.\(deed)()));
        const told = await never;
        console.log(told.includes("'wild.never' was under way"), (await show(ticks.next())).slice(0, 14));
        const second = await wild.pid();
        console.log(first !== second, second === await wild.pid());
        """)
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(result.status == 0 && lines.count == 3, "\(result)")
    #expect(lines.first?.hasPrefix("plugin_crashed: \(text)") == true || lines.first?.contains(text) == true)
    #expect(lines.first?.contains(detail) == true || detail.isEmpty, "\(result)")
    #expect(lines.dropFirst() == ["true plugin_crashed", "true true"], "\(result)")
  }

  @Test func whatAsksAndReadsNoAnswerIsEnded() throws {
    let result = try run(
      Self.head + """
        console.log(await show(wild.ask()));
        console.log(typeof await wild.pid());
        """)
    #expect(
      result.output.hasPrefix("plugin_crashed: sent questions, and did not read the answers, and was ended"),
      "\(result)")
    #expect(result.output.hasSuffix("\nnumber\n"), "\(result)")
  }

  @Test func whatHangsIsEndedWhenItsCallerWaitsNoMore() throws {
    let result = try run(
      Self.head + """
        const never = show(wild.never());
        console.log(await wild.deaf({ timeout: 50 }).catch(e => e.code));
        console.log((await never).includes("hung, did not react to a cancelled call for 5 s"));
        console.log(typeof await wild.pid());
        """)
    #expect(result.output == "timeout\ntrue\nnumber\n", "\(result)")
  }

  @Test func aFloodOnStandardErrorIsPassedOnAndHoldsNothingUp() throws {
    let result = try run(
      """
      const { wild } = nbridge;
      const flood = wild.flood();
      await flood;
      console.log("over");
      """)
    #expect(result.output == "over\n")
    #expect(result.errors.split(separator: "\n").filter { $0.hasSuffix(" of a flood") }.count == 200_000)
  }

  @Test func bytesOfAllSizesComeAsTheyAre() throws {
    let result = try run(
      """
      const { wild } = nbridge;
      for (const size of [0, 1, 32_767, 32_768, 65_536, 1_000_003, 20_000_000]) {
        const bytes = new Uint8Array(size);
        for (let i = 0; i < size; i += 997) bytes[i] = i;
        const twin = await wild.twin({ bytes });
        let same = twin.length === size;
        for (let i = 0; i < size; i++) if (twin[i] !== bytes[i]) { same = false; break; }
        if (!same) console.log("differs", size);
      }
      const twin = (_, i) => wild.twin({ bytes: new Uint8Array(100_000).fill(i) });
      const many = await Promise.all(Array.from({ length: 50 }, twin));
      console.log(many.every((bytes, i) => bytes.length === 100_000 && bytes.every(byte => byte === i)));
      console.log((await wild.big()).length);
      """)
    #expect(result.output == "true\n16777216\n", "\(result)")
  }

  @Test(arguments: [
    (#""process""#, "1\n"), (#"{"memoryMegabytes": 64}"#, "plugin_crashed: crashed (SIGABRT)"),
    (#"{"callSeconds": 0.2}"#, "plugin_crashed: took longer than the 0.2 s that a call may take"),
    (#"{"idleSeconds": 0.05}"#, "another"), (#""thread""#, "\"isolation\" is \"process\" or an object"),
    (#"{"callSeconds": -1}"#, "must be a number above 0 and at most 1000000000, not -1"),
    (#"{"callSeconds": 9e15}"#, "at most 1000000000, not 9000000000000000"),
    (#"{"idleSeconds": 1000000000.5}"#, "at most 1000000000, not 1000000000.5"),
    (#"{"memoryMegabytes": 2000000000}"#, "at most 1000000000, not 2000000000"),
  ])
  func itsPluginJSONSaysHow(_ isolation: String, _ text: String) throws {
    let result = try run(
      Self.head + """
        const limits = \(isolation);
        const first = await wild.pid();
        if (limits.memoryMegabytes) console.log(await show(wild.eat()));
        else if (limits.callSeconds) console.log(await show(wild.never()));
        else if (limits.idleSeconds) {
          while (await wild.pid() === first) await new Promise(resolve => setTimeout(resolve, 150));
          console.log("another");
        } else console.log((await Promise.allSettled([wild.crash()])).length);
        """,
      json: #"""
        {"service": "wild", "version": "1.0.0", "library": "libwild.so", "isolation": \#(isolation)}
        """#, options: "")
    #expect((result.output + result.errors).contains(text), "\(result)")
  }

  @Test func whatHangsWhenItIsIdleAndStopsIsEnded() throws {
    let result = try run(
      """
      const { wild } = nbridge;
      const pause = () => new Promise(resolve => setTimeout(resolve, 100));
      const runs = async (pid) => (await nbridge.process.run("/bin/kill", ["-0", `${pid}`])).status === 0;
      const first = await wild.pid();
      while (await wild.pid() === first) await pause();
      for (let i = 0; i < 300 && await runs(first); i++) await pause();
      console.log(await runs(first), await runs(await wild.pid()));
      """,
      json: #"""
        {"service": "wild", "version": "1.0.0", "library": "libwild.so", "isolation": {"idleSeconds": 0.05}}
        """#,
      environment: "WILD_STOP=1", options: "--permissions 'wild.*,process.*,process.run:/usr/bin'")
    #expect(result.output == "false true\n", "\(result)")
  }

  @Test(arguments: [
    ("WILD_START=1", "--isolate wild", "did not start: it crashed (SIGABRT)"),
    ("", "--isolate app", "this plugin is a part of nbridge; only those in libraries can be isolated"),
    ("", "--isolate wold", "there is no such plugin; did you mean 'wild'?"),
  ])
  func whatCannotBeIsolatedIsSaid(_ environment: String, _ options: String, _ text: String) throws {
    let result = try run("await nbridge.wild.pid()", environment: environment, options: options)
    #expect(result.status != 0 && result.errors.contains(text), "\(result)")
  }

  @Test func whatDoesNotStartAgainSaysWhyAtEachCall() throws {
    let result = try run(
      Self.head + """
        await wild.pid();
        await show(wild.crash());
        for (let i = 0; i < 2; i++) console.log(await show(wild.pid()));
        """, environment: "WILD_ONCE=once")
    #expect(
      result.output == """
        unavailable: did not start again: the machine is gone {}
        unavailable: did not start again: the machine is gone {}

        """, "\(result)")
    #expect(!result.errors.contains("is over"), "\(result)")
  }

  @Test func aStartThatHangsIsNotCalledACancelledCall() throws {
    let result = try run(
      Self.head + """
        await wild.pid();
        await show(wild.crash());
        console.log(await show(wild.pid()));
        """, environment: "WILD_ONCE=once WILD_HANGS=1")
    #expect(
      result.output.contains("did not come back from its start within 10 s, and was ended"), "\(result)")
    #expect(!result.output.contains("cancelled"), "\(result)")
  }

  @Test func nothingOfItOutlivesTheProgram() throws {
    for end in ["exit(0)", "process.kill(process.pid, 'SIGKILL')", "throw 1", "await new Promise(() => {})"] {
      let result = try run(
        """
        import process from "node:process";
        console.log(await nbridge.wild.pid());
        nbridge.wild.hang().catch(() => {});
        await new Promise(resolve => setTimeout(resolve, 50));
        \(end)
        """,
        options: "--isolate all --timeout 3")
      let child = try #require(Int32(result.output.split(separator: "\n").first ?? ""), "\(result)")
      var looks = 0
      while kill(child, 0) == 0, looks < 500 {
        usleep(10_000)
        looks += 1
      }
      #expect(kill(child, 0) != 0, "\(end): its process still runs")
    }
  }

  @Test func theGuidesCommandsRun() throws {
    let page = try PagesTests.Page(PagesTests.authorsGuides + "Isolation.md")
    let commands = try #require(page.blocks("sh").first)
    try tools.withRunner { runner in
      _ = try runner.shell("mkdir -p plugins/weather Weather")
      try tools.compile(
        runner, "wild.c", "Weather/libWeather.so", fault: #"NONE '-DSERVICE="weather"'"#)
      let json = try #require(page.blocks("json").first)
      try json.write(toFile: runner.folder + "/Weather/plugin.json", atomically: true, encoding: .utf8)
      let result = try runner.shell(
        """
        set -e; cp Weather/* plugins/weather; export NBRIDGE_PLUGINS="$PWD/plugins"
        echo 'await nbridge.weather.crash().catch((error) => console.log(error.code))' > script.js
        \(commands.split(separator: "\n").first ?? "")
        unset NBRIDGE_PLUGINS; export NBRIDGE_PLUGINS=:
        \(commands.split(separator: "\n").dropFirst().joined(separator: "\n"))
        """)
      #expect(result.output == "plugin_crashed\nplugin_crashed\n", "\(result)")
    }
  }

  @Test func itSaysItsLastWordAtTheEnd() throws {
    let result = try run("await nbridge.wild.pid()")
    #expect(result.errors.contains("the last word"), "\(result)")
  }

  @Test func itGetsNoOpenFileOfTheProgramAndNoBlockedSignal() throws {
    let result = try run(
      """
      const pid = await nbridge.wild.pid();
      const run = async (program, ...args) => (await nbridge.process.run(program, args)).stdout;
      const text = bytes => typeof bytes === "string" ? bytes : new TextDecoder().decode(bytes);
      console.log(text(await run("/bin/grep", "SigBlk", `/proc/${pid}/status`)).trim());
      console.log(text(await run("/bin/ls", `/proc/${pid}/fd`)).trim().split("\\n").length);
      """, options: "--isolate wild --permissions 'wild.*,process.*,process.run:/usr/bin'")
    #expect(result.output.contains("SigBlk:\t0000000000000000"), "\(result)")
    // Its three streams, the channel, what wakes its loop.
    #expect(result.output.hasSuffix("\n5\n"), "\(result)")
  }
}
