// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgeScript

/// What the engine's parser takes for a module though it is wrong: found by ours, where it stands.
@Suite struct ModuleFaultTests {
  @Test(arguments: [
    ("var x; import x from 'm'", "x;"), ("{ { var x } } import { y as x } from 'm'", "x }"),
    ("for (var x of a); import * as x from 'm'", "x of"), ("import x from 'm'; function x() {}", "x() {}"),
    ("import x from 'm'; let [{ a: [x] }] = b", "x] }"), ("import x from 'm'; class x {}", "x {}"),
    ("(function await() {})", "await() {}"), ("function f(x = await) {}", "await) {}"),
    ("try {} catch (await) {}", "await) {}"), ("function f() { await }", "await }"),
    ("function f() { aw\\u0061it }", "aw\\u0061it }"), ("() => await 1", "await 1"),
    ("async (x = await 1) => 2", "await 1"), ("async function f(x = await 1) {}", "await 1"),
    ("function f() { await: for (;;); }", "await: for"), ("class A { x = await 1 }", "await 1"),
    ("class A { static { for await (const x of []); } }", "await (const"), ("class await {}", "await {}"),
    ("async () => { function f() { await 1 } }", "await 1"), ("f({ await })", "await })"),
    ("async () => ({ m() { await 1 } })", "await 1"), ("function f() { let { await } = a }", "await } = a"),
    ("async () => { class A { async\nm() { await 1 } } }", "await 1"),
    ("new await x()", "await x()"), ("new await (0)", "await (0)"), ("new new await 0", "await 0"),
    ("class A { #x; m() { delete this?.#x } }", "#x }"),
    ("class A { #x; m() { !delete a.b?.c().#x } }", "#x }"),
    ("await 1 ** 1", "await 1"), ("2 ** await a.b() ** 1", "await a.b"), ("-await a[1] ** 1", "await a[1]"),
    ("export { 'a' }", "'a'"), ("export { \"a\\\nb\" as c }", "\"a"), ("export { x, 1 as y }; let x", "1 as"),
  ])
  func isFound(_ text: String, _ place: String) {
    let fault = ModuleParser.parse(text).fault
    let rest = fault.map { String(decoding: Array(text.utf8)[$0.range.lowerBound...], as: UTF8.self) }
    #expect(rest?.hasPrefix(place) == true, "\(fault?.message ?? "none") \(rest ?? "")")
  }

  @Test(arguments: [
    "import x from 'm'; { let x; var y }", "import x from 'm'; function f(x) { var x }",
    "import x from 'm'; class A { static { var x } }", "import x from 'm'; try {} catch (x) {}",
    "import x from 'm'; () => { var x }; (x) => x", "import x from 'm'; (function x() {}); (class x {})",
    "import x from 'm'; x: for (;;) break x", "import { x as y } from 'm'; var x",
    "import x from 'm'; export { x }", "import x from 'm'; { function x() {} }",
    "await 1", "async () => await 1", "async x => await x", "async function f() { await 1 }",
    "x = async function* () { await 1 }", "x = { async m() { await 1 }, async *[a]() { await 1 } }",
    "class A { async m() { await 1 } static async *#b() { await 1 } async 'c'() { await 1 } }",
    "async () => { for await (const x of y); }", "class A { [await 1]() {} }", "class A extends (await b) {}",
    "export default async function () { await 1 }", "export async function f() { await 1 }",
    "export default async () => { await 1 }", "o.await; o?.await; ({ await: 1, get await() { return 1 } })",
    "class A { await = 1; static await() {} }", "let { await: x } = a", "export { x as await }; let x",
    "import { await as x } from 'm'", "export { 'a', 'b' as 'c' } from 'm'", "export { x as 'a' }; let x",
    "new (await x)()", "new A(await x)", "new.target", "new o.await()",
    "(await 1) ** 2", "2 ** await 1", "await (1 ** 2)", "await 1 * 2", "await f(2 ** 3)", "[await 1, 2 ** 3]",
    "async () => { () => 1; await 1 }", "async () => { await (async () => await 1)() }",
    "async () => { class A { m() {} } await 1 }", "async () => { f(function () {}); await 1 }",
    "async (x) => ({ y: await x })", "`${await 1}`", "async () => `${await 1}`", "if (a) async () => await 1",
    "async () => { try { await 1 } catch { await 2 } finally { await 3 } }",
    "async () => { a ? await b : await c; a ? async () => await 1 : 0 }",
    "async () => { label: for await (x of y) await z }", "class A { static x = async () => await 1 }",
    "async () => { x = class { async = 1; m() {} }; await 1 }", "async () => (a, await b)",
    "class A { #x; m() { delete this?.#x.y; typeof this?.#x; delete a, this?.#x; delete f(this.#x) } }",
    "({ async: 1, async async() { await 1 }, async get() { await 1 } })",
  ])
  func whatIsRightHasNone(_ text: String) { #expect(ModuleParser.parse(text).fault == nil) }

  @Test(arguments: [
    ("import { \\u0069f as x } from 'm'", ["if"]), ("import { x } from 'm'", []),
    ("export * as \\u{69}f from 'm'", ["if"]), ("export { x as \\u0069f, y as 'a\\u0062' }", ["if"]),
  ])
  func namesWithEscapes(_ text: String, _ expected: [String]) {
    #expect(ModuleParser.parse(text).escapedNames.map(\.text) == expected)
  }
}
