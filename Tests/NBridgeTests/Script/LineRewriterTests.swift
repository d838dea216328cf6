// SPDX-License-Identifier: MIT

import JSEngine
import TestSupport
import Testing

@testable import NBridge
@testable import NBridgeScript

/// An entry at a prompt, as a script that keeps its names.
@Suite struct LineRewriterTests {
  // MARK: - In the global scope

  @Test(arguments: [
    ("let a = 1", "var a = 1"), ("const a = 1", "var   a = 1"), ("let a", "var a=void 0"),
    ("let a, b = 2, c", "var a=void 0, b = 2, c=void 0"),
    ("class A {}", "var A=class A {};"), ("class A extends B {}", "var A=class A extends B {};"),
    ("function f() {}", "function f() {}"),
    ("{ let a = 1 }", "{ let a = 1 }"), ("for (let i of x) {}", "for (let i of x) {}"),
    ("a; let b = 1; c", "a; var b = 1; c"),
    ("if (a) { const b = 1 }", "if (a) { const b = 1 }"), ("() => { let a }", "() => { let a }"),
    ("let", "let"), ("let in x", "let in x"),
    ("x.let", "x.let"), ("a\nlet b = 1\nc", "a\nvar b = 1\nc"), ("(class {})", "(class {})"),
    ("class extends B {}", "class extends B {}"),
    ("let a = () => { let b }", "var a = () => { let b }"),
    ("let a = `${x}`, b", "var a = `${x}`, b=void 0"), ("", ""), ("// let a", "// let a"),
    ("let a\r\nlet b", "var a=void 0\r\nvar b=void 0"), ("let a = f(), b", "var a = f(), b=void 0"),
    ("let a = [], b = {}, c", "var a = [], b = {}, c=void 0"),
  ])
  func scripts(_ source: String, _ expected: String) {
    #expect(
      LineRewriter(source).script().text
        == expected)
  }

  @Test(arguments: [
    ("let a = 1, b", ["a", "b"]), ("const {a, b: [c], ...d} = e", ["a", "c", "d"]),
    ("let [a = b(), c] = d", ["a", "c"]),
    ("let {a: {b = {c: 1}}, [k()]: e} = f", ["b", "e"]), ("async function f() {}", ["f"]),
    ("function* g() {}", ["g"]), ("async function* h() {}", ["h"]),
    ("var a = () => { let b = 1; var c }", ["a"]), ("{ let a }", []),
    ("let {'x y': a, 0: b} = c", ["a", "b"]), ("let [, a, , b] = c", ["a", "b"]),
    ("class A { let = 1 }", ["A"]), ("let a = function () { let b }, c", ["a", "c"]),
    ("const [[a], {b: {c}}] = d", ["a", "c"]),
    ("let a = f(), b = g(1, 2), c", ["a", "b", "c"]), ("function f() {}\nlet a", ["f", "a"]),
    ("let {} = a, [] = b, c", ["c"]), ("var {a = 1, b = (() => 2)()} = {}", ["a", "b"]),
    ("let ä = 1", ["ä"]), ("let a\n,b", ["a", "b"]), ("1 + 1", []), ("async () => {}", []),
    ("let {async, of, get} = x", ["async", "of", "get"]),
  ])
  func namesThatAreDeclared(_ source: String, _ names: [String]) {
    #expect(
      LineRewriter(source).script().names == names)
  }

  @Test func constantsAreTold() {
    let result = LineRewriter("const a = 1, {b} = c; let d; const [e] = f").script()
    #expect(result.constants == ["a", "b", "e"] && result.names == ["a", "b", "d", "e"])
  }

  @Test(arguments: [
    ("import('x')", true), ("x.import('y')", false), ("({ import(a) { } })", false),
    ("import ('x')", true), ("'import(1)'", false),
    ("f(import('x'))", true), ("`${import('x')}`", true),
  ])
  func callsOfImport(_ source: String, _ isReplaced: Bool) {
    #expect(LineRewriter(source).script().text.contains(LineRewriter.importer) == isReplaced)
  }

  // MARK: - In an async function

  static func async(_ source: String, _ context: JSContext) -> LineRewriter.Result {
    LineRewriter(source).asyncFunction(nil) { context.syntaxError(in: $0, url: "") == nil }
  }

  @Test(arguments: [
    ("function f() { var x = 1; return x }\nawait f()", ["f"]),
    ("const g = () => { var y = 2 }; await g()", ["g"]),
    ("class A { m() { var z = 1 } }; await 0", ["A"]), ("if (a()) { var q = 1 } await 0", ["q"]),
    ("for (var i = 0; i < 3; i++) await 0", ["i"]),
    ("for (var k of f()) await k", ["k"]), ("function f(a = b()) { var x } await 0", ["f"]),
    ("while (f()) { var w } await 0", ["w"]),
    ("({ m() { var v } }); await 0", []), ("(function () { var u })(); await 0", []),
    ("try { await 0 } catch { var t }", ["t"]),
    ("try { f() } catch (e) { var t } await 0", ["t"]),
    ("x = []; function h() { var n } await 0", ["h"]), ("f(); { var b1 } await 0", ["b1"]),
    ("const a1 = async function () { var c1 }; await a1()", ["a1"]),
    ("for (var {p, q: [r]} of x) await 0", ["p", "r"]),
    ("switch (f()) { case 1: var s } await 0", ["s"]),
    ("const o = { get x() { var g1; return 1 } }; await 0", ["o"]),
  ])
  func namesThatOutliveTheFunction(_ source: String, _ names: [String]) async throws {
    let found = try await withEngine { Self.async(source, $0).names.sorted() }
    #expect(found == names.sorted())
  }

  /// Entries one after the other, as a prompt runs them; the last one's value.
  static func run(_ entries: [String]) async throws -> String {
    try await withEngine { context in
      let parses = { context.syntaxError(in: $0, url: "") == nil }
      try context.evaluate(
        """
        globalThis["\(LineRewriter.importer)"] = async (name, options, wanted) =>
          ({ default: "D", a: "A", b: "B", "x y": "S", name,
            type: options?.with?.type, wanted: (wanted ?? []).join() });
        """, url: "nbridge:test")
      for entry in entries {
        let rewriter = LineRewriter(entry)
        let line = rewriter.script()
        if !rewriter.hasImports, parses(line.text) {
          context.setGlobal("last", try context.evaluate(line.text, url: "input"))
        } else {
          context.setGlobal(
            "running",
            try context.evaluate(
              rewriter.asyncFunction(nil, parses).text,
              url: "input"))
          try context.evaluate(
            "last = 'never settled'; running.then((v) => { last = v.length ? v[0] : 'no value' }, (e) => { "
              + "last = `${e}` })", url: "nbridge:test")
        }
      }
      return context.global["last"].displayString ?? "?"
    }
  }

  @Test(arguments: [
    (["let a = 1", "a + 1"], "2"), (["const b = await 5", "b"], "5"),
    (["await 1; let {c, d = c} = {c: 3}", "c + d"], "6"),
    (["for (var i = 0; i < 3; i++) await 0", "i"], "3"),
    (["class A { x() { return 7 } }", "new A().x()"], "7"),
    (["function f() { var x = 1; return x }\nawait f()", "typeof x"], "undefined"),
    (["function f() { var x = 1; return x }\nawait f()"], "1"),
    (["var x = 5; function f() { var x = 1; return x }\nawait f()", "x"], "5"),
    (["let a = 1", "let a = 2", "a"], "2"),
    (["await 4"], "4"), (["await 4;"], "4"), (["await 4 // four"], "4"),
    (["if (await 1) {}"], "no value"), (["let a = 1; await a"], "1"),
    (["await 1; function f() { return 3 }", "f()"], "3"),
    (["await 1; class B { v = 2 }", "new B().v"], "2"),
    (["await 1;\n({ a: 1 }).a"], "1"),
    (["let a = 1\nawait a\n++a"], "2"), (["await 0; `t`"], "t"),
    (["const f = () => { var y = 2; return y }; await f()", "typeof y"], "undefined"),
    (["let x", "x = 2", "let x; await x", "x"], "undefined"), (["({ a: await 1 }).a"], "1"),
    (["async function g() { return 8 }\nawait g()"], "8"),
    (["var {a, b: [c]} = {a: 1, b: [2]}; await 0", "a + c"], "3"),
    (["for (const z of [1]) await z; typeof z"], "undefined"),
    (["let a = await 1, b, c = a + 1; [a, b, c].join('-')"], "1--2"),
    (["let a = await 1\r\nlet b = 2\r\na + b"], "3"),
  ])
  func valuesAndNamesOverEntries(
    _ entries: [String],
    _ expected: String
  ) async throws { #expect(try await Self.run(entries) == expected) }

  @Test(arguments: [
    (["import d from 'x'", "d"], "D"), (["import {a} from 'x'", "a"], "A"),
    (["import d, {a as z} from 'x'; d + z"], "DA"),
    (["import * as ns from 'x'", "ns.name"], "x"), (["import d, * as ns from 'x'; d + ns.b"], "DB"),
    (["import 'x'"], "no value"),
    (["import {'x y' as s} from 'm'; s"], "S"),
    (
      ["import {type} from 'm' with { type: 'json' }; type"], "json"
    ),
    (["import {a,\n  b,\n} from 'x'\na + b"], "AB"),
    (["import {wanted, a} from 'x'; wanted"], "wanted,a"),
    (["import type {A} from 'x'; typeof A"], "undefined"),
    (["import {type A, b} from 'x'; b + typeof A"], "Bundefined"), (["(await import('q')).name"], "q"),
    (["import {default as e} from 'x'", "e"], "D"),
  ])
  func imports(_ entries: [String], _ expected: String) async throws {
    #expect(
      try await Self.run(entries) == expected)
  }

  @Test(arguments: [
    ("await 1", 1), ("await 1; await 2", 2), ("f(await 1)", 1), ("1 + await 1", 0),
    ("async () => { await 1 }", 0), ("let x = await 1", 1),
  ])
  func aStoppedEntryIsAskedBeforeEachAwaitOfItsTop(_ source: String, _ gates: Int) async throws {
    let text = try await withEngine { context in
      LineRewriter(source).asyncFunction(7) { context.syntaxError(in: $0, url: "") == nil }.text
    }
    #expect(text.ranges(of: "await \(LineRewriter.gate)(7)").count == gates, "\(text)")
  }

  @Test(arguments: [
    ("for await (const x of f()) g(x)", "of \(LineRewriter.stream)(7,(f())))"),
    ("for await (x of y) {}", "of \(LineRewriter.stream)(7,(y)))"),
  ])
  func whatIsLoopedOverEndsWithTheEntry(_ source: String, _ part: String) async throws {
    let text = try await withEngine { context in
      LineRewriter(source).asyncFunction(7) { context.syntaxError(in: $0, url: "") == nil }.text
    }
    #expect(text.contains(part), "\(text)")
  }

  // MARK: - What an entry is

  @Test(arguments: [
    ("export default 1", true), ("export const a = 1", false), ("import.meta.url", true),
    ("import x from 'y'", false), ("export {a}", true),
    ("export * from 'x'", true), ("export async function f() {}", false), ("x.export", false),
    ("'import.meta'", false), ("", false),
    ("export class A {}", false), ("{ import.meta }", true),
  ])
  func whatOnlyAModuleHolds(_ source: String, _ isModule: Bool) {
    #expect(
      LineRewriter(source).mustBeModule == isModule)
  }

  @Test(arguments: [
    ("export const a = 1", "       const a = 1"),
    ("a\nexport function f() {}", "a\n       function f() {}"), ("export default 1", "export default 1"),
    ("export {a}", "export {a}"), ("'export const a'", "'export const a'"), ("x.export", "x.export"),
    ("export type { A }", "export type { A }"),
    ("export type A = 1", "       type A = 1"), ("no words", "no words"),
  ])
  func withoutExports(_ source: String, _ expected: String) {
    #expect(
      LineRewriter.withoutExports(source) == expected)
  }

  @Test(arguments: [
    ("import 'x'", true), ("import a from 'x'", true), ("import('x')", false), ("import.meta", false),
    ("a; import {b} from 'c'", true),
    ("'import x'", false), ("x.import", false), ("{ import }", false),
  ])
  func importsAtTheTop(_ source: String, _ has: Bool) { #expect(LineRewriter(source).hasImports == has) }

  @Test(arguments: [
    ("a\nb", ["a", "b"]), ("a;b", ["a", "b"]), ("a\n.b", ["a"]), ("a +\nb", ["a"]), ("a\n+ b", ["a"]),
    ("{}\na", ["{", "a"]), ("a\n++b", ["a", "++"]),
    ("a\n(b)", ["a"]), ("a\n[b]", ["a"]), ("a\n`b`", ["a"]), ("let\na", ["let"]), ("a\n!= b", ["a"]),
    ("a\n!b", ["a", "!"]), ("return\na", ["return"]), ("a\r\nb", ["a", "b"]), ("a\rb", ["a", "b"]),
    ("a\nin b", ["a"]), ("a\ninstanceof b", ["a"]),
    ("a\n// b\nc", ["a", "c"]),
  ])
  func statements(_ source: String, _ expected: [String]) {
    let rewriter = LineRewriter(source)
    #expect(rewriter.statements.map { rewriter.texts[$0] } == expected)
  }

  /// Whatever is typed, it is rewritten or left, and never more than that.
  @Test(arguments: 0..<20)
  func anyTextCanBeRewritten(_ seed: Int) {
    var random = SeededGenerator(seed: seed + 1000)
    for _ in 0..<150 {
      let text = random.text(of: LexerTests.fragments, count: 0...30)
      let rewriter = LineRewriter(text)
      _ = rewriter.script()
      _ = rewriter.wrapped
      _ = (rewriter.mustBeModule, rewriter.hasImports)
      _ = LineRewriter.withoutExports(text)
      // The parser's answer changes the way.
      for answer in [true, false] { _ = rewriter.asyncFunction(3) { _ in answer } }
      _ = rewriter.asyncFunction(3) { $0.utf8.count % 2 == 0 }
    }
  }
}
