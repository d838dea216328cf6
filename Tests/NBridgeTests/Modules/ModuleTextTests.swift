// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import NBridgeScript

/// What stands for the names that a module imports.
@Suite struct ModuleTextTests {
  /// The author's text with what was put in, shown with ASCII: `$i` the imports, `$f` what calls them.
  static func body(_ text: String) -> String {
    let made = ModuleText(text, ModuleParser.parse(text), isCalledEarly: true).text
    let start = made.firstRange(of: "yield;")?.upperBound ?? made.startIndex
    return String(made[start...].dropLast(3)).replacing("\u{1C3}", with: "$")
  }

  @Test func onlyOneThatMayBeCalledEarlyStopsBehindItsExports() {
    let text = "export let a"
    let made = [false, true].map { isCalledEarly in
      ModuleText(text, ModuleParser.parse(text), isCalledEarly: isCalledEarly).text.prefix { $0 != "a" }
    }
    #expect(made[0].hasPrefix("(function(") && made[1].hasPrefix("(function*("))
    let whole = ModuleText(text, ModuleParser.parse(text)).text
    #expect(!whole.contains("yield"))
    let waiting = "export let a = await 1"
    let early = ModuleText(waiting, ModuleParser.parse(waiting), isCalledEarly: true).text
    #expect(early.hasPrefix("(async function*(") && early.contains(");yield;"))
  }

  /// In what the engine evaluates both would begin comments.
  @Test(arguments: [
    ("a<!--b", "a< !--b"), ("a\n-->b", "a\n-- >b"), ("'<!--'", "'<!--'"), ("/<!--/", "/<!--/"),
    ("`-->${a<!--b}`", "`-->${a< !--b}`"),
  ])
  func whatLooksLikeAnOldCommentIsTakenApart(_ text: String, _ expected: String) {
    #expect(Self.body(text) == expected)
  }

  private static let head = "import { x } from 'm';"
  private static let blank = ";" + String(repeating: " ", count: head.count - 1)

  @Test(arguments: [
    ("x", "$i.x"), ("x()", "$f.x()()"), ("x.y", "$i.x.y"), ("x.y()", "$i.x.y()"), ("new x()", "new $i.x()"),
    ("new x.Y(1)", "new $i.x.Y(1)"), ("x`a`", "$f.x()`a`"), ("x?.()", "$f.x()?.()"), ("x?.y", "$i.x?.y"),
    ("(x)()", "($f.x())()"), ("((x))()", "(($f.x()))()"), ("((x))?.()", "(($f.x()))?.()"),
    ("(((x)))`a`", "((($f.x())))`a`"), ("((x)())", "(($f.x())())"), ("((x)).call()", "(($i.x)).call()"),
    ("(a, (x))()", "(a, ($i.x))()"),
    ("of / x / 1", "of / $i.x / 1"), ("a.in / x / 1", "a.in / $i.x / 1"),
    ("({} / x / 1)", "({} / $i.x / 1)"), ("for (const a of /x/) x", "for (const a of /x/) $i.x"),
    ("f((x))", "f(($i.x))"),
    ("x ? x : x", "$i.x ? $i.x : $i.x"), ("x ?? x", "$i.x ?? $i.x"), ("({ x })", "({ x:$i.x })"),
    ("({ x: 1, y: x })", "({ x: 1, y: $i.x })"), ("({ x() { x } })", "({ x() { $i.x } })"),
    ("({ get x() { return x } })", "({ get x() { return $i.x } })"), ("({ [x]: 1 })", "({ [$i.x]: 1 })"),
    ("({ ...x })", "({ ...$i.x })"), ("f(...x)", "f(...$i.x)"), ("a.x", "a.x"), ("a?.x", "a?.x"),
    ("x: for (;;) break x", "x: for (;;) break x"), ("`${x}`", "`${$i.x}`"),
    ("`${`${x}`}${x}`", "`${`${$i.x}`}${$i.x}`"), ("typeof x", "typeof $i.x"), ("!x", "!$i.x"),
    ("a\n!x", "a\n!$i.x"), ("a\n++x", "a\n++$i.x"), ("/x/.test(x)", "/x/.test($i.x)"), ("'x'", "'x'"),
    ("// x", "// x"), ("a / x / b", "a / $i.x / b"), ("if (x) /x/.test(x)", "if ($i.x) /x/.test($i.x)"),
    ("switch (x) { case x: x; default: x }", "switch ($i.x) { case $i.x: $i.x; default: $i.x }"),
    ("do x; while (x) x", "do $i.x; while ($i.x) $i.x"),
    ("for (const a of x) x", "for (const a of $i.x) $i.x"),
    ("for (let a = x; x; x) x", "for (let a = $i.x; $i.x; $i.x) $i.x"), ("x = 1", "$i.x = 1"),
    ("[x] = [1]", "[$i.x] = [1]"), ("({ x = 1 } = a)", "({ x:$i.x = 1 } = a)"), ("a\nx\nb", "a\n$i.x\nb"),
    ("class A extends x {}", "class A extends $i.x {}"), ("class A { x = x }", "class A { x = $i.x }"),
    ("class A { static x() { x } }", "class A { static x() { $i.x } }"),
    ("class A { static { x } }", "class A { static { $i.x } }"),
    ("class A { #x = x }", "class A { #x = $i.x }"),
    ("class A { get\nx() { x } }", "class A { get\nx() { $i.x } }"),
    ("y = { async x() {} }", "y = { async x() {} }"),
    ("async () => { await x() }", "async () => { await $f.x()() }"), ("async x => x", "async x => x"),
    ("function* g() { yield x; yield }", "function* g() { yield $i.x; yield }"),
    ("return\nx", "return\n$i.x"), ("label: { x }", "label: { $i.x }"),
    ("a ? { x } : x", "a ? { x:$i.x } : $i.x"),
    ("(x, x)", "($i.x, $i.x)"), ("a = b ? c => x : x", "a = b ? c => $i.x : $i.x"),
    ("import.meta.x", "$importMeta.x"), ("import(x)", "$impor($i.x)"),
  ])
  func usesBecomeMembers(_ text: String, _ expected: String) {
    #expect(Self.body(Self.head + text) == Self.blank + expected)
  }

