// SPDX-License-Identifier: MIT

import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

/// What a person reads of an error that nobody caught.
@Suite struct UncaughtErrorTests {
  static func report(_ script: String) async -> String {
    await ScriptHarness(plugins: []).run(script).errors
  }

  /// The engine keeps no stack for a value that is no Error: the place is where the script throws such a one.
  @Test(arguments: [
    (
      "function f() {\n  throw { code: 5 };\n}\nf()",
      "test.js:2:3\n  throw { code: 5 };\n  ^\nUncaught { code: 5 }\n"
    ),
    ("throw 'text'", "test.js:1:1\nthrow 'text'\n^\nUncaught 'text'\n"),
    ("throw null", "test.js:1:1\nthrow null\n^\nUncaught null\n"),
    ("throw undefined", "test.js:1:1\nthrow undefined\n^\nUncaught undefined\n"),
    ("throw Symbol('s')", "test.js:1:1\nthrow Symbol('s')\n^\nUncaught Symbol(s)\n"),
    ("throw [1, 2]", "test.js:1:1\nthrow [1, 2]\n^\nUncaught [ 1, 2 ]\n"),
    ("throw class A {}", "test.js:1:1\nthrow class A {}\n^\nUncaught [class A]\n"),
    (
      "Promise.reject({ code: 7 })",
      "test.js:1:9\nPromise.reject({ code: 7 })\n        ^\nUnhandled rejection: { code: 7 }\n"
    ),
    ("if (Math.abs(1) > 1) throw 6;\nthrow 5", "test.js:2:1\nthrow 5\n^\nUncaught 5\n"),
    ("try { throw 5 } catch {}\nthrow 5", "Uncaught 5\n"),
    (
      "class A { b = 1 }\nclass C {}\nif (Math.abs(1) > 1) throw new C();\nthrow new A();",
      "test.js:4:1\nthrow new A();\n^\nUncaught A { b: 1 }\n"
    ),
    (
      "class A {}\nfunction never() { throw new A() }\nconst a = new A();\nthrow a;",
      "Uncaught A {}\n"
    ),
    ("throw new Map()", "test.js:1:1\nthrow new Map()\n^\nUncaught Map(0) {}\n"),
    ("throw /x/", "test.js:1:1\nthrow /x/\n^\nUncaught /x/\n"),
  ])
  func aThrownValueIsShownWithItsPlace(_ script: String, _ report: String) async {
    #expect(await Self.report(script) == report)
  }

