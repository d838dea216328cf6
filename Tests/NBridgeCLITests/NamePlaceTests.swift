// SPDX-License-Identifier: MIT

import Testing

/// Names that are used as they may not be, of which the engine tells the place of what ran before.
@Suite struct NamePlaceTests {
  /// The line and column follow each text's name.
  @Test(arguments: [
    ("a.mjs:2:1", "const a = 1;\na = 2;"),
    ("b.mjs:5:1", "const a = 1;\nconsole.log(\"x\");\n\n\na = 2;"),
    ("c.js:4:3", "function g() {\n  const a = 1;\n  console.log(\"before\");\n  a += 2;\n}\ng();"),
    ("d.mjs:3:3", "const a = 1;\nfor (;;) {\n  a++;\n}"),
    ("e.ts:5:3", "let set = f();\nconst n: number = 5;\nfunction f() { return 1 }\nif (set) {\n  n = 7;\n}"),
    ("f.mjs:3:1", "const { a, b } = { a: 1, b: 2 };\nif (a <= b && a != b) console.log(a);\nb = a;"),
    ("g.mjs:2:1", "console.log(1);\nx;\nlet x = 1;"),
    ("h.cjs:2:1", "console.log(1);\nx;\nlet x = 1;"),
    ("i.mjs:2:1", "console.log(\"a\");\nnew K();\nclass K {}"),
    ("j.mjs:3:13", "class A {\n static x = 1;\n static y = Z;\n}\nconst Z = 1;"),
    ("k.mjs:5:1", "console.log(1);\nfunction f() {\n  return x;\n}\nx;\nlet x = f;"),
    ("l.mjs:1:29", "const f = () => { return [ x ]; };\nf();\nlet x;"),
    ("o.mjs:4:1", "const a = 1, b = 2;\nconsole.log(\"x\");\n\nb = 3;"),
    ("p.mjs:4:1", "const n = 1;\nconsole.log(\"s\");\nconst inc = () => { let n = 0; n++ };\nn = 2;"),
    ("q.js:3:5", "function run() {\n  try {\n    value++;\n  } finally {\n  }\n  let value = 1;\n}\nrun();"),
    ("r.mjs:1:26", "for (const i = 0; i < 3; i++) {\n  console.log(i);\n}"),
    ("u.mjs:4:7", "const config = null;\nconsole.log(\"loading\");\n\nconst { host } = config;"),
    (
      "v.js:4:9",
      "function load(config) {\n  console.log(config === null);\n\n  const { a: { b } } = { a: config };\n}\n"
        + "load(null);"
    ),
    ("w.mjs:3:3", "let a; const o = null;\nconsole.log(1);\n ({ a } = o);"),
    // The engine is right.
    ("x.mjs:3:16", "const o = {};\nconsole.log(1);\nconst { q } = o.p;\nconst { z } = o;"),
    // The first of two that may be meant.
    ("z.mjs:3:7", "const n = null;\nconsole.log(1);\nconst { a } = {};\nconst { b } = n;"),
    ("y.mjs:1:11", "const f = ({ a }) => { const { b } = a; return b; };\nf(null);"),
    (
      "s.mjs:3:4",
      "const t = Object.freeze([1]);\nfunction shift(i) {\n  t[i + 1] = 9;\n}\nfunction sum(l) {\n"
        + "  const total = l; return total;\n}\nfunction count(l) { let total = 0; total += 1; }\nshift(0);"
    ),
    (
      "t.mjs:2:10",
      "function f() {\n  return helper(1);\n}\nf();\nconst options = { a: 1 };\n"
        + "console.log(options);\nlet count = 0, helper = () => 1;"
    ),
    ("m.mjs:3:2", "const o = Object.freeze({ a: 1 });\nconst a = 1;\no.a = 2;\na = 3;"),
    ("n.mjs:2:2", "const o = Object.freeze([1]);\no[0] = 2;\nconst a = 1;\na = 3;"),
  ])
  func aNameIsToldWhereItStands(place: String, text: String) throws {
    let name = String(place.prefix { $0 != ":" })
    let result = try CommandRunner.run([name: text], "nbridge run \(name)")
    #expect(result.status == 1 && result.errors.hasPrefix(place + "\n"), "\(result)")
    #expect(result.errors.contains("    at "), "\(result)")
  }

  /// The engine would tell of the line before, and quote it.
  @Test(arguments: [
    ("a.mjs:3:19", "q", "const q = null;\nconsole.log(1);\nfor (const one of q) console.log(one);"),
    ("b.js:4:17", "q", "function f(q) {\n  console.log(1);\n\n  const [one] = q;\n}\nf();"),
    ("c.mjs:3:11", "q", "function* f(q) {\n  console.log(1);\n  yield* q;\n}\nf(null).next();"),
    // What asks a call is told there already; so is what stands in a condition of its own.
    ("d.mjs:3:16", "f(1)", "const f = () => null;\nconsole.log(1);\nconst [a, b] = f(1);"),
    ("e.mjs:3:26", "q", "const f = (q) => {\n  console.log(1);\n  if (f) for (const a of q) f();\n};\nf();"),
    (
      "f.mjs:2:10", "Object.keys(a)",
      "const f = (a, q) => {\n  Object.keys(a);\n  for (const one of q) console.log(one);\n};\nf(null, []);"
    ),
  ])
  func aVariableOfNothingThatIsGoneThroughIsNamed(place: String, name: String, text: String) throws {
    let file = String(place.prefix { $0 != ":" })
    let result = try CommandRunner.run([file: text], "nbridge run \(file)")
    #expect(result.errors.hasPrefix(place + "\n"), "\(result)")
    #expect(result.errors.contains(" is not an object (evaluating '\(name)')\n"), "\(result)")
  }

