// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// A plugin that asks for more than it may have, and says what it must not.
@Suite struct PluginGreedTests {
  let tools = PluginCommandTests()

  func run(_ line: String, _ files: [String: String] = [:]) throws -> CommandRunner.Result {
    var result: CommandRunner.Result?
    try tools.withRunner { runner in
      try tools.compile(runner, "greedy.c", "libgreedy.so")
      try runner.write(files)
      result = try runner.shell(line)
    }
    return try #require(result)
  }

  @Test(arguments: ["", "--isolate all"])
  func aPluginThatAsksForAllOfAStreamLeavesTimersAndDeadlinesTheirTurn(_ options: String) throws {
    let result = try run(
      "timeout 60 \"$NBRIDGE\" run \(options) --plugin ./libgreedy.so s.mjs",
      [
        "s.mjs": """
        let given = 0, ticks = 0;
        function* all() { for (;;) yield given++; }
        const timer = setInterval(() => { ticks++; }, 10);
        await nbridge.greedy.read(all(), { timeout: 200 }).catch(({ code }) => console.log(code));
        clearInterval(timer);
        console.log(ticks > 3, given > 100);
        """
      ])
    #expect(result.output == "timeout\ntrue true\n", "\(result)")
  }

  @Test(arguments: ["", "--isolate all"])
  func aFunctionIsNotCalledWithAnotherPluginsObjectOrWithNoValue(_ options: String) throws {
    let result = try run(
      "timeout 60 \"$NBRIDGE\" run \(options) --plugin ./libgreedy.so s.mjs",
      [
        "s.mjs": """
        const texts = [
          '[5]', '{oops', '{"$nb":["h",1,"documents","document"]}', '{"$nb":["h",1.5,"greedy","thing"]}',
        ];
        for (const text of texts) {
          await nbridge.greedy.tell((value) => `called with ${value}`, text)
            .then(console.log, ({ code, message }) => console.log(code, message.slice(0, 50)));
        }
        """
      ])
    #expect(
      result.output == """
        called with 5
        invalid_parameter the value for the script's function is none: a key
        unknown_error the plugin 'greedy' answered an object of 'documen
        unknown_error the plugin 'greedy' answered an object without a n

        """, "\(result)")
  }

  /// To show all of it would hold up the script for as long as the plugin likes.
  @Test func aLargeRecordOfAnIsolatedPluginIsCut() throws {
    let result = try run(
      "nbridge run --isolate all --plugin ./libgreedy.so s.mjs 2> errors; tail -c 400 errors; wc -c < errors",
      ["s.mjs": "await nbridge.greedy.log();"])
    let lines = result.output.split(separator: "\n")
    #expect(lines.contains { $0.hasSuffix("logged 67108864 bytes in one record, of which 262144 are kept") })
    #expect(lines.contains { $0.contains("short") }, "\(lines)")
    #expect(result.output.contains(#"a line \x1B]52;c;QUFB\x07"#), "\(lines)")
    #expect(Int(lines.last ?? "").map { 262_144..<300_000 ~= $0 } == true, "\(lines.last ?? "")")
  }

  /// Nothing that it says reaches a thread that is not meant.
  @Test func aPluginThatAnswersBeforeItHasStartedDoesNotStart() throws {
    try tools.withRunner { runner in
      try tools.compile(runner, "greedy.c", "libgreedy.so", fault: "NONE -DANSWERS")
      let result = try runner.shell(
        "nbridge eval --isolate all --plugin ./libgreedy.so 'nbridge.greedy.leave()'")
      #expect(result.status == 1, "\(result)")
      #expect(result.errors.contains("it answered before it had started"), "\(result)")
    }
  }

  @Test func aProgramThatAPluginsOwnThreadEndsIsNoSuccess() throws {
    let result = try run(
      "nbridge run --plugin ./libgreedy.so s.mjs",
      ["s.mjs": "nbridge.greedy.leave(); setInterval(() => {}, 50);"])
    #expect(result.status == 1 && result.errors.contains("called exit() outside of any call"), "\(result)")
    #expect(result.errors.contains("'greedy'"), "\(result)")
  }

  @Test func aLibraryThatEndsTheProgramWhenItIsOpenedIsNamed() throws {
    let result = try run("EARLY=1 \"$NBRIDGE\" eval --plugin ./libgreedy.so '1'")
    #expect(result.status == 1, "\(result)")
    #expect(result.errors.contains("libgreedy.so' called exit() when it was opened"), "\(result)")
  }
}