  @Test func causesAreShownWithFramesAndProperties() async {
    let report = await Self.report(
      """
      const inner = () => Object.assign(new TypeError('in'), { path: '/x' });
      throw Object.assign(new Error('out', { cause: inner() }), { code: 'E_OUT', status: 5 });
      """)
    #expect(
      report.hasSuffix(
        """
        Error: out [E_OUT]
            at test.js:2:1
          { status: 5 }
          caused by: TypeError: in
              at inner (test.js:1:35)
              at test.js:2:47
            { path: '/x' }

        """), "\(report)")
  }

  @Test func eachErrorOfSeveralIsShown() async {
    let report = await Self.report(
      """
      const one = (text) => { throw Object.assign(new Error(text), { tries: 2 }) };
      const wait = async (text) => { await null; one(text) };
      await Promise.any([wait('a'), wait('b')]);
      """)
    #expect(
      report.hasSuffix(
        """
        AggregateError
            at async test.js:3
          error 1 of 2: Error: a
              at one (test.js:1:25)
              at test.js:2:44
            { tries: 2 }
          error 2 of 2: Error: b
              at one (test.js:1:25)
              at test.js:2:44
            { tries: 2 }

        """), "\(report)")
  }

  @Test func aLongListOfErrorsIsCut() async {
    let report = await Self.report(
      "throw new AggregateError(Array.from({ length: 1e5 }, (_, i) => new Error(`${i}`)), 'all')")
    #expect(report.contains("error 10 of 100000: Error: 9\n") && !report.contains("error 11 of"), "\(report)")
    #expect(report.hasSuffix("  ... 99990 more\n"), "\(report)")
  }

  /// The innermost frame is the constructor of the error's own class, which says nothing of what went wrong.
  @Test func thePlaceIsTheThrowAndNotTheConstructorOfTheClass() async {
    let report = await Self.report(
      "class Base extends Error { constructor(m) { super(m) } }\nclass Own extends Base { constructor() {\n"
        + "  super('x') } }\nfunction go() {\n  throw new Own();\n}\ngo()")
    #expect(
      report.hasPrefix("test.js:5:3\n  throw new Own();\n  ^\nOwn [Error]: x\n"),
      "\(report)")
    #expect(
      report.contains(
        "    at new Base (test.js:1:45)\n    at new Own (test.js:3:3)\n    at go (test.js:5:3)\n"),
      "\(report)")
  }

  @Test(arguments: [
    ("class Own extends Error {}\nthrow new Own('x')", "\nOwn [Error]: x\n"),
    ("class Own extends Error { name = 'Mine' }\nthrow new Own('x')", "\nMine: x\n"),
    ("class Own extends Error { get name() { return 'Got' } }\nthrow new Own('x')", "\nOwn: x\n"),
    ("throw Object.assign(new Error('x'), { name: 'Mine' })", "\nMine: x\n"),
  ])
  func anErrorIsCalledByWhatIsKnownOfItsClass(_ script: String, _ title: String) async {
    let report = await Self.report(script)
    #expect(report.contains(title), "\(report)")
  }

  /// What was awaited last may be over: a value has no frames that tell.
  @Test(arguments: [
    "const v = await Promise.resolve(1);\nfunction check() { throw { code: 'BAD' } }\ncheck()",
    "await null;\nthrow 5",
  ])
  func aValueIsNotSaidToComeOfAnAwait(_ script: String) async {
    let report = await Self.report(script)
    #expect(report.hasPrefix("test.js:2:") && !report.contains("at async"), "\(report)")
  }

  /// The engine keeps no asynchronous stack; which `await` at its top a script stands at is known.
  @Test(arguments: [
    (
      "const f = async () => { await null; null.x };\n\nawait f();",
      "    at test.js:1:41\n    at async test.js:3\n"
    ),
    ("await null;\n\nnull.x", "    at test.js:3:5\n"),
    ("const f = () => null.x;\nawait null;\nf();", "    at f (test.js:1:21)\n    at test.js:3:1\n"),
  ])
  func theAwaitAtTheTopIsAFrame(_ script: String, _ end: String) async {
    let report = await Self.report(script)
    #expect(report.hasSuffix("(evaluating 'null.x')\n" + end), "\(report)")
  }

  @Test(arguments: [
    "const t = new EventTarget(); t.addEventListener('go', () => fail());\nt.dispatchEvent(new Event('go'));",
    "\n\nsetTimeout(() => fail(), 5)", "\n\nqueueMicrotask(() => fail())",
    "\n\nPromise.resolve().then(() => fail())",
    "\n\ntry { fail() } catch (e) { reportError(e) }", "\n\nsetInterval(() => fail(), 5)",
  ])
  func whereverItIsThrownItIsToldAlike(_ rest: String) async {
    let report = await Self.report(
      "function fail() { throw new Error('late', { cause: new Error('early') }) }\n" + rest)
    #expect(report.hasPrefix("test.js:1:19\nfunction fail() {"), "\(report)")
    #expect(report.contains("Error: late\n    at fail (test.js:1:19)\n"), "\(report)")
    #expect(report.contains("  caused by: Error: early\n      at fail (test.js:1:52)\n"), "\(report)")
  }

  /// What a script reads of its own errors has nothing of the runtime's scripts.
  @Test func aStackThatAScriptReadsHasFramesOfTheScriptOnly() async {
    let result = await ScriptHarness(plugins: []).run(
      "await null;\nconst f = () => new Error('x').stack;\nconsole.log(JSON.stringify(f()));", url: "a.js")
    #expect(result.output == #""f@a.js:2:26\n@a.js:3:29""# + "\n", "\(result.output)")
    let before = await ScriptHarness(plugins: []).run(
      "console.log(new Error('x').stack); await null;", url: "a.js")
    #expect(!before.output.contains("nbridge:"), "\(before.output)")
  }

  @Test func framesThatACauseSharesAreToldOnce() async {
    let report = await Self.report(
      """
      const a = () => { throw new Error('out', { cause: b() }) };
      const b = () => new Error('in');
      const c = () => a(), d = () => c(), e = () => d();
      e();
      """)
    #expect(
      report.contains(
        "  caused by: Error: in\n      at b (test.js:2:17)\n      at a (test.js:1:51)\n"
          + "      ... 4 more as above\n"),
      "\(report)")
  }

  @Test func programsGetCausesAndPropertiesToo() async {
    var harness = ScriptHarness(plugins: [])
    harness.options.reportsAsJSON = true
    let line = await harness.run(
      "throw Object.assign(new Error('out', { cause: new TypeError('in') }), { status: 5 })"
    ).errors
    #expect(line.contains(#""causes":["TypeError: in"],"properties":"{ status: 5 }""#), "\(line)")
    #expect(
      line.contains(#""related":[{"relation":"cause","name":"TypeError","message":"in","stack":[{"#),
      "\(line)")
  }
}