  /// With a colon it would set the prototype.
  @Test func theProtoOfAShorthandIsAMember() {
    let head = "import { __proto__ } from 'm';"
    let blank = ";" + String(repeating: " ", count: head.count - 1)
    #expect(
      Self.body(head + "({ __proto__ }, { __proto__: __proto__ })")
        == blank + "({ [\"__proto__\"]:$i.__proto__ }, { __proto__: $i.__proto__ })")
  }

  @Test(arguments: [
    "function x() { x }", "{ let x; x }", "{ x; let x }", "(x) => x", "x => x", "({ x }) => x",
    "([a, x]) => x",
    "({ a: x }) => x", "({ a: { x } }) => x", "(...x) => x", "function f(x) { x }",
    "function f() { x; var x }",
    "function f() { { var x } x }", "try {} catch (x) { x }", "try {} catch ({ x }) { x }",
    "for (const x of a) x", "for (let x = 1; x; x) x", "for (const x in a) { x }", "{ class x { y = x } }",
    "(class x { y() { x } })", "(function x() { x })", "({ m(x) { x } })", "class A { m(x) { x } }",
    "{ function x() {} x }", "switch (a) { case 1: let x; x }", "async (x) => { await x }", "async x => x",
    "({ x: a }) => a", "function f() { for (var x of a); x }", "{ const { y = 1, x } = a; x }",
  ])
  func whatIsDeclaredInsideIsNoImport(_ text: String) {
    // A declaration of the module's own would be an error: the whole stands in a block.
    let inner = text.hasPrefix("function x") ? "{ \(text) }" : text
    #expect(Self.body(Self.head + inner) == Self.blank + inner)
  }

  @Test(arguments: [
    ("function f(a = x) { var x; x }", "function f(a = $i.x) { var x; x }"),
    ("{ let x } x", "{ let x } $i.x"), ("for (let x of x) x; x", "for (let x of x) x; $i.x"),
    ("(x => x)(x)", "(x => x)($i.x)"), ("(function x() {}); x", "(function x() {}); $i.x"),
    ("try { x } catch (x) {} x", "try { $i.x } catch (x) {$i.$$(x);} $i.x"),
    ("try { x } catch ({ x }) {} x", "try { $i.x } catch ($thrown){let { x }=$i.$$($thrown);  } $i.x"),
    ("try { x } catch {} x", "try { $i.x } catch {} $i.x"),
  ])
  func aScopeEndsWhereItEnds(_ text: String, _ expected: String) {
    #expect(Self.body(Self.head + text) == Self.blank + expected)
  }

  @Test(arguments: [
    (#"\u0078"#, #"$i.\u0078"#), (#"\u{78}()"#, #"$f.\u{78}()()"#), (#"({ \u0078 })"#, #"({ x:$i.\u0078 })"#),
    (#"{ let \u0078; x }"#, #"{ let \u0078; x }"#), (#"/\u0078/"#, #"/\u0078/"#),
    (#"a.\u0078"#, #"a.\u0078"#),
    (#"x\u0061"#, #"x\u0061"#),
  ])
  func aNameMayBeEscaped(_ text: String, _ expected: String) {
    #expect(Self.body(Self.head + text) == Self.blank + expected)
  }

  @Test(arguments: [
    ("arguments", "$arguments"), ("typeof arguments", "typeof $arguments"),
    ("() => arguments", "() => $arguments"),
    ("({ arguments })", "({ arguments:$arguments })"), ("a.arguments", "a.arguments"),
    ("function f() { arguments; () => arguments }", "function f() { arguments; () => arguments }"),
    ("x = { m() { arguments }, n: arguments }", "x = { m() { arguments }, n: $arguments }"),
    ("class A { m() { arguments[0] } }", "class A { m() { arguments[0] } }"),
  ])
  func argumentsAreThoseOfFunctions(_ text: String, _ expected: String) {
    #expect(Self.body(text) == expected)
  }

  @Test(arguments: [
    ("n.a", "$i.$n.a"), ("n.a()", "$i.$n.a()"), ("n", "$i.n"), ("n[a]", "$i.n[a]"), ("f(n)", "f($i.n)"),
    ("new n.A()", "new $i.$n.A()"), ("n?.a", "$i.$n?.a"),
  ])
  func aNamespacesMembersAreReadFromWhatIsQuick(_ text: String, _ expected: String) {
    let head = "import * as n from 'm';"
    #expect(Self.body(head + text) == ";" + String(repeating: " ", count: head.count - 1) + expected)
  }

  @Test(arguments: [
    ("export const a = 1", ";      const a = 1"), ("export { a }; let a", ";             let a"),
    ("export * from 'm'\n(a)", ";                \n(a)"),
    ("export function f() {}", ";      function f() {}"),
    ("export default 1 + 2;", "const $d={default: 1 + 2}.default;;"),
    ("export default a\nb", "const $d={default: a}.default;\nb"),
    ("export default function () {}", ";              function $d () {}"),
    ("export default function* f() {}", ";              function* f() {}"),
    ("export default async function () {}", ";              async function $d () {}"),
    ("export default class {}", "const $d={default: class {}}.default;"),
    ("export default class A {}", ";              class A {}"),
    ("export default class {}\n(1)", "const $d={default: class {}}.default;\n(1)"),
    ("export default () => {}\n(1)", "const $d={default: () => {}}.default;\n(1)"),
    ("export\ndefault 1", "const $d={default:\n 1}.default;"), ("import\n.meta.url", "$importMeta\n.url"),
    ("a\nimport 'b'\n(c)", "a\n;         \n(c)"),
  ])
  func declarationsOfModulesGiveWayToSpace(_ text: String, _ expected: String) {
    #expect(Self.body(text) == expected)
  }

  @Test(arguments: [
    ("export { a as b, a as 'c d' }; let a", ["b", "c d"]),
    ("export const { a, b: [c, ...d] } = e", ["a", "c", "d"]),
    ("export let a, b = 1, { c = 2 } = {}", ["a", "b", "c"]),
    ("export class A {}; export async function f() {}", ["A", "f"]),
    ("export default 1", ["default"]), ("export * as n from 'm'", ["n"]),
    ("export { x as y } from 'm'", ["y"]),
    ("import { q } from 'm'; export { q as z }", ["z"]), ("export var a = () => { var b }, c", ["a", "c"]),
  ])
  func names(_ text: String, _ expected: [String]) {
    let found = ModuleParser.parse(text).exports.compactMap { export -> String? in
      switch export {
      case .local(let name, _, _), .other(let name, _, _, _): name
      case .star: nil
      }
    }
    #expect(found == expected)
  }

  @Test(arguments: [
    ("await 1", true), ("if (a) { await b }", true), ("for await (const a of b);", true),
    ("async () => await 1", false),
    ("async function f() { await 1 }", false), ("class A { static { (async () => await 1)() } }", false),
    ("class A { [await 1]() {} }", true), ("await using a = b", true),
    ("x = { async m() { await 1 } }", false),
  ])
  func awaitsAtItsTop(_ text: String, _ expected: Bool) {
    #expect(ModuleParser.parse(text).usesAwait == expected)
  }

  @Test(arguments: [
    ("import a from './a' with { type: 'json' }", "./a", "json"), ("import './a'", "./a", nil),
    ("import('./a')", "./a", nil), ("import('./a', { with: { type: 'text' } })", "./a", "text"),
    ("export * from \"./\\u0061\"", "./a", nil), ("require('./a')", "./a", nil),
  ])
  func requests(_ text: String, _ specifier: String, _ type: String?) {
    let found = ModuleParser.parse(text).requests
    #expect(found.map(\.specifier) == [specifier] && found.first?.type == type)
  }

  /// What is wrong is the engine's to say: no text takes the parser down, or keeps it.
  @Test(arguments: 0..<20)
  func anyTextIsRead(_ seed: Int) {
    var random = SeededGenerator(seed: seed + 5)
    let parts =
      LexerTests.fragments + [
        "import", "export", "default", "{", "}", "(", ")", "=>", "class", "function", "async", "await", "x",
        ",",
        "from", "'m'", "`${", "for", "...", "?.", "[", "]", "static", "@", "yield", "using",
      ]
    for _ in 0..<200 {
      let text = random.text(of: parts, count: 0...30)
      let made = ModuleText(text, ModuleParser.parse(text))
      #expect(made.text.hasSuffix("})"))
    }
  }

  @Test(arguments: ["(", "[", "{", "a => {", "`${", "x ? ", "function f() {", "class A { m() {", "({ a: "])
  func depthHasAnEnd(_ opening: String) {
    let text = String(repeating: opening, count: 20_000)
    #expect(ModuleText(text, ModuleParser.parse(text)).text.utf8.count > text.utf8.count)
  }
}