  /// Where the text does not say which of them ran, the first is told, and the others with it.
  @Test(arguments: [
    (
      "a.mjs:2:9", "(here, or at 3:9)",
      "function handle(req) {\n  const { user } = req;\n  const { name } = user;\n  return name.length;\n}\n"
        + "handle({});"
    ),
    (
      "b.mjs:4:13", "(here, or at 5:13)",
      "function f(n) {\n  const label = 1;\n  switch (n) {\n    case 1: label = 2; break;\n"
        + "    case 2: label = 3;\n  }\n}\nf(2);"
    ),
    (
      "c.cjs:2:27", "(here, or at 3:15)",
      "console.log(1);\nif (!globalThis) { return x; }\nconst y = 1 + x;\nconst x = 2;"
    ),
    (
      "i.mjs:3:5", "(here, or at 4:1)",
      "const user = { name: 1 };\nuser.name = 2;\nuser.age = 3;\nuser = null;"
    ),
    (
      "j.mjs:1:15", "(here, or at 2:9)",
      "function area({ w }) {\n  const { h } = w;\n  return h.x;\n}\narea();"
    ),
    (
      "k.mjs:1:15", "destructured\n",
      "function area({ w, h }) {\n  const k = 2;\n  return w.x * h * k;\n}\narea();"
    ),
    (
      "h.mjs:3:11", "(evaluating '[a]') (here, or at 4:19)",
      "const q = null, r = [];\nconsole.log(1);\nlet [a] = r;\nfor (const one of q) console.log(one);"
    ),
    (
      "g.mjs:2:17", "(here, or at 3:17)",
      "const a = [], b = null; console.log(1);\nfor (const x of a);\nfor (const y of b);"
    ),
    ("d.mjs:3:11", "variable.\n", "console.log(1);\nconst sq = x => x * x;\nconst r = x;\nconst x = 1;"),
    ("e.mjs:2:17", "variable.\n", "console.log(1);\nclass A extends A {}"),
    (
      "f.mjs:5:1", "property.\n",
      "const a = 1;\nfunction f() { let a = 2; a = 3; }\n{ let a; a = 1; }\nconsole.log(1);\na = 2;"
    ),
  ])
  func eachPlaceThatMayBeMeantIsTold(place: String, message: String, text: String) throws {
    let file = String(place.prefix { $0 != ":" })
    let result = try CommandRunner.run([file: text], "nbridge run \(file)")
    #expect(result.errors.hasPrefix(place + "\n"), "\(result)")
    #expect(result.errors.contains(message), "\(result)")
  }

  @Test func aFieldsValueIsNamedForWhatItIs() throws {
    let text = "const c = {};\nclass S { url = c.a.b }\nconsole.log(1);\nnew S();"
    let result = try CommandRunner.run(["a.mjs": text], "nbridge run a.mjs")
    #expect(result.errors.contains("object (in the value of a class's field)\n"), "\(result)")
  }

  @Test(arguments: [
    ("a.mjs:3:15", "const q = null;\nconsole.log(1);\nconst z = [...q];"),
    ("b.js:4:21", "function f(q) {\n  console.log(1);\n  const a = 1;\n  console.log(a, ...q);\n}\nf(null);"),
    ("c.mjs:3:15", "const f = (q) => {\n  console.log(1);\n  return f(...q);\n};\nf(7);"),
  ])
  func aVariableThatCanNotBeSpreadIsToldWhereItStands(place: String, text: String) throws {
    let file = String(place.prefix { $0 != ":" })
    let result = try CommandRunner.run([file: text], "nbridge run \(file)")
    #expect(result.errors.hasPrefix(place + "\n"), "\(result)")
  }

  @Test func aLoggedErrorAndATestTellTheSamePlace() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "a.mjs": "const a = 1;\ntry {\n  a = 2;\n} catch (error) { console.log(error); }",
      "b.test.js": "test('x', () => {\n  const a = 1;\n\n  a = 2;\n});",
    ])
    let logged = try runner.shell("nbridge run a.mjs")
    #expect(logged.output == "TypeError: Attempted to assign to readonly property.\n    at a.mjs:3:3\n")
    let tested = try runner.shell("nbridge test b.test.js")
    #expect(tested.status == 1 && tested.output.contains("at b.test.js:4:3\n"), "\(tested)")
  }
}
