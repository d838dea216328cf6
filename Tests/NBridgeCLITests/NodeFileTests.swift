// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `node:fs` where links, slashes and slips lead: what Node 20 does, and nothing is lost.
@Suite struct NodeFileTests {
  /// Runs lines with `fs` and `say`, which prints a promise's value or the code of its error, in a container
  /// that a shell has prepared.
  private func run(_ prepare: String, _ lines: String, then show: String = "true") throws -> String {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "s.mjs": """
      import fs from "node:fs/promises";
      const say = (promise) => promise.then((value) => console.log(value ?? "ok"),
        (error) => console.log(error.code));
      const text = (path) => fs.readFile(path, "utf8");
      \(lines)
      """
    ])
    let result = try runner.shell(
      """
      mkdir -p c/Documents && cd c/Documents && \(prepare) && cd ../..
      nbridge run --container c s.mjs; cd c/Documents; \(show)
      """)
    #expect(result.errors == "")
    return result.output
  }

  @Test func aCopyOfALinkIsACopyOfWhatItLeadsTo() throws {
    let output = try run(
      "echo G > g; ln -s g lg; echo F > f; ln -s f lf; ln -s nothing dangling; ln -s loop loop; mkdir d; "
        + "ln -s d ld",
      """
      await say(fs.copyFile("lg", "h")); await fs.unlink("g"); await say(text("h"));
      await say(fs.copyFile("lf", "f")); await say(text("f"));
      for (const name of ["dangling", "loop", "ld"]) {
        await say(fs.copyFile(name, "f"));
        await say(text("f"));
      }
      await say(fs.cp("lf", "f")); await say(text("f"));
      """)
    #expect(
      output.split(separator: "\n").map(String.init)
        == [
          "ok", "G", "ok", "F", "ENOENT", "F", "ELOOP", "F", "EISDIR", "F", "ok", "F",
        ], "\(output)")
  }

  @Test func aSlashBehindALinkIsNoWayToTheLink() throws {
    let output = try run(
      "mkdir d; ln -s d ld; echo H > h2",
      """
      await say(fs.rename("ld/", "h2")); await say(text("h2"));
      await say(fs.unlink("ld/")); await say(fs.mkdir("ld", { recursive: true }).then(() => "there"));
      """, then: "readlink ld")
    #expect(output == "ENOTDIR\nH\n\nENOTDIR\nthere\nd\n", "\(output)")
  }

  @Test func aFolderThatIsCopiedIntoItselfByALinkComesToAnEnd() throws {
    let output = try run(
      "mkdir d; echo A > d/a; ln -s d ld",
      """
      let asked = 0;
      await fs.cp("ld/.", "d/n", { recursive: true, filter: () => ++asked < 500 });
      console.log(asked, (await fs.readdir("d/n")).join(), await text("d/n/a"));
      """)
    #expect(output == "2 a A\n\n", "\(output)")
  }

  @Test func aSlipInAnOptionRemovesNothing() throws {
    let output = try run(
      "mkdir d; echo A > d/a",
      """
      await say(fs.rm("d", { recursive: "false" })); await say(fs.rm("d", 5));
      await say(fs.cp("d", "e", { recursive: "yes" })); await say(fs.copyFile("d/a", "b", 99));
      Object.prototype.recursive = true; Object.prototype.force = true;
      await say(fs.rm("d")); await say(fs.rm("nothing")); await say(text("d/a"));
      """)
    #expect(
      output == """
        ERR_INVALID_ARG_TYPE
        ERR_INVALID_ARG_TYPE
        ERR_INVALID_ARG_TYPE
        ERR_OUT_OF_RANGE
        ERR_FS_EISDIR
        ENOENT
        A


        """, "\(output)")
  }
}
