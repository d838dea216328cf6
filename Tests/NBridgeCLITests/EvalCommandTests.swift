// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The output of `nbridge eval -p`.
@Suite struct EvalCommandTests {
  @Test(arguments: [
    ("1 + 1", "2\n"), ("Promise.resolve(5)", "5\n"), ("await 1; Promise.resolve(5)", "5\n"),
    ("const p = Promise.resolve(6); p", "6\n"),
    ("await 1; [Promise.resolve(7)].length", "1\n"), ("await 1; const x = 3", ""), ("await 1; undefined", ""),
    ("Promise.resolve()", ""),
    ("await 1; new Promise((done) => setTimeout(done, 5, \"late\"))", "late\n"),
    ("const f = () => 1; f", "[Function: f]\n"),
    ("await 1; ({ then: 5 })", "{ then: 5 }\n"), ("import p from \"node:path\"; p.sep", "/\n"),
    ("(await import(\"node:path\")).sep", "/\n"), ("export {}; 5; // five", "5\n"),
    ("typeof import.meta.url", "string\n"), ("import p from \"node:path\"\np.sep\n", "/\n"),
    ("import p from \"node:path\"\nconst a = 1\n+ 2", ""), ("export {}; function f() {}", ""),
    ("export {}; Promise.resolve(1), Promise.resolve(2)", "2\n"), ("export {}; `a${ 1 }`", "a1\n"),
  ])
  func theValueIsAwaited(_ code: String, _ printed: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell("nbridge eval -p '\(code)'")
    #expect(result.output == printed && result.errors == "" && result.status == 0, "\(result)")
  }

  @Test(
    arguments: [
      "Promise.reject(new Error(\"no\"))", "await 1; Promise.reject(new Error(\"no\"))",
      "let p = Promise.reject(new Error(\"no\")); p",
    ]
  )
  func whatIsRejectedIsToldOnce(_ code: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell("nbridge eval -p '\(code)'")
    #expect(
      result.status == 1
        && result.output == ""
        && result.errors.components(separatedBy: "Error: no").count == 2,
      "\(result)"
    )
  }

  func run(_ line: String, files: [String: String] = [:]) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(files)
    return try runner.shell(line)
  }

  @Test func aModulesFaultIsShownAsItWasWritten() throws {
    let result = try run("nbridge eval -p 'import p from \"node:path\"; p.a.b'")
    #expect(
      result.status == 1
        && result.errors.hasPrefix("eval:1:31\nimport p from \"node:path\"; p.a.b\n"), "\(result.errors)")
  }

  @Test func theValueOfAModuleWithTypesIsRefused() throws {
    let result = try run("nbridge eval -p 'import p from \"node:path\"; const a: string = p.sep; a'")
    #expect(result.status == 1 && result.errors.contains("can't be printed"), "\(result)")
  }

  // MARK: - TypeScript

  @Test(arguments: [
    ("nbridge eval 'const x: number = 5; console.log(x)'", "5\n"),
    ("nbridge eval 'interface A { b: string } const a: A = { b: \"c\" }; console.log(a.b)'", "c\n"),
    ("nbridge eval 'enum E { a, b } const e: E = await E.b; console.log(e)'", "1\n"),
    ("nbridge eval -p '(5 as number) + 1'", "6\n"),
    ("nbridge eval -p 'const x: number = await 4; x'", "4\n"),
    ("nbridge eval -p 'const p: Promise<number> = Promise.resolve(3); p'", "3\n"),
    ("nbridge eval -p 'const f = <T,>(x: T): T => x; f<number>(2)'", "2\n"),
    ("nbridge eval -p 'Math.max<number>(1)'", "1\n"),
    ("nbridge eval 'import { a } from \"./a\"; const b: string = a; console.log(b)'", "typed\n"),
    ("echo 'const x: number = 7; console.log(x)' | nbridge run -", "7\n"),
  ])
  func codeMayBeTypeScript(_ line: String, _ output: String) throws {
    let result = try run(line, files: ["a.ts": "export const a: string = 'typed'"])
    #expect(result.output == output && result.errors == "" && result.status == 0, "\(result)")
  }

  @Test func placesInTypeScriptAreTheAuthors() throws {
    let result = try run("nbridge eval 'interface A { b: string }\n\n  const a: A = null as any; a.b'")
    #expect(
      result.status == 1 && result.errors.hasPrefix("eval:3:29\n  const a: A = null as any; a.b\n"),
      "\(result)")
  }

  @Test func anErrorBehindTypesIsTheOneThatIsTold() throws {
    let result = try run("nbridge eval 'const a: number = 1;\nconst b: = 2'")
    #expect(result.status == 1 && result.errors.hasPrefix("eval:2:10\nconst b: = 2\n"), "\(result)")
  }

  @Test func brokenJavaScriptIsToldAsTheEngineDoes() throws {
    let result = try run("nbridge eval 'let x = 1 +* 2'")
    let plain = try run("nbridge run x.js", files: ["x.js": "let x = 1 +* 2"])
    #expect(result.status == 1 && result.errors == plain.errors.replacing("x.js", with: "eval"), "\(result)")
  }

  /// Only what is no JavaScript asks esbuild.
  @Test func plainCodeStartsNoOtherProgram() throws {
    let fake = "#!/bin/sh\ntouch asked\nexit 1\n"
    let line = "chmod +x bin/esbuild; PATH=\"$PWD/bin:$PATH\"; export PATH; "
    let plain = try run(
      line + "nbridge eval 'if (1 < 2 && 3 > (2)) console.log(await 1)'; ls asked",
      files: ["bin/esbuild": fake])
    #expect(plain.output == "1\n" && plain.errors.contains("asked"), "\(plain)")
    let typed = try run(line + "nbridge eval 'let x: number'; ls asked", files: ["bin/esbuild": fake])
    #expect(typed.output == "asked\n", "\(typed)")
  }

  // MARK: - Options and input

  @Test(arguments: [
    ("nbridge eval '1 + 1' -p", "2\n"), ("nbridge eval -p nbridge.args.length --seed 3 a --fast", "2\n"),
    ("nbridge eval 'nbridge.args' -p -- --fast", "[ '--fast' ]\n"),
    ("nbridge eval 'nbridge.args' -p -- x -p", "[ 'x', '-p' ]\n"),
    (
      "echo hi | nbridge eval "
        + "'for await (const line of nbridge.process.stdin.lines()) console.log(line + 1)'",
      "hi1\n"
    ),
    ("printf abc | nbridge eval -p 'nbridge.process.stdin.text()' | cat", "abc\n"),
  ])
  func optionsMayStandBehindTheCode(_ line: String, _ output: String) throws {
    let result = try run(line)
    #expect(result.output == output && result.errors == "" && result.status == 0, "\(result)")
  }

  @Test func anOptionBehindTheCodeIsTheCommands() throws {
    let result = try run("nbridge eval 'await nbridge.app.appInfo()' --audit")
    #expect(result.status == 0 && result.errors.contains("\"app.appInfo\""), "\(result)")
    let wrong = try run("nbridge eval 1 --fast")
    #expect(wrong.status == 2 && wrong.errors.contains("unknown option '--fast'"), "\(wrong)")
  }
}
