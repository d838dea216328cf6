// SPDX-License-Identifier: MIT

import Testing

/// What a script reads by `error.stack`.
@Suite struct ErrorStackTests {
  private static let reads = """
    class MyError extends Error { name = "MyError" }
    function fails() { throw new MyError("boom"); }
    try {
      fails();
    } catch (e) { console.log(e.stack.split("\\n").slice(0, 3).join("|")); }
    """

  @Test(arguments: ["a.js", "b.mjs", "c.ts", "d.cjs"])
  func aScriptReadsWhatConsoleShows(_ name: String) throws {
    let head = name == "b.mjs" ? "import 'node:path';" : name == "d.cjs" ? "require('node:path');" : ""
    let result = try CommandRunner.run([name: head + "\n" + Self.reads], "nbridge run \(name)")
    #expect(result.output.hasPrefix("MyError: boom|    at "), "\(result)")
    #expect(result.output.contains("fails (\(name):3:") && result.output.contains("|    at \(name):5:"))
  }

  /// What is written there, read of something else, or of nothing, is as it was.
  @Test func noOtherValueIsChanged() throws {
    let script = """
      const error = new TypeError("t"); error.stack = "own"; console.log(error.stack);
      error.stack += "!"; console.log(error.stack, error?.stack);
      let e = { stack: [1, 2] }; e.stack.push(3); console.log(e.stack, e.stack?.length, typeof e.stack);
      e = undefined; console.log(e?.stack);
      try { e.stack } catch (reason) { console.log(reason.name) }
      e = {}; ({ a: e.stack } = { a: 5 }); [e.stack] = [e.stack + 1]; console.log(e.stack);
      for (e.stack of [7]); e.stack++; console.log(e.stack, e.stack === 8, delete e.stack, e.stack);
      const err = { stack(x) { return this === err && x } }; console.log(err.stack(1), err.stack`x` !== 0);
      const problem = new Proxy(new Error("p"), {}); console.log(typeof problem.stack);
      console.log(`${new Error("x") && err.stack}`.length > 0, `${e.stack}`);
      console.log(`a${err}b${err.stack(2)}` !== "");
      """
    let result = try CommandRunner.run(["a.mjs": script], "nbridge run a.mjs")
    #expect(
      result.output == """
        own
        own! own!
        [ 1, 2, 3 ] 3 object
        undefined
        TypeError
        6
        8 true true undefined
        1 true
        string
        true undefined
        true

        """, "\(result)")
  }

  /// A member stays one: in chains, in parentheses, and where a line begins with it.
  @Test func whatStandsAroundAReadMeansTheSame() throws {
    let script = """
      try { throw 1 } catch (error) {
        let n = 5
        error.stack && console.log("no")
        console.log(n)
        let err; console.log(err?.stack.length, err?.stack?.())
        const e = { get stack() { return function () { return this === e } } }
        console.log(e.stack?.(), (e.stack)())
        const own = new Error("x"), ownError = own;
        (ownError.stack) = "mine"; console.log(own.stack, delete (ownError.stack), "stack" in own)
        try { "text".thrown.x } catch { }
        const reason = "text"
        console.log(reason.stack)
      }
      Object.freeze(Error.prototype);
      """
    let result = try CommandRunner.run(["a.js": script], "nbridge run a.js")
    #expect(
      result.output == "5\nundefined undefined\ntrue true\nmine true false\nundefined\n", "\(result)")
  }

  @Test func whatAScriptPutsToAStackStays() throws {
    let script = """
      const err = new Error("m"); err.stack += "\\nCaused by: x";
      console.log(err.stack.includes("Caused"), err.stack.includes("a.js:1"));
      const error = new Error("n"), { stack } = error;
      error.stack = "Head\\n" + stack; console.log(error.stack.startsWith("Head\\n"));
      error.stack = error.stack + "!"; console.log(error.stack.endsWith("!"));
      """
    let result = try CommandRunner.run(["a.js": script], "nbridge run a.js")
    #expect(result.output == "true true\ntrue\ntrue\n", "\(result)")
  }

  @Test func aReportNamesTheMemberAsItsAuthorDid() throws {
    let script = "const err = 'text';\nconsole.log(1);\nerr.stack.split('x');"
    let result = try CommandRunner.run(["a.mjs": script], "nbridge run a.mjs")
    #expect(result.errors.hasPrefix("a.mjs:3:10\n"), "\(result)")
    #expect(result.errors.contains("(evaluating 'err.stack.split')"), "\(result)")
  }

  @Test func placesOnALineWithAReadAreTheAuthors() throws {
    let result = try CommandRunner.run(
      ["a.js": "const err = new Error('x');\nif (err.stack && err.stack) missing();"], "nbridge run a.js")
    #expect(result.errors.hasPrefix("a.js:2:29\n"), "\(result)")
  }

  @Test func aPollutedPrototypeChangesNothing() throws {
    let script = """
      Object.prototype.stack = "bad"; Object.prototype.value = "bad"; String.prototype.split = () => ["bad"];
      Error.prototype.toString = () => "bad"; Object.getOwnPropertyDescriptor = () => ({ value: "bad" });
      const err = new RangeError("r"); console.log(err.stack);
      """
    let result = try CommandRunner.run(["a.js": script], "nbridge run a.js")
    #expect(result.output == "RangeError: r\n    at a.js:3:13\n", "\(result)")
  }
}
