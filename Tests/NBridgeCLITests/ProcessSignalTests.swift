// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Signals that scripts watch, and children at the end of the program: real signals, real ends.
@Suite struct ProcessSignalTests {
  /// Runs a script in the background, and a shell line once it has printed `ready`; `$pid` is the program.
  func run(_ script: String, _ line: String) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["s.js": "const { signals, spawn, run } = nbridge.process;\n" + script])
    let allowed = "'process.*,process.run:/usr/bin'"
    return try runner.shell(
      """
      "$NBRIDGE" run --permissions \(allowed) s.js > out 2> err & pid=$!
      has() { until grep -q "$1" out; do kill -0 $pid || break; sleep 0.01; done; }
      has ready; \(line); wait $pid; echo "status $?"; cat out; cat err >&2
      """)
  }

  @Test(arguments: ["SIGHUP", "SIGINT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGWINCH"])
  func aWatchedSignalIsTheScripts(_ name: String) throws {
    // Watched, it is heeded, though a shell without job control has its background programs ignore SIGINT.
    let result = try run(
      """
      const watch = signals(['\(name)']);
      console.log('ready');
      console.log((await watch.next()).value.signal);
      watch.stop();
      """,
      "kill -\(name.dropFirst(3)) $pid")
    #expect(result.output == "status 0\nready\n\(name)\n", "\(result.output) \(result.errors)")
  }

  @Test(arguments: [("SIGTERM", 143), ("SIGUSR2", 140)])
  func aSignalThatIsNoLongerWatchedDoesWhatItDid(_ name: String, _ status: Int) throws {
    let result = try run(
      "const watch = signals(['\(name)']); watch.stop(); setInterval(() => {}, 100); console.log('ready');",
      "kill -\(name.dropFirst(3)) $pid")
    #expect(result.output.hasPrefix("status \(status)\n"), "\(result.output) \(result.errors)")
  }

  @Test(arguments: [("SIGTERM", 143), ("SIGUSR2", 140), ("SIGKILL", 137)])
  func aProgramMaySignalItself(_ name: String, _ status: Int) throws {
    let result = try run(
      "await nbridge.process.kill(await nbridge.process.pid(), '\(name)'); setInterval(() => {}, 100);", ":")
    #expect(result.output == "status \(status)\n", "\(result.output) \(result.errors)")
  }

  @Test func aSignalToItselfIsItsWatchs() throws {
    let result = try run(
      """
      const watch = signals(["SIGTERM"]);
      await nbridge.process.kill(await nbridge.process.pid());
      console.log((await watch.next()).value.signal);
      watch.stop();
      """, ":")
    #expect(result.output == "status 0\nSIGTERM\n", "\(result.output) \(result.errors)")
  }

  @Test func theDoubleOfASignalThatWasHeededIsPassedOver() throws {
    // As `timeout` sends it: to its child, and to its child's group.
    let result = try run(
      """
      const watch = signals(["SIGTERM"]);
      console.log("ready");
      for await (const { signal } of watch) { console.log(signal); break; }
      await new Promise((resolve) => setTimeout(resolve, 300));
      console.log("cleaned up");
      """,
      "kill -TERM $pid; kill -TERM $pid; has SIGTERM; kill -TERM $pid")
    #expect(result.output == "status 0\nready\nSIGTERM\ncleaned up\n", "\(result.output) \(result.errors)")
  }

  @Test func aScriptThatNeverComesBackIsEndedByTheSecondSignal() throws {
    let result = try run(
      "const watch = signals(['SIGTERM']); console.log('ready'); await 0; for (;;);",
      "kill -TERM $pid; sleep 0.6; kill -TERM $pid")
    #expect(result.output.hasPrefix("status 143\n"), "\(result.output) \(result.errors)")
  }

  @Test func theEnginesOwnSignalStillStopsItsThreads() throws {
    // JavaScriptCore stops its threads by SIGUSR1 while it collects garbage.
    let result = try run(
      """
      const watch = signals(["SIGUSR1"]);
      const first = watch.next();
      console.log("ready");
      for (let round = 0; round < 100; round++) {
        for (let i = 0, list = []; i < 30000; i++) list.push({ i });
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      console.log((await first).value.signal);
      watch.stop();
      """, "for i in 1 2 3 4 5 6; do kill -USR1 $pid; sleep 0.02; done")
    #expect(result.output == "status 0\nready\nSIGUSR1\n", "\(result.output) \(result.errors)")
  }

  @Test func aWatchDoesNotKeepAProgramAliveThatAsksItNotTo() throws {
    let result = try run(
      "console.log('ready'); signals(['SIGHUP'], () => {}, { holdsOpen: false });", ":")
    #expect(result.output == "status 0\nready\n", "\(result.output) \(result.errors)")
  }

  // MARK: - Children at the end

  @Test(arguments: ["", "throw new Error('x');"])
  func childrenEndWithTheirProgram(_ end: String) throws {
    let result = try run(
      """
      const child = await spawn("sh", ["-c", "sleep 4714.5 & sleep 4714.5"]);
      while ((await run("pgrep", ["-xf", "sleep 4714.5"], { as: "lines" })).stdout.length < 2);
      console.log("ready");
      \(end)
      """,
      "wait $pid; while pgrep -xf 'sleep 4714.5' > /dev/null; do sleep 0.01; done; echo gone")
    #expect(result.output.hasPrefix("gone\n"), "\(result.output) \(result.errors)")
  }

  @Test(arguments: ["TERM", "INT"])
  func childrenEndWithAProgramThatASignalEnds(_ name: String) throws {
    let result = try run(
      """
      await spawn("sh", ["-c", "trap '' TERM; sleep 4715.5 & sleep 4715.5"]);
      while ((await run("pgrep", ["-xf", "sleep 4715.5"], { as: "lines" })).stdout.length < 2);
      console.log("ready");
      for (;;);
      """,
      """
      trap - INT; kill -\(name) $pid; wait $pid
      while pgrep -xf 'sleep 4715.5' > /dev/null; do sleep 0.01; done; echo gone
      """)
    #expect(result.output.hasPrefix("gone\n"), "\(result.output) \(result.errors)")
  }

  @Test func aChildEndsWithAProgramThatIsKilled() throws {
    let result = try run(
      """
      const child = await spawn("sleep", ["4716.5"]);
      while ((await run("pgrep", ["-xf", "sleep 4716.5"])).stdout === "");
      console.log("ready");
      await child.wait();
      """,
      "kill -KILL $pid; while pgrep -xf 'sleep 4716.5' > /dev/null; do sleep 0.01; done; echo gone")
    #expect(result.output.hasPrefix("gone\nstatus 137\n"), "\(result.output) \(result.errors)")
  }

  @Test func aProgramThatUsesNoneOfItHasNoThreadAndNoDescriptorMore() throws {
    // The engine's compiler has threads that come and go as it likes.
    let threads = "cat /proc/$pid/task/*/comm | grep -vc JITWorker"
    let look = "\(threads); ls /proc/$pid/fd | wc -l; grep SigCgt /proc/$pid/status"
    let wait = "setInterval(() => {}, 100); console.log('ready');"
    let count = { (script: String) in
      try self.run(script, "\(look); kill -KILL $pid").output.split(separator: "\n").prefix(3)
    }
    #expect(try count("nbridge.process.stdin; nbridge.process.run;" + wait) == count(wait))
  }

  @Test func noChildStaysAsAZombieAndNoDescriptorStaysOpen() throws {
    let result = try run(
      """
      const own = "/proc/" + await nbridge.process.pid();
      const open = async () => (await run("ls", [own + "/fd"], { as: "lines" })).stdout.length;
      const before = await open();
      await Promise.all(Array.from({ length: 50 }, () => run("true")));
      for (let i = 0; i < 10; i++) await run("/usr/bin").catch(() => {});
      // A child's descriptor is closed in a turn of its own.
      while (await open() > before);
      console.log("ready");
      const children = (await run("sh", ["-c", "ps -o stat= --ppid " + own.slice(6)])).stdout;
      console.log(children.includes("Z"));
      """, ":")
    #expect(result.output == "status 0\nready\nfalse\n", "\(result.output) \(result.errors)")
  }
}
