// SPDX-License-Identifier: MIT

import Testing

/// `FinalizationRegistry`, whose callbacks the engine runs in a task of its own.
@Suite struct FinalizationTests {
  /// Which is collected, nobody says; the rest of a round is not lost with the first error.
  @Test func whatItsCallbacksThrowIsReported() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      let heard = 0;
      addEventListener("error", (event) => {
        event.preventDefault();
        if (heard++ === 0) console.log(event.error.message, event.lineno);
      });
      const registry = new FinalizationRegistry(() => { throw new Error("told"); });
      for (let i = 0; i < 20_000; i++) registry.register({}, 1);
      for (let turns = 0; turns < 2000 && heard < 2; turns++) {
        globalThis.garbage = Array.from({ length: 20_000 }, () => ({}));
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      console.log(heard > 1, registry.constructor === FinalizationRegistry);
      """,
      "other.mjs": """
      let calls = 0;
      const registry = new FinalizationRegistry((held) => {
        console.log(++calls);
        throw new Error(held);
      });
      for (;;) {
        for (let i = 0; i < 20_000; i++) registry.register({}, "nobody listens");
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      """,
    ])
    let heard = try runner.shell("nbridge run main.mjs")
    #expect(heard.output == "told 6\ntrue true\n" && heard.status == 0, "\(heard)")
    let unheard = try runner.shell("nbridge run other.mjs")
    #expect(unheard.status == 1 && unheard.errors.contains("Error: nobody listens"), "\(unheard)")
    // The first one ends the program.
    #expect(unheard.errors.contains("other.mjs:4:") && unheard.output == "1\n", "\(unheard)")
  }
}
