// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// What programs written for Node see of a real terminal.
@Suite struct NodeTerminalTests {
  @Test func questionsSizesAndInterruptsAreTheTerminals() throws {
    let program = """
      import process from "node:process"; import { createInterface } from "node:readline/promises";
      import tty from "node:tty";
      const { stdin, stdout } = process;
      console.log([stdin.isTTY, stdout.isTTY, tty.isatty(0), stdout.columns, stdout.rows].join());
      const reader = createInterface({ input: stdin, output: stdout });
      console.log("hello " + await reader.question("your name? "));
      reader.close();
      process.on("SIGINT", () => { console.log("interrupted"); process.exit(5); });
      setTimeout(() => {}, 60000);
      console.log("ready");
      """
    let driver = try PromptDriver(
      "main.mjs", columns: 70, rows: 20, files: ["main.mjs": program], environment: "TERM=xterm",
      command: "run", waits: false)
    driver.expect("true,true,true,70,20")
    driver.expect("your name?")
    try driver.enter("Ada")
    driver.expect("hello Ada")
    driver.expect("ready")
    try driver.press("C-c")
    driver.expect("interrupted")
    driver.expect("left with 5")
  }
}
