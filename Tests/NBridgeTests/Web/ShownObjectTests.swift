// SPDX-License-Identifier: MIT

import NBridge
import NBridgeTesting
import Testing

/// What `console` shows of objects that keep what they hold in private fields, and that no code of a script
/// runs meanwhile.
@Suite struct ShownObjectTests {
  @Test(arguments: [
    ("new URLSearchParams('a=1&b=x%20y')", "URLSearchParams { 'a' => '1', 'b' => 'x y' }"),
    ("new URLSearchParams()", "URLSearchParams {}"),
    (
      "const f = new FormData(); f.append('a', '1'); f.append('a', '2'); return f",
      "FormData { 'a' => '1', 'a' => '2' }"
    ),
    ("new Blob(['abc'], { type: 'text/plain' })", "Blob { size: 3, type: 'text/plain' }"),
    (
      "new File(['abc'], 'n.txt', { lastModified: 5 })",
      "File { name: 'n.txt', size: 3, type: '', lastModified: 5 }"
    ),
    ("new AbortController()", "AbortController { signal: AbortSignal { aborted: false } }"),
    ("AbortSignal.abort(7)", "AbortSignal { aborted: true, reason: 7 }"),
    ("new MessageEvent('message', { data: { a: 1 } })", "MessageEvent { type: 'message', data: { a: 1 } }"),
    ("({ a: { b: { c: new URL('http://a/') } } })", "{ a: { b: { c: [URL] } } }"),
    ("class Own extends Blob {} return new Own(['a'])", "Own [Blob] { size: 1, type: '' }"),
  ])
  func objectsShowWhatTheyHold(_ script: String, _ shown: String) async {
    #expect(await Self.shown(script) == shown)
  }

  @Test func aLongListIsCut() async {
    let shown = await Self.shown(
      "const p = new URLSearchParams(); for (let i = 0; i < 103; i++) p.append('k', i); return p")
    #expect(shown.contains("'k' => '99'") && !shown.contains("'k' => '100'"), "\(shown)")
    #expect(shown.hasSuffix("... 3 more items\n}"), "\(shown)")
  }

  @Test func anAddressShowsItsParts() async {
    let shown = await Self.shown("new URL('http://u@a.b:81/c?x=1#h')")
    #expect(shown.contains("href: 'http://u@a.b:81/c?x=1#h'") && shown.contains("port: '81'"), "\(shown)")
    #expect(shown.contains("searchParams: URLSearchParams { 'x' => '1' }"), "\(shown)")
  }

  @Test func eventsShowWhatTheyTell() async {
    let shown = await Self.shown("new CustomEvent('done', { detail: { a: 1 } })")
    #expect(shown.hasPrefix("CustomEvent {\n  type: 'done',") && shown.hasSuffix("detail: { a: 1 }\n}"))
    #expect(!shown.contains("isTrusted"))
  }

  /// The name alone proves nothing; getters that a script put in the place of ours are not asked.
  @Test(arguments: [
    ("({ [Symbol.toStringTag]: 'URL', a: 1 })", "{ a: 1, [Symbol(Symbol.toStringTag)]: 'URL' }"),
    ("Object.create(URL.prototype)", "URL {}"),
    ("Object.create(URLSearchParams.prototype)", "URLSearchParams {}"),
    (
      """
      new Blob(); Object.defineProperty(Blob.prototype, 'size', { get() { throw new Error('ran') } });
      return new Blob(['ab'])
      """, "Blob { size: 2, type: '' }"
    ),
    (
      "class Own extends Blob { get size() { throw new Error('ran') } } return new Own(['ab'])",
      "Own [Blob] { size: 2, type: '' }"
    ),
    (
      "({ get [Symbol.toStringTag]() { throw new Error('ran') } })",
      "{ [Symbol(Symbol.toStringTag)]: [Getter] }"
    ),
    ("new Proxy({ a: 1 }, { getPrototypeOf() { throw new Error('ran') } })", "{ a: 1 }"),
  ])
  func whatAnObjectClaimsIsNotAsked(_ script: String, _ shown: String) async {
    #expect(await Self.shown(script) == shown)
  }

  /// A class gives its objects their tag by a getter.
  @Test(arguments: [
    ("class T { get [Symbol.toStringTag]() { return 'X' } } return new T()", "T [X] {}"),
    ("class T { get [Symbol.toStringTag]() { throw new Error('ran') } } return new T()", "T {}"),
    ("class T { get [Symbol.toStringTag]() { return 5 } } return new T()", "T {}"),
    ("class T extends Map { get [Symbol.toStringTag]() { return 'X' } } return new T()", "T(0) [X] {}"),
    ("class T extends Uint8Array {} return new T(2)", "T(2) [Uint8Array] [ 0, 0 ]"),
    ("class T { get [Symbol.toStringTag]() { return '\\x1b[31m' } } return new T()", "T [\\x1B[31m] {}"),
    ("return { get [Symbol.toStringTag]() { return 'X' } }", "{ [Symbol(Symbol.toStringTag)]: [Getter] }"),
  ])
  func aTagThatAGetterGivesIsShown(_ script: String, _ shown: String) async {
    #expect(await Self.shown(script) == shown)
  }

  /// A stack that a script wrote is shown as it stands, and in brackets where it has no frame.
  @Test(arguments: [
    ("S\n   at custom", "[S\n   at custom]"), ("S\n    at custom", "S\n    at custom"),
    ("only text", "[only text]"),
    ("", "[Error: m]"),
  ])
  func aStackOfTheScriptsOwnIsShown(_ stack: String, _ shown: String) async {
    let text = stack.replacing("\n", with: "\\n")
    #expect(await Self.shown("const e = new Error('m'); e.stack = '\(text)'; return e") == shown)
  }

