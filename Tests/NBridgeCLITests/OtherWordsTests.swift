// SPDX-License-Identifier: MIT

import Testing

/// What people bring along from other runtimes: their names for things lead to ours.
@Suite struct OtherWordsTests {
  @Test(arguments: [
    ("process.argv", "node:process"), ("Buffer.from('')", "node:buffer"), ("setImmediate(f)", "node:timers"),
    ("document.title", "nbridge run PAGE.html"), ("Deno.args", "nbridge.documents"),
    ("global.x", "globalThis"),
  ])
  func aGlobalOfAnotherRuntimeIsFoundHere(_ line: String, _ place: String) throws {
    let result = try CommandRunner.run(["a.js": "const f = 1; \(line);"], "nbridge run a.js")
    #expect(result.status == 1 && result.errors.contains("; here it is "), "\(result)")
    #expect(result.errors.contains(place), "\(result)")
  }

  @Test(arguments: [
    "if (require.main === module) console.log('ran')",
    "module.exports = 1; console.log('ran')", "exports.a = 1; console.log('ran')",
    "console.log(__filename.endsWith('/a.js') ? 'ran' : __filename)",
    "typeof module === 'object' && module.exports ? console.log('ran') : console.log('page')",
    // Names of one's own.
    "const module = { exports: 'ran' }; console.log(module.exports)",
    "function exports() {} exports.a = 'ran'; console.log(exports.a)",
    "var __dirname = 'ran'; console.log(__dirname)",
    "const f = exports => exports.a; console.log(await f({ a: 'ran' }))",
    "async function f({ exports }) { return exports.a } console.log(await f({ exports: { a: 'ran' } }))",
    "const o = { __dirname: 'ran' }; console.log(o.__dirname)",
    "const d = typeof __dirname === 'undefined' ? 'ran' : 'no'; await null; console.log(d)",
    "if (typeof module !== 'undefined' && module.exports) console.log('no'); await null; console.log('ran')",
    "const a = 1, module = { exports: 'ran' }; console.log(module.exports)",
  ])
  func aFileForNodeRuns(_ text: String) throws {
    let result = try CommandRunner.run(["a.js": text], "nbridge run a.js")
    #expect(result.output == "ran\n" && result.status == 0, "\(result)")
  }

  @Test func anAppIsStartedByItsFolder() throws {
    let files = ["app/app.json": #"{"main": "start.js"}"#, "app/start.js": "console.log('started')"]
    let lines = ["nbridge run app", "nbridge run app/", "cd app; nbridge run", "cd app; nbridge run ."]
    for line in lines {
      let result = try CommandRunner.run(files, line)
      #expect(result.output == "started\n" && result.status == 0, "\(line): \(result)")
    }
    let none = try CommandRunner.run(["a.js": ""], "mkdir f; nbridge run f; nbridge run")
    #expect(none.errors.contains("'f' is a folder") && none.errors.contains("nbridge run FILE"), "\(none)")
  }

  @Test(arguments: [
    ("test -t x", "--filter"), ("test --grep x", "--filter"), ("test --test-name-pattern x", "--filter"),
    ("run --cpu-prof a.js", "--profile"), ("run --allow-read a.js", "--permissions"),
  ])
  func anotherNameOfAnOptionLeadsToOurs(_ line: String, _ option: String) throws {
    let result = try CommandRunner.run(["a.js": ""], "nbridge \(line)")
    #expect(result.errors.contains("did you mean '\(option)'?"), "\(result)")
  }

  /// Packages that look for their callers do so as in Node.
  @Test func framesAreObjectsForWhoAsks() throws {
    let result = try CommandRunner.run(
      [
        "a.cjs": """
        const before = Error.prepareStackTrace;
        const callers = () => {
          Error.prepareStackTrace = (error, sites) => sites;
          const holder = {};
          Error.captureStackTrace(holder);
          Error.prepareStackTrace = before;
          return holder.stack;
        };
        function asks() { return callers(); }
        const [own, asker, file] = asks();
        console.log(before, own.getFunctionName(), asker.getFunctionName(), asker.getLineNumber());
        console.log(file.getFunctionName(), file.getFileName(), `${asker}`);
        const later = {}; Error.captureStackTrace(later); console.log(typeof later.stack);
        """
      ], "nbridge run a.cjs")
    #expect(
      result.output == "undefined callers asks 9\nnull a.cjs asks (a.cjs:9:33)\nstring\n", "\(result)")
  }