  /// A plain object is known without asking for every kind of inner slot; what is none is still told.
  @Test(arguments: [
    ("({ a: 1 })", "{ a: 1 }"), ("Object.create(null)", "[Object: null prototype] {}"),
    ("({ constructor: 1 })", "{ constructor: 1 }"), ("class A {} return new A()", "A {}"),
    ("Object.setPrototypeOf(new Date(0), Object.prototype)", "1970-01-01T00:00:00.000Z"),
    ("Object.setPrototypeOf(/a/g, Object.prototype)", "/a/g"),
    ("Object.setPrototypeOf([1], Object.prototype)", "Object(1) [ 1 ]"),
    ("Object.prototype[Symbol.toStringTag] = 'P'; return { a: 1 }", "Object [P] { a: 1 }"),
  ])
  func plainObjectsAndWhatIsNone(_ script: String, _ shown: String) async {
    #expect(await Self.shown(script) == shown)
  }

  /// As Node shows them, line for line; none of them is moved on by that.
  @Test(arguments: [
    ("new Map([[1, 2]]).entries()", "[Map Entries] { [ 1, 2 ] }"),
    ("new Map([[1, 2], [3, { a: 4 }]]).values()", "[Map Iterator] { 2, { a: 4 } }"),
    ("new Map([[1, 2]]).keys()", "[Map Iterator] { 1 }"),
    ("new Set([1]).values()", "[Set Iterator] { 1 }"),
    ("new Set([1, 2]).entries()", "[Set Entries] { [ 1, 1 ], [ 2, 2 ] }"),
    ("new Map().keys()", "[Map Iterator] {  }"), ("new Set().entries()", "[Set Entries] {  }"),
    ("({ a: { b: { c: new Set([1]).values() } } })", "{ a: { b: { c: [Object [Set Iterator]] } } }"),
    (
      "new Map([[1, new Map([[{ a: { b: { c: 1 } } }, 2]]).entries()]]).entries()",
      "[Map Entries] { [ 1, [Map Entries] { [ { a: [Object] }, 2 ] } ] }"
    ),
    (
      "const i = new Map([[1, 2], [3, 4]]).keys(); i.extra = 1; i.next(); return i",
      "[Map Iterator] { 3, extra: 1 }"
    ),
    (
      "const m = new Map([[1, 2]]), i = m.entries(); m.set('it', i); return i",
      "<ref *1> [Map Entries] { [ 1, 2 ], [ 'it', [Circular *1] ] }"
    ),
    ("return Object.setPrototypeOf(new Set([1]).values(), null)", "[Set Iterator] { 1 }"),
    (
      "class Own extends Map { entries() { throw 1 } } return new Own([[1, 2]])[Symbol.iterator]()",
      "[Map Entries] { [ 1, 2 ] }"
    ),
  ])
  func iteratorsShowWhatTheyHaveLeft(_ script: String, _ shown: String) async {
    #expect(await Self.shown(script) == shown)
  }

  @Test func anIteratorOfACollectionThatGrewShowsThatNobodyKnows() async {
    let grown = "const m = new Map([[1, 2], [3, 4]]), i = m.keys(); i.next();"
    let growth = "for (let k = 10; k < 99; k++) m.set(k, k);"
    #expect(await Self.shown("\(grown) \(growth) return i") == "[Map Iterator] { <items unknown> }")
    let count = await Self.shown("\(grown) \(growth) const n = m.keys(); return n")
    #expect(count.hasPrefix("[Map Iterator] {\n  1,\n  3,\n  10,"), "\(count)")
    let many = await Self.shown("return new Set(Array(103).keys()).values()")
    #expect(many.hasSuffix("  99,\n  ... 3 more items\n}"), "\(many)")
  }

  /// An object in whose own memory the words of an iterator stand is none.
  @Test(arguments: [
    (
      "const m = new Map([[1, 2]]); return { a: 1, b: m, c: {}, d: 2 }",
      "{ a: 1, b: Map(1) { 1 => 2 }, c: {}, d: 2 }"
    ),
    ("({ [Symbol.toStringTag]: 'Map Iterator' })", "{ [Symbol(Symbol.toStringTag)]: 'Map Iterator' }"),
    ("Object.create(new Map([[1, 2]]).keys())", "Object [Map Iterator] {}"),
    ("[1].values()", "Object [Array Iterator] {}"),
    ("Map.prototype.entries = () => ({ a: 1 }); return new Map([[1, 2]]).keys()", "[Map Iterator] { 1 }"),
  ])
  func whatIsNoIteratorIsShownAsBefore(_ script: String, _ shown: String) async {
    #expect(await Self.shown(script) == shown)
  }

  @Test func theFramesOfAnErrorInAnObjectAreIndentedWithIt() async {
    let shown = await Self.shown("({ one: { two: new Error('x') }, more: 'y'.repeat(80) })")
    let lines = shown.split(separator: "\n")
    #expect(lines.contains("    two: Error: x"), "\(lines)")
    #expect(lines.contains { $0.hasPrefix("        at ") }, "\(lines)")
  }

  /// What `console.log` prints of the value of an expression, or of what a function body returns.
  private static func shown(_ script: String) async -> String {
    let body = script.contains("return ") ? script : "return \(script)"
    var text = await ScriptHarness(plugins: []).run("console.log((() => { \(body) })())").output
    if text.hasSuffix("\n") { text.removeLast() }
    return text
  }
}