  @Test func theRunnerHasNodesName() throws {
    let text = """
      import test, { describe, it, mock } from 'node:test';
      test('a', (t) => assert.ok(t.mock)); describe('b', () => it('c', () => assert.ok(mock.fn)));
      """
    #expect(try CommandRunner.run(["a.test.mjs": text]).output.contains("2 passed, 0 failed"))
    let outside = try CommandRunner.run(["a.mjs": text], "nbridge run a.mjs")
    #expect(outside.status == 1 && outside.errors.contains("nbridge test FILE"), "\(outside)")
  }

  @Test func aFileOfTheCommandLineIsReadByItsWord() throws {
    let result = try CommandRunner.run(
      [
        "f.txt": "hi",
        "a.js": """
        nbridge.documents.read("f.txt").catch((error) => console.log(error.code, error.action, error.message))
        """,
      ], "nbridge run a.js f.txt")
    #expect(
      result.output.hasPrefix("not_found read ") && result.output.contains(#"{directory: "arguments"}"#),
      "\(result)")
  }

  /// The engine's own text of a stack names frames of the runtime's.
  @Test func aStackThatIsPrintedHasTheAuthorsFrames() throws {
    let result = try CommandRunner.run(
      [
        "a.ts": """
        interface A { b: number }
        type C = A;
        function fails(c: C): never { throw new Error(`a@b ${c.b}`); }
        try { fails({ b: 1 }); } catch (error) {
          console.log(error.stack);
          console.error(`${error.message}\n${error.stack}\nend`);
        }
        export {};
        """
      ], "nbridge run a.ts")
    let frames = "    at fails (a.ts:3:31)\n    at a.ts:4:7\n"
    let shown = "Error: a@b 1\n" + frames
    #expect(result.output == shown && result.errors == "a@b 1\n\(shown)end\n", "\(result)")
  }

  /// One frame is a stack, too, wherever in a text it stands; an address is none.
  @Test func aStackOfOneFrameHasTheAuthors() throws {
    let result = try CommandRunner.run(
      [
        "a.ts": """
        interface A { a: number }
        interface B { b: number }
        async function fails(a: A | null): Promise<number> {
          await 0;
          throw new Error(`no ${a}`);
        }
        await fails(null).catch(({ message, stack }) => {
          console.log(stack);
          console.log("failed:", message, stack);
          console.log("failed: " + stack + "\\nend");
          console.log("%s", stack);
          console.log("me@host:80:80", "g@b.ts:1:1\\n[native code]");
        });
        export {};
        """
      ], "nbridge run a.ts")
    let frame = "    at fails (a.ts:5:3)\n"
    let expected = """
      \(frame)failed: no null\u{20}
      \(frame)failed:
      \(frame)end
      \(frame)me@host:80:80 g@b.ts:1:1
      [native code]

      """
    #expect(result.output == expected && result.errors == "", "\(result)")
  }

  /// Of one async function the engine makes two.
  @Test(arguments: ["a.js", "a.mjs", "a.ts"])
  func anAsyncFunctionStandsOnceInAStack(_ name: String) throws {
    let result = try CommandRunner.run(
      [
        name: """
        async function declared(x) {
          throw new Error("x");
        }
        const arrow = async (x) => { await declared(x) };
        class Own { async method() { await arrow(1); } }
        async function again(n) { if (n > 0) await again(n - 1); else await new Own().method(); }
        again(2).catch((error) => console.log(error));
        """
      ], "nbridge run \(name)")
    let lines = result.output.split(separator: "\n").map { line in
      line.split(separator: ":").dropLast().joined(separator: ":").replacing(name, with: "f")
    }
    #expect(
      lines == [
        "Error", "    at declared (f:2", "    at arrow (f:4", "    at method (f:5", "    at again (f:6",
        // Two that are the same are told once.
        "    at again (f:6", "    at f:7",
      ], "\(result)")
  }
}
